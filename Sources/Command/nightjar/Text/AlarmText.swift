import NightjarClient
import NightjarModel
import NightjarParameters
import NightjarTime

/// The daemon's calendar expressions, as text for people.
enum CalendarText {
  /// The short form of a calendar expression, such as `Mon..Fri 09:30`, without parts that are not
  /// needed.
  static func short(_ text: String) -> String { expression(text)?.shortText ?? text }

  /// A form of a calendar expression that the user may type again. It is the short form if typing
  /// that gives the same calendar; otherwise it is the full form.
  static func typed(_ text: String) -> String {
    let short = short(text)
    guard case .repeating(let again)? = try? WallClock.here.reader.time(short),
      again == expression(text)
    else { return text }
    return short
  }

  /// The parsed expression; nil: this version cannot read it.
  static func expression(_ text: String) -> CalendarExpression? {
    try? CalendarExpression(text, local: LocalTime.zone, isZone: { _ in true })
  }
}

/// The text that the command prints about a new alarm: whether the alarm repeats, and when it
/// rings.
struct AlarmText {
  private let text: TimerText

  init(_ text: TimerText) { self.text = text }

  /// The text, such as `rings every Monday at 09:30, next Monday 09:30, in 6 d 2 h` or `rings once,
  /// tomorrow 09:30, in 16 h`. Nil if the timer is no alarm, or has no deadline at present.
  ///
  /// - Parameters:
  ///   - typed: the time as the user typed it; nil: unknown.
  ///   - namesZone: whether the user named the zone of that time. The answer then names its own.
  func answer(typed: String?, namesZone: Bool = false) -> String? {
    let timer = text.timer
    guard timer.kind == .alarm, timer.state == .running, !timer.waitsForClock,
      let deadlineUsec = timer.deadlineUsec
    else { return nil }
    let time = RingTime(nowUsec: text.nowUsec, zone: text.zone)
    guard let repetition = timer.repeat else {
      return time.once(deadlineUsec, namesZone: namesZone)
    }
    let times = repetition.rounds.map { $0 == 1 ? ", once" : ", \($0) times" } ?? ""
    let calendar = timer.calendar ?? ""
    return time.again(
      CalendarText.expression(calendar), typed: typed ?? CalendarText.short(calendar),
      zone: timer.zone, more: times + (text.days.map { ", \($0)" } ?? ""), nextUsec: deadlineUsec)
  }

  /// The text about the skips that an alarm has lost because its calendar was changed, such as `;
  /// Thu 26 Nov 07:00:00 is not skipped any more; nightjar skip wake skips the next ring`. A time
  /// that is in both calendars stays skipped. Nil: no skip was lost.
  func lostSkips(_ before: Wire.Timer) -> String? {
    guard before.calendar != text.timer.calendar, let old = before.schedule,
      let new = text.timer.schedule
    else { return nil }
    let calendar = ZoneCalendar()
    let lost = before.skippedUsec.filter { usec in
      let again = calendar.usec(new, atWall: calendar.wall(old, atUsec: usec))
      return calendar.next(old, afterUsec: usec - 1) == usec
        && again.map { calendar.next(new, afterUsec: $0 - 1) != $0 } ?? true
    }
    guard let first = lost.first else { return nil }
    let rings =
      lost.count == 1
      ? "\(text.point(first)) is" : "\(text.point(first)) and \(lost.count - 1) more are"
    return "; \(rings) not skipped any more; \(Typed.nightjar) skip "
      + "\(Quoting.quoted(text.timer.name)) "
      + "skips the next ring"
  }
}

extension Wire.Timer {
  /// The schedule of a repeating alarm, which consists of its calendar, its zone and its days; nil:
  /// the timer is no repeating alarm.
  var schedule: Schedule? {
    calendar.map { expression in
      Schedule(
        expression: expression, zone: zone ?? "",
        except: DayRange.merged((except ?? []).compactMap { DayRange($0) }),
        until: until.flatMap { DayRange($0)?.last })
    }
  }
}
