internal import NightjarInterface
internal import NightjarModel
internal import NightjarVarlink

/// What a published timer says of its ring: the one that is to come, and the one that is on.
struct PublishedRing: Equatable {
  /// A difference of two points in time that is none, in microseconds: a ring is told from the deadline that it was for.
  private static let toleranceUsec: Int64 = 2_000_000

  /// Of the ring that is to come, if there is one.
  let key: RingKey
  let kind: TimerKind
  /// When it is due, on the owner's CLOCK_REALTIME; nil: it does not run, or stands still.
  let deadlineUsec: Int64?
  /// Its time passes only while the owner is awake, or the user is at it.
  let countsThere: Bool
  /// It does not ring if it is later than this, in microseconds; nil: there is no such limit.
  let lateLimitUsec: Int64?
  /// When the ring that is on began, on the owner's CLOCK_REALTIME; nil: it does not ring.
  let firedUsec: Int64?
  /// When that ring was due.
  let firedDueUsec: Int64?
  let isSilent: Bool
  let message: String
  /// It rings again after this, or has further steps.
  let continues: Bool

  /// - Returns: nil of a stopwatch, and of what has no ledger or number.
  init?(_ timer: JSONValue) {
    guard let ledger = timer["ledger"]?.stringValue, let id = ForeignNumber.read(timer["id"]),
      let seq = ForeignNumber.read(timer["seq"]),
      let key = RingKey(ledger: ledger, id: id, seq: seq),
      let kind = Self.kind(timer["kind"]), kind != .stopwatch
    else { return nil }
    self.key = key
    self.kind = kind
    let state = timer["state"]?.stringValue.flatMap(TimersInterface.State.init(rawValue:))
    let isStill =
      timer["away"]?.boolValue == true || timer["waits_for_clock"]?.boolValue == true
    let deadlineUsec = ForeignNumber.read(timer["deadline_usec"])
    let passedOver = timer["passed_over_usec"]?.arrayValue ?? []
    self.deadlineUsec =
      state == .running && !isStill
      ? deadlineUsec.flatMap { passedOver.contains(.integer($0)) ? nil : $0 } : nil
    switch timer["clock"]?.stringValue.flatMap(TimersInterface.Clock.init(rawValue:)) {
    case .awake, .present: countsThere = timer[TimerValue.onRealTime]?.boolValue != true
    case .elapsed, .wall, nil: countsThere = false
    }
    let skips = timer["late"]?.stringValue == TimersInterface.Late.skip.rawValue
    lateLimitUsec = ForeignNumber.read(timer["fire_within_usec"]) ?? (skips ? 0 : nil)
    let isOver = timer["skipped"]?.boolValue == true
    firedUsec = isOver ? nil : ForeignNumber.read(timer["fired_usec"])
    firedDueUsec = firedUsec.map { $0 - (ForeignNumber.read(timer["late_usec"]) ?? 0) }
    isSilent = timer["ring"]?["silent"]?.boolValue == true
    message = timer["message"]?.stringValue ?? ""
    continues =
      timer["repeat"] != nil || timer["calendar"] != nil || timer["step"] != nil
  }

  private static func kind(_ word: JSONValue?) -> TimerKind? {
    TimerKind.allCases.first { "\($0.name)" == word?.stringValue }
  }

  /// Whether the ring that is on is that of the deadline in an earlier value of the timer.
  func rings(for earlier: PublishedRing) -> Bool {
    guard key.ledger == earlier.key.ledger, key.id == earlier.key.id,
      let firedUsec, firedUsec != earlier.firedUsec
    else { return false }
    return earlier.deadlineUsec.map { rings(forDeadline: $0) } ?? false
  }

  /// Whether the ring that is on was due then.
  func rings(forDeadline usec: Int64) -> Bool {
    firedDueUsec.map { Self.isSame($0, usec) } ?? false
  }

  /// Whether two points in time are one deadline.
  static func isSame(_ one: Int64, _ other: Int64) -> Bool {
    (one - other).magnitude <= UInt64(toleranceUsec)
  }
}
