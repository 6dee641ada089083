import NightjarClient

/// The values of the daemon's counters at an event of the ledger.
struct Reading: Equatable {
  let seq: Int64
  var elapsedUsec: Int64
  var awakeUsec: Int64
  /// The reading of the counter `present`: the time that `awake` counted while the user was
  /// present.
  var presentUsec: Int64
  /// The wall clock, in microseconds since the epoch.
  var wallUsec: Int64

  func usec(_ counter: Counter) -> Int64 {
    switch counter {
    case .elapsed: elapsedUsec
    case .awake: awakeUsec
    case .present: presentUsec
    }
  }

  func earlier(byUsec usec: Int64) -> Reading {
    Reading(
      seq: seq, elapsedUsec: elapsedUsec - usec, awakeUsec: awakeUsec - usec,
      presentUsec: presentUsec - usec, wallUsec: wallUsec - usec)
  }

  /// Whether the counters and the wall clock advanced by the same amount from one reading to the
  /// other, exact to a millisecond.
  fileprivate func goesAlike(_ other: Reading) -> Bool {
    abs((elapsedUsec - wallUsec) - (other.elapsedUsec - other.wallUsec)) < 1000
      && abs((awakeUsec - wallUsec) - (other.awakeUsec - other.wallUsec)) < 1000
      && abs((presentUsec - wallUsec) - (other.presentUsec - other.wallUsec)) < 1000
  }
}

enum Counter { case elapsed, awake, present }

/// The readings of the daemon's counters at the events of the ledger.
///
/// Daemons of earlier versions did not record counters. For their events, the readings are computed
/// from the wall clock, its steps and the lengths of background spans.
struct CounterLog {
  /// A correction of the lengths of reboots. The readings of `elapsed` from event `sinceSeq` up to
  /// but without event `seq` were wrong by `byUsec`.
  private struct Correction {
    let sinceSeq: Int64
    /// The event at the end of the last reboot of this correction. If a correction covers several
    /// reboots, the share of each reboot is unknown. Therefore a stretch of time that began before
    /// `sinceSeq` and ended before this event is not corrected.
    let untilSeq: Int64
    let seq: Int64
    let byUsec: Int64
  }

  /// The reading at the beginning of the ledger; nil until the first event is added.
  private(set) var first: Reading?
  /// The reading at the last event.
  private(set) var last = Reading(
    seq: 0, elapsedUsec: 0, awakeUsec: 0, presentUsec: 0, wallUsec: 0)
  /// The reading at the beginning of the last background span that is no absence.
  private(set) var entered: Reading?
  /// The reading at the beginning of the last absence.
  private(set) var leftPresence: Reading?
  /// Absences of the user. `usec` is the time that `awake` counted in all ended absences.
  /// `sinceAwakeUsec` is the reading of `awake` at the beginning of the present absence; nil if the
  /// user is present. The ledger leaves out an absence if no timer on the clock `present` ran
  /// during it.
  private var absence: (usec: Int64, sinceAwakeUsec: Int64?) = (0, nil)
  /// The number of spans, steps and corrections whose readings were computed, because the ledger
  /// has no counters for those events.
  private(set) var estimatedReadings = 0
  /// The background span that has not ended.
  private var open: Wire.Span?
  /// The amounts that are added to the ledger's counters, so that the readings continue the
  /// earlier, computed readings. Nil until the first event with counters.
  private var base: (elapsedUsec: Int64, awakeUsec: Int64)?
  private var corrections: [Correction] = []
  /// Readings, in order, from which the days are computed. Readings between two others are left out
  /// if all counters and the wall clock advanced together.
  private var turns: [Reading] = []

  /// Adds the next event of the ledger.
  mutating func take(_ event: Wire.Event) {
    if first == nil { begin(event) }
    var reading = estimate(event)
    if let counters = event.counters {
      let base =
        base ?? (reading.elapsedUsec - counters.elapsedUsec, reading.awakeUsec - counters.awakeUsec)
      self.base = base
      reading.elapsedUsec = base.elapsedUsec + counters.elapsedUsec
      reading.awakeUsec = base.awakeUsec + counters.awakeUsec
    } else if event.span != nil || event.type == .clockStepped {
      estimatedReadings += 1
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

  /// Adds a background span without events. The effect is that of the two events with which the
  /// ledger records a span.
  mutating func addSpan(_ span: Wire.Span) {
    if first == nil { begin(at: span.enteredUsec, seq: 0) }
    guard !span.isAbsence else { return addAbsence(span) }
    let from = last.wallUsec
    var reading = last.earlier(byUsec: from - span.enteredUsec)
    entered = reading
    note(reading)
    reading.elapsedUsec += span.elapsedUsec
    reading.awakeUsec += span.hidesAwake ? 0 : span.elapsedUsec
    reading.presentUsec = presentUsec(atAwake: reading.awakeUsec)
    reading.wallUsec = span.leftUsec ?? span.enteredUsec + span.elapsedUsec
    estimatedReadings += 1
    note(reading)
  }

  private mutating func addAbsence(_ span: Wire.Span) {
    leftPresence = last.earlier(byUsec: last.wallUsec - span.enteredUsec)
    absence.usec += span.elapsedUsec
    estimatedReadings += 1
  }

  /// Adds a reading for the time `nowUsec`, without an event.
  mutating func pass(to nowUsec: Int64) {
    let usec = max(0, nowUsec - last.wallUsec)
    let awakeUsec = last.awakeUsec + (open?.hidesAwake == true ? 0 : usec)
    note(
      Reading(
        seq: .max, elapsedUsec: last.elapsedUsec + usec, awakeUsec: awakeUsec,
        presentUsec: presentUsec(atAwake: awakeUsec), wallUsec: nowUsec))
    if first == nil { first = last }
  }

  /// The reading of a counter, after all corrections that are known. O(corrections).
  ///
  /// - Parameter startSeq: the event at which a stretch of time began, if `reading` is the end of
  ///   that stretch.
  func corrected(
    _ reading: Reading, on counter: Counter, countedSince startSeq: Int64 = .max
  ) -> Int64 {
    guard counter == .elapsed else { return reading.usec(counter) }
    return corrections.reduce(reading.elapsedUsec) {
      let sinceSeq = startSeq < $1.sinceSeq ? $1.untilSeq : $1.sinceSeq
      return sinceSeq <= reading.seq && reading.seq < $1.seq ? $0 + $1.byUsec : $0
    }
  }

  func timeline(_ counter: Counter, days: LocalDays) -> DayTimeline {
    var timeline = DayTimeline(days: days)
    // Within a correction, the wall clock was wrong. The days of such readings are
    // computed backwards, from the next reading for which the wall clock was right.
    var rightOffset: Int64?
    var points: [(fromUsec: Int64, wallUsec: Int64)] = []
    for turn in (turns + [last]).reversed() {
      let elapsed = corrected(turn, on: .elapsed)
      let isInDoubt = corrections.contains { $0.sinceSeq <= turn.seq && turn.seq < $0.seq }
      let offset = isInDoubt ? rightOffset ?? turn.wallUsec - elapsed : turn.wallUsec - elapsed
      if !isInDoubt { rightOffset = offset }
      points.append((counter == .elapsed ? elapsed : turn.usec(counter), elapsed + offset))
    }
    for point in points.reversed() {
      timeline.extend(from: point.fromUsec, atWallUsec: point.wallUsec)
    }
    return timeline
  }

  // MARK: Readings

  private mutating func begin(_ event: Wire.Event) {
    // If the event has no counters, the first reading is the one before the event's span or step.
    // The reading at the event is then computed as for any other event.
    let before = event.span?.enteredUsec ?? event.timeUsec - (event.offsetUsec ?? 0)
    begin(
      at: event.counters == nil ? before : event.timeUsec, seq: event.seq, event.counters)
  }

  private mutating func begin(at usec: Int64, seq: Int64, _ counters: Wire.Counters? = nil) {
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

  /// Computes the reading at an event from the ledger's other data, for an event without counters.
  private func estimate(_ event: Wire.Event) -> Reading {
    var reading = last
    func advance(byUsec usec: Int64) {
      reading.elapsedUsec += usec
      if open?.hidesAwake != true { reading.awakeUsec += usec }
    }
    switch event.type {
    // An absence stops only `present`: the other counters continue.
    case _ where event.span?.isAbsence == true:
      advance(byUsec: max(0, event.timeUsec - last.wallUsec))
    case .didEnterBackground:
      // The span may have begun before `last`, because the daemon may notice a span after its end.
      advance(byUsec: (event.span?.enteredUsec ?? event.timeUsec) - last.wallUsec)
    case .willEnterForeground:
      guard let span = event.span else { break }
      let from = entered ?? last
      // Without a reboot, the wall clock shows when the span ended, because all steps of the clock
      // are known. After a reboot, only the length of the span shows it.
      reading.elapsedUsec =
        span.causes.contains(.reboot)
        ? corrected(from, on: .elapsed) + span.elapsedUsec
        : last.elapsedUsec + max(0, event.timeUsec - last.wallUsec)
      reading.awakeUsec =
        from.awakeUsec
        + (span.hidesAwake ? 0 : reading.elapsedUsec - corrected(from, on: .elapsed))
    case .spanCorrected: reading.elapsedUsec += event.byUsec ?? 0
    case .clockStepped:
      advance(byUsec: max(0, event.timeUsec - (event.offsetUsec ?? 0) - last.wallUsec))
    default: advance(byUsec: max(0, event.timeUsec - last.wallUsec))
    }
    // The wall clock of the reading. The daemon may notice a span late. So at the beginning of a
    // span, and at the end of an absence, this is the time that the span records. Otherwise it is
    // the time of the event.
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

extension Wire.Span {
  /// Whether the counter `awake` stops during the span.
  var hidesAwake: Bool { !causes.allSatisfy { $0 == .down || $0 == .away } }

  /// Whether the span is an absence of the user. An absence stops only timers on the clock
  /// `present`, and may overlap other spans.
  package var isAbsence: Bool { causes == [.away] }

  /// Whether a counter stops during the span. If only the daemon was down, `present` continues.
  func hides(_ counter: Counter) -> Bool {
    switch counter {
    case .elapsed: false
    case .awake: hidesAwake
    case .present: hidesAwake || isAbsence
    }
  }
}
