package import NightjarInterface
import NightjarModel
import NightjarTime
import Varlink

extension FirstWords {
  /// The words of a line that somebody typed, in which quotes keep words together.
  ///
  /// - Throws: `WordsProblem`: the line has no words but a verb, or a quote does not end.
  package static func words(of line: String) throws(WordsProblem) -> [String] {
    guard let words = split(line)?.map(Sign.typed) else {
      throw .usage("a quotation mark has no other one; write \"my tea\" 4min")
    }
    guard words.contains(where: { !startingVerbs.contains($0.lowercased()) }) else {
      throw .usage(
        words.isEmpty || words[0].lowercased() == "start"
          ? "write how long, such as 4min" : "write when, such as alarm 7:00")
    }
    return words
  }

  /// Splits a text into words as a shell does, with both kinds of quotation marks. Other special
  /// characters of a shell have no meaning.
  ///
  /// - Returns: nil if a closing quotation mark is missing.
  private static func split(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var mark: Character?
    for character in text {
      if let open = mark {
        if character == open { mark = nil } else { word?.append(character) }
      } else if character == "\"" || character == "'" {
        mark = character
        word = word ?? ""
      } else if character == " " || character.isNewline || character == "\t" {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return mark == nil ? words : nil
  }

  /// The readings, with the parameters of `Start` and a sentence.
  ///
  /// - Parameter lastUsec: the length of the last timer of a name; nil: it is not known.
  /// - Throws: `WordsProblem`: the words mean nothing, or what they mean cannot be.
  package func understood(
    lastUsec: (String) -> Int64?
  ) throws(WordsProblem) -> [Wire.Reading] {
    let readings = readings
    guard !readings.isEmpty else {
      throw .usage(
        "\(Quoting.inQuotes(words.phrase)) is no name and time; write one such as tea 4min or "
          + "wake 7:00", see: .time)
    }
    return try readings.map { (reading) throws(WordsProblem) in
      let (start, said) = try understood(reading, lastUsec)
      if let name = start?.name,
        let problem = Array(name.utf8).withUnsafeBytes({ TimerName.problem($0) })
      {
        throw .usage(problem.description)
      }
      let name = start?.name.map { "\($0): " } ?? ""
      var understood = Wire.Reading(
        meaning: reading.meaning, sentence: name + said, command: reading.arguments)
      understood.start = start.map { RawJSON(JSONValue($0)) }
      return understood
    }
  }

  private func understood(
    _ reading: Reading, _ lastUsec: (String) -> Int64?
  ) throws(WordsProblem) -> (start: Wire.Start?, said: String) {
    var start = Wire.Start()
    start.message = reading.message
    let time = RingTime(nowUsec: wall.nowUsec, zone: wall.zone)
    switch reading.verb {
    case "start" where reading.isName:
      start.name = reading.words[0]
      if reading.words == [BuiltInPreset.name] {
        let sequence = BuiltInPreset.sequence
        start.sequence = sequence
        let steps = sequence.steps.map { "\($0.name) \(SpanFormat.said(usec: $0.durationUsec))" }
        return (start, steps.joined(separator: ", "))
      }
      guard let usec = lastUsec(reading.words[0]) else { return (start, "as long as last time") }
      start.durationUsec = usec
      return (start, "\(SpanFormat.said(usec: usec)), \(time.countdown(wall.nowUsec + usec))")
    case "start":
      let (name, text) = try StartArguments(at: wall).parsed(reading.words)
      let usec = try TypedSpan(text, at: wall).withoutMonths().usec
      (start.name, start.durationUsec) = (name, usec)
      if reading.repeats { start.repeat = Wire.Repeat() }
      return (
        start,
        "\(reading.repeats ? "every " : "")\(SpanFormat.said(usec: usec)), "
          + time.countdown(wall.nowUsec + usec)
      )
    case "alarm":
      let said = try AlarmWords(reading.words, alarm)
      start.name = said.name
      if let usec = said.everyUsec {
        (start.durationUsec, start.repeat) = (usec, Wire.Repeat())
        return (
          start, "every \(SpanFormat.said(usec: usec)), \(time.countdown(wall.nowUsec + usec))"
        )
      }
      let alarm = try alarm.alarm(said.text, name: said.name)
      start.alarm = alarm
      if let usec = alarm.atUsec {
        return (start, time.once(usec, namesZone: self.alarm.isInNamedZone(said.text)))
      }
      let expression = try? wall.reader.expression(said.text)
      return (
        start,
        time.again(
          expression, typed: said.text, zone: alarm.zone,
          nextUsec: expression.flatMap(wall.reader.next) ?? wall.nowUsec)
      )
    default: return (nil, "\(wall.program) \(reading.arguments.joined(separator: " "))")
    }
  }
}
