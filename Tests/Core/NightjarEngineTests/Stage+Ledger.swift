import NightjarEngine
import NightjarModel

/// A calendar with a fixed period in microseconds, counted from the beginning of the clocks.
/// Another zone is behind by a given time.
final class TestCalendar: Calendar {
  var zoneUsec: Int64 = 0
  var endUsec = Int64.max

  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
    guard let period = Int64(schedule.expression) else { return nil }
    let begin = TestClocks().now.realtimeUsec + (schedule.zone.isEmpty ? zoneUsec : 0)
    let since = afterUsec - begin
    let whole = since >= 0 ? since / period : (since + 1) / period - 1
    let next = begin + (whole + 1) * period
    return next > endUsec ? nil : next
  }

  func wall(_ schedule: Schedule, atUsec usec: Int64) -> Int64 {
    usec - (schedule.zone.isEmpty ? zoneUsec : 0)
  }

  func usec(_ schedule: Schedule, atWall wall: Int64) -> Int64? {
    wall + (schedule.zone.isEmpty ? zoneUsec : 0)
  }
}

extension Stage {
  /// Lets time pass while everything runs. The daemon runs an iteration whenever it is armed.
  func advance(_ usec: Int64) {
    var rest = usec
    while let next = untilWake, next <= rest {
      rest -= next
      run(next)
    }
    run(rest)
  }

  private var untilWake: Int64? {
    let (wake, now) = (engine.wake, now)
    return [
      wake.boottimeUsec.map { $0 - now.boottimeUsec },
      wake.monotonicUsec.map { $0 - now.monotonicUsec },
      wake.realtimeUsec.map { $0 - now.realtimeUsec },
    ].compactMap { $0 }.min().map { max(0, $0) }
  }

  /// A sleep that logind announces.
  func sleep(_ usec: Int64) {
    enter(.sleep)
    clocks.sleep(usec)
    leave(.sleep)
  }

  /// Seconds on the wall clock since the beginning of the clocks.
  static func time(_ usec: Int64) -> String { seconds(usec - TestClocks().now.realtimeUsec) }

  /// The events of timers after their start, one line each, such as `70 rang late 10 sleep, missed
  /// 2`. Without the ends of sounds.
  var ledger: [String] {
    events.compactMap { event in
      if case .unanswered = event.kind { return nil }
      return Self.line(event, named: false)
    }
  }

  /// The line of an event, if it has one, with the name of its timer if that is wanted.
  static func line(_ event: Event, named: Bool) -> String? {
    guard let subject = event.subject else { return nil }
    switch event.kind {
    case .started, .renamedFrom: return nil
    default: break
    }
    let name = named ? subject.name : ""
    return [time(event.timeUsec), name, "\(event.typeName)", detail(event)].filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  private static func detail(_ event: Event) -> String {
    switch event.kind {
    case .rang(let late, _, nil): return text(late, nil, "after snooze")
    case .rang(let late, _, let passing): return text(late, passing)
    case .didNotRing(let late, let passing, _): return text(late, passing)
    case .rangAgain(let late, _, _), .stayedQuiet(let late, _, _): return text(late, nil)
    case .unanswered(let expiry, let number): return "\(expiry) \(number)"
    case .joined(_, let count, _, _): return "\(count)"
    case .leftRing(_, let left, _): return "\(left)"
    case .bandCrossed(_, let band, let remaining):
      return "\(band?.name ?? "none") \(seconds(remaining))"
    case .paused(let usec, _, _), .lapped(let usec), .pausedAfterSpan(let usec, _, _):
      return seconds(usec)
    case .advanced(let next, _): return next.step
    case .restartedAfterSpan(let next, _):
      guard case .runs(_, let usec) = next.continuation else { return next.step }
      return "\(next.step) \(seconds(usec))"
    case .renamedTo(let name): return name
    case .rescheduled(let deadline, _, _): return "to \(time(deadline))"
    default: return ""
    }
  }

  private static func text(_ late: Lateness, _ passing: Passing?, _ first: String...) -> String {
    var parts = first
    if let next = passing?.next, case .runs = next.continuation, !next.step.isEmpty {
      parts.append("to \(next.step)")
    }
    if late.usec > 0 || late.cause != nil {
      parts.append("late \(seconds(late.usec))\(late.cause.map { " \($0.name)" } ?? "")")
    }
    if let missed = passing?.missed, missed > 0 { parts.append("missed \(missed)") }
    return parts.joined(separator: ", ")
  }
}

/// `7.000001` for 7 s and 1 µs, `60` for a minute.
func seconds(_ usec: Int64) -> String {
  let whole = "\(usec < 0 ? "-" : "")\(usec.magnitude / 1_000_000)"
  let rest = usec.magnitude % 1_000_000
  if rest == 0 { return whole }
  var digits = String(rest)
  digits = String(repeating: "0", count: 6 - digits.utf8.count) + digits
  while digits.last == "0" { digits.removeLast() }
  return "\(whole).\(digits)"
}

let minute: Int64 = 60 * second
