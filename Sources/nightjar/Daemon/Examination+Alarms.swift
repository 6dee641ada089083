import NightjarClient
import NightjarTime

extension Examination {
  /// Alarms whose next ring is not their calendar's next: the daemon skips instants that rang already,
  /// after the clock was set back. O(timers).
  static func alarms(_ timers: [NightjarTimer], nowUsec: Int64) -> [Finding] {
    let alarms = timers.filter { $0.state == .running && $0.calendar != nil }
    let findings = alarms.compactMap { alarm -> Finding? in
      guard alarm.repetition?.isSnoozed != true, let ringsUsec = alarm.deadlineUsec,
        ringsUsec > nowUsec, let nextUsec = next(alarm, afterUsec: nowUsec), nextUsec < ringsUsec
      else { return nil }
      func point(_ usec: Int64) -> String { LocalTime.short(usec, nowUsec: nowUsec) }
      return Finding(
        check: "alarms", level: .advice,
        text: "\(alarm.name) rings next \(point(ringsUsec)), and not \(point(nextUsec)) as its "
          + "calendar says: it rang for that time already, before the clock was set back",
        remedy: "nightjar restart \(Quoting.quoted(alarm.name)) has it ring by its calendar again")
    }
    guard findings.isEmpty else { return findings }
    return [
      Finding(
        check: "alarms", level: .fine,
        text: alarms.isEmpty
          ? "none repeats by a calendar" : "each rings next when its calendar says")
    ]
  }

  /// The calendar's next instant; nil where that is not understood here.
  private static func next(_ alarm: NightjarTimer, afterUsec: Int64) -> Int64? {
    let local = ZoneDatabase.local
    guard let text = alarm.calendar, let expression = try? CalendarExpression(text, local: local)
    else { return nil }
    let rules: ZoneRules?
    if let zone = alarm.zone {
      rules = ZoneDatabase.zone(named: zone)
    } else {
      rules = try? expression.zone.rules(local: local)
    }
    return rules.flatMap { expression.next(afterUsec: afterUsec, in: $0) }
  }
}
