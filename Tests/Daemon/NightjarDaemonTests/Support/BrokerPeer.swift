import Glibc
import NightjarTestSupport

/// A client that publishes messages no bridge would send, as fast as the broker accepts them:
/// hand-written MQTT 5 packets at QoS 0.
final class BrokerPeer {
  /// The number of messages between two checks that the broker has read them.
  private static let messagesAtOnce = 200

  private let socket: RawSocket
  private var input: [UInt8] = []

  /// Connects; returns when the broker has accepted the connection.
  ///
  /// - Parameter user: a user of the broker, whose password is the same.
  init(path: String, name: String, user: String? = nil) throws {
    socket = try RawSocket(path: path)
    // Section 3.1: a clean start, no keepalive and no properties.
    let flags: UInt8 = user == nil ? 0x02 : 0xC2
    let credentials = user.map { Self.text($0) + Self.text($0) } ?? []
    try socket.send(
      Self.packet(0x10, Self.text("MQTT") + [5, flags, 0, 0, 0] + Self.text(name) + credentials))
    try awaitPacket(0x20)
  }

  /// A message as a packet (section 3.3).
  ///
  /// - Parameters:
  ///   - reply: the topic for the answer to a call.
  ///   - correlation: the data that the answer repeats.
  static func message(
    _ topic: String, _ payload: String, isRetained: Bool = false, reply: String? = nil,
    correlation: String? = nil
  ) -> [UInt8] {
    var properties: [UInt8] = []
    if let reply { properties += [0x08] + text(reply) }
    if let correlation { properties += [0x09] + text(correlation) }
    return packet(
      0x30 | (isRetained ? 1 : 0),
      text(topic) + length(properties.count) + properties + payload.utf8)
  }

  func publish(
    _ topic: String, _ payload: String, isRetained: Bool = false, correlation: String? = nil
  ) throws {
    try send([Self.message(topic, payload, isRetained: isRetained, correlation: correlation)])
  }

  /// Sends messages; returns when the broker has read all of them.
  func send(_ messages: [[UInt8]]) throws {
    var rest = messages[...]
    while !rest.isEmpty {
      try socket.send(Array(rest.prefix(Self.messagesAtOnce).joined()) + [0xC0, 0])
      rest = rest.dropFirst(Self.messagesAtOnce)
      // The broker answers the ping behind them.
      try awaitPacket(0xD0)
    }
  }

  private func awaitPacket(_ type: UInt8) throws {
    while true {
      if let packet = takePacket() {
        guard packet == type else { throw Unmet(description: "the broker sent \(packet)") }
        return
      }
      var request = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&request, 1, 30_000) > 0 else {
        throw Unmet(description: "the broker does not answer")
      }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(socket.descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw Unmet(description: "the broker has hung up") }
      input += buffer[..<count]
    }
  }

  /// Removes one packet from the input and returns its type; nil if no packet is complete. Packets
  /// for this client are short.
  private func takePacket() -> UInt8? {
    guard input.count >= 2, input[1] < 0x80, input.count >= 2 + Int(input[1]) else { return nil }
    let type = input[0]
    input.removeFirst(2 + Int(input[1]))
    return type
  }

  // MARK: - Packets

  private static func packet(_ type: UInt8, _ rest: [UInt8]) -> [UInt8] {
    [type] + length(rest.count) + rest
  }

  /// A number of one to four bytes (section 1.5.5).
  private static func length(_ count: Int) -> [UInt8] {
    var (rest, bytes): (Int, [UInt8]) = (count, [])
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  private static func text(_ text: String) -> [UInt8] {
    [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + text.utf8
  }
}
