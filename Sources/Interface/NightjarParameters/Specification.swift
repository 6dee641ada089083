package import NightjarInterface
package import NightjarModel
internal import NightjarTime
package import Varlink

/// The policies of a timer that is started without policies.
package struct SpecDefaults: Equatable {
  /// What the daemon does if such a timer expires in a background span.
  package var late: LatePolicy
  /// What the daemon does if such a timer expires several times in a background span.
  package var missed: MissedPolicy

  package init(late: LatePolicy = .fire, missed: MissedPolicy = .once) {
    self.late = late
    self.missed = missed
  }
}

extension CaseIterable {
  /// The case that a word of the interface names; nil: there is none.
  package init?(_ word: some WireWord, named name: (Self) -> StaticString) {
    guard let found = Self.allCases.first(where: { "\(name($0))" == word.rawValue }) else {
      return nil
    }
    self = found
  }

  /// The case that a word of the interface names.
  ///
  /// - Throws: `InvalidParameter` if there is none.
  package init(
    _ word: some WireWord, named name: (Self) -> StaticString, _ parameter: String
  ) throws(TimersError) {
    guard let found = Self(word, named: name) else { throw .invalid(parameter) }
    self = found
  }
}

/// Converts parameters of a call to types of the model.
package enum Specification {
  /// Checks the name of a new timer, or the new name of a timer.
  package static func newName(
    _ name: String, parameter: String = "name"
  ) throws(TimersError) -> String {
    var name = name
    switch name.withUTF8({ TimerName.problem(UnsafeRawBufferPointer($0)) }) {
    case nil: return name
    case .tooLong: throw .limitExceeded(limit: "name_bytes", value: Int64(Limits.nameBytes))
    case .empty, .controlCharacter, .emptySegment: throw .invalid(parameter)
    }
  }

  /// The labels in an object. If a key occurs twice, the last occurrence counts, with its place.
  package static func labels(_ labels: WireMap<String>) -> [Label] {
    // The engine refuses too many labels later, so it is enough to return one label more than
    // allowed.
    var known: [Label] = []
    for label in labels.members.prefix(Limits.labels + 1) {
      known.removeAll { $0.key == label.key }
      known.append(Label(key: label.key, value: label.value))
    }
    return known
  }

  /// The bands of a call, in their order.
  package static func bands(_ bands: [Wire.Band]) throws(TimersError) -> [Band] {
    try bands.map { (band) throws(TimersError) in
      Band(
        name: band.name, remainingUsec: band.remainingUsec, color: band.color ?? "",
        text: band.text ?? "",
        progress: try band.progress.map { (range) throws(TimersError) in
          ProgressRange(
            from: try millionths(range.from, "from"), to: try millionths(range.to, "to"))
        })
    }
  }

  private static func millionths(
    _ value: Double, _ parameter: String
  ) throws(TimersError) -> Int64 {
    guard let millionths = ProgressRange.millionths(value) else {
      throw .invalidValue(parameter: parameter, reason: "progress must be from 0 to 1")
    }
    return millionths
  }

  private static func steps(_ steps: [Wire.Step]) -> [Step] {
    steps.map { step in
      Step(
        name: step.name, durationUsec: step.durationUsec, waits: step.waits,
        isBreak: step.break, longUsec: step.longUsec)
    }
  }

  /// The kind of timer that a call asks for.
  private static func kind(
    repeats: Bool, alarm: Bool, stopwatch: Bool, sequence: Bool
  ) throws(TimersError) -> TimerKind {
    switch (repeats, alarm, stopwatch, sequence) {
    case (_, false, false, false): return .countdown
    case (false, true, false, false): return .alarm
    case (false, false, true, false): return .stopwatch
    case (false, false, false, true): return .sequence
    default:
      throw .invalidValue(
        parameter: "kind",
        reason:
          "a timer is one thing: an alarm, a stopwatch, a sequence, or a countdown that repeats")
    }
  }

  /// The specification that a call asks for. If the call gives no policy and a policy has an effect
  /// on this kind of timer, uses the policy in `defaults`. The engine checks the specification
  /// later.
  package static func timer(
    _ call: Wire.Start, calendar: ZoneCalendar, defaults: SpecDefaults
  ) throws(TimersError) -> TimerSpec {
    let (alarm, sequence) = (call.alarm, call.sequence)
    let kind = try kind(
      repeats: call.repeat != nil, alarm: alarm != nil, stopwatch: call.stopwatch,
      sequence: sequence != nil)
    guard (kind == .countdown) == (call.durationUsec != nil) else {
      throw .invalid("duration_usec")
    }
    guard call.late == nil || call.fireWithinUsec == nil else { throw .invalid("late") }
    let schedule = try alarm.flatMap { (alarm) throws(TimersError) in
      try self.schedule(of: alarm, by: calendar)
    }
    var rounds: Int64 = 0
    if let alarm { rounds = alarm.rounds ?? 0 }
    if let sequence { rounds = sequence.rounds ?? 1 }
    if let `repeat` = call.repeat { rounds = `repeat`.rounds ?? 0 }
    let comesRound = call.repeat != nil || schedule != nil || sequence != nil
    let afterSleep = try sequence?.afterSleep.map { (word) throws(TimersError) in
      try AfterSpan(word, named: \.name, "after_sleep")
    }
    let afterAway = try sequence?.afterAway.map { (word) throws(TimersError) in
      try AfterSpan(word, named: \.name, "after_away")
    }
    let missed = try call.missed.map { (word) throws(TimersError) in
      try MissedPolicy(word, named: \.name, "missed")
    }
    let clock = try call.clock.map { (word) throws(TimersError) in
      try Timeline(word, named: \.name, "clock")
    }
    return TimerSpec(
      shared: TimerSpec.Shared(
        kind: kind, repeats: call.repeat != nil, rounds: rounds, schedule: schedule,
        steps: sequence.map { Self.steps($0.steps) } ?? [], longEvery: sequence?.longEvery ?? 0,
        afterSleep: afterSleep ?? .continue, bands: try Self.bands(call.bands),
        late: try policy(of: call) ?? (kind == .stopwatch ? .fire : defaults.late),
        missed: missed ?? (comesRound ? defaults.missed : .once),
        afterAway: afterAway ?? .continue),
      clock: clock ?? (afterAway ?? .continue == .continue ? .elapsed : .present),
      durationUsec: call.durationUsec ?? 0, atUsec: alarm?.atUsec,
      wakes: call.wake,
      attachments: Attachments(
        labels: Self.labels(call.labels), data: call.data?.bytes ?? [],
        ring: try call.ring.map(RingPlan().changed)?.encoded,
        message: call.message ?? ""))
  }

  /// - Returns: the policy; nil: the call gives none.
  private static func policy(of call: Wire.Start) throws(TimersError) -> LatePolicy? {
    if let usec = call.fireWithinUsec { return .fireWithin(usec: usec) }
    switch call.late {
    case .fire: return .fire
    case .skip: return .skip
    case .other: throw .invalid("late")
    case nil: return nil
    }
  }

  /// Sets the excluded days and the last day of an alarm, if the call gives them.
  package static func setDays(
    except: [String]?, until: String?, of schedule: inout Schedule?
  ) throws(TimersError) {
    guard except != nil || until != nil else { return }
    let parameter = except == nil ? "until" : "except"
    guard schedule != nil else {
      throw .invalidValue(
        parameter: parameter, reason: "'\(parameter)' is for an alarm that repeats by a calendar")
    }
    if let except {
      // Refuse too many ranges before they are parsed.
      guard except.count <= Limits.exceptRanges else {
        throw .limitExceeded(limit: "except", value: Int64(Limits.exceptRanges))
      }
      schedule?.except = DayRange.merged(
        try except.map { (text) throws(TimersError) in
          guard let range = DayRange(text) else {
            throw .invalidValue(
              parameter: "except",
              reason:
                "days are written 2026-12-24, or 2026-12-24..2027-01-01 with the first in front")
          }
          return range
        })
    }
    if let until {
      guard until.isEmpty || CivilDate(iso: until) != nil else {
        throw .invalidValue(parameter: "until", reason: "the last day is written 2026-12-24")
      }
      schedule?.until = CivilDate(iso: until).map { Int32($0.daysSinceEpoch) }
    }
  }

  /// Replaces the calendar expression of an alarm. The excluded days and the last day do not
  /// change.
  package static func setCalendar(
    _ text: String, of schedule: inout Schedule?, by calendar: ZoneCalendar
  ) throws(TimersError) {
    guard let before = schedule else {
      throw .invalidValue(
        parameter: "calendar", reason: "'calendar' is for an alarm that repeats by a calendar")
    }
    do {
      var after = try calendar.schedule(text, zone: before.zone.isEmpty ? nil : before.zone)
      (after.except, after.until) = (before.except, before.until)
      schedule = after
    } catch { throw .invalidValue(parameter: error.part, reason: error.reason) }
  }

  /// - Returns: the schedule of an alarm that repeats; nil: the alarm rings once.
  private static func schedule(
    of alarm: Wire.Alarm, by calendar: ZoneCalendar
  ) throws(TimersError) -> Schedule? {
    switch (alarm.atUsec, alarm.calendar) {
    case (nil, let text?):
      var schedule: Schedule?
      do {
        schedule = try calendar.schedule(text, zone: alarm.zone)
      } catch { throw .invalidValue(parameter: error.part, reason: error.reason) }
      try setDays(except: alarm.except, until: alarm.until, of: &schedule)
      return schedule
    case (_?, nil):
      var none: Schedule?
      try setDays(except: alarm.except, until: alarm.until, of: &none)
      guard alarm.zone == nil, (alarm.rounds ?? 0) == 0 else {
        throw .invalidValue(
          parameter: "alarm",
          reason: "at_usec is one instant in all zones; zone and rounds need a calendar")
      }
      return nil
    case (nil, nil), (_?, _?):
      throw .invalidValue(
        parameter: "alarm", reason: "an alarm has a point in time or a calendar expression")
    }
  }
}

extension TimerSpec {
  /// The specification that the daemon would make from parameters of `Start`. The command line uses
  /// it for parameters from a file. Does not check the specification.
  ///
  /// - Throws: the `TimersError` with which the daemon would answer the call.
  package init(
    startParameters json: JSONValue, calendar: ZoneCalendar, defaults: SpecDefaults
  ) throws(TimersError) {
    let start: Wire.Start
    do throws(WireError) {
      start = try Wire.Start(json.bytes, isStrict: true)
    } catch { throw .invalid(error.field) }
    if let name = start.name { _ = try Specification.newName(name) }
    self = try Specification.timer(start, calendar: calendar, defaults: defaults)
  }
}
