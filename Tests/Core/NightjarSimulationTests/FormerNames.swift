import NightjarModel
import NightjarTestSupport

@testable import NightjarEngine

// The comparison of the real core with the literal model, and the saboteurs, name the fields of the
// former record. So it is seen that they have not changed with the record.

typealias NamedTimer = Engine.StoredTimer

extension Engine {
  func record(at slot: Int) -> Timer { table[slot] }
  func spec(at slot: Int) -> SharedSpec { table[slot].spec }
  func detail(at slot: Int) -> Course? { table[slot].spec.isPlain ? nil : table[slot].course }
  func attachments(at slot: Int) -> Attachments? { table[slot].attachments }
  func laps(at slot: Int) -> [Int64] { table[slot].laps }
  func queueDeadline(_ slot: Int, _ record: Timer, _ spec: SharedSpec?) -> Int64 {
    queueDeadline(slot) ?? .max
  }
}

extension TimerTable {
  func specBeyondCountdown(_ slot: Int) -> SharedSpec? { self[slot].spec }
  mutating func setPassedOver(_ value: [Int64], _ slot: Int) { self[slot].passedOver = value }
  mutating func changeDetail(_ slot: Int, _ body: (inout Course) -> Void) {
    body(&self[slot].course)
  }
}

extension TimerView {
  var record: Timer { timer }
  var spec: SharedSpec { timer.spec }
  var detail: Course? { timer.spec.isPlain ? nil : timer.course }
}

extension Course {
  var band: UInt8 {
    get { UInt8(announcedBands) }
    set { announcedBands = Int(newValue) }
  }
  var wasMuted: Bool {
    get { wasPausedAtDeadline }
    set { wasPausedAtDeadline = newValue }
  }
  /// A repeating alarm has the first of the two, a countdown the second.
  var mark: Int64 {
    get { deadlineAfterSnooze == 0 ? handledInstant : deadlineAfterSnooze }
    set {
      if deadlineAfterSnooze == 0 {
        handledInstant = newValue
      } else {
        deadlineAfterSnooze = newValue
      }
    }
  }
}

extension Timer {
  var originalUsec: Int64 {
    spec.kind == .alarm && spec.schedule == nil ? self.instantUsec : fullLengthUsec
  }
  var firedUsec: Int64 { lastRing?.firedUsec ?? 0 }
  var lateCause: LateCause? { lastRing?.cause }
  var isEstimated: Bool { lastRing?.estimatedBy != nil }
  var durationUsec: Int64 {
    get { runLengthUsec }
    set { runLengthUsec = newValue }
  }
  var deadline: Int64 {
    get {
      switch phase {
      case .running(let usec), .runningStopwatch(let usec), .pausedAlarm(let usec),
        .fired(let usec), .waiting(let usec), .cancelled(let usec, _),
        .cancelledStopwatch(let usec, _):
        usec
      case .paused(_, let seq), .pausedStopwatch(_, let seq): seq ?? 0
      }
    }
    set {
      switch phase {
      case .running: phase = .running(deadline: newValue)
      case .runningStopwatch: phase = .runningStopwatch(since: newValue)
      case .fired: phase = .fired(atElapsed: newValue)
      case .cancelled(_, let usec): phase = .cancelled(atElapsed: newValue, remainingUsec: usec)
      default: fatalError("no saboteur moves a timer in \(phase)")
      }
    }
  }
  var remainingOrLateUsec: Int64 {
    get {
      switch phase {
      case .paused(let usec, _), .pausedStopwatch(let usec, _), .cancelled(_, let usec),
        .cancelledStopwatch(_, let usec):
        usec
      case .running, .runningStopwatch, .pausedAlarm, .fired, .waiting: lastRing?.lateUsec ?? 0
      }
    }
    set {
      switch phase {
      case .paused(_, let seq): phase = .paused(remainingUsec: newValue, ranUpTo: seq)
      case .pausedStopwatch(_, let seq):
        phase = .pausedStopwatch(measuredUsec: newValue, ranUpTo: seq)
      // A paused alarm has no remaining time.
      default: break
      }
    }
  }
}
