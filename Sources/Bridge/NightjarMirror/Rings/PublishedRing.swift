internal import NightjarInterface
internal import NightjarModel
internal import Varlink

/// The data about rings in a published timer: about its next expiry, and about its open ring.
/// Instants are on the owner's CLOCK_REALTIME.
struct PublishedRing: Equatable {
  /// How much two values of the same instant may differ, in microseconds.
  private static let toleranceUsec: Int64 = 2_000_000

  /// The open ring of a timer.
  struct Open: Equatable {
    /// The number of its newest expiry.
    let expiry: Int64
    /// When that expiry was due.
    let dueUsec: Int64
    /// The end of its snooze; nil: it is not snoozed.
    let snoozedUntilUsec: Int64?
    /// When it last began to sound, and how late that was.
    let rangUsec, lateUsec: Int64
    /// Since when it sounds, or is quiet because the end of a snooze was too late.
    let sinceUsec: Int64
    /// Whether the last sound was for an expiry or the end of a snooze, and not to insist.
    let isNew: Bool
    /// Whether the owner has found that its user could neither see nor hear the last sound.
    let isUnnoticed: Bool

    init?(_ timer: JSONValue) {
      guard let ring = timer["open_ring"], let expiry = ForeignNumber.read(ring["expiry"]),
        let dueUsec = ForeignNumber.read(ring["due_usec"]),
        let rangUsec = ForeignNumber.read(ring["rang_usec"])
      else { return nil }
      (self.expiry, self.dueUsec, self.rangUsec) = (expiry, dueUsec, rangUsec)
      let isSnoozed = timer["ringing"]?.stringValue == Wire.Ringing.snoozed.rawValue
      snoozedUntilUsec = isSnoozed ? ForeignNumber.read(ring["until_usec"]) : nil
      lateUsec = ForeignNumber.read(ring["late_usec"]) ?? 0
      sinceUsec = ForeignNumber.read(ring[TimerValue.ringsSince]) ?? rangUsec
      isNew = ForeignNumber.read(ring["insisted"]) == nil
      isUnnoticed = ring["unseen"] != nil && ring["unheard"] != nil
    }
  }

  /// The key of the ring that the next expiry opens or joins. The timer has this key even if it has
  /// no next expiry.
  let next: RingKey
  let kind: TimerKind
  /// When the next expiry is due. Nil: the timer does not run, its clock is stopped, or this expiry
  /// will be skipped.
  let deadlineUsec: Int64?
  /// Whether the timer's time passes only while the owner is awake, or only while the user is
  /// present at the owner. Then only the owner knows whether the timer is due.
  let countsThere: Bool
  /// How late the timer may ring, in microseconds. If it is later, it does not ring. Nil: no limit.
  let lateLimitUsec: Int64?
  let open: Open?
  let isSilent: Bool
  let message: String
  /// Whether the timer rings again later, or has further steps.
  let continues: Bool

  /// - Returns: nil for a stopwatch, and for a timer without a ledger or without numbers.
  init?(_ timer: JSONValue) {
    guard let ledger = timer["ledger"]?.stringValue, let id = ForeignNumber.read(timer["id"]),
      let number = ForeignNumber.read(timer["next_expiry"]),
      let next = RingKey(ledger: ledger, id: id, expiry: number),
      let kind = Self.kind(timer["kind"]), kind != .stopwatch
    else { return nil }
    self.next = next
    self.kind = kind
    let state = timer["state"]?.stringValue.flatMap(Wire.State.init(rawValue:))
    let isStill =
      timer["away"]?.boolValue == true || timer["waits_for_clock"]?.boolValue == true
    let deadlineUsec = ForeignNumber.read(timer["deadline_usec"])
    let skipped = timer["skipped_usec"]?.arrayValue ?? []
    self.deadlineUsec =
      state == .running && !isStill
      ? deadlineUsec.flatMap { skipped.contains(.integer($0)) ? nil : $0 } : nil
    countsThere = Self.countsThere(timer)
    let skips = timer["late"]?.stringValue == Wire.Late.skip.rawValue
    lateLimitUsec = ForeignNumber.read(timer["fire_within_usec"]) ?? (skips ? 0 : nil)
    open = Open(timer)
    isSilent = timer["ring"]?["silent"]?.boolValue == true
    message = timer["message"]?.stringValue ?? ""
    continues =
      timer["repeat"] != nil || timer["calendar"] != nil || timer["step"] != nil
  }

  static func countsThere(_ timer: JSONValue) -> Bool {
    switch timer["clock"]?.stringValue.flatMap(Wire.Clock.init(rawValue:)) {
    case .awake, .present: true
    case .elapsed, .wall, .other, nil: false
    }
  }

  private static func kind(_ word: JSONValue?) -> TimerKind? {
    TimerKind.allCases.first { "\($0.name)" == word?.stringValue }
  }

  func key(_ expiry: Int64) -> RingKey { next.with(expiry: expiry) }

  /// Whether two instants are the same, within the tolerance.
  static func isSame(_ one: Int64, _ other: Int64) -> Bool {
    (one - other).magnitude <= UInt64(toleranceUsec)
  }
}
