internal import Glibc
internal import NightjarService
internal import Varlink

/// The connection of a client. It stores the client's input that has not been read, and the output
/// that has not been sent.
final class Connection {
  /// The most bytes of output that have not been sent. This is far more than a socket's buffer,
  /// because a test may let a simulated day pass before it reads the events, and must then find all
  /// events and ticks.
  private static let limitBytes = 64 << 20
  private static let receiveBytes = 64 * 1024

  /// The number of the connection. It differs from that of a later connection with the same
  /// descriptor.
  let number: UInt64
  let descriptor: Int32
  var input = FrameBuffer()
  let outlet = Outlet(limitBytes: Connection.limitBytes, sendsEveryTick: true)
  /// The stream of a call that has not got its last reply; nil: there is none. Later calls wait for
  /// the end of the stream.
  var stream: (any ReplyStream)?
  /// Whether the stream has more output than fits into the outlet.
  var hasMore = false
  /// Whether the client has violated the protocol, or has closed the connection.
  var isBroken = false
  private var hasInputEnded = false

  /// Takes over a descriptor. The connection closes the descriptor at its own end.
  init(_ descriptor: Int32, number: UInt64) {
    self.descriptor = descriptor
    self.number = number
  }

  /// Shuts the socket down, and then closes it. The other thread may be in poll(2) with the
  /// descriptor, which keeps the socket open after close(2). Without the shutdown, the socket would
  /// then accept a client's message, and the message would be lost.
  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  /// Whether the connection can answer the client's next call now.
  var canAnswer: Bool { !isBroken && stream == nil && outlet.hasRoom }

  /// Whether the connection can be closed.
  var isOver: Bool {
    isBroken || hasInputEnded && outlet.isDrained && stream == nil
  }

  /// The events for which poll(2) waits.
  var awaited: Int32 {
    let reads = !hasInputEnded && input.pendingBytes <= WireLimits.frameBytes
    return (reads ? POLLIN : 0) | (outlet.isDrained ? 0 : POLLOUT)
  }

  /// Handles the events that poll(2) has found. It reads the input, and stores that the connection
  /// has ended.
  func take(_ found: Int32) {
    if found & POLLIN != 0 {
      receive()
    } else if found & (POLLHUP | POLLERR | POLLNVAL) != 0 {
      isBroken = true
    }
  }

  private func receive() {
    let chunk = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.receiveBytes, alignment: 1)
    defer { chunk.deallocate() }
    let count = recv(descriptor, chunk.baseAddress, chunk.count, Int32(MSG_DONTWAIT))
    if count > 0 {
      input.append(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
    } else if count == 0 {
      hasInputEnded = true
    } else if errno != EAGAIN, errno != EINTR {
      isBroken = true
    }
  }

  /// Sends as much output as the kernel accepts.
  func send() {
    while !outlet.isDrained, !isBroken {
      let count = outlet.output[outlet.sent...].withUnsafeBytes { bytes in
        Glibc.send(
          descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count >= 0 {
        outlet.sent += count
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        isBroken = true
      }
    }
    _ = outlet.forgetSent()
  }
}
