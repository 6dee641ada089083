internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem

/// Watches the rings that the user is expected to answer, until an answer comes or their time is
/// over. Then it records the end of a ring and, for a ring that insists, later the next ring. An
/// event of the ledger confirms each record when it is committed.
final class RingWatch {
  /// The wait, in microseconds, before a failed record is tried again. A record fails while time is
  /// hidden or the disk cannot be written.
  private static let retryUsec: Int64 = 5_000_000

  private struct Ringing {
    let id: Int64
    /// `TimerRecord.firedUsec` of the expiry.
    let firedUsec: Int64
    let course: RingCourse
    /// The ring has ended and is to begin again.
    var isOver: Bool
    /// When the ring ends or begins again, on CLOCK_BOOTTIME: a ring ends even while the machine
    /// sleeps.
    var untilUsec: Int64
  }

  private let loop: EventLoop
  private let keeper: any RingKeeper
  private let onEnd: (_ slot: Int) -> Void
  private var timer: TimerSource?
  /// The rings by slot; at most `Limits.ringsAtOnce`.
  private var rings: [Int: Ringing] = [:]

  /// - Parameter onEnd: called when the sound of a ring is to stop.
  init(
    loop: EventLoop, keeper: any RingKeeper, onEnd: @escaping (_ slot: Int) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.keeper = keeper
    self.onEnd = onEnd
    timer = try loop.timer(on: .boottime) { [unowned self] in timePassed() }
  }

  deinit { timer?.cancel() }

  var isEmpty: Bool { rings.isEmpty }

  /// Whether it watches as many rings as it can.
  var isFull: Bool { rings.count >= Limits.ringsAtOnce }

  /// Whether it watches no ring of the timer in a slot.
  func isMissing(_ slot: Int) -> Bool { rings[slot] == nil }

  /// Whether it watches the ring of a timer's last expiry.
  func knows(_ slot: Int, _ record: TimerRecord) -> Bool {
    rings[slot].map { $0.id == record.id && $0.firedUsec == record.firedUsec } ?? false
  }

  /// Begins to watch a ring.
  ///
  /// - Parameters:
  ///   - isOver: the ring has ended and is to begin again.
  ///   - afterUsec: the time until the ring ends or, with `isOver`, until it begins again.
  /// - Returns: whether an answer is expected.
  @discardableResult
  func begin(
    _ slot: Int, _ record: TimerRecord, _ course: RingCourse, isOver: Bool = false,
    afterUsec: Int64? = nil
  ) -> Bool {
    guard let usec = afterUsec ?? course.endUsec, rings[slot] != nil || !isFull else {
      answered(slot)
      return false
    }
    rings[slot] = Ringing(
      id: record.id, firedUsec: record.firedUsec, course: course, isOver: isOver,
      untilUsec: loop.now.boottimeUsec + usec)
    arm()
    return true
  }

  /// Stops watching a ring because it was answered, or because nothing is left to answer. O(1).
  func answered(_ slot: Int) { rings[slot] = nil }

  /// Called when the end of a ring has been committed.
  func ended(_ slot: Int, _ record: TimerRecord) {
    guard var ring = rings[slot], ring.id == record.id else { return }
    guard ring.course.insistUsec > 0, record.ringNumber < Limits.ringsOfExpiry else {
      return answered(slot)
    }
    ring.isOver = true
    ring.untilUsec = loop.now.boottimeUsec + ring.course.insistUsec
    rings[slot] = ring
    arm()
  }

  /// O(rings), which are few.
  private func arm() { timer?.arm(atUsec: rings.values.map(\.untilUsec).min()) }

  private func timePassed() {
    let now = loop.now.boottimeUsec
    for (slot, ring) in rings where ring.untilUsec <= now {
      guard let record = keeper.record(slot), record.id == ring.id, record.isRinging,
        record.firedUsec == ring.firedUsec
      else {
        answered(slot)
        continue
      }
      // Try again later, unless an event of the ledger confirms the record before that.
      rings[slot]?.untilUsec = now + Self.retryUsec
      if ring.isOver {
        _ = keeper.recordRangAgain(slot, firedUsec: ring.firedUsec)
      } else {
        onEnd(slot)
        _ = keeper.recordUnanswered(slot, firedUsec: ring.firedUsec)
      }
    }
    arm()
  }
}
