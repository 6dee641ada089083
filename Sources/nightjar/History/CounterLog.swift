import NightjarClient

/// A reading of the counters, as an event of the ledger has it.
struct Reading: Equatable {
  /// The number of the event.
  let seq: Int64
  var elapsedUsec: Int64
  var awakeUsec: Int64
  /// What `awake` counted while the user was there.
  var presentUsec: Int64
  /// What the wall clock showed, in microseconds since the epoch.
  var wallUsec: Int64

  /// The reading of one counter.
  func usec(_ counter: Counter) -> Int64 {
    switch counter {
    case .elapsed: elapsedUsec
    case .awake: awakeUsec
    case .present: presentUsec
    }
  }

  /// The reading so much earlier, by all clocks.
  func earlier(byUsec usec: Int64) -> Reading {
    Reading(
      seq: seq, elapsedUsec: elapsedUsec - usec, awakeUsec: awakeUsec - usec,
      presentUsec: presentUsec - usec, wallUsec: wallUsec - usec)
  }

  /// How far the counters and the wall clock are from each other is the same.
  fileprivate func goesAlike(_ other: Reading) -> Bool {
    abs((elapsedUsec - wallUsec) - (other.elapsedUsec - other.wallUsec)) < 1000
      && abs((awakeUsec - wallUsec) - (other.awakeUsec - other.wallUsec)) < 1000
      && abs((presentUsec - wallUsec) - (other.presentUsec - other.wallUsec)) < 1000
  }
}

/// What a stretch of time is counted by.
enum Counter { case elapsed, awake, present }

/// Where the daemon's counters stood, event by event, as the ledger says.
///
/// A version before this one did not say: of its events the readings are reckoned from the wall clock, its
/// steps and the lengths of spans.
struct CounterLog {
  /// The lengths of reboots turned out to be wrong: what was read on `elapsed` from event `sinceSeq` on, and
  /// before event `seq`, was wrong by so much.
  private struct Correction {
    let sinceSeq: Int64
    /// Nobody knows how much of it is of the time between the reboots, up to this event: what ended there
    /// counts none.
    let untilSeq: Int64
    let seq: Int64
    let byUsec: Int64
  }

  /// Where the ledger begins; nil before the first event.
  private(set) var first: Reading?
  /// Of the last event.
  private(set) var last = Reading(
    seq: 0, elapsedUsec: 0, awakeUsec: 0, presentUsec: 0, wallUsec: 0)
  /// Where the last span was entered, other than an absence.
  private(set) var entered: Reading?
  /// Where the last absence was entered.
  private(set) var leftPresence: Reading?
  /// What `awake` counted in absences, and where it stood when the one was entered that lasts: absences that
  /// hid time from no timer are not in the ledger, and need not be.
  private var absence: (usec: Int64, sinceAwakeUsec: Int64?) = (0, nil)
  /// How many spans, steps and corrections there were whose readings are reckoned.
  private(set) var reckoned = 0
  /// The span that is open.
  private var open: BackgroundSpan?
  /// What is added to what the ledger says, so that it fits what was reckoned before.
  private var base: (elapsedUsec: Int64, awakeUsec: Int64)?
  private var corrections: [Correction] = []
  /// In order; those between which all goes alike are left out.
  private var turns: [Reading] = []

  /// Takes in the next event of the ledger.
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

  /// Time was hidden, as the ledger's two events about it would say.
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

  /// Nothing more has happened up to now.
  mutating func pass(to nowUsec: Int64) {
    let usec = max(0, nowUsec - last.wallUsec)
    let awakeUsec = last.awakeUsec + (open?.hidesAwake == true ? 0 : usec)
    note(
      Reading(
        seq: .max, elapsedUsec: last.elapsedUsec + usec, awakeUsec: awakeUsec,
        presentUsec: presentUsec(atAwake: awakeUsec), wallUsec: nowUsec))
    if first == nil { first = last }
  }

  /// A reading of a counter as it is known now. O(corrections).
  ///
  /// - Parameter startSeq: something that began with this event ended there.
  func corrected(
    _ reading: Reading, on counter: Counter, countedSince startSeq: Int64 = .max
  ) -> Int64 {
    guard counter == .elapsed else { return reading.usec(counter) }
    return corrections.reduce(reading.elapsedUsec) {
      let sinceSeq = startSeq < $1.sinceSeq ? $1.untilSeq : $1.sinceSeq
      return sinceSeq <= reading.seq && reading.seq < $1.seq ? $0 + $1.byUsec : $0
    }
  }

  /// On which day a counter stood where.
  func tape(_ counter: Counter, days: LocalDays) -> DayTape {
    var tape = DayTape(days: days)
    // What a wrong clock showed is of no use: its time is told by the right one that came behind it.
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
    // Without counters it begins before what the event tells of.
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

  /// What the counters showed at an event, by what the ledger has besides.
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
      // It may have been found when it was over, and after other things.
      goOn(byUsec: (event.span?.enteredUsec ?? event.timeUsec) - last.wallUsec)
    case .willEnterForeground:
      guard let span = event.span else { break }
      let from = entered ?? last
      // Within a boot the wall clock tells when it ended, for its steps are known; else its length does.
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
    // What is found later has counters of when it was.
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
  /// Whether the counter `awake` stands still in it.
  var hidesAwake: Bool { !causes.allSatisfy { $0 == .down || $0 == .away } }

  /// The user was away: it hid time from timers on the clock `present` only, beside the other spans.
  package var isAbsence: Bool { causes == [.away] }

  /// Whether a counter stands still in it for its own sake: a time in which the daemon was down counts on
  /// `present` unless it lies in an absence.
  func hides(_ counter: Counter) -> Bool {
    switch counter {
    case .elapsed: false
    case .awake: hidesAwake
    case .present: hidesAwake || isAbsence
    }
  }
}
