/// What a zone's clocks show, and when they were changed: one entry of the IANA time zone database.
///
/// It is pure data; `ZoneDatabase` reads the files.
public struct ZoneRules: Equatable, Sendable {
  /// What clocks are set to for a while.
  public struct Setting: Equatable, Hashable, Sendable {
    /// How far ahead of UTC they are, in seconds.
    public var offset: Int
    /// Whether it is summer time.
    public var isDST: Bool
    /// What it is called there, such as `CEST`.
    public var abbreviation: String
  }

  /// A change of setting.
  public struct Transition: Equatable, Sendable {
    /// The first second, since the epoch, in which the new setting holds.
    public var second: Int64
    /// What held until then.
    public var before: Setting
    /// What holds from then on.
    public var after: Setting
  }

  /// Which instants a point on the wall stands for.
  public enum Reading: Equatable, Sendable {
    case once(usec: Int64)
    /// The clocks were put forward past it; `end` is when that was.
    case never(end: Int64)
    /// The clocks were put back to it.
    case twice(first: Int64, second: Int64)
  }

  /// The name in the database, such as `Europe/Berlin`; nil for the local zone of a machine that
  /// does not tell.
  public let name: String?
  /// The changes that are listed, oldest first.
  let transitions: [Transition]
  /// What held before the first of them.
  let first: Setting
  /// What holds behind the last of them.
  let rule: PosixRule?

  /// Universal time.
  public static let utc = ZoneRules(
    name: "UTC", transitions: [], first: Setting(offset: 0, isDST: false, abbreviation: "UTC"),
    rule: nil)

  init(name: String?, transitions: [Transition], first: Setting, rule: PosixRule?) {
    self.name = name
    self.transitions = transitions
    self.first = first
    self.rule = rule
  }

  /// Clocks that are never changed.
  public init(_ setting: Setting) {
    self.init(name: nil, transitions: [], first: setting, rule: nil)
  }

  /// What clocks are set to in a year as they are now.
  var presentSettings: [Setting] {
    if let rule { return [rule.standard] + (rule.summer.map { [$0.setting] } ?? []) }
    return [transitions.last?.after ?? first]
  }

  /// What clocks are set to at an instant. O(log transitions).
  public func setting(atUsec usec: Int64) -> Setting {
    setting(atSecond: seconds(usec))
  }

  private func seconds(_ usec: Int64) -> Int64 {
    let (whole, rest) = usec.quotientAndRemainder(dividingBy: 1_000_000)
    return rest < 0 ? whole - 1 : whole
  }

  func setting(atSecond second: Int64) -> Setting {
    if let rule, second >= transitions.last?.second ?? .min { return rule.setting(at: second) }
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].second <= second { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : transitions[low - 1].after
  }

  /// What clocks show at an instant, in microseconds since the epoch. O(log transitions).
  public func civil(atUsec usec: Int64) -> CivilTime {
    CivilTime(utcUsec: usec + Int64(setting(atUsec: usec).offset) * 1_000_000)
  }

  /// The next change of the offset behind an instant, and before `end`; nil if there is none.
  /// O(log transitions), and a year of the rule at a time.
  func nextTransition(afterUsec usec: Int64, beforeUsec end: Int64) -> Transition? {
    let second = seconds(usec)
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].second <= second { low = middle + 1 } else { high = middle }
    }
    while low < transitions.count {
      let transition = transitions[low]
      guard transition.second * 1_000_000 < end else { return nil }
      if transition.before.offset != transition.after.offset { return transition }
      low += 1
    }
    guard let rule else { return nil }
    let from = max(second, transitions.last?.second ?? .min)
    guard let next = rule.nextTransition(after: from), next.second * 1_000_000 < end else {
      return nil
    }
    return next
  }

  /// The first instant of a day, in microseconds since the epoch. Where clocks are put forward past midnight,
  /// that is when they are. O(log changes).
  public func begin(of date: CivilDate) -> Int64 {
    switch read(CivilTime(date: date, usecOfDay: 0)) {
    case .once(let usec), .twice(let usec, _), .never(let usec): usec
    }
  }

  /// The instants at which clocks show `civil`. O(log transitions).
  public func read(_ civil: CivilTime) -> Reading {
    let local = civil.utcUsec
    // No zone is a day off UTC, and none changes its clocks twice in two days.
    let before = setting(atUsec: local - CivilTime.dayUsec)
    let after = setting(atUsec: local + CivilTime.dayUsec)
    let early = local - Int64(before.offset) * 1_000_000
    let late = local - Int64(after.offset) * 1_000_000
    let isEarly = setting(atUsec: early).offset == before.offset
    let isLate = setting(atUsec: late).offset == after.offset
    switch (isEarly, isLate) {
    case (true, true):
      return early == late ? .once(usec: early) : .twice(first: early, second: late)
    case (true, false): return .once(usec: early)
    case (false, true): return .once(usec: late)
    case (false, false):
      // Between the two instants that it would be by either setting lies the change.
      let change = nextTransition(afterUsec: late - 1, beforeUsec: .max)
      return .never(end: change.map { $0.second * 1_000_000 } ?? early)
    }
  }
}
