import NightjarClient

/// The values of the counters at an event of the ledger.
struct Reading: Equatable {
  /// The number of the event.
  let seq: Int64
  var elapsedUsec: Int64
  var awakeUsec: Int64
  /// The time that `awake` counted while the user was present.
  var presentUsec: Int64
  /// The wall clock, in microseconds since the epoch.
  var wallUsec: Int64

  /// The reading of one counter.
  func usec(_ counter: Counter) -> Int64 {
    switch counter {
    case .elapsed: elapsedUsec
    case .awake: awakeUsec
    case .present: presentUsec
    }
  }

  /// The reading this much earlier on all clocks.
  func earlier(byUsec usec: Int64) -> Reading {
    Reading(
      seq: seq, elapsedUsec: elapsedUsec - usec, awakeUsec: awakeUsec - usec,
      presentUsec: presentUsec - usec, wallUsec: wallUsec - usec)
  }

  /// Whether each counter differs from the wall clock by the same amount in both readings, to a
  /// millisecond.
  fileprivate func goesAlike(_ other: Reading) -> Bool {
    abs((elapsedUsec - wallUsec) - (other.elapsedUsec - other.wallUsec)) < 1000
      && abs((awakeUsec - wallUsec) - (other.awakeUsec - other.wallUsec)) < 1000
      && abs((presentUsec - wallUsec) - (other.presentUsec - other.wallUsec)) < 1000
  }
}

/// The counter by which a stretch of time is measured.
enum Counter { case elapsed, awake, present }

/// The daemon's counters, event by event, from the ledger.
///
/// Daemons of earlier versions did not record counters. The readings of their events are computed
/// from the wall clock, its steps and the lengths of background spans.
struct CounterLog {
  /// A correction of the lengths of reboots. Readings of `elapsed` from event `sinceSeq` on, and
  /// before event `seq`, were wrong by `byUsec`.
  private struct Correction {
    let sinceSeq: Int64
    /// The event at the end of the last reboot of this correction. If it covers several reboots,
    /// the share of each is unknown. A stretch of time that began before `sinceSeq` and ended
    /// before this event is therefore not corrected.
    let untilSeq: Int64
    let seq: Int64
    let byUsec: Int64
  }

  /// The beginning of the ledger; nil before the first event.
  private(set) var first: Reading?
  /// The reading at the last event.
  private(set) var last = Reading(
    seq: 0, elapsedUsec: 0, awakeUsec: 0, presentUsec: 0, wallUsec: 0)
  /// The reading at the beginning of the last background span that is no absence.
  private(set) var entered: Reading?
  /// The reading at the beginning of the last absence.
  private(set) var leftPresence: Reading?
  /// `usec`: the time that `awake` counted in all ended absences. `sinceAwakeUsec`: the reading of
  /// `awake` at the beginning of the present absence; nil: there is none. The ledger leaves out
  /// absences that hid no time from any timer.
  private var absence: (usec: Int64, sinceAwakeUsec: Int64?) = (0, nil)
  /// The number of spans, steps and corrections whose readings were computed, because the ledger
  /// has no counters for them.
  private(set) var reckoned = 0
  /// The background span that has not ended.
  private var open: BackgroundSpan?
  /// Added to the ledger's counters, so that they continue the earlier, computed readings.
  private var base: (elapsedUsec: Int64, awakeUsec: Int64)?
  private var corrections: [Correction] = []
  /// In order. Readings are left out within a stretch of time in which all counters and the wall
  /// clock advance together.
  private var turns: [Reading] = []

  /// Adds the next event of the ledger.
  mutating func take(_ event: Event) {
    if first == nil { begin(event) }
    var reading = reckon(event)
    if let counters = event.counters {
      let base =
        base ?? (reading.elapsedUsec - counters.elapsedUsec, reading.awakeUsec - counters.awakeUsec)
      self.base = base
      reading.elapsedUsec = base.elapsedUsec + counters.elapsedUsec
      reading.awakeUsec = base.awakeUsec + counters.awakeUsec
    } else if event.span != nil || event.type == .clockStepped {
      reckoned += 1
    }
    reading.presentUsec = presentUsec(atAwake: reading.awakeUsec)
    switch event.type {
    case .didEnterBackground where event.span?.isAbsence == true:
      absence.sinceAwakeUsec = reading.awakeUsec
      leftPresence = reading
    case .willEnterForeground where event.span?.isAbsence == true:
      if let since = absence.sinceAwakeUsec { absence.usec += reading.awakeUsec - since }
      absence.sinceAwakeUsec = nil
    case .didEnterBackground: (open, entered) = (event.span, reading)
    case .willEnterForeground: open = nil
    case .spanCorrected:
      guard let sinceSeq = event.sinceSeq, let byUsec = event.byUsec else { break }
      corrections.append(
        Correction(
          sinceSeq: sinceSeq, untilSeq: event.untilSeq ?? sinceSeq, seq: event.seq, byUsec: byUsec))
      last = reading
      return
    default: break
    }
    note(reading)
  }

  private func presentUsec(atAwake awakeUsec: Int64) -> Int64 {
    min(awakeUsec, absence.sinceAwakeUsec ?? .max) - absence.usec
  }

  /// Adds a background span, with the same effect as the ledger's two events about it.
  mutating func liveThrough(_ span: BackgroundSpan) {
    if first == nil { begin(at: span.enteredUsec, seq: 0) }
    guard !span.isAbsence else { return liveThroughAbsence(span) }
    let from = last.wallUsec
    var reading = last.earlier(byUsec: from - span.enteredUsec)
    entered = reading
    note(reading)
    reading.elapsedUsec += span.elapsedUsec
    reading.awakeUsec += span.hidesAwake ? 0 : span.elapsedUsec
    reading.presentUsec = presentUsec(atAwake: reading.awakeUsec)
    reading.wallUsec = span.leftUsec ?? span.enteredUsec + span.elapsedUsec
    reckoned += 1
    note(reading)
  }

  private mutating func liveThroughAbsence(_ span: BackgroundSpan) {
    leftPresence = last.earlier(byUsec: last.wallUsec - span.enteredUsec)
    absence.usec += span.elapsedUsec
    reckoned += 1
  }

  /// Advances to now without an event.
  mutating func pass(to nowUsec: Int64) {
    let usec = max(0, nowUsec - last.wallUsec)
    let awakeUsec = last.awakeUsec + (open?.hidesAwake == true ? 0 : usec)
    note(
      Reading(
        seq: .max, elapsedUsec: last.elapsedUsec + usec, awakeUsec: awakeUsec,
        presentUsec: presentUsec(atAwake: awakeUsec), wallUsec: nowUsec))
    if first == nil { first = last }
  }

  /// A reading of a counter with all known corrections. O(corrections).
  ///
  /// - Parameter startSeq: the event at which the measured stretch of time began, if the reading is
  ///   its end.
  func corrected(
    _ reading: Reading, on counter: Counter, countedSince startSeq: Int64 = .max
  ) -> Int64 {
    guard counter == .elapsed else { return reading.usec(counter) }
    return corrections.reduce(reading.elapsedUsec) {
      let sinceSeq = startSeq < $1.sinceSeq ? $1.untilSeq : $1.sinceSeq
      return sinceSeq <= reading.seq && reading.seq < $1.seq ? $0 + $1.byUsec : $0
    }
  }

  /// Maps a counter's readings to days.
  func tape(_ counter: Counter, days: LocalDays) -> DayTape {
    var tape = DayTape(days: days)
    // Before a correction, the wall clock was wrong. The days of that time are computed backwards
    // from the next reading with a right clock.
    var rightOffset: Int64?
    var points: [(fromUsec: Int64, wallUsec: Int64)] = []
    for turn in (turns + [last]).reversed() {
      let elapsed = corrected(turn, on: .elapsed)
      let isInDoubt = corrections.contains { $0.sinceSeq <= turn.seq && turn.seq < $0.seq }
      let offset = isInDoubt ? rightOffset ?? turn.wallUsec - elapsed : turn.wallUsec - elapsed
      if !isInDoubt { rightOffset = offset }
      points.append((counter == .elapsed ? elapsed : turn.usec(counter), elapsed + offset))
    }
    for point in points.reversed() { tape.goOn(from: point.fromUsec, atWallUsec: point.wallUsec) }
    return tape
  }

  // MARK: Readings

  private mutating func begin(_ event: Event) {
    // Without counters, the log begins before the span or the step of the event, so that the event
    // itself can be computed.
    let before = event.span?.enteredUsec ?? event.timeUsec - (event.offsetUsec ?? 0)
    begin(
      at: event.counters == nil ? before : event.timeUsec, seq: event.seq, event.counters)
  }

  private mutating func begin(at usec: Int64, seq: Int64, _ counters: Event.Counters? = nil) {
    last = Reading(
      seq: seq, elapsedUsec: usec, awakeUsec: usec, presentUsec: usec, wallUsec: usec)
    if let counters {
      base = (0, 0)
      last.elapsedUsec = counters.elapsedUsec
      last.awakeUsec = counters.awakeUsec
      last.presentUsec = presentUsec(atAwake: counters.awakeUsec)
    }
    first = last
    turns.append(last)
  }

  private mutating func note(_ reading: Reading) {
    if let turn = turns.last, !reading.goesAlike(turn) {
      if last != turn { turns.append(last) }
      turns.append(reading)
    }
    last = reading
  }

  /// Computes the counters at an event from the ledger's other data.
  private func reckon(_ event: Event) -> Reading {
    var reading = last
    func goOn(byUsec usec: Int64) {
      reading.elapsedUsec += usec
      if open?.hidesAwake != true { reading.awakeUsec += usec }
    }
    switch event.type {
    // An absence stops only `present`: the other counters continue.
    case _ where event.span?.isAbsence == true: goOn(byUsec: max(0, event.timeUsec - last.wallUsec))
    case .didEnterBackground:
      // The daemon may have noticed the span after its end, and after other events.
      goOn(byUsec: (event.span?.enteredUsec ?? event.timeUsec) - last.wallUsec)
    case .willEnterForeground:
      guard let span = event.span else { break }
      let from = entered ?? last
      // Within a boot, the wall clock gives the end of the span, because all its steps are known.
      // After a reboot, the length of the span gives its end.
      reading.elapsedUsec =
        span.causes.contains(.reboot)
        ? corrected(from, on: .elapsed) + span.elapsedUsec
        : last.elapsedUsec + max(0, event.timeUsec - last.wallUsec)
      reading.awakeUsec =
        from.awakeUsec
        + (span.hidesAwake ? 0 : reading.elapsedUsec - corrected(from, on: .elapsed))
    case .spanCorrected: reading.elapsedUsec += event.byUsec ?? 0
    case .clockStepped:
      goOn(byUsec: max(0, event.timeUsec - (event.offsetUsec ?? 0) - last.wallUsec))
    default: goOn(byUsec: max(0, event.timeUsec - last.wallUsec))
    }
    // If the daemon noticed a span late, the reading is for the time that the event reports.
    let wallUsec =
      switch event.type {
      case .didEnterBackground: event.span?.enteredUsec
      case .willEnterForeground where event.span?.isAbsence == true: event.span?.leftUsec
      default: nil as Int64?
      }
    return Reading(
      seq: event.seq, elapsedUsec: reading.elapsedUsec, awakeUsec: reading.awakeUsec,
      presentUsec: reading.presentUsec, wallUsec: wallUsec ?? event.timeUsec)
  }
}

extension BackgroundSpan {
  /// Whether the counter `awake` stops in the span.
  var hidesAwake: Bool { !causes.allSatisfy { $0 == .down || $0 == .away } }

  /// Whether the span is an absence of the user. It hides time only from timers on the clock
  /// `present`, and may overlap other spans.
  package var isAbsence: Bool { causes == [.away] }

  /// Whether the span itself stops a counter. Time in which the daemon was down counts on `present`
  /// unless the user was absent.
  func hides(_ counter: Counter) -> Bool {
    switch counter {
    case .elapsed: false
    case .awake: hidesAwake
    case .present: hidesAwake || isAbsence
    }
  }
}
