import NightjarEngine
import NightjarModel

/// A timer as a client sees it.
struct Seen: Equatable, CustomStringConvertible {
  private var state: TimerState
  private var clock: Timeline
  private var remainingUsec: Int64
  private var lengths: [Int64]
  private var deadlineUsec: Int64?
  private var startedUsec: Int64
  private var data: [UInt8]
  private var course: ModelCourse
  private var elapsedUsec: Int64
  /// What the run has counted, and how long it was paused.
  private var sums: [Int64]
  private var kind: TimerKind
  private var bands: [Int]
  private var position: Int64
  private var laps: [Int64]
  private var waitsForClock: Bool
  private var lastNumber: Int64
  private var last: SeenExpiry?
  private var miss: SeenExpiry?
  private var misses: Int64
  private var ring: SeenRing?

  var description: String {
    var text = "\(state) on \(clock.name), remaining \(remainingUsec) of \(lengths)"
    if let deadlineUsec { text += ", expires at \(deadlineUsec)" }
    text += ", expired \(lastNumber) times\(last.map { ", last \($0)" } ?? "")"
    if let miss { text += ", \(misses) missed, last \(miss)" }
    if let ring { text += ", \(ring)" }
    text += ", \(kind) at \(position), bands \(bands), laps \(laps)"
    text += "\(waitsForClock ? ", waits for the clock" : ""), \(course)"
    return text + ", data \(data), started \(startedUsec), elapsed \(elapsedUsec), sums \(sums)"
  }

  init(_ view: TimerView) {
    let timer = view.timer
    (state, clock, remainingUsec) = (timer.state, timer.clock, view.remainingUsec)
    lengths = [
      timer.spec.kind == .alarm ? timer.instantUsec : timer.fullLengthUsec, timer.runLengthUsec,
    ]
    deadlineUsec = view.deadlineUsec
    startedUsec = timer.startedUsec
    data = timer.attachments?.data ?? []
    let own = timer.attachments?.ring
    course = ModelCourse(ringForUsec: own?.forUsec, insistUsec: own?.insistUsec ?? 0)
    elapsedUsec = view.elapsedUsec
    sums = [view.sums.countedUsec, view.sums.pausedUsec]
    kind = timer.spec.kind
    let seen = view.band.flatMap { timer.spec.bands.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    bands = [seen, timer.course.announcedBands]
    position = timer.course.position
    laps = timer.laps
    waitsForClock = view.waitsForClock
    lastNumber = timer.expiries.lastNumber
    last = timer.expiries.last.map { SeenExpiry($0) }
    miss = timer.expiries.miss.map { SeenExpiry($0) }
    misses = timer.expiries.misses
    ring = timer.ring.map { SeenRing($0, leftUsec: view.ringLeftUsec, agoUsec: view.ringAgoUsec) }
  }

  init(_ timer: ModelTimer, of model: RingModel) {
    let timers = model.world.timers
    (state, clock) = (timer.state.engineState, timer.clock)
    remainingUsec = timers.visibleRemaining(timer)
    lengths = [timer.originalUsec, timer.durationUsec]
    startedUsec = timer.startedUsec
    (data, course) = (timer.data, timer.course)
    if timer.state == .running, !timer.isStopwatch {
      let left = timer.remainingUsec - (timers.backgroundTime?[timer.timeline] ?? 0)
      deadlineUsec = model.clocks.wallUsec + left
    }
    elapsedUsec =
      timer.isStopwatch ? timers.measured(timer) : max(0, timer.durationUsec - remainingUsec)
    sums = timers.sums(timer)
    kind = timer.spec.kind
    bands = [timer.band(remainingUsec), timer.band]
    position = timer.position
    laps = timer.laps
    waitsForClock =
      timers.backgroundTime == nil && timer.remainingUsec <= 0 && model.isWaiting(timer)
    lastNumber = timer.lastNumber
    last = timer.lastExpiry.map { SeenExpiry($0) }
    miss = timer.miss.map { SeenExpiry($0) }
    misses = timer.misses
    ring = timer.ring.map {
      SeenRing($0, timer.ringWord, hiddenUsec: timers.backgroundTime?.elapsed ?? 0)
    }
  }
}

/// An expiry as a client sees it.
private struct SeenExpiry: Equatable, CustomStringConvertible {
  var number: Int64
  var dueUsec: Int64
  var lateUsec: Int64
  var cause: LateCause?
  var span: Int64
  var outcome: Expiry.Outcome
  var missed: Int64
  var isEstimated: Bool

  var description: String {
    "\(number) \(outcome) due \(dueUsec), late \(lateUsec) by \(cause?.name ?? "nothing")"
      + " in span \(span), \(missed) more\(isEstimated ? ", estimated" : "")"
  }

  init(_ expiry: Expiry) {
    (number, outcome, missed) = (expiry.number, expiry.outcome, expiry.missed)
    dueUsec = expiry.reached.dueUsec
    (lateUsec, cause, span) = (expiry.reached.lateUsec, expiry.reached.cause, expiry.reached.span)
    isEstimated = expiry.reached.estimate != nil
  }

  init(_ expiry: ModelExpiry) {
    (number, missed) = (expiry.number, expiry.missed)
    outcome =
      switch expiry.outcome {
      case .rang: .rang
      case .joined: .joined
      case .didNotRing: .didNotRing
      }
    dueUsec = expiry.dueUsec
    (lateUsec, cause, span) = (expiry.lateUsec, expiry.cause, expiry.span)
    isEstimated = expiry.isEstimated
  }
}

/// An open ring as a client sees it.
private struct SeenRing: Equatable, CustomStringConvertible {
  var word: String
  /// The time until the end of its sound, its insist or the end of its snooze; nil: it has none.
  var leftUsec: Int64?
  var agoUsec: Int64?
  var number: Int64
  var dueUsec: Int64
  var expiries: Int64
  var firstDueUsec: Int64
  var insisted: Int64
  var soundLateUsec: Int64
  var soundDueUsec: Int64
  var soundCause: LateCause?
  var isSoundEstimated: Bool
  /// The numbers of the expiries that joined it.
  var joined: [Int64]

  var description: String {
    "\(word) \(leftUsec.map { "for \($0) " } ?? "")since \(agoUsec ?? -1), number \(number)"
      + " due \(dueUsec), \(expiries) expiries since \(firstDueUsec), joined \(joined),"
      + " insisted \(insisted) times, sounded \(soundLateUsec) after \(soundDueUsec)"
      + " by \(soundCause?.name ?? "nothing")\(isSoundEstimated ? ", estimated" : "")"
  }

  init(_ ring: Ring, leftUsec: Int64?, agoUsec: Int64?) {
    (word, self.leftUsec, self.agoUsec) = (ring.word, leftUsec, agoUsec)
    (number, dueUsec) = (ring.number, ring.newest.reached.dueUsec)
    (expiries, firstDueUsec, insisted) = (ring.expiries, ring.firstDueUsec, ring.insisted)
    (soundLateUsec, soundDueUsec) = (ring.sound.lateUsec, ring.sound.dueUsec)
    (soundCause, isSoundEstimated) = (ring.sound.cause, ring.sound.estimate != nil)
    joined = ring.joined.map(\.number)
  }

  init(_ ring: ModelRing, _ word: String, hiddenUsec: Int64) {
    self.word = word
    leftUsec = ring.deadline.map { $0.remainingUsec - hiddenUsec }
    agoUsec = max(0, ring.sinceUsec + hiddenUsec)
    (number, dueUsec) = (ring.number, ring.newest.dueUsec)
    (expiries, firstDueUsec, insisted) = (ring.expiries, ring.firstDueUsec, ring.insisted)
    (soundLateUsec, soundDueUsec) = (ring.sound.lateUsec, ring.sound.atUsec - ring.sound.lateUsec)
    (soundCause, isSoundEstimated) = (ring.sound.cause, ring.sound.isEstimated)
    joined = ring.joined.map(\.number)
  }
}
