@testable import NightjarTime

/// Calendar expressions: the normalized form means the same, and what comes next is the next.
enum CalendarTarget {
  static func run(_ input: Input) {
    var input = input
    let local = input.choose(from: Zones.all)
    let usec = input.choose(from: Zones.instants)
    let text = input.text
    switch read(text, local: local) {
    case .failure(let error): Refusal.check(error, of: text)
    case .success(let expression):
      let normalized = "\(expression)"
      switch read(normalized, local: local) {
      case .failure(let error): fatalError("'\(text)' is '\(normalized)', which is none: \(error)")
      case .success(let again):
        require(again == expression, "'\(text)' is '\(normalized)', and that '\(again)'")
      }
      let zone = rules(of: expression.zone, local: local)
      var usec = usec
      for _ in 0..<3 {
        guard let next = next(of: expression, in: zone, afterUsec: usec) else { break }
        usec = next
      }
    }
  }

  /// When it comes next, which is the same whenever it is asked for.
  private static func next(
    of expression: CalendarExpression, in zone: ZoneRules, afterUsec usec: Int64
  ) -> Int64? {
    guard let next = expression.next(afterUsec: usec, in: zone) else { return nil }
    require(next > usec, "'\(expression)' comes at \(next), behind \(usec)")
    let change = zone.nextTransition(afterUsec: next - 1, beforeUsec: next + 1)
    let isJump = change.map { $0.after.offset > $0.before.offset } ?? false
    require(
      isJump || matches(expression, zone.civil(atUsec: next)),
      "'\(expression)' comes at \(zone.text(usec: next))")
    for earlier in [next - 1, usec + (next - usec) / 2] {
      let again = expression.next(afterUsec: earlier, in: zone)
      require(
        again == next, "'\(expression)' comes at \(next), and behind \(earlier) at \(again ?? -1)")
    }
    return next
  }

  private static func matches(_ expression: CalendarExpression, _ civil: CivilTime) -> Bool {
    let date = civil.date
    let days = CivilDate.daysInMonth(year: date.year, month: date.month)
    let isRightDay =
      expression.countsFromEnd
      ? expression.day.components.contains { isDay($0, fromEnd: days - date.day + 1) }
      : expression.day.matches(date.day)
    return isRightDay && expression.year.matches(date.year) && expression.month.matches(date.month)
      && (expression.weekdays.isEmpty || expression.weekdays.contains(date.weekday))
      && expression.hour.matches(civil.hour) && expression.minute.matches(civil.minute)
      && (expression.second.isEvery
        ? civil.usec == 0 : expression.second.matches(civil.second * 1_000_000 + civil.usec))
  }

  /// Counted from the end a range goes the other way; steps go on to the last day.
  private static func isDay(_ component: CalendarField.Component, fromEnd day: Int) -> Bool {
    let first = component.stop ?? component.start
    let last = component.stop == nil && component.step > 0 ? 1 : component.start
    return (last...first).contains(day) && (first - day) % max(component.step, 1) == 0
  }

  private static func rules(of word: ZoneWord, local: ZoneRules) -> ZoneRules {
    switch word {
    case .local: return local
    case .setting(let setting): return ZoneRules(setting)
    case .named(let name):
      guard let zone = Zones.named(name) else { fatalError("the zone '\(name)' is gone") }
      return zone
    }
  }

  private static func read(
    _ text: String, local: ZoneRules
  ) -> Result<CalendarExpression, TimeError> {
    outcome { () throws(TimeError) in
      try CalendarExpression(text, local: local, isZone: { Zones.named($0) != nil })
    }
  }
}
