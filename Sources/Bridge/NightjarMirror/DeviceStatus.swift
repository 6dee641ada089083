internal import Varlink

/// The status of a device: a retained message on the device's topic `status`. In a session, the
/// message says that the device takes part, and has only the number of its timers and their digest.
public struct DeviceStatus: Equatable, Sendable {
  /// Whether the user is at the device.
  public enum Active: String, CaseIterable, Sendable {
    case yes
    /// The user's session on the device is locked or idle.
    case no
    /// Whether the user is there is unknown, because no session on the device reports it.
    case unknown
  }

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
  /// Whether the user is there; nil in a session. Valid only while the device is online.
  public var active: Active?
  /// Whether the user would see or hear a ring on the device; nil in a session. Valid only while
  /// the device is online.
  public var canRing: Bool?

  public init(
    ledger: String? = nil, lastSeq: Int64? = nil, timers: Int64? = nil, digest: String? = nil,
    isSynchronized: Bool? = nil, active: Active? = nil, canRing: Bool? = nil
  ) {
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
    guard let json = try? JSONValue.parse(payload), json.objectValue != nil else { return nil }
    self.init(
      ledger: json["ledger"]?.stringValue, lastSeq: ForeignNumber.read(json["last_seq"]),
      timers: ForeignNumber.read(json["timers"]), digest: json["timers_digest"]?.stringValue,
      isSynchronized: json["clock_synchronized"]?.boolValue,
      active: json["active"]?.stringValue.flatMap(Active.init(rawValue:)),
      canRing: json["can_ring"]?.boolValue)
  }

  public var payload: [UInt8] {
    JSONValue.object(of: [
      ("ledger", ledger.map(JSONValue.string)), ("last_seq", lastSeq.map(JSONValue.integer)),
      ("timers", timers.map(JSONValue.integer)), ("timers_digest", digest.map(JSONValue.string)),
      ("clock_synchronized", isSynchronized.map(JSONValue.bool)),
      ("active", active.map { .string($0.rawValue) }), ("can_ring", canRing.map(JSONValue.bool)),
    ]).bytes
  }
}
