import NightjarClient

/// The two counters that timers count by, read back off the ledger, and on which day they stood
/// where.
///
/// The ledger has the wall clock's time of each event, each step of it, and how long each span was;
/// that is enough: between those the wall clock and the counters go alike.
struct MachineClock {
  /// What a stretch of time is counted by.
  enum Timeline { case elapsed, awake }

  /// A span that is open.
  private struct Entry {
    /// `elapsed` when it was entered; nil: it was found afterwards, when it was over.
    var readingUsec: Int64?
    /// How far both counters went on to it from the event before.
    var gainedUsec: Int64 = 0
    /// What the wall clock showed beyond `elapsed` before it was found.
    var offsetUsec: Int64
    /// Whether `awake` stands still in it, as far as has been heard.
    var isHidden: Bool
  }

  /// The last span that was left.
  struct LastSpan {
    var number: Int64
    /// `elapsed` when it was entered.
    var enteredUsec: Int64
    /// `elapsed` when it was left.
    var leftUsec: Int64
    /// The number of the event that says so.
    var leftSeq: Int64
  }

  /// That a reboot was longer or shorter than was known.
  struct Correction {
    /// The span's.
    var number: Int64
    /// Where it was on `elapsed`, as far as was known.
    var knownUsec: Range<Int64>
    var byUsec: Int64

    /// Where a span was that lay here by what was known.
    func moved(_ usec: Range<Int64>, number: Int64) -> Range<Int64> {
      if number == self.number {
        return usec.lowerBound..<max(usec.lowerBound, usec.upperBound + byUsec)
      }
      guard usec.lowerBound >= knownUsec.upperBound else { return usec }
      return usec.lowerBound + byUsec..<usec.upperBound + byUsec
    }
  }

  private let days: LocalDays
  /// Real time, in microseconds from no point in particular.
  private(set) var elapsedUsec: Int64
  /// Time in which machine and daemon were up, likewise; as near as the ledger tells.
  private(set) var awakeUsec: Int64
  /// The span that was left last.
  private(set) var last: LastSpan?
  /// The reboots whose lengths may turn out to be others, in their order: those since the wall clock was
  /// right for certain.
  private var reboots: [LastSpan] = []
  /// Some of them were corrected, so the clock is right: the next reboot is the first in doubt.
  private var areCorrected = false
  /// The days since the first of them are still those of the clock as it was before a correction.
  private(set) var areDaysStale = false
  /// What the wall clock shows beyond `elapsed`.
  private var offsetUsec: Int64 = 0
  private var stretch: LocalDays.Stretch
  private var elapsedTape: DayTape
  private var awakeTape: DayTape
  private var open: Entry?

  /// - Parameter wallUsec: where the ledger begins, in microseconds since the epoch.
  init(wallUsec: Int64, days: LocalDays) {
    self.days = days
    elapsedUsec = wallUsec
    awakeUsec = wallUsec
    stretch = days.stretch(at: wallUsec)
    elapsedTape = DayTape(day: stretch.day, from: wallUsec)
    awakeTape = elapsedTape
  }

  func reading(_ timeline: Timeline) -> Int64 {
    switch timeline {
    case .elapsed: elapsedUsec
    case .awake: awakeUsec
    }
  }

  /// From this reading of `elapsed` on, time that was counted may turn out not to have passed: reboots
  /// can still be corrected, and take back no more than they were long. Nil: none can. O(those).
  var doubtfulFromUsec: Int64? {
    guard !reboots.isEmpty else { return nil }
    return reboots.reduce(elapsedUsec) { $0 - ($1.leftUsec - $1.enteredUsec) }
  }

  func tape(_ timeline: Timeline) -> DayTape {
    switch timeline {
    case .elapsed: elapsedTape
    case .awake: awakeTape
    }
  }
}

// MARK: - What happens to the machine

extension MachineClock {
  /// The wall clock has gone on. A time that lies before the last says nothing. O(midnights passed).
  mutating func advance(to wallUsec: Int64) {
    goOn(to: wallUsec - offsetUsec)
  }

  /// The wall clock was set, and shows `wallUsec` now.
  mutating func step(byUsec: Int64, to wallUsec: Int64) {
    // A time told before it can have been by the new clock already: that step was found late.
    enterAgain(before: wallUsec - byUsec)
    offsetUsec = min(offsetUsec + byUsec, wallUsec - elapsedUsec)
    lookAtTheDay()
    // How much of the time up to now is a span's is told with its end.
    if open == nil || open?.readingUsec != nil { advance(to: wallUsec) }
  }

  /// A span that was entered when the wall clock showed more than before it was set was entered by the
  /// new one: what the old one had yet to show has not passed.
  private mutating func enterAgain(before wallUsec: Int64) {
    guard let entry = open, entry.readingUsec == elapsedUsec else { return }
    let usec = min(entry.gainedUsec, elapsedUsec - (wallUsec - offsetUsec))
    guard usec > 0 else { return }
    elapsedUsec -= usec
    awakeUsec -= usec
    open?.readingUsec = elapsedUsec
    open?.gainedUsec -= usec
  }

  /// Time begins to be hidden, or was, as is found when the wall clock shows `wallUsec`.
  mutating func enter(_ span: BackgroundSpan, at wallUsec: Int64) {
    var entry = Entry(
      readingUsec: nil, offsetUsec: offsetUsec, isHidden: !Self.countsAwake(span.causes))
    if span.enteredUsec == wallUsec {
      let before = elapsedUsec
      advance(to: wallUsec)
      entry.readingUsec = elapsedUsec
      entry.gainedUsec = elapsedUsec - before
    }
    open = entry
  }

  /// A span is over. Within a boot the wall clock tells when, for its steps are known; from one boot
  /// to another its length does.
  ///
  /// - Parameter seq: the number of the event that says so; 0 where that is not at hand.
  mutating func leave(_ span: BackgroundSpan, seq: Int64) {
    guard let leftUsec = span.leftUsec else { return }
    if open == nil { enter(span, at: span.enteredUsec) }
    guard let entry = open else { return }
    let isReboot = span.causes.contains(.reboot)
    let left =
      isReboot
      ? (entry.readingUsec ?? span.enteredUsec - entry.offsetUsec) + span.elapsedUsec
      : leftUsec - offsetUsec
    let awake = enterAwake(entry, left - span.elapsedUsec)
    let entered = entry.readingUsec ?? elapsedUsec
    goOn(to: left)
    awakeUsec = Self.countsAwake(span.causes) ? awake + elapsedUsec - entered : awake
    open = nil
    let over = LastSpan(
      number: span.number, enteredUsec: entered, leftUsec: elapsedUsec, leftSeq: seq)
    last = over
    if isReboot {
      if areCorrected { (reboots, areCorrected) = ([], false) }
      reboots.append(over)
      offsetUsec = leftUsec - elapsedUsec
    }
    lookAtTheDay()
  }

  /// Goes on to where a span was entered that was found afterwards.
  ///
  /// - Returns: `awake` there.
  private mutating func enterAwake(_ entry: Entry, _ reading: Int64) -> Int64 {
    if let entered = entry.readingUsec {
      return entry.isHidden ? awakeUsec : awakeUsec - (elapsedUsec - entered)
    }
    open = nil
    goOn(to: reading)
    open = entry
    return awakeUsec
  }

  /// It turned out that the reboot that ended with event `sinceSeq` was longer by so much. All reboots
  /// that are corrected by one synchronisation are so one after another; `endCorrections` ends that. O(reboots).
  ///
  /// - Returns: nil: the ledger begins behind it.
  mutating func correct(since sinceSeq: Int64, byUsec: Int64) -> Correction? {
    guard let index = reboots.firstIndex(where: { $0.leftSeq == sinceSeq }) else { return nil }
    let reboot = reboots[index]
    areCorrected = true
    areDaysStale = true
    reboots[index].leftUsec += byUsec
    for later in reboots.indices.dropFirst(index + 1) {
      reboots[later].enteredUsec += byUsec
      reboots[later].leftUsec += byUsec
    }
    if last?.leftSeq == sinceSeq {
      last?.leftUsec += byUsec
    } else if let latest = last, latest.enteredUsec >= reboot.leftUsec {
      last?.enteredUsec += byUsec
      last?.leftUsec += byUsec
    }
    // It may turn out at the end of the next span.
    if let reading = open?.readingUsec { open?.readingUsec = reading + byUsec }
    elapsedUsec += byUsec
    offsetUsec -= byUsec
    return Correction(
      number: reboot.number,
      knownUsec: reboot.enteredUsec..<max(reboot.enteredUsec, reboot.leftUsec), byUsec: byUsec)
  }

  /// All corrections of one synchronisation were told. The days since the first reboot in doubt are
  /// those of the clock as it is set now: that is right.
  mutating func endCorrections() {
    guard areDaysStale, let first = reboots.first else { return }
    areDaysStale = false
    let now = max(first.enteredUsec, elapsedUsec)
    offsetUsec -= now - elapsedUsec
    elapsedUsec = first.enteredUsec
    let awake = awakeUsec
    lookAtTheDay()
    goOn(to: now)
    awakeUsec = awake
    awakeTape.begin(stretch.day, from: awake)
  }

  /// Whether `awake` goes on in a span of these causes.
  static func countsAwake(_ causes: [Cause]) -> Bool { causes.allSatisfy { $0 == .down } }

  private mutating func goOn(to readingUsec: Int64) {
    let end = LocalDays.always.upperBound
    while stretch.untilUsec < end, stretch.untilUsec - offsetUsec <= readingUsec {
      let midnight = max(elapsedUsec, stretch.untilUsec - offsetUsec)
      count(to: midnight)
      stretch = days.stretch(at: stretch.untilUsec)
      elapsedTape.begin(stretch.day, from: elapsedUsec)
      awakeTape.begin(stretch.day, from: awakeUsec)
    }
    count(to: readingUsec)
  }

  private mutating func count(to readingUsec: Int64) {
    let usec = max(0, readingUsec - elapsedUsec)
    elapsedUsec += usec
    if open?.isHidden != true { awakeUsec += usec }
  }

  /// The wall clock may show another day than the counters' last one.
  private mutating func lookAtTheDay() {
    stretch = days.stretch(at: elapsedUsec + offsetUsec)
    elapsedTape.begin(stretch.day, from: elapsedUsec)
    awakeTape.begin(stretch.day, from: awakeUsec)
  }
}
