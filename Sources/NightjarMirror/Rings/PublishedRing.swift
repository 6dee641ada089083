internal import NightjarInterface
internal import NightjarModel
internal import NightjarVarlink

/// The ring information in a published timer: the next ring, and the present one.
struct PublishedRing: Equatable {
  /// How far two instants of the same deadline may differ, in microseconds. A ring is matched to
  /// its deadline with this tolerance.
  private static let toleranceUsec: Int64 = 2_000_000

  /// The key of the next ring, if there is one.
  let key: RingKey
  let kind: TimerKind
  /// When it is due, on the owner's CLOCK_REALTIME; nil: the timer does not run, its clock is
  /// stopped, or this expiry will be skipped.
  let deadlineUsec: Int64?
  /// Its time passes only while the owner is awake, or only while the user is present at the owner.
  let countsThere: Bool
  /// It does not ring if it is later than this, in microseconds; nil: no limit.
  let lateLimitUsec: Int64?
  /// When the present ring began, on the owner's CLOCK_REALTIME; nil: it does not ring.
  let firedUsec: Int64?
  /// When the present ring was due.
  let firedDueUsec: Int64?
  let isSilent: Bool
  let message: String
  /// It rings again later, or has further steps.
  let continues: Bool

  /// - Returns: nil for a stopwatch, and for a timer without a ledger or a number.
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

  /// Whether the present ring belongs to the deadline of an earlier value of the timer.
  func rings(for earlier: PublishedRing) -> Bool {
    guard key.ledger == earlier.key.ledger, key.id == earlier.key.id,
      let firedUsec, firedUsec != earlier.firedUsec
    else { return false }
    return earlier.deadlineUsec.map { rings(forDeadline: $0) } ?? false
  }

  /// Whether the present ring was due at this time.
  func rings(forDeadline usec: Int64) -> Bool {
    firedDueUsec.map { Self.isSame($0, usec) } ?? false
  }

  /// Whether two instants are the same deadline.
  static func isSame(_ one: Int64, _ other: Int64) -> Bool {
    (one - other).magnitude <= UInt64(toleranceUsec)
  }
}
