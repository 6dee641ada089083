/// The rules of a time zone: the settings of its clocks and the times of their changes, as in the
/// IANA time zone database.
///
/// This type has only data; `ZoneDatabase` reads the files.
public struct ZoneRules: Equatable, Sendable {
  /// A setting of a zone's clocks, which lasts until the next change.
  public struct Setting: Equatable, Hashable, Sendable {
    /// By how many seconds the clocks are ahead of UTC.
    public var offset: Int
    public var isDST: Bool
    /// The abbreviation of the setting in the zone, such as `CEST`.
    public var abbreviation: String
  }

  /// A change of the clocks.
  public struct Transition: Equatable, Sendable {
    /// The first second with the new setting, in seconds since the epoch.
    public var second: Int64
    public var before: Setting
    public var after: Setting
  }

  /// The instants at which clocks show a local time.
  public enum Reading: Equatable, Sendable {
    case once(usec: Int64)
    /// The clocks never show the local time, because they were put forward past it, at `end`.
    case never(end: Int64)
    /// The clocks show the local time twice, because they were put back.
    case twice(first: Int64, second: Int64)
  }

  /// The name in the database, such as `Europe/Berlin`; nil for a local zone without a name.
  public let name: String?
  /// The changes that are listed in the zone's file, the oldest first.
  let transitions: [Transition]
  /// The setting of the clocks before the first listed change.
  let first: Setting
  /// The rule for the time after the last listed change.
  let rule: PosixRule?

  public static let utc = ZoneRules(
    name: "UTC", transitions: [], first: Setting(offset: 0, isDST: false, abbreviation: "UTC"),
    rule: nil)

  init(name: String?, transitions: [Transition], first: Setting, rule: PosixRule?) {
    self.name = name
    self.transitions = transitions
    self.first = first
    self.rule = rule
  }

  /// A zone whose clocks are never changed.
  public init(_ setting: Setting) {
    self.init(name: nil, transitions: [], first: setting, rule: nil)
  }

  /// The settings that the zone's clocks have at present, in summer and in winter.
  var presentSettings: [Setting] {
    if let rule { return [rule.standard] + (rule.summer.map { [$0.setting] } ?? []) }
    return [transitions.last?.after ?? first]
  }

  /// The setting of the clocks at an instant. O(log transitions).
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

  /// The local time at an instant, given in microseconds since the epoch. O(log transitions).
  public func civil(atUsec usec: Int64) -> CivilTime {
    CivilTime(utcUsec: usec + Int64(setting(atUsec: usec).offset) * 1_000_000)
  }

  /// The first change of the offset after an instant and before `end`; nil: there is none. O(log
  /// transitions), plus the transitions that keep the offset.
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

  /// The first instant of a day, in microseconds since the epoch. If clocks are put forward past
  /// midnight, it is the instant of that change. O(log transitions).
  public func begin(of date: CivilDate) -> Int64 {
    switch read(CivilTime(date: date, usecOfDay: 0)) {
    case .once(let usec), .twice(let usec, _), .never(let usec): usec
    }
  }

  /// The instants at which clocks show `civil`. O(log transitions).
  public func read(_ civil: CivilTime) -> Reading {
    let local = civil.utcUsec
    // No zone is more than a day away from UTC, and none changes its clocks twice in two days.
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
      // The change of the clocks is between the two instants that the two settings give.
      let change = nextTransition(afterUsec: late - 1, beforeUsec: .max)
      return .never(end: change.map { $0.second * 1_000_000 } ?? early)
    }
  }
}
