internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem

/// Watches the rings that the user is expected to answer. If the time of a ring passes without an
/// answer, the watch records the end of the ring. If such a ring is to be repeated, the watch later
/// records the next ring. An event of the ledger confirms each record when it is committed.
final class RingWatch {
  /// How long to wait, in microseconds, before a record that failed is tried again. A record fails
  /// in a background span, or while the disk cannot be written.
  private static let retryUsec: Int64 = 5_000_000

  private struct Ringing {
    let id: Int64
    /// `LastRing.firedUsec` of the expiry because of which the timer rings.
    let firedUsec: Int64
    let course: RingCourse
    /// Whether the ring has ended and is to begin again.
    var isOver: Bool
    /// When the ring ends or begins again, on CLOCK_BOOTTIME. A ring ends even while the machine
    /// sleeps.
    var untilUsec: Int64
  }

  private let loop: EventLoop
  private let timers: any TimerAccess
  private let onEnd: (_ slot: Int) -> Void
  private var timer: TimerSource?
  /// The watched rings by slot; at most `Limits.ringsAtOnce`.
  private var rings: [Int: Ringing] = [:]

  /// - Parameter onEnd: called with the slot when the sound of a ring is to stop.
  init(
    loop: EventLoop, timers: any TimerAccess, onEnd: @escaping (_ slot: Int) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.timers = timers
    self.onEnd = onEnd
    timer = try loop.timer(on: .boottime) { [unowned self] in timePassed() }
  }

  deinit { timer?.cancel() }

  var isEmpty: Bool { rings.isEmpty }

  var isFull: Bool { rings.count >= Limits.ringsAtOnce }

  /// Whether no ring of the timer in this slot is watched.
  func isMissing(_ slot: Int) -> Bool { rings[slot] == nil }

  /// Whether the ring of the timer's last expiry is watched.
  func knows(_ slot: Int, _ timer: Timer) -> Bool {
    rings[slot].map { $0.id == timer.id && $0.firedUsec == timer.lastRing?.firedUsec } ?? false
  }

  /// Begins to watch a ring.
  ///
  /// - Parameters:
  ///   - isOver: whether the ring has ended and is to begin again.
  ///   - afterUsec: the time until the ring ends or, with `isOver`, until it begins again.
  /// - Returns: whether an answer is expected.
  @discardableResult
  func begin(
    _ slot: Int, _ timer: Timer, _ course: RingCourse, isOver: Bool = false,
    afterUsec: Int64? = nil
  ) -> Bool {
    guard let usec = afterUsec ?? course.endUsec, rings[slot] != nil || !isFull else {
      answered(slot)
      return false
    }
    rings[slot] = Ringing(
      id: timer.id, firedUsec: timer.lastRing?.firedUsec ?? 0, course: course, isOver: isOver,
      untilUsec: loop.now.boottimeUsec + usec)
    arm()
    return true
  }

  /// Stops watching a ring because it was answered, or because it does not exist any more. O(1).
  func answered(_ slot: Int) { rings[slot] = nil }

  /// Handles the commit of the end of a ring.
  func ended(_ slot: Int, _ timer: Timer) {
    guard var ring = rings[slot], ring.id == timer.id else { return }
    guard ring.course.insistUsec > 0, timer.lastRing?.number ?? 1 < Limits.ringsOfExpiry else {
      return answered(slot)
    }
    ring.isOver = true
    ring.untilUsec = loop.now.boottimeUsec + ring.course.insistUsec
    rings[slot] = ring
    arm()
  }

  /// Arms the timer for the ring that ends or begins again first. O(rings), which are few.
  private func arm() { timer?.arm(atUsec: rings.values.map(\.untilUsec).min()) }

  private func timePassed() {
    let now = loop.now.boottimeUsec
    // Rings that end together end in the order in which their timers were started.
    let over = rings.filter { $0.value.untilUsec <= now }
    for (slot, ring) in over.sorted(by: { $0.value.id < $1.value.id }) {
      guard let timer = timers.timer(slot), timer.id == ring.id,
        timer.lastRing?.firedUsec == ring.firedUsec
      else {
        answered(slot)
        continue
      }
      // Try again later. If an event of the ledger confirms the record before that, nothing is
      // tried again.
      rings[slot]?.untilUsec = now + Self.retryUsec
      if ring.isOver {
        _ = timers.recordRangAgain(slot, firedUsec: ring.firedUsec)
      } else {
        onEnd(slot)
        _ = timers.recordUnanswered(slot, firedUsec: ring.firedUsec)
      }
    }
    arm()
  }
}
