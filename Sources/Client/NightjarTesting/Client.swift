internal import Glibc
internal import NightjarService
internal import Varlink

/// A client of the test daemon.
final class Client {
  /// The most bytes of output that have not been sent. This is far more than a socket's buffer,
  /// because a test may let a simulated day pass before it reads the events, and must then find all
  /// events and ticks.
  private static let limitBytes = 64 << 20

  /// The number of the client. It differs from that of a later client whose connection has the same
  /// descriptor.
  let number: UInt64
  let connection: VarlinkConnection
  /// The stream of a call that has not got its last reply; nil: there is none. Later calls wait for
  /// the end of the stream.
  var stream: (any ReplyStream)?
  /// Whether the stream has more output than fits into the outlet.
  var hasMore = false

  /// Takes over a descriptor. The connection closes the descriptor at its own end.
  init(_ descriptor: Int32, number: UInt64) {
    self.number = number
    connection = VarlinkConnection(
      owning: descriptor, outlet: Outlet(limitBytes: Self.limitBytes, sendsEverything: true))
  }

  /// Shuts the socket down before the connection closes it. The other thread may be in poll(2) with
  /// the descriptor, which keeps the socket open after close(2). Without the shutdown, the socket
  /// would then accept a client's message, and the message would be lost.
  deinit { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }

  var outlet: Outlet { connection.outlet }

  /// Whether the client's next call can be answered now.
  var canAnswer: Bool { !connection.isBroken && stream == nil && outlet.hasRoom }

  /// Whether the connection can be closed.
  var isOver: Bool {
    connection.hasFailed || connection.hasInputEnded && outlet.isDrained && stream == nil
  }
}
