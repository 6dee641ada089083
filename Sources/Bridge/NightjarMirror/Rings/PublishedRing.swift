internal import NightjarInterface
internal import NightjarModel
internal import Varlink

/// The data about rings in a published timer: about the next ring, and about the ring that is in
/// progress.
struct PublishedRing: Equatable {
  /// How much two values of the same deadline may differ, in microseconds.
  private static let toleranceUsec: Int64 = 2_000_000

  /// The key of the next ring. The timer has this key even if it has no next ring.
  let key: RingKey
  let kind: TimerKind
  /// When the next ring is due, on the owner's CLOCK_REALTIME. Nil: the timer does not run, its
  /// clock is stopped, or this expiry will be skipped.
  let deadlineUsec: Int64?
  /// Whether the timer's time passes only while the owner is awake, or only while the user is
  /// present at the owner.
  let countsThere: Bool
  /// How late the timer may ring, in microseconds. If it is later, it does not ring. Nil: no limit.
  let lateLimitUsec: Int64?
  /// When the ring that is in progress began, on the owner's CLOCK_REALTIME; nil: no ring is in
  /// progress.
  let firedUsec: Int64?
  /// When the ring that is in progress was due, on the owner's CLOCK_REALTIME.
  let firedDueUsec: Int64?
  let isSilent: Bool
  let message: String
  /// Whether the timer rings again later, or has further steps.
  let continues: Bool

  /// - Returns: nil for a stopwatch, and for a timer without a ledger or without an event number.
  init?(_ timer: JSONValue) {
    guard let ledger = timer["ledger"]?.stringValue, let id = ForeignNumber.read(timer["id"]),
      let seq = ForeignNumber.read(timer["seq"]),
      let key = RingKey(ledger: ledger, id: id, seq: seq),
      let kind = Self.kind(timer["kind"]), kind != .stopwatch
    else { return nil }
    self.key = key
    self.kind = kind
    let state = timer["state"]?.stringValue.flatMap(Wire.State.init(rawValue:))
    let isStill =
      timer["away"]?.boolValue == true || timer["waits_for_clock"]?.boolValue == true
    let deadlineUsec = ForeignNumber.read(timer["deadline_usec"])
    let passedOver = timer["passed_over_usec"]?.arrayValue ?? []
    self.deadlineUsec =
      state == .running && !isStill
      ? deadlineUsec.flatMap { passedOver.contains(.integer($0)) ? nil : $0 } : nil
    countsThere = Self.countsThere(timer)
    let skips = timer["late"]?.stringValue == Wire.Late.skip.rawValue
    lateLimitUsec = ForeignNumber.read(timer["fire_within_usec"]) ?? (skips ? 0 : nil)
    let isOver = timer["skipped"]?.boolValue == true
    firedUsec = isOver ? nil : ForeignNumber.read(timer["fired_usec"])
    firedDueUsec = firedUsec.map { $0 - (ForeignNumber.read(timer["late_usec"]) ?? 0) }
    isSilent = timer["ring"]?["silent"]?.boolValue == true
    message = timer["message"]?.stringValue ?? ""
    continues =
      timer["repeat"] != nil || timer["calendar"] != nil || timer["step"] != nil
  }

  static func countsThere(_ timer: JSONValue) -> Bool {
    switch timer["clock"]?.stringValue.flatMap(Wire.Clock.init(rawValue:)) {
    case .awake, .present: timer[TimerValue.onRealTime]?.boolValue != true
    case .elapsed, .wall, .other, nil: false
    }
  }

  private static func kind(_ word: JSONValue?) -> TimerKind? {
    TimerKind.allCases.first { "\($0.name)" == word?.stringValue }
  }

  /// Whether the ring in progress belongs to the deadline of an earlier value of the timer.
  func rings(for earlier: PublishedRing) -> Bool {
    guard key.ledger == earlier.key.ledger, key.id == earlier.key.id,
      let firedUsec, firedUsec != earlier.firedUsec
    else { return false }
    return earlier.deadlineUsec.map { rings(forDeadline: $0) } ?? false
  }

  /// Whether the ring in progress was due at this instant, on the owner's CLOCK_REALTIME.
  func rings(forDeadline usec: Int64) -> Bool {
    firedDueUsec.map { Self.isSame($0, usec) } ?? false
  }

  /// Whether two instants are the same deadline, within the tolerance.
  static func isSame(_ one: Int64, _ other: Int64) -> Bool {
    (one - other).magnitude <= UInt64(toleranceUsec)
  }
}
