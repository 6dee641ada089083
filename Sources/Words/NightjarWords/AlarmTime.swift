package import NightjarInterface
import NightjarParameters
package import NightjarTime

/// The time of an alarm, as the user typed it.
package struct AlarmTime {
  let zone: String?
  let repetition: Repetition
  let wall: WallClock
  /// The verb of the command that the user typed, for the commands that an error suggests.
  private let verb: String

  package init(
    zone: String? = nil, repetition: Repetition = .byRule, wall: WallClock,
    for verb: String = "alarm"
  ) {
    (self.zone, self.repetition, self.wall) = (zone, repetition, wall)
    self.verb = verb
  }

  /// The zone rules for days and times that do not name a zone.
  package var rules: ZoneRules { zone.flatMap { ZoneDatabase.zone(named: $0) } ?? wall.zone }

  private var reader: PhraseReader {
    var reader = wall.reader
    reader.local = rules
    return reader
  }

  /// Whether a time is meant in a zone that the user named.
  package func isInNamedZone(_ text: String) -> Bool { zone != nil || reader.namesZone(text) }

  // MARK: The name

  /// Splits the words into the name and the time. If all words can be read as a time, they are the
  /// time, and there is no name. Otherwise the name is the first word or the last.
  package func split(_ words: [String]) throws(WordsProblem) -> (name: String?, time: String) {
    if let zone, ZoneDatabase.zone(named: zone) == nil {
      throw .usage(ZoneDatabase.absence(of: zone))
    }
    let words = words.map(Sign.typed)
    let all = words.phrase
    try refusePartOfDay(words)
    guard !isTime(all) else { return (nil, all) }
    guard words.count > 1, let first = words.first, let last = words.last else {
      if problem(with: all)?.unknownWord == all {
        throw .usage(
          "'\(all)' is no time; write one after the name: \(wall.program) alarm "
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
    if let (name, time) = WordsEnd.severalWords(
      words, isTime, isName: { !PhraseWords.isShortDayList($0) && Self.near($0) == nil })
    {
      throw .usage(
        "a name of several words stands in quotes: \(wall.program) alarm \(Quoting.quoted(name)) "
          + Quoting.phrase(time))
    }
    throw PhraseWords.isOfTime(first)
      ? mistake(in: all, name: nil) : mistake(in: rest, name: first)
  }

  /// Throws an error for words such as `morning 7:00`, which may be a time, or 7:00 for a timer
  /// called `morning`. The error asks the user to say which.
  private func refusePartOfDay(_ words: [String]) throws(WordsProblem) {
    guard words.count > 1, let part = words.first, PhraseWords.isPartOfDay(part) else { return }
    let time = words.dropFirst().phrase
    let said = "\(time) in the \(part.lowercased())"
    guard isTime(time), isTime(said) else { return }
    throw .usage(
      "'\(part)' may be part of the time or the name; write \(wall.program) alarm "
        + "\(Quoting.phrase(said)), or for a timer called '\(part)' \(wall.program) alarm --name \(Quoting.quoted(part)) "
        + "\(Quoting.phrase(time))", see: .time)
  }

  /// Throws an error if the name is a word of time, or is almost spelled like one.
  private func refuseName(_ name: String, time: String, all: String) throws(WordsProblem) {
    let named = "\(wall.program) alarm --name \(Quoting.quoted(name)) \(Quoting.phrase(time))"
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

  private static func near(_ word: String) -> String? {
    let lowered = word.lowercased()
    guard lowered.count > 4 else { return nil }
    return NearName.nearest(to: lowered, among: PhraseWords.longWords)
  }

  // MARK: The time

  /// The time of the alarm, for the daemon.
  ///
  /// - Parameter rounds: how often an alarm that repeats rings; 0: without end.
  package func alarm(
    _ text: String, name: String? = nil, rounds: Int64 = 0
  ) throws(WordsProblem) -> Wire.Alarm {
    if zone != nil, reader.namesZone(text) {
      throw .usage("'\(text)' names a zone; leave out --zone, or the zone in it", see: .time)
    }
    var alarm = Wire.Alarm()
    switch try reading(text, name: name) {
    case .once(let usec): alarm.atUsec = usec
    case .repeating(let expression):
      try Self.check(expression, text)
      alarm.calendar = expression.description
      alarm.zone = expression.zone == .local ? zone ?? wall.foreignZone : nil
      alarm.rounds = rounds == 0 ? nil : rounds
    }
    return alarm
  }

  /// - Throws: `WordsProblem` if the text is not a time. A time in the past is accepted.
  package func check(_ text: String) throws(WordsProblem) {
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
  /// - Throws: `WordsProblem`: the text is not a time, or is a time in the past.
  package func next(_ text: String) throws(WordsProblem) -> Int64 {
    let next = AlarmTime(zone: zone, repetition: .once, wall: wall, for: verb)
    guard case .once(let usec) = try next.reading(text) else {
      throw mistake(in: text, name: nil)
    }
    return usec
  }

  /// The calendar expression of a time that repeats, as systemd writes it; nil: the time is a
  /// single one.
  package func calendar(_ text: String) -> String? {
    guard case .repeating(let expression)? = try? reader.time(text, repetition) else { return nil }
    return expression.description
  }

  private static func check(
    _ expression: CalendarExpression, _ text: String
  ) throws(WordsProblem) {
    if let reason = ZoneCalendar.excess(of: expression) {
      throw .usage("'\(text)' comes too often: \(reason)", see: .time)
    }
  }

  /// The calendar expression that a repeating alarm is to get.
  ///
  /// - Throws: `WordsProblem`: it comes too often, or the text lacks a time of day.
  package func checked(
    _ expression: CalendarExpression, _ text: String
  ) throws(WordsProblem) -> CalendarExpression {
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
  package func timeOfDay(_ text: String) -> CalendarExpression? {
    guard case .repeating(let expression)? = try? reader.time(text, .repeating),
      expression.isOfEveryDay
    else { return nil }
    return expression
  }

  package func reading(
    _ text: String, name: String? = nil
  ) throws(WordsProblem) -> TimeReading {
    if let problem = reader.bareLength(text, repetition) { throw explained(problem, name: name) }
    do throws(PhraseProblem) { return try reader.time(text, repetition) } catch {
      throw explained(error, name: name)
    }
  }

  /// Whether a text can be read as a time. This is also true of a time in the past, and of a text
  /// with two readings.
  package func isTime(_ text: String) -> Bool {
    guard let problem = problem(with: text) else { return true }
    return problem.isPast || !problem.choices.isEmpty
  }

  private func problem(with text: String) -> PhraseProblem? {
    do throws(PhraseProblem) {
      _ = try reader.time(text, repetition)
      return nil
    } catch { return error }
  }

  private func mistake(in text: String, name: String?) -> WordsProblem {
    problem(with: text).map { explained($0, name: name) }
      ?? .usage("'\(text)' is no time", see: .time)
  }

  /// The error about a problem. Its suggestions are whole commands that the user can type.
  private func explained(_ problem: PhraseProblem, name: String?) -> WordsProblem {
    if let word = problem.unknownWord, let near = Self.near(word) {
      return .usage("'\(word)' is not understood; did you mean \(near)?", see: .time)
    }
    var refusal = WordsProblem.usage(
      problem.sentence(for: verb, name: name, of: wall.program), see: .time)
    if problem.choices.count > 1, problem.choices.allSatisfy({ $0.command == .same }) {
      refusal.choice = (problem.reason, problem.choices)
    }
    return refusal
  }
}

extension PhraseProblem {
  /// The sentence about a problem. Its suggestions are whole commands that the user can type.
  ///
  /// - Parameters:
  ///   - command: the command that the user typed.
  ///   - name: the timer's name; nil: the timer has none.
  ///   - program: the program's name, as the user typed it.
  func sentence(for command: String, name: String?, of program: String) -> String {
    let sentence = sentence { choice in
      let verb =
        switch choice.command {
        case .same: command
        case .alarm: "alarm"
        case .start: "start"
        }
      let name = name.map { "\(Quoting.quoted($0)) " } ?? ""
      return "\(program) \(verb) \(name)\(Quoting.phrase(choice.words))"
    }
    // The reason may contain a command, too.
    guard let place = sentence.firstPlace(of: "write nightjar start") else { return sentence }
    return "\(sentence[..<place.lowerBound])write \(program) start\(sentence[place.upperBound...])"
  }
}
