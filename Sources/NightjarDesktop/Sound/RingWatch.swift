internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem

/// The rings that somebody is expected to answer, until somebody does, or for as long as they last. It has the
/// end of each recorded, and the next ring of those that insist; what comes of that is heard from the ledger.
final class RingWatch {
  /// What could not be recorded, because time is hidden or the disk takes nothing, is tried again so much
  /// later, in microseconds.
  private static let retryUsec: Int64 = 5_000_000

  private struct Ringing {
    let id: Int64
    /// `TimerRecord.firedUsec` of the expiry.
    let firedUsec: Int64
    let course: RingCourse
    /// It has ended, and is to begin again.
    var isOver: Bool
    /// When that is, on CLOCK_BOOTTIME: a ring ends while the machine sleeps.
    var untilUsec: Int64
  }

  private let loop: EventLoop
  private let keeper: any RingKeeper
  private let onEnd: (_ slot: Int) -> Void
  private var timer: TimerSource?
  /// By slot; at most `Limits.ringsAtOnce`.
  private var rings: [Int: Ringing] = [:]

  /// - Parameter onEnd: called when the sound of a ring is to end.
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

  /// Whether as many are watched as can be.
  var isFull: Bool { rings.count >= Limits.ringsAtOnce }

  /// Whether it does not know of a ring of the timer in a slot.
  func isMissing(_ slot: Int) -> Bool { rings[slot] == nil }

  /// Whether it knows of the ring of a timer for its last expiry.
  func knows(_ slot: Int, _ record: TimerRecord) -> Bool {
    rings[slot].map { $0.id == record.id && $0.firedUsec == record.firedUsec } ?? false
  }

  /// A timer rings.
  ///
  /// - Parameters:
  ///   - afterUsec: when that ends; with `isOver` it has ended, and this is when it begins again.
  /// - Returns: whether somebody is expected to answer.
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

  /// Somebody answered, or there is nothing to answer any more. O(1).
  func answered(_ slot: Int) { rings[slot] = nil }

  /// That it ended is on disk.
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

  /// O(rings), of which there are few.
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
      // Tried again unless the ledger says before that it is so.
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
