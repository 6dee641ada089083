import Glibc
import NightjarSystem
import NightjarTestSupport

/// A broker that accepts one client and disconnects it at once: hand-written MQTT 5 packets.
final class ClosingBroker {
  private let listening: Descriptor

  init(path: String) throws { listening = try UnixSocket.listen(path: path) }

  /// Waits for a client. Sends it messages and the reason why it is disconnected, and closes the
  /// connection. The client is stopped meanwhile, so it reads all of that afterwards.
  ///
  /// - Parameters:
  ///   - client: the process of the client.
  ///   - reason: the reason code of DISCONNECT (section 3.14.2.1).
  func disconnect(_ client: ChildProcess, _ reason: UInt8) throws {
    try awaitInput(of: listening.raw, "the client's connection")
    guard let connection = try UnixSocket.accept(from: listening.raw) else {
      throw Unmet(description: "the client has gone")
    }
    try awaitInput(of: connection.raw, "CONNECT")
    var bytes = [UInt8](repeating: 0, count: 4096)
    guard recv(connection.raw, &bytes, bytes.count, 0) > 0 else {
      throw Unmet(description: "the client has closed its connection")
    }
    try client.stop()
    // libmosquitto reads several packets at once, as many as it has messages on the way. These are
    // more than that.
    let message: [UInt8] = [0x30, 5, 0, 1, 0x61, 0, 0x62]
    let messages = Array(repeating: message, count: 100).joined()
    // A message at QoS 1, which the client acknowledges.
    let last: [UInt8] = [0x32, 7, 0, 1, 0x61, 0, 1, 0, 0x62]
    let packets = [0x20, 3, 0, 0, 0] + messages + last + [0xE0, 2, reason, 0]
    guard send(connection.raw, packets, packets.count, 0) == packets.count else {
      throw Unmet(description: "send: \(String(cString: strerror(errno)))")
    }
    _ = consume connection
    client.signal(SIGCONT)
  }

  private func awaitInput(of descriptor: Int32, _ what: String) throws {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 60_000) > 0 else { throw Unmet(description: "\(what) did not come") }
  }
}
