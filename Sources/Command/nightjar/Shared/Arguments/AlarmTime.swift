import NightjarClient
import NightjarConfig
import NightjarParameters
package import NightjarTime
import Varlink

/// The time of an alarm, as the user typed it.
package struct AlarmTime {
  let zone: String?
  let repetition: Repetition
  let wall: WallClock
  /// The verb of the command that the user typed, for the commands that an error suggests.
  private let verb: String

  package init(
    zone: String?, repetition: Repetition = .byRule, wall: WallClock, for verb: String = "alarm"
  ) {
    (self.zone, self.repetition, self.wall) = (zone, repetition, wall)
    self.verb = verb
  }

  /// A time without a zone of its own.
  init(at wall: WallClock, for verb: String, _ repetition: Repetition = .byRule) {
    self.init(zone: nil, repetition: repetition, wall: wall, for: verb)
  }

  /// The zone rules for days and times that do not name a zone.
  var rules: ZoneRules { zone.flatMap { ZoneDatabase.zone(named: $0) } ?? wall.zone }

  private var reader: PhraseReader {
    var reader = wall.reader
    reader.local = rules
    return reader
  }

  /// Whether a time is meant in a zone that the user named.
  func isInNamedZone(_ text: String) -> Bool { zone != nil || reader.namesZone(text) }

  // MARK: The name

  /// Splits the words into the name and the time. If all words can be read as a time, they are the
  /// time, and there is no name. Otherwise the name is the first word or the last.
  func split(_ words: [String]) throws(CommandError) -> (name: String?, time: String) {
    if let zone, ZoneDatabase.zone(named: zone) == nil {
      throw .usage(ZoneDatabase.absence(of: zone))
    }
    let words = words.map(Sign.typed)
    let all = words.phrase
    try refusePartOfDay(words)
    guard !isTime(all) else { return (nil, all) }
    guard words.count > 1, let first = words.first, let last = words.last else {
      if let preset = try? Presets.read().named(all, at: wall) {
        throw .usage(
          "'\(all)' is no time, and there is a preset of that name: \(Typed.nightjar) start "
            + StartArguments.typed(preset.name))
      }
      if problem(with: all)?.unknownWord == all {
        throw .usage(
          "'\(all)' is no time; write one after the name: \(Typed.nightjar) alarm "
            + "\(Quoting.quoted(all)) 17:30"
        )
      }
      throw mistake(in: all, name: nil)
    }
    let rest = words.dropFirst().phrase
    let front = words.dropLast().phrase
    if isTime(rest) {
      try refuseName(first, time: rest, all: all)
      return (first, rest)
    }
    if isTime(front), !PhraseWords.isOfTime(last) {
      try refuseName(last, time: front, all: all)
      return (last, front)
    }
    if let (name, time) = severalWords(words) {
      throw .usage(
        "a name of several words stands in quotes: \(Typed.nightjar) alarm \(Quoting.quoted(name)) "
          + Quoting.phrase(time))
    }
    throw PhraseWords.isOfTime(first)
      ? mistake(in: all, name: nil) : mistake(in: rest, name: first)
  }

  /// Throws an error for words such as `morning 7:00`, which may be a time, or 7:00 for a timer
  /// called `morning`. The error asks the user to say which.
  private func refusePartOfDay(_ words: [String]) throws(CommandError) {
    guard words.count > 1, let part = words.first, PhraseWords.isPartOfDay(part) else { return }
    let time = words.dropFirst().phrase
    let said = "\(time) in the \(part.lowercased())"
    guard isTime(time), isTime(said) else { return }
    throw .usage(
      "'\(part)' may be part of the time or the name; write \(Typed.nightjar) alarm "
        + "\(Quoting.phrase(said)), or for a timer called '\(part)' \(Typed.nightjar) alarm --name \(Quoting.quoted(part)) "
        + "\(Quoting.phrase(time))", see: .time)
  }

  /// Throws an error if the name is a word of time, or is almost spelled like one.
  private func refuseName(_ name: String, time: String, all: String) throws(CommandError) {
    let named = "\(Typed.nightjar) alarm --name \(Quoting.quoted(name)) \(Quoting.phrase(time))"
    if PhraseWords.isOfTime(name) || PhraseWords.isNumberWord(name)
      || PhraseWords.isShortDayList(name) || name.lowercased() == "the"
    {
      let problem = problem(with: all)
      // The parser's reason is used only if the parser knows all words.
      let said = problem?.unknownWord == nil ? problem?.reason : nil
      let reason = said ?? "'\(name)' is a word of time"
      throw .usage("\(reason); for a timer called '\(name)' write \(named)", see: .time)
    }
    guard let near = Self.near(name) else { return }
    throw .usage(
      "did you mean \(near)? for a timer called '\(name)' write \(named)", see: .time)
  }

  /// Two or more words that may be a name, and the time after them; nil: the words are not a name
  /// and a time.
  private func severalWords(_ words: [String]) -> (name: String, time: String)? {
    for count in 2..<max(2, words.count) {
      let time = words[count...].phrase
      guard isTime(time) else { continue }
      let isName = words[..<count].allSatisfy {
        !Invocation.isMeantAsSpan($0) && !PhraseWords.isOfTime($0)
          && !PhraseWords.isShortDayList($0) && Self.near($0) == nil
      }
      return isName ? (words[..<count].phrase, time) : nil
    }
    return nil
  }

  private static func near(_ word: String) -> String? {
    let lowered = word.lowercased()
    guard lowered.count > 4 else { return nil }
    return NearName.nearest(to: lowered, among: PhraseWords.longWords)
  }

  // MARK: The time

  /// The kind of the alarm, for the daemon. If the text has two readings, the user is asked to
  /// choose one.
  func kind(
    _ text: String, name: String? = nil, rounds: Int64
  ) throws(CommandError) -> NewTimer {
    if zone != nil, reader.namesZone(text) {
      throw .usage("'\(text)' names a zone; leave out --zone, or the zone in it", see: .time)
    }
    switch try reading(text, name: name).time {
    case .once(let usec): return .alarm(at: WallTime(usec: usec))
    case .repeating(let expression):
      try Self.check(expression, text)
      return .calendar(
        expression.description,
        zone: expression.zone == .local ? zone ?? wall.foreignZone : nil, rounds: rounds)
    }
  }

  /// - Throws: `CommandError` if the text is not a time. A time in the past is accepted.
  package func check(_ text: String) throws(CommandError) {
    if let problem = reader.bareLength(text, repetition) { throw explained(problem, name: nil) }
    do throws(PhraseProblem) {
      _ = try reader.time(text, repetition)
    } catch {
      guard !error.isPast else { return }
      throw .usage(error.description, see: .time)
    }
  }

  /// The next instant that a text means, in microseconds since the epoch.
  ///
  /// - Throws: `CommandError`: the text is not a time, or is a time in the past.
  package func next(_ text: String) throws(CommandError) -> Int64 {
    let next = AlarmTime(zone: zone, repetition: .once, wall: wall, for: verb)
    guard case .once(let usec) = try next.reading(text, name: nil).time else {
      throw mistake(in: text, name: nil)
    }
    return usec
  }

  /// The calendar expression of a time that repeats, as systemd writes it; nil: the time is a
  /// single one.
  func calendar(_ text: String) -> String? {
    guard case .repeating(let expression)? = try? reader.time(text, repetition) else { return nil }
    return expression.description
  }

  private static func check(
    _ expression: CalendarExpression, _ text: String
  ) throws(CommandError) {
    if let reason = ZoneCalendar.excess(of: expression) {
      throw .usage("'\(text)' comes too often: \(reason)", see: .time)
    }
  }

  /// The calendar expression that a repeating alarm is to get.
  ///
  /// - Throws: `CommandError`: it comes too often, or the text lacks a time of day.
  func checked(
    _ expression: CalendarExpression, _ text: String
  ) throws(CommandError) -> CalendarExpression {
    if let days = reader.daysWithoutTime(text) {
      throw .usage(
        "'\(days)' has no time of day; write one after it, such as '\(days) 7:00', or "
          + "'\(days) 0:00' for midnight", see: .time)
    }
    try Self.check(expression, text)
    return expression
  }

  /// The time of day that a text names without a day, as an expression of every day; nil: the text
  /// is another one.
  func timeOfDay(_ text: String) -> CalendarExpression? {
    guard case .repeating(let expression)? = try? reader.time(text, .repeating),
      expression.isOfEveryDay
    else { return nil }
    return expression
  }

  /// The reading of a text. If the text has several readings, the user is asked to choose one, and
  /// the result has the words for it.
  func reading(
    _ text: String, name: String?
  ) throws(CommandError) -> (time: TimeReading, words: String) {
    let problem: PhraseProblem
    if let bare = reader.bareLength(text, repetition) {
      problem = bare
    } else {
      do throws(PhraseProblem) {
        return (try reader.time(text, repetition), text)
      } catch { problem = error }
    }
    let choices = problem.choices.filter { $0.command == .same }
    guard Terminal.canAsk, choices.count > 1, choices.count == problem.choices.count else {
      throw explained(problem, name: name)
    }
    let options = choices.map { "\($0.words) (\($0.meaning))" }
    guard let index = Output.choose("\(problem.reason); which?", options) else {
      throw explained(problem, name: name)
    }
    return try reading(choices[index].words, name: name)
  }

  /// Whether a text can be read as a time. This is also true of a time in the past, and of a text
  /// with two readings.
  func isTime(_ text: String) -> Bool {
    guard let problem = problem(with: text) else { return true }
    return problem.isPast || !problem.choices.isEmpty
  }

  private func problem(with text: String) -> PhraseProblem? {
    do throws(PhraseProblem) {
      _ = try reader.time(text, repetition)
      return nil
    } catch { return error }
  }

  private func mistake(in text: String, name: String?) -> CommandError {
    problem(with: text).map { explained($0, name: name) }
      ?? .usage("'\(text)' is no time", see: .time)
  }

  /// The error about a problem. Its suggestions are whole commands that the user can type.
  private func explained(_ problem: PhraseProblem, name: String?) -> CommandError {
    if let word = problem.unknownWord, let near = Self.near(word) {
      return .usage("'\(word)' is not understood; did you mean \(near)?", see: .time)
    }
    return .usage(problem.sentence(for: verb, name: name), see: .time)
  }
}

extension PhraseProblem {
  /// The sentence about a problem. Its suggestions are whole commands that the user can type.
  ///
  /// - Parameters:
  ///   - command: the command that the user typed.
  ///   - name: the timer's name; nil: the timer has none.
  func sentence(for command: String, name: String?) -> String {
    let sentence = sentence { choice in
      let verb =
        switch choice.command {
        case .same: command
        case .alarm: "alarm"
        case .start: "start"
        }
      let name = name.map { "\(Quoting.quoted($0)) " } ?? ""
      return "\(Typed.nightjar) \(verb) \(name)\(Quoting.phrase(choice.words))"
    }
    // The reason may contain a command, too. If the user's command is for another machine, the
    // command in the reason needs the name of that machine.
    return sentence.replacing("write nightjar start", with: "write \(Typed.nightjar) start")
  }
}
