package import Varlink

/// The status of a device: a retained message on the device's topic `status`.
public struct DeviceStatus: Equatable, Sendable {
  /// Whether the device is connected.
  public enum State: String, Sendable {
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
  }

  /// Whether the user is at the device.
  public enum Active: String, Sendable {
    case yes
    /// The user's session on the device is locked or idle.
    case no
    /// Whether the user is there is unknown, because no session on the device reports it.
    case unknown
  }

  /// How long the broker stores a will after it has published the will, in seconds: ten years. The
  /// broker counts this time down (MQTT 5, section 3.3.2.3.3). So a reader can compute when the
  /// broker lost the device.
  public static let willSeconds: UInt32 = 315_360_000

  public var state: State
  /// A random word of the bridge that sent this status. Each start of a bridge has another word.
  /// Nil if the status has none.
  public var instance: String?
  /// Since when the device has been in this state, on the device's CLOCK_REALTIME. Nil in a will,
  /// because the bridge writes the will when it connects, and the broker does not change it.
  public var sinceUsec: Int64?
  /// When this status was sent, on the device's CLOCK_REALTIME. For a will, when the device
  /// connected.
  public var sentUsec: Int64?
  /// The name of the ledger of the device's daemon; nil while the daemon does not answer.
  public var ledger: String?
  /// The number of the last event in that ledger.
  public var lastSeq: Int64?
  /// The number of the device's timers that should be on the broker.
  public var timers: Int64?
  /// The digest of these timers, as `TimerDigest.text`.
  public var digest: String?
  /// Whether the device's kernel reports the clock as synchronised.
  public var isSynchronized: Bool?
  public var active: Active
  /// Whether the user would see or hear a ring on the device.
  public var canRing: Bool

  public init(
    _ state: State, instance: String? = nil, sinceUsec: Int64? = nil, sentUsec: Int64? = nil,
    ledger: String? = nil,
    lastSeq: Int64? = nil, timers: Int64? = nil, digest: String? = nil,
    isSynchronized: Bool? = nil, active: Active = .unknown, canRing: Bool = false
  ) {
    self.state = state
    self.instance = instance
    self.sinceUsec = sinceUsec
    self.sentUsec = sentUsec
    self.ledger = ledger
    self.lastSeq = lastSeq
    self.timers = timers
    self.digest = digest
    self.isSynchronized = isSynchronized
    self.active = active
    self.canRing = canRing
  }

  /// Reads a status. O(bytes).
  ///
  /// - Returns: nil if the payload is no status. Unknown members are ignored: a later version may
  ///   send more.
  public init?(payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload),
      let state = json["state"]?.stringValue.flatMap(State.init(rawValue:))
    else { return nil }
    self.init(
      state, instance: json["instance"]?.stringValue,
      sinceUsec: ForeignNumber.read(json["since_usec"]),
      sentUsec: ForeignNumber.read(json["sent_usec"]), ledger: json["ledger"]?.stringValue,
      lastSeq: ForeignNumber.read(json["last_seq"]), timers: ForeignNumber.read(json["timers"]),
      digest: json["timers_digest"]?.stringValue,
      isSynchronized: json["clock_synchronized"]?.boolValue,
      active: json["active"]?.stringValue.flatMap(Active.init(rawValue:)) ?? .unknown,
      canRing: json["can_ring"]?.boolValue ?? false)
  }

  public var payload: [UInt8] { json.bytes }

  package var json: JSONValue {
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    add("state", .string(state.rawValue))
    add("instance", instance.map(JSONValue.string))
    add("since_usec", sinceUsec.map(JSONValue.integer))
    add("sent_usec", sentUsec.map(JSONValue.integer))
    add("ledger", ledger.map(JSONValue.string))
    add("last_seq", lastSeq.map(JSONValue.integer))
    add("timers", timers.map(JSONValue.integer))
    add("timers_digest", digest.map(JSONValue.string))
    add("clock_synchronized", isSynchronized.map(JSONValue.bool))
    add("active", .string(active.rawValue))
    add("can_ring", .bool(canRing))
    return .object(members)
  }
}
