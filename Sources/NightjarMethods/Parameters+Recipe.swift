package import NightjarCore
package import NightjarWire

/// What `Start` says beside a name and a duration, as it came; `recipe` makes sense of it.
package struct RecipeParameters {
  package var bands: [Band] = []
  package var late: LatePolicy?
  package var missed: MissedPolicy?
  package var repeats: (Bool, rounds: Int64) = (false, 0)
  package var alarm: AlarmParameters?
  package var isStopwatch = false
  package var sequence: SequenceParameters?
  /// Whether anything was read: if not, there is nothing to check and one recipe for all.
  private var isSaid = false

  /// An alarm: one of the two.
  package struct AlarmParameters {
    var atUsec: Int64?
    var calendar: String?
    var zone: String?
    var rounds: Int64 = 0
  }

  package struct SequenceParameters {
    var steps: [Step] = []
    var rounds: Int64 = 1
    var longEvery: Int64 = 0
    var afterSleep = AfterSleep.continue
  }

  /// Whether it takes as long as it says by itself: then no duration belongs to it.
  package var hasOwnLength: Bool { alarm != nil || isStopwatch || sequence != nil }

  /// Reads the value of `key`, if that is about what the timer does.
  package mutating func read(
    _ key: JSONText, from parameters: inout Parameters
  ) throws(CallError) -> Bool {
    if key.equals("bands") {
      bands = try parameters.bands(key)
    } else if key.equals("late") {
      guard late == nil else { throw .invalid("late") }
      late = try parameters.word(key, [LatePolicy.fire, .skip]) { $0 == .fire ? "fire" : "skip" }
    } else if key.equals("fire_within_usec") {
      guard late == nil else { throw .invalid("late") }
      late = .fireWithin(usec: try parameters.integer(key))
    } else if key.equals("missed") {
      missed = try parameters.word(key, MissedPolicy.allCases, \.name)
    } else if key.equals("repeat") {
      repeats = (true, try parameters.rounds(key))
    } else if key.equals("alarm") {
      alarm = try parameters.alarm(key)
    } else if key.equals("stopwatch") {
      isStopwatch = try parameters.bool(key)
    } else if key.equals("sequence") {
      sequence = try parameters.sequence(key)
    } else {
      return false
    }
    isSaid = true
    return true
  }

  /// Whether it comes due again and again, so that several of them can be missed.
  private var comesRound: Bool {
    repeats.0 || alarm?.calendar != nil || sequence != nil
  }

  /// What the timer does, checked; what was not said is as the settings have it, where it means
  /// anything.
  package func recipe(
    calendar: ZoneCalendar, defaults: RecipeDefaults
  ) throws(CallError) -> Recipe {
    // Most are countdowns and no more: there is one recipe for all of them.
    if !isSaid, defaults.late == .fire { return .plain }
    let kinds = [alarm != nil, isStopwatch, sequence != nil, repeats.0].count { $0 }
    guard kinds <= 1 else {
      throw .invalidValue(
        "kind",
        "a timer is one thing: an alarm, a stopwatch, a sequence, or a countdown that repeats"
      )
    }
    let schedule = try alarm.flatMap { (alarm) throws(CallError) in
      try Self.schedule(alarm, calendar: calendar)
    }
    do throws(RecipeProblem) {
      return try Recipe(
        kind: alarm != nil
          ? .alarm
          : isStopwatch
            ? .stopwatch
            : sequence != nil
              ? .sequence
              : .countdown,
        bands: bands, late: late ?? (isStopwatch ? .fire : defaults.late),
        missed: missed ?? (comesRound ? defaults.missed : .once), repeats: repeats.0,
        rounds: alarm?.rounds ?? sequence?.rounds ?? repeats.rounds, schedule: schedule,
        steps: sequence?.steps ?? [], longEvery: sequence?.longEvery ?? 0,
        afterSleep: sequence?.afterSleep ?? .continue)
    } catch { throw CallError(error) }
  }

  private static func schedule(
    _ alarm: AlarmParameters, calendar: ZoneCalendar
  ) throws(CallError) -> Schedule? {
    switch (alarm.atUsec, alarm.calendar) {
    case (nil, let text?):
      do {
        return try calendar.schedule(text, zone: alarm.zone)
      } catch { throw .invalidValue(error.part, error.reason) }
    case (_?, nil):
      guard alarm.zone == nil, alarm.rounds == 0 else {
        throw .invalidValue(
          "alarm", "a point in time comes once, in every zone; zone and rounds are for a calendar")
      }
      return nil
    case (nil, nil), (_?, _?):
      throw .invalidValue("alarm", "an alarm has a point in time or a calendar expression")
    }
  }
}

extension Parameters {
  /// Reads the object that is the value of `key`, member by member; null counts as absent.
  package mutating func object(
    _ key: JSONText, _ body: (inout Parameters, JSONText) throws(CallError) -> Void
  ) throws(CallError) {
    let outer = members
    do { members = try scanner.beginObject() } catch { throw .invalid(key.string) }
    while let member = try next() { try body(&self, member) }
    members = outer
  }

  /// Reads the array that is the value of `key`.
  package mutating func array(
    _ key: JSONText, upTo limit: Int, _ body: (inout Parameters) throws(CallError) -> Void
  ) throws(CallError) {
    var count = 0
    do {
      var elements = try scanner.beginArray()
      while try scanner.nextElement(&elements) {
        count += 1
        guard count <= limit else { throw CallError.limitExceeded("\(key.string)", Int64(limit)) }
        try body(&self)
      }
    } catch let error as CallError {
      throw error
    } catch { throw .invalid(key.string) }
  }

  package mutating func bands(_ key: JSONText) throws(CallError) -> [Band] {
    var bands: [Band] = []
    try array(key, upTo: Recipe.maximumBands) { (parameters) throws(CallError) in
      var band = Band(name: "", remainingUsec: 0)
      try parameters.object(key) { (parameters, member) throws(CallError) in
        if member.equals("name") {
          band.name = try parameters.text(member).string
        } else if member.equals("remaining_usec") {
          band.remainingUsec = try parameters.integer(member)
        } else if member.equals("color") {
          band.color = try parameters.text(member).string
        } else if member.equals("text") {
          band.text = try parameters.text(member).string
        } else if member.equals("progress") {
          band.progress = try parameters.progress(member)
        } else {
          throw .invalid(member.string)
        }
      }
      bands.append(band)
    }
    return bands
  }

  private mutating func progress(_ key: JSONText) throws(CallError) -> ProgressRange {
    var range = ProgressRange(from: 0, to: 1_000_000)
    try object(key) { (parameters, member) throws(CallError) in
      if member.equals("from") {
        range.from = try parameters.millionths(member)
      } else if member.equals("to") {
        range.to = try parameters.millionths(member)
      } else {
        throw .invalid(member.string)
      }
    }
    return range
  }

  private mutating func millionths(_ key: JSONText) throws(CallError) -> Int64 {
    let value: Double
    do { value = try scanner.readDouble() } catch { throw .invalid(key.string) }
    guard (0...1).contains(value) else {
      throw .invalidValue(key.string, "progress goes from 0 to 1")
    }
    return Int64((value * 1_000_000).rounded())
  }

  package mutating func alarm(_ key: JSONText) throws(CallError) -> RecipeParameters.AlarmParameters
  {
    var alarm = RecipeParameters.AlarmParameters()
    try object(key) { (parameters, member) throws(CallError) in
      if member.equals("at_usec") {
        alarm.atUsec = try parameters.integer(member)
      } else if member.equals("calendar") {
        alarm.calendar = try parameters.text(member).string
      } else if member.equals("zone") {
        alarm.zone = try parameters.text(member).string
      } else if member.equals("rounds") {
        alarm.rounds = try parameters.integer(member)
      } else {
        throw .invalid(member.string)
      }
    }
    return alarm
  }

  package mutating func sequence(_ key: JSONText) throws(CallError)
    -> RecipeParameters.SequenceParameters
  {
    var sequence = RecipeParameters.SequenceParameters()
    try object(key) { (parameters, member) throws(CallError) in
      if member.equals("steps") {
        sequence.steps = try parameters.steps(member)
      } else if member.equals("rounds") {
        sequence.rounds = try parameters.integer(member)
      } else if member.equals("long_every") {
        sequence.longEvery = try parameters.integer(member)
      } else if member.equals("after_sleep") {
        sequence.afterSleep = try parameters.word(member, AfterSleep.allCases, \.name)
      } else {
        throw .invalid(member.string)
      }
    }
    return sequence
  }

  private mutating func steps(_ key: JSONText) throws(CallError) -> [Step] {
    var steps: [Step] = []
    try array(key, upTo: Recipe.maximumSteps) { (parameters) throws(CallError) in
      var step = Step(name: "", durationUsec: 0)
      try parameters.object(key) { (parameters, member) throws(CallError) in
        if member.equals("name") {
          step.name = try parameters.text(member).string
        } else if member.equals("duration_usec") {
          step.durationUsec = try parameters.integer(member)
        } else if member.equals("long_usec") {
          step.longUsec = try parameters.integer(member)
        } else if member.equals("waits") {
          step.waits = try parameters.bool(member)
        } else if member.equals("break") {
          step.isBreak = try parameters.bool(member)
        } else {
          throw .invalid(member.string)
        }
      }
      steps.append(step)
    }
    return steps
  }

  package mutating func rounds(_ key: JSONText) throws(CallError) -> Int64 {
    var rounds: Int64 = 0
    try object(key) { (parameters, member) throws(CallError) in
      guard member.equals("rounds") else { throw .invalid(member.string) }
      rounds = try parameters.integer(member)
    }
    return rounds
  }

  /// One of the words that `choices` are called.
  package mutating func word<Choice>(
    _ key: JSONText, _ choices: [Choice], _ name: (Choice) -> StaticString
  ) throws(CallError) -> Choice {
    let text = try text(key)
    guard let choice = choices.first(where: { text.equals(name($0)) }) else {
      throw .invalid(key.string)
    }
    return choice
  }
}
