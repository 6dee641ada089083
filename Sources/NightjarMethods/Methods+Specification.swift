package import NightjarCore
internal import NightjarWire

/// What a timer has that does not say.
package struct RecipeDefaults {
  /// What becomes of what came due unseen.
  package var late: LatePolicy
  /// The same of what came due more than once.
  package var missed: MissedPolicy

  package init(late: LatePolicy = .fire, missed: MissedPolicy = .once) {
    self.late = late
    self.missed = missed
  }
}

/// What a call says of a timer, as the model has it.
extension Methods {
  /// The name of a new timer, checked.
  static func newName(_ text: JSONText) throws(CallError) -> String {
    switch text.withUTF8({ TimerName.problem($0) }) {
    case nil: return text.string
    case .tooLong: throw .limitExceeded("name_bytes", Int64(TimerName.maximumBytes))
    case .empty, .controlCharacter, .emptySegment: throw .invalid("name")
    }
  }

  static func labels(_ members: [Parameters.Member]) throws(CallError) -> [Label] {
    guard members.count <= Limits.labels else {
      throw .limitExceeded("labels", Int64(Limits.labels))
    }
    var labels: [Label] = []
    for member in members {
      let label = Label(key: member.name.string, value: member.value.string)
      guard (1...Limits.labelKeyBytes).contains(label.key.utf8.count) else {
        throw .limitExceeded("label_key_bytes", Int64(Limits.labelKeyBytes))
      }
      guard label.value.utf8.count <= Limits.labelValueBytes else {
        throw .limitExceeded("label_value_bytes", Int64(Limits.labelValueBytes))
      }
      labels.removeAll { $0.key == label.key }
      labels.append(label)
    }
    return labels
  }

  /// A JSON object as it was sent, within the limits for data.
  static func data(_ object: UnsafeRawBufferPointer) throws(CallError) -> [UInt8] {
    guard object.count <= Limits.dataBytes else {
      throw .limitExceeded("data_bytes", Int64(Limits.dataBytes))
    }
    guard depth(ofValid: object) <= Limits.dataDepth else {
      throw .limitExceeded("data_depth", Int64(Limits.dataDepth))
    }
    return Array(object)
  }

  /// How many objects and arrays stand inside one another in JSON that was found valid. O(n).
  private static func depth(ofValid bytes: UnsafeRawBufferPointer) -> Int {
    var (depth, deepest) = (0, 0)
    var (isInString, isEscaped) = (false, false)
    for byte in bytes {
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isInString: isEscaped = true
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        deepest = max(deepest, depth)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    }
    return deepest
  }

  static func bands(_ bands: [Parameters.Band]) throws(CallError) -> [Band] {
    guard bands.count <= Recipe.maximumBands else {
      throw .limitExceeded("bands", Int64(Recipe.maximumBands))
    }
    return try bands.map { (band) throws(CallError) in
      Band(
        name: band.name.string, remainingUsec: band.remainingUsec, color: band.color?.string ?? "",
        text: band.text?.string ?? "",
        progress: try band.progress.map { (range) throws(CallError) in
          ProgressRange(
            from: try millionths(range.from, "from"), to: try millionths(range.to, "to"))
        })
    }
  }

  private static func millionths(
    _ value: Double, _ parameter: String
  ) throws(CallError) -> Int64 {
    guard (0...1).contains(value) else {
      throw .invalidValue(parameter, "progress goes from 0 to 1")
    }
    return Int64((value * 1_000_000).rounded())
  }

  private static func steps(_ steps: [Parameters.Step]) throws(CallError) -> [Step] {
    guard steps.count <= Recipe.maximumSteps else {
      throw .limitExceeded("steps", Int64(Recipe.maximumSteps))
    }
    return steps.map { step in
      Step(
        name: step.name.string, durationUsec: step.durationUsec, waits: step.waits ?? false,
        isBreak: step.break ?? false, longUsec: step.longUsec)
    }
  }

  /// What the timer does, checked; what was not said is as the settings have it, where it means
  /// anything.
  func recipe(
    repeat: Parameters.Repeat?, alarm: Parameters.Alarm?, stopwatch: Bool?,
    sequence: Parameters.Sequence?, bands: [Parameters.Band]?, late: TimersInterface.Late?,
    fireWithinUsec: Int64?, missed: MissedPolicy?
  ) throws(CallError) -> Recipe {
    guard late == nil || fireWithinUsec == nil else { throw .invalid("late") }
    let defaults = defaults()
    let isKind = (
      repeats: `repeat` != nil, alarm: alarm != nil, stopwatch: stopwatch == true,
      sequence: sequence != nil
    )
    let isCountdown = !isKind.repeats && !isKind.alarm && !isKind.stopwatch && !isKind.sequence
    // Most are countdowns and no more: there is one recipe for all of them.
    if isCountdown, bands == nil, late == nil, fireWithinUsec == nil, missed == nil,
      defaults.late == .fire
    {
      return .plain
    }
    let kinds = [isKind.repeats, isKind.alarm, isKind.stopwatch, isKind.sequence].count { $0 }
    guard kinds <= 1 else {
      throw .invalidValue(
        "kind",
        "a timer is one thing: an alarm, a stopwatch, a sequence, or a countdown that repeats"
      )
    }
    let schedule = try alarm.flatMap { (alarm) throws(CallError) in try self.schedule(of: alarm) }
    let bands = try bands.map(Self.bands) ?? []
    let steps = try sequence.map { (sequence) throws(CallError) in
      try Self.steps(sequence.steps)
    }
    let comesRound = isKind.repeats || schedule != nil || isKind.sequence
    let policy =
      Self.policy(late, fireWithinUsec: fireWithinUsec)
      ?? (isKind.stopwatch ? .fire : defaults.late)
    let counted = missed ?? (comesRound ? defaults.missed : .once)
    let kind: TimerKind =
      isKind.alarm
      ? .alarm : isKind.stopwatch ? .stopwatch : isKind.sequence ? .sequence : .countdown
    var rounds: Int64 = 0
    if let alarm { rounds = alarm.rounds ?? 0 }
    if let sequence { rounds = sequence.rounds ?? 1 }
    if let `repeat` { rounds = `repeat`.rounds ?? 0 }
    do throws(RecipeProblem) {
      return try Recipe(
        kind: kind, bands: bands, late: policy,
        missed: counted, repeats: isKind.repeats,
        rounds: rounds, schedule: schedule, steps: steps ?? [], longEvery: sequence?.longEvery ?? 0,
        afterSleep: sequence?.afterSleep ?? .continue)
    } catch { throw CallError(error) }
  }

  /// - Returns: nil: nothing was said.
  private static func policy(
    _ late: TimersInterface.Late?, fireWithinUsec: Int64?
  ) -> LatePolicy? {
    if let fireWithinUsec { return .fireWithin(usec: fireWithinUsec) }
    return late.map { late in
      switch late {
      case .fire: .fire
      case .skip: .skip
      }
    }
  }

  /// - Returns: nil for an alarm that rings once.
  private func schedule(of alarm: Parameters.Alarm) throws(CallError) -> Schedule? {
    switch (alarm.atUsec, alarm.calendar) {
    case (nil, let text?):
      do {
        return try calendar.schedule(text.string, zone: alarm.zone?.string)
      } catch { throw .invalidValue(error.part, error.reason) }
    case (_?, nil):
      guard alarm.zone == nil, (alarm.rounds ?? 0) == 0 else {
        throw .invalidValue(
          "alarm", "a point in time comes once, in every zone; zone and rounds are for a calendar")
      }
      return nil
    case (nil, nil), (_?, _?):
      throw .invalidValue("alarm", "an alarm has a point in time or a calendar expression")
    }
  }
}
