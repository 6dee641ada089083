import NightjarModel

/// A time that is counted down: a timer's schedule, the end of a sound, the next insist, or the end
/// of a snooze.
struct ModelDeadline {
  var timeline: Timeline
  /// Negative once it is overdue. For a stopwatch, the measured time, negated.
  var remainingUsec: Int64
  /// The order in which equal deadlines are handled.
  var order: Int64
  /// The number of the event from which it is counted.
  var setSeq: Int64
  /// The number of the event up to which it ran, if it ran over a reboot in doubt and is paused;
  /// else 0.
  var pausedSeq: Int64 = 0
  /// A pause after a reboot in doubt: it ran up to the first of these events, and runs since the
  /// second.
  var interruption: (pausedSeq: Int64, resumedSeq: Int64)?
  /// By how much the present correction moved it.
  var correctedUsec: Int64 = 0
  /// Its cause of lateness once it has waited for a right clock.
  var waitBlame: Blame?
  /// Whether it is the deadline or band that waits, and not a later one.
  var isDeadlineWaiting = false
  /// The spans in which it passed.
  var spans: [Jump] = []
  /// The step or correction that made it overdue.
  var jump: Jump?

  var isBlamed: Bool { !spans.isEmpty || jump != nil || waitBlame != nil }

  /// Whether it ran without a break from one event to another.
  func ranOver(_ since: Int64, _ until: Int64, isPaused: Bool) -> Bool {
    let until = max(since, until)
    if setSeq > since || isPaused && until >= pausedSeq { return false }
    guard let pause = interruption, pause.pausedSeq < pause.resumedSeq else { return true }
    return until < pause.pausedSeq || since >= pause.resumedSeq
  }

  mutating func forgetBlame() {
    spans = []
    jump = nil
  }

  /// The next deadline is later by this much than the one before it.
  mutating func shiftBlame(by usec: Int64) {
    for index in spans.indices {
      spans[index].before -= usec
      spans[index].after -= usec
    }
    spans.removeAll { $0.after < 0 }
    jump?.before -= usec
    jump?.after -= usec
  }

  /// The lateness of a deadline that is `delta` after the one that is counted down, and its cause.
  func lateness(delta: Int64 = 0, wasMuted: Bool = false) -> (usec: Int64, blame: Blame?) {
    let late = -remainingUsec - delta
    if wasMuted { return (late, Blame(cause: .paused, span: 0)) }
    if let waitBlame { return (late, waitBlame) }
    let spans = spans.filter { $0.after >= delta }
    if let first = spans.first {
      guard timeline.countsUptime else { return (late, first.blame(overdue: first.after - delta)) }
      return (spans.filter { $0.before >= delta }.reduce(late) { $0 + $1.hiddenUsec }, first.blame)
    }
    if let jump, jump.before < delta, jump.after >= delta { return (late, jump.blame) }
    return (late, late > 10_000 ? Blame(cause: .busy, span: 0) : nil)
  }
}

/// One passing of a deadline. Rule 1: all values are its own.
struct ModelExpiry {
  enum Outcome: Equatable { case rang, joined, didNotRing }

  /// Its number among the timer's expiries.
  var number: Int64
  /// The wall clock when it was handled. It was due `lateUsec` before that.
  var handledUsec: Int64
  var lateUsec: Int64
  var cause: LateCause?
  var span: Int64
  var outcome: Outcome
  /// For how many other expiries it stands.
  var missed: Int64 = 0
  /// The round or step that it ended.
  var position: Int64
  /// For an alarm, the last instant that was handled before it; else 0.
  var markBefore: Int64 = 0
  /// Whether its being due, or its lateness, depended on a wall clock in doubt.
  var isEstimated: Bool
  /// The event that recorded it.
  var seq: Int64 = 0
  /// The deadline as it passed: a correction of the clock concerns its lateness if it concerns
  /// this.
  var deadline: ModelDeadline

  var dueUsec: Int64 { handledUsec - lateUsec }
}

/// The last time that a ring sounded: for an expiry, for the end of a snooze, or to insist.
struct ModelSound {
  var atUsec: Int64
  var lateUsec: Int64
  var cause: LateCause?
  var span: Int64
  var isEstimated: Bool
  var seq: Int64
  var deadline: ModelDeadline
}

/// A ring: open from the first expiry that rings until somebody answers it (rule 4).
struct ModelRing {
  /// Rule 5.
  enum State: Equatable { case sounding, quiet, snoozed }

  var state = State.quiet
  /// The end of the sound, the next insist, or the end of the snooze; nil: there is none.
  var deadline: ModelDeadline?
  /// The last expiry for which it sounded.
  var expiry: ModelExpiry
  /// Rule 8: the expiries since then, in order, for which it has not sounded.
  var joined: [ModelExpiry] = []
  var expiries: Int64 = 1
  var firstDueUsec: Int64
  var sound: ModelSound
  /// How often it insisted since it last rang.
  var insisted: Int64 = 0
  /// The time since it last sounded, or its snooze ended.
  var sinceUsec: Int64 = 0
  var sinceSeq: Int64

  /// Rule 4: the ring is its newest expiry's. Rule 12: answers name this number.
  var newest: ModelExpiry { joined.last ?? expiry }
  var number: Int64 { newest.number }
}

/// How the ring of a timer sounds, and for how long.
struct ModelCourse: Equatable {
  /// nil: as long as is usual for its kind.
  var ringForUsec: Int64?
  var insistUsec: Int64 = 0

  static let mostInsists: Int64 = 11
}

extension ModelTimer {
  /// How long its ring sounds from now on; nil: once, and then it is quiet without an end.
  var soundUsec: Int64? {
    let wantsAnswer = state != .running || spec.kind == .alarm
    let usual: Int64 = wantsAnswer ? (spec.kind == .alarm ? 600_000_000 : 60_000_000) : 0
    let usec = course.ringForUsec ?? usual
    if usec > 0 { return usec }
    return course.insistUsec > 0 ? 10_000_000 : nil
  }

  /// Its ring sounds from now on. Rule 10: with all expiries that joined it.
  mutating func sound(_ sound: ModelSound, isInsist: Bool, isExpiry: Bool) {
    guard var ring else { return }
    let isForInstant = isExpiry || !ring.joined.isEmpty
    ring.sound = sound
    ring.state = soundUsec == nil ? .quiet : .sounding
    ring.deadline = soundUsec.map {
      ModelDeadline(timeline: .elapsed, remainingUsec: $0, order: sound.seq, setSeq: sound.seq)
    }
    ring.insisted = isInsist ? ring.insisted + 1 : 0
    ring.sinceUsec = 0
    ring.sinceSeq = sound.seq
    for expiry in ring.joined {
      noteSounded(expiry)
      if lastExpiry?.number == expiry.number { lastExpiry?.outcome = .rang }
    }
    if let last = ring.joined.last { ring.expiry = last }
    ring.joined = []
    self.ring = ring
    guard isForInstant else { return }
    sinceLastRingUsec = 0
    rangSeq = sound.seq
  }

  /// Rules 4 and 8: an expiry opens the ring, or joins it.
  mutating func add(_ expiry: ModelExpiry, _ sound: ModelSound) {
    guard var ring else {
      self.ring = ModelRing(
        expiry: expiry, firstDueUsec: expiry.dueUsec, sound: sound, sinceSeq: expiry.seq)
      noteSounded(expiry)
      return
    }
    ring.joined.append(expiry)
    ring.expiries += 1
    self.ring = ring
  }

  /// Rule 9: the ring is quiet, and open, and does not insist.
  mutating func quietRing(_ seq: Int64) {
    ring?.sinceUsec = 0
    ring?.sinceSeq = seq
    ring?.state = .quiet
    ring?.deadline = nil
  }

  /// Section 8: an instant that sounded does not ring again when the clock shows it again.
  mutating func noteSounded(_ expiry: ModelExpiry) {
    guard clock == .wall else { return }
    if spec.schedule != nil {
      let isNext = expiry.missed == 0 && expiry.markBefore == rang?.upperBound
      noteRang(expiry.dueUsec, isNext: isNext)
    } else if repeats || spec.kind == .sequence {
      let last = rangRounds?.upperBound
      let isNext = expiry.missed == 0 && last == expiry.position - 1
      rangRounds = (isNext ? rangRounds?.lowerBound ?? 0 : expiry.position)...expiry.position
    }
  }

  private mutating func noteRang(_ instant: Int64, isNext: Bool) {
    guard isNext, let rang, instant > rang.upperBound else {
      rang = instant...instant
      return
    }
    // Stored in whole seconds, for 90 days.
    let sec = (rang.upperBound - rang.lowerBound) / 1_000_000
    let more = (instant - rang.upperBound) / 1_000_000
    self.rang = (instant - min(sec + more, 90 * 86_400) * 1_000_000)...instant
  }

  /// A user began the present round or step: those before it do not come again.
  mutating func rangAllOnWall() {
    guard clock == .wall, spec.schedule == nil else { return }
    rangRounds = position > 0 ? 0...position - 1 : nil
  }

  /// Whether a round or step on `wall` sounded before the clock was set back.
  func hasRung(_ position: Int64) -> Bool {
    clock == .wall && position < self.position && rangRounds?.contains(position) == true
  }

  /// Rule 13: a ring that comes back makes no sound. Its snooze and insist keep their times.
  var ringWithoutSound: ModelRing? {
    guard var ring else { return nil }
    if ring.state == .sounding {
      ring.state = .quiet
      let insists = course.insistUsec > 0 && ring.insisted < ModelCourse.mostInsists
      if insists { ring.deadline?.remainingUsec += course.insistUsec } else { ring.deadline = nil }
    }
    return ring
  }
}
