@testable import NightjarTime

/// Zone files: whatever a file says, each instant has one setting, changes follow one another, and
/// what is read off the wall is what is shown there.
enum ZoneTarget {
  static func run(_ input: Input) {
    guard let zone = ZoneFile.read(Array(input.rest), name: "Fuzz") else { return }
    for (earlier, later) in zip(zone.transitions, zone.transitions.dropFirst()) {
      require(earlier.second < later.second, "changes at \(earlier.second) and \(later.second)")
      require(earlier.after == later.before, "what was set before \(later.second)")
    }
    ZoneCheck.check(zone)
    if let rule = zone.rule { RuleTarget.check(rule) }
  }
}

/// Rules in the manner of POSIX: what is read is written, and read again as the same.
enum RuleTarget {
  static func run(_ input: Input) {
    guard let rule = PosixRule(input.rest) else { return }
    check(rule)
    ZoneCheck.check(ZoneRules(name: nil, transitions: [], first: rule.standard, rule: rule))
  }

  static func check(_ rule: PosixRule) {
    let text = written(rule)
    guard let again = PosixRule(text.utf8) else { fatalError("'\(text)' is no rule") }
    require(again == rule, "'\(text)' is read as another rule, '\(written(again))'")
  }

  private static func written(_ rule: PosixRule) -> String {
    var text = "<\(rule.standard.abbreviation)>\(time(-rule.standard.offset))"
    if let summer = rule.summer {
      text += "<\(summer.setting.abbreviation)>\(time(-summer.setting.offset))"
      for change in [summer.begins, summer.ends] {
        text += ",\(day(change.day))/\(time(change.time))"
      }
    }
    return text
  }

  private static func day(_ day: PosixRule.Change.Day) -> String {
    switch day {
    case .julian(let number): "J\(number)"
    case .zeroBased(let number): "\(number)"
    case .weekday(let month, let week, let day): "M\(month).\(week).\(day)"
    }
  }

  private static func time(_ seconds: Int) -> String {
    let size = abs(seconds)
    return "\(seconds < 0 ? "-" : "")\(size / 3_600):\(size / 60 % 60):\(size % 60)"
  }
}

/// What holds of every zone, however its clocks are changed.
enum ZoneCheck {
  /// 2026-11-21 12:00.
  private static let nowUsec: Int64 = 1_795_262_400_000_000

  private static let expressions: [CalendarExpression] = ["2:30", "*:0", "Sun *-*~1 0:0:30"].map {
    guard let expression = try? CalendarExpression($0, local: .utc, isZone: { _ in false }) else {
      fatalError("'\($0)' is no calendar expression")
    }
    return expression
  }

  static func check(_ zone: ZoneRules) {
    // The first and the last changes, and some years of the rule behind them.
    let listed = zone.transitions.prefix(8) + zone.transitions.suffix(8)
    var instants = Zones.instants + listed.map { $0.second * 1_000_000 }
    var usec = nowUsec
    for _ in 0..<8 {
      guard let change = zone.nextTransition(afterUsec: usec, beforeUsec: .max) else { break }
      require(change.second * 1_000_000 > usec, "the change behind \(usec) is at \(change.second)")
      usec = change.second * 1_000_000
      instants.append(usec)
    }
    for instant in instants {
      for usec in [instant - 1, instant, instant + 3_600_000_000] { check(zone, atUsec: usec) }
    }
    for expression in expressions {
      var usec = nowUsec
      for _ in 0..<4 {
        guard let next = expression.next(afterUsec: usec, in: zone) else { break }
        require(next > usec, "'\(expression)' comes at \(next), behind \(usec)")
        usec = next
      }
    }
  }

  private static func check(_ zone: ZoneRules, atUsec usec: Int64) {
    let setting = zone.setting(atUsec: usec)
    require(zone.text(usec: usec).hasSuffix(" " + setting.abbreviation), "the words for \(usec)")
    let civil = zone.civil(atUsec: usec)
    let found: [Int64]
    switch zone.read(civil) {
    case .once(let usec): found = [usec]
    case .twice(let first, let second):
      require(first != second, "\(civil) is twice at \(first)")
      found = [first, second]
    case .never: found = []
    }
    for usec in found { require(zone.civil(atUsec: usec) == civil, "\(civil) is read as \(usec)") }
    // Clocks may be said to change several times a day, or on a day of the year behind; then this
    // is not promised.
    if !hasManyChanges(zone, around: usec), zone.rule?.summer == nil || !isNewYear(usec) {
      require(found.contains(usec), "what is shown at \(usec) is read as \(found)")
    }
    if let change = zone.nextTransition(afterUsec: usec, beforeUsec: .max) {
      require(change.second * 1_000_000 > usec, "the change behind \(usec) is at \(change.second)")
    }
  }

  /// Whether there is more than one change within two days.
  private static func hasManyChanges(_ zone: ZoneRules, around usec: Int64) -> Bool {
    let days = 2 * CivilTime.dayUsec
    let first = zone.nextTransition(afterUsec: usec - days, beforeUsec: usec + days)
    guard let first else { return false }
    let second = zone.nextTransition(afterUsec: first.second * 1_000_000, beforeUsec: usec + days)
    return second != nil
  }

  private static func isNewYear(_ usec: Int64) -> Bool {
    let date = CivilTime(utcUsec: usec).date
    return (date.month == 12 && date.day > 20) || (date.month == 1 && date.day < 12)
  }
}
