package import Varlink

/// Whether a device can be reached: a retained message on the device's topic `presence`.
///
/// The members of the person's groups may read this topic, so it contains nothing private.
public struct DevicePresence: Equatable, Sendable {
  /// Whether the device is connected.
  public enum State: String, CaseIterable, Sendable {
    /// The bridge of the device is connected to the broker.
    case online
    /// The bridge of the device announced that the device was going to sleep, and then
    /// disconnected.
    case asleep
    /// The bridge of the device is not connected. The broker published the will of the bridge, or
    /// the bridge was stopped and published this itself.
    case offline
    /// The bridge of the device is connected, and its daemon does not answer: nothing rings there.
    case noDaemon = "no_daemon"

    /// Whether the bridge of the device is connected.
    var isConnected: Bool { self == .online || self == .noDaemon }
  }

  /// How long the broker stores a will after it has published the will, in seconds: ten years. The
  /// broker counts this time down (MQTT 5, section 3.3.2.3.3). So a reader can compute when the
  /// broker lost the device.
  public static let willSeconds: UInt32 = 315_360_000

  public var state: State
  /// A random word of the bridge that sent this message. Each start of a bridge has another word.
  /// Nil if the message has none.
  public var instance: String?
  /// Since when the device has been in this state, on the device's CLOCK_REALTIME. Nil in a will,
  /// because the bridge writes the will when it connects, and the broker does not change it.
  public var sinceUsec: Int64?
  /// When this message was sent, on the device's CLOCK_REALTIME. For a will, when the device
  /// connected.
  public var sentUsec: Int64?

  public init(
    _ state: State, instance: String? = nil, sinceUsec: Int64? = nil, sentUsec: Int64? = nil
  ) {
    self.state = state
    self.instance = instance
    self.sinceUsec = sinceUsec
    self.sentUsec = sentUsec
  }

  /// Reads a presence. O(bytes).
  ///
  /// - Returns: nil if the payload is no presence. Unknown members are ignored: a later version may
  ///   send more.
  public init?(payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload),
      let state = json["state"]?.stringValue.flatMap(State.init(rawValue:))
    else { return nil }
    self.init(
      state, instance: json["instance"]?.stringValue,
      sinceUsec: ForeignNumber.read(json["since_usec"]),
      sentUsec: ForeignNumber.read(json["sent_usec"]))
  }

  public var payload: [UInt8] {
    JSONValue.object(of: [
      ("state", .string(state.rawValue)), ("instance", instance.map(JSONValue.string)),
      ("since_usec", sinceUsec.map(JSONValue.integer)),
      ("sent_usec", sentUsec.map(JSONValue.integer)),
    ]).bytes
  }
}

extension JSONValue {
  /// An object of the members that have a value.
  package static func object(of members: [(name: String, value: JSONValue?)]) -> JSONValue {
    .object(members.compactMap { name, value in value.map { Member(name, $0) } })
  }
}
