import NightjarClient
import NightjarTime

/// A day, a week or a year: when timers ran, were paused and rang, and when the machine slept.
struct HistoryPicture {
  enum Period: String, CaseIterable {
    case day, week, year

    /// The days of the period to which a day belongs, as days since 1970-01-01. A week begins on a
    /// Monday.
    func days(around day: Int) -> Range<Int> {
      let date = CivilDate(daysSinceEpoch: day)
      func newYear(_ year: Int) -> Int { CivilDate(year: year, month: 1, day: 1).daysSinceEpoch }
      switch self {
      case .day: return day..<day + 1
      case .week: return day - date.weekday.rawValue..<day - date.weekday.rawValue + 7
      case .year: return newYear(date.year)..<newYear(date.year + 1)
      }
    }
  }

  /// What a timer did in a part of a day. Where two are at one place, the later case is drawn. The
  /// raw values are classes in SVG.
  enum Kind: String, CaseIterable {
    case paused, running
    /// It ran while the machine slept, was off or stood still.
    case asleep
    /// It was due, and had not rung yet.
    case late

    var words: String {
      switch self {
      case .paused: "paused"
      case .running: "ran"
      case .asleep: "ran while asleep"
      case .late: "late"
      }
    }
  }

  struct Segment: Equatable {
    let kind: Kind
    /// In microseconds since the epoch.
    let range: Range<Int64>
    /// The name of the timer.
    let name: String
  }

  struct Ring: Equatable {
    /// In microseconds since the epoch.
    let usec: Int64
    /// Such as `2 h late: the machine slept`; nil: it rang on time.
    let late: String?
    /// The name of the timer.
    let name: String
  }

  /// What happened on a day: to one timer, or to all.
  struct Row {
    /// The name of the timer, or the date.
    let name: String
    /// Days since 1970-01-01.
    let day: Int
    /// The time that totals count, in microseconds.
    var workedUsec: Int64 = 0
    var segments: [Segment] = []
    var rings: [Ring] = []
  }

  let period: Period
  let days: LocalDays
  /// The period, as days since 1970-01-01.
  let dayNumbers: Range<Int>
  /// When the machine slept, was off or stood still, in order and without overlaps.
  let asleep: [Range<Int64>]
  /// The timers of a day, in the order in which they began; or all days of the period.
  private(set) var rows: [Row] = []
  private var indices: [String: Int] = [:]

  /// - Parameters:
  ///   - dayNumbers: the days of the period.
  ///   - days: days whose range is the period.
  init(
    _ period: Period, _ dayNumbers: Range<Int>, _ runs: [Run], _ hidden: HiddenTime, days: LocalDays
  ) {
    (self.period, self.dayNumbers, self.days) = (period, dayNumbers, days)
    asleep = hidden.asleep
    if period != .day { rows = dayNumbers.map { Row(name: Self.date($0).short, day: $0) } }
    for run in runs.sorted(by: { $0.startSeq < $1.startSeq }) { add(run) }
  }

  /// Reads a period from the daemon's ledger.
  ///
  /// - Parameters:
  ///   - filter: the runs. The range of its days is the period.
  ///   - entries: the most entries of the ledger to read, the latest ones; nil: all.
  init(
    _ period: Period, _ dayNumbers: Range<Int>, _ filter: RunFilter, from session: Session,
    entries: Int64? = nil, nowUsec: Int64
  ) throws(CommandError) {
    var runs: [Run] = []
    let hidden = try filter.read(from: session, entries: entries, nowUsec: nowUsec) {
      runs.append($0)
    }
    self.init(period, dayNumbers, runs, hidden, days: filter.days)
  }

  /// O(parts of the run × sleeps).
  private mutating func add(_ run: Run) {
    for share in run.days {
      change(run, share.day) { row in
        if share.step.map({ run.steps[$0].isBreak }) != true { row.workedUsec += share.usec }
      }
      let slept = asleep.map { $0.clamped(to: share.range) }.filter { !$0.isEmpty }
      for range in slept { add(.asleep, range, of: run) }
      var usec = share.range.lowerBound
      for range in slept + [share.range.upperBound..<share.range.upperBound] {
        add(.running, usec..<range.lowerBound, of: run)
        usec = range.upperBound
      }
    }
    for pause in run.pauses { add(.paused, pause, of: run) }
    for ring in run.ringTimes {
      let usec = ring.at.usec
      let late = TimerText.late(usec: ring.late.usec, cause: ring.late.cause)
      if late != nil { add(.late, usec - ring.late.usec..<usec, of: run) }
      guard let day = days.stretch(at: usec).day else { continue }
      change(run, day) { $0.rings.append(Ring(usec: usec, late: late, name: run.name)) }
    }
  }

  private mutating func add(_ kind: Kind, _ range: Range<Int64>, of run: Run) {
    for part in days.split(range) {
      change(run, part.day) {
        $0.segments.append(Segment(kind: kind, range: part.range, name: run.name))
      }
    }
  }

  /// Changes the row of a run on a day.
  private mutating func change(_ run: Run, _ day: Int, _ body: (inout Row) -> Void) {
    guard period == .day else { return body(&rows[day - dayNumbers.lowerBound]) }
    let index = indices[run.name] ?? rows.count
    indices[run.name] = index
    if index == rows.count { rows.append(Row(name: run.name, day: day)) }
    body(&rows[index])
  }

  /// Whether nothing happened to any timer.
  var isEmpty: Bool { rows.allSatisfy { $0.segments.isEmpty && $0.rings.isEmpty } }

  var workedUsec: Int64 { rows.reduce(0) { $0 + $1.workedUsec } }

  /// Such as `Tue 24 Nov 2026, 3 h 20 min in all`.
  var title: String {
    let first = Self.date(dayNumbers.lowerBound)
    let name =
      switch period {
      case .day: first.full
      case .week: "\(first.short) to \(Self.date(dayNumbers.upperBound - 1).full)"
      case .year: "\(CivilDate(daysSinceEpoch: dayNumbers.lowerBound).year)"
      }
    return workedUsec > 0 ? "\(name), \(TotalsText.length(workedUsec)) in all" : name
  }

  /// A date without and with its year.
  private static func date(_ day: Int) -> (short: String, full: String) {
    let time = LocalTime(day: day)
    return (time.date(now: time), time.fullDate)
  }

  /// Where an instant is in its day, by what the clock shows: 0 is midnight, 1 the next one.
  func place(_ usec: Int64) -> Double {
    Double(days.zone.civil(atUsec: usec).usecOfDay) / Double(CivilTime.dayUsec)
  }

  /// Where a part of a day is in the day. Where the clock is set back, its end may be before its
  /// beginning on the clock, and the two change places.
  func place(_ range: Range<Int64>) -> ClosedRange<Double> {
    let (first, last) = (place(range.lowerBound), place(range.upperBound - 1))
    return min(first, last)...max(first, last)
  }

  /// The parts of a day in which the machine slept.
  func asleep(on day: Int) -> [Range<Int64>] {
    asleep.flatMap(days.split).filter { $0.day == day }.map(\.range)
  }

  /// How much was counted on a day of a year, from 0 (nothing) to 4 (as much as on no other day).
  func level(_ row: Row) -> Int {
    let most = rows.map(\.workedUsec).max() ?? 0
    return row.workedUsec == 0 ? 0 : Int(1 + 3 * row.workedUsec / most)
  }
}
