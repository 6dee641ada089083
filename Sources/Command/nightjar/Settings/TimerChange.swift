import NightjarClient
import NightjarModel
import NightjarParameters
import NightjarTime
import Varlink

/// What the user wants to change in timers: settings, settings to remove, and the time.
struct TimerChange {
  var values = SettingValues()
  var removed: [Setting] = []
  /// Settings whose value replaces that of the timer, although others would be added to it.
  var replaced: [Setting] = []
  var time: NewTime?

  var isEmpty: Bool { values.isEmpty && removed.isEmpty && time == nil }

  /// The call that changes the settings of a timer; nil: no setting changes.
  func call(for timer: Wire.Timer) -> Result<Call, TimersError>? {
    do throws(CommandError) {
      return try update(of: timer).map {
        .success(Call(method: "\(Wire.Update.method)", parameters: $0))
      }
    } catch {
      return .failure(.invalidValue(parameter: "ring", reason: "\(error.message)"))
    }
  }

  /// The parameters of `Update` for a timer; nil: no setting changes. Labels, excepted days and
  /// variables are added to those that the timer has.
  func update(of timer: Wire.Timer) throws(CommandError) -> JSONValue? {
    guard !values.isEmpty || !removed.isEmpty else { return nil }
    var update: JSONValue = ["name": .string(timer.name)]
    for setting in removed {
      guard setting.path.first == "ring" else {
        update = update.setting(setting.path.last ?? "", setting.notation.removal)
        continue
      }
      let names = (update["ring_without"]?.strings ?? []) + [setting.path.last ?? ""]
      update = update.setting("ring_without", .strings(names))
    }
    for (setting, value) in values.values {
      let path = setting.path.first == "alarm" ? Array(setting.path.dropFirst()) : setting.path
      var value = value
      switch setting.notation {
      case _ where replaced.contains { $0.key == setting.key }: break
      case .labels: value = setting.notation.merged(value, over: JSONValue(timer.labels))
      case .days, .dayFiles:
        let days = (timer.except ?? []) + value.strings
        value = .strings(
          try ExceptDays.checked(DayRange.merged(days.compactMap { DayRange($0) })).map(\.text))
      default: break
      }
      update = update.setting(path, value)
    }
    return try RingCommand.completed(update, isNew: false, rings: timer.kind != .stopwatch)
  }
}

/// A time to which timers are moved: the length of a countdown, or the time of an alarm.
struct NewTime {
  private let text: String
  private let length: Result<DurationArgument, CommandError>
  private let alarm: AlarmTime
  private let reading: Result<TimeReading, CommandError>
  /// The next such instant, for an alarm that rings once.
  private let once: Result<TimeReading, CommandError>

  init(_ text: String, at wall: WallClock) {
    self.text = text
    length = Result { () throws(CommandError) in try DurationArgument(text) }
    func read(_ alarm: AlarmTime) -> Result<TimeReading, CommandError> {
      Result { () throws(CommandError) in
        try CommandError.asking(text) { (text) throws(WordsProblem) in try alarm.reading(text) }
      }
    }
    alarm = AlarmTime(wall: wall, for: "edit")
    reading = read(alarm)
    once = read(AlarmTime(repetition: .once, wall: wall, for: "edit"))
  }

  /// Whether a text can be the new time of a timer.
  static func isTime(_ text: String, at wall: WallClock) -> Bool {
    wall.isSpan(text) || AlarmTime(wall: wall).isTime(text)
  }

  /// What the user may not have meant by a time span.
  var note: String { (try? length.get().note) ?? "" }

  var isInNamedZone: Bool { alarm.isInNamedZone(text) }

  /// The call that moves a timer; a refusal says why it cannot be moved.
  func call(for timer: Wire.Timer) -> Result<Call, TimersError> {
    do throws(CommandError) { return .success(try moved(timer)) } catch {
      return .failure(.invalidValue(parameter: "time", reason: "\(error.message)"))
    }
  }

  private func moved(_ timer: Wire.Timer) throws(CommandError) -> Call {
    switch timer.kind {
    case .countdown:
      let usec = try length.get().usec
      // The call is `Extend`, so a later restart still uses the duration with which the timer was
      // started.
      return Call(Wire.Extend(name: timer.name, byUsec: usec - timer.durationUsec))
    case .alarm where timer.calendar == nil:
      guard let deadlineUsec = timer.deadlineUsec else { throw unmoved(timer) }
      guard case .once(let usec) = try once.get() else { throw unmoved(timer) }
      return Call(Wire.Extend(name: timer.name, byUsec: usec - deadlineUsec))
    case .alarm:
      var update = Wire.Update(name: timer.name)
      update.calendar = try calendar(timer)
      return Call(update)
    default:
      throw CommandError(
        .refused,
        "a \(timer.kind.rawValue) has no single time, so '\(timer.name)' cannot get another")
    }
  }

  /// The new calendar of an alarm that repeats. A time of day alone keeps its days, and a time
  /// without a zone keeps its zone.
  private func calendar(_ timer: Wire.Timer) throws(CommandError) -> String {
    let old = CalendarText.expression(timer.calendar ?? "")
    let expression: CalendarExpression
    switch try reading.get() {
    case .repeating(let new): expression = new
    case .once(let usec):
      guard let new = alarm.timeOfDay(text), let old else {
        let day = LocalTime(usec: usec).civil.date.text
        let once = Quoting.quoted("\(timer.name)/once")
        throw CommandError(
          .refused,
          "'\(text)' is a single time, and \(timer.name) repeats; for that day alone write "
            + "\(Typed.nightjar) skip \(Quoting.quoted(timer.name)) \(day), and "
            + "\(Typed.nightjar) alarm \(once) \(Quoting.phrase(text))")
      }
      expression = old.at(new)
    }
    let checked = try CommandError.understanding { () throws(WordsProblem) in
      try alarm.checked(expression, text)
    }
    guard timer.zone == nil, checked.zone == .local, case .named(let zone)? = old?.zone else {
      return checked.description
    }
    return "\(checked) \(zone)"
  }

  private func unmoved(_ timer: Wire.Timer) -> CommandError {
    let (name, word) = (timer.name, Quoting.quoted(timer.name))
    let anew = "\(Typed.nightjar) alarm \(word) TIME --replace starts it again"
    let sentence =
      switch timer.state {
      case .paused: "'\(name)' is paused; use \(Typed.nightjar) resume \(word), and then move it"
      case .over where timer.ringing != nil:
        "'\(name)' has rung; \(Typed.nightjar) snooze \(word) SPAN lets it ring again, and \(anew)"
      default: "'\(name)' is \(timer.state.rawValue); \(anew)"
      }
    return CommandError(.refused, sentence)
  }
}
