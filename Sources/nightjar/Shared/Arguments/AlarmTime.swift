import NightjarClient
import NightjarService
import NightjarTime
import NightjarVarlink

/// When an alarm rings, as it was typed.
package struct AlarmTime {
  let zone: String?
  let repeats: Bool
  let wall: Wall

  package init(zone: String?, repeats: Bool, wall: Wall) {
    (self.zone, self.repeats, self.wall) = (zone, repeats, wall)
  }

  private var local: ZoneRules { wall.zone }
  private var nowUsec: Int64 { wall.nowUsec }

  /// Tells the name from the time: all words are the time if that makes sense, else all but the
  /// first.
  func split(_ words: [String]) throws(CommandError) -> (name: String?, time: String) {
    if let zone, ZoneDatabase.zone(named: zone) == nil {
      throw .usage(ZoneDatabase.absence(of: zone))
    }
    let all = words.joined(separator: " ")
    if isTime(all) { return (nil, all) }
    guard words.count > 1 else { throw .usage(mistake(in: all)) }
    let rest = words.dropFirst().joined(separator: " ")
    let front = words.dropLast().joined(separator: " ")
    if !isTime(rest), isTime(front), let name = words.last {
      throw .usage(
        "the name comes first: nightjar alarm \(Quoting.quoted(name)) \(Quoting.quoted(front))")
    }
    return (words[0], rest)
  }

  /// A point in time comes once; anything else, or with --repeat, is a calendar expression.
  func kind(_ text: String, rounds: Int64) throws(CommandError) -> NewTimer.Kind {
    if let point = point(text) {
      if point.usec > nowUsec { return .alarm(at: WallTime(usec: point.usec)) }
      if point.isTimeOfDay, let tomorrow = timestamp("tomorrow \(text)") {
        return .alarm(at: WallTime(usec: tomorrow.usec))
      }
      let past = LocalTime.short(point.usec, nowUsec: nowUsec, in: local)
      throw .usage("'\(text)' is past: it was \(past)")
    }
    guard let expression = calendar(text), comesAgain(expression) else {
      throw .usage(mistake(in: text))
    }
    if expression.zone != .local, zone != nil {
      throw .usage("'\(text)' names a zone; leave out --zone, or the zone in it")
    }
    if let reason = ZoneCalendar.excess(of: expression) {
      throw .usage("'\(text)' comes too often: \(reason)")
    }
    return .calendar(
      expression.description, zone: expression.zone == .local ? zone ?? wall.foreignZone : nil,
      rounds: rounds)
  }

  /// - Throws: `CommandError` if a text is no time at all.
  package func check(_ text: String) throws(CommandError) {
    guard isTime(text) else { throw .usage(mistake(in: text)) }
  }

  /// The next time that it is so, in microseconds since the epoch.
  ///
  /// - Throws: `CommandError`: it is no time, or past.
  package func next(_ text: String) throws(CommandError) -> Int64 {
    if case .alarm(let time) = try kind(text, rounds: 0) { return time.sinceEpoch.usec }
    guard let expression = calendar(text), let rules = rules(of: expression),
      let next = expression.next(afterUsec: nowUsec, in: rules)
    else { throw .usage(mistake(in: text)) }
    return next
  }

  /// Whether a text is a point in time, and comes once.
  func isPoint(_ text: String) -> Bool { point(text) != nil }

  private func point(_ text: String) -> Timestamp? { repeats ? nil : timestamp(text) }

  private func isTime(_ text: String) -> Bool { timestamp(text) != nil || calendar(text) != nil }

  private func timestamp(_ text: String) -> Timestamp? {
    try? Timestamp(zoned(text), now: nowUsec, local: local)
  }

  private func calendar(_ text: String) -> CalendarExpression? {
    try? CalendarExpression(text, local: local)
  }

  private func comesAgain(_ expression: CalendarExpression) -> Bool {
    guard let rules = rules(of: expression) else { return true }
    return expression.next(afterUsec: nowUsec, in: rules) != nil
  }

  private func rules(of expression: CalendarExpression) -> ZoneRules? {
    let rules = zone.flatMap { ZoneDatabase.zone(named: $0) }
    return try? rules ?? expression.zone.rules(local: local)
  }

  private func zoned(_ text: String) -> String { zone.map { "\(text) \($0)" } ?? text }

  /// What is wrong with a time that is neither: the sentence of whichever parser came farther.
  private func mistake(in text: String) -> String {
    let errors = [
      Self.error { () throws(TimeError) in
        _ = try Timestamp(zoned(text), now: nowUsec, local: local)
      },
      Self.error { () throws(TimeError) in _ = try CalendarExpression(text, local: local) },
    ].compactMap { $0 }
    if calendar(text) != nil {
      return "'\(text)' never comes again; nightjar analyze calendar \(Quoting.quoted(text)) tells"
    }
    let farthest = errors.max { $0.position < $1.position }
    return "'\(text)' is no time: \(farthest?.description ?? "write one such as 17:30")"
  }

  private static func error(_ body: () throws(TimeError) -> Void) -> TimeError? {
    do throws(TimeError) {
      try body()
      return nil
    } catch { return error }
  }
}
