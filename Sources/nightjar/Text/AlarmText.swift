import NightjarClient
import NightjarTime

/// A calendar expression of the daemon's, for people.
enum CalendarText {
  /// `Mon..Fri 09:30`, without what says nothing.
  static func short(_ text: String) -> String { expression(text)?.shortText ?? text }

  /// Nil: it is none of those that there are now.
  static func expression(_ text: String) -> CalendarExpression? {
    try? CalendarExpression(text, local: LocalTime.zone, isZone: { _ in true })
  }
}

/// What the answer to a new alarm says: whether it repeats, and when it rings.
struct AlarmText {
  private let text: TimerText

  init(_ text: TimerText) { self.text = text }

  /// `rings every Monday at 09:30, next in 6 days`, `rings once, tomorrow 09:30`; nil if there is no
  /// such thing to say.
  ///
  /// - Parameter typed: the time as it was typed, where that is known.
  func answer(typed: String?) -> String? {
    let timer = text.timer
    guard timer.kind == .alarm, timer.state == .running, !timer.waitsForClock,
      let deadlineUsec = timer.deadlineUsec
    else { return nil }
    guard let repetition = timer.repetition else { return "rings once, \(point(deadlineUsec))" }
    let times = repetition.rounds.map { $0 == 1 ? ", once" : ", \($0) times" } ?? ""
    let days = text.days.map { ", \($0)" } ?? ""
    return "rings \(rhythm(typed))\(times)\(days), next \(distance(deadlineUsec))"
  }

  private func rhythm(_ typed: String?) -> String {
    let calendar = text.timer.calendar ?? ""
    let zone = text.timer.zone.map { " (\($0))" } ?? ""
    if let words = CalendarText.expression(calendar)?.words { return words + zone }
    return "by '\(typed ?? CalendarText.short(calendar))'\(zone)"
  }

  /// `today 17:30`, `tomorrow 09:30`, `Thu 24 Dec 18:00`.
  private func point(_ usec: Int64) -> String {
    let time = LocalTime(usec: usec, in: text.zone)
    let clock = time.time.hasSuffix(":00") ? String(time.time.dropLast(3)) : time.time
    switch days(to: usec) {
    case 0: return "today \(clock)"
    case 1: return "tomorrow \(clock)"
    default: return "\(time.date(now: LocalTime(usec: text.nowUsec, in: text.zone))) \(clock)"
    }
  }

  /// `in 1 h 30 min`, `tomorrow`, `in 6 days`.
  private func distance(_ usec: Int64) -> String {
    switch days(to: usec) {
    case 0: "in \(SpanFormat.people(usec: usec - text.nowUsec, units: 2))"
    case 1: "tomorrow"
    case let days: "in \(days) days"
    }
  }

  private func days(to usec: Int64) -> Int {
    func day(_ usec: Int64) -> Int { text.zone.civil(atUsec: usec).date.daysSinceEpoch }
    return day(usec) - day(text.nowUsec)
  }
}
