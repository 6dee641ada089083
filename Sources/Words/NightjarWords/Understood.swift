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
    func countdown(_ usec: Int64, repeats: Bool) -> String {
      start.durationUsec = usec
      if repeats { start.repeat = Wire.Repeat() }
      let length = SpanFormat.said(usec: usec)
      return "\(repeats ? "every " : "")\(length), \(time.countdown(wall.nowUsec + usec))"
    }
    switch reading.verb {
    case "start" where StartArguments(at: wall).isName(reading.words):
      let name = reading.words[0]
      start.name = name
      if name == BuiltInPreset.name {
        let sequence = BuiltInPreset.sequence
        start.sequence = sequence
        let steps = sequence.steps.map { "\($0.name) \(SpanFormat.said(usec: $0.durationUsec))" }
        return (start, steps.joined(separator: ", "))
      }
      guard let usec = lastUsec(name) else {
        throw .usage(
          "\(Quoting.inQuotes(name)) has no time; write one such as \(Quoting.quoted(name)) 4min")
      }
      let said = countdown(usec, repeats: false)
      return (start, said)
    case "start":
      let (name, text) = try StartArguments(at: wall).parsed(reading.words)
      start.name = name
      let usec = try TypedSpan(text, at: wall).withoutMonths().usec
      let said = countdown(usec, repeats: reading.repeats)
      return (start, said)
    case "alarm":
      let words = try AlarmWords(reading.words, alarm)
      start.name = words.name
      if let usec = words.everyUsec {
        let said = countdown(usec, repeats: true)
        return (start, said)
      }
      let rings = try alarm.alarm(words.text, name: words.name)
      start.alarm = rings
      if let usec = rings.atUsec {
        return (start, time.once(usec, namesZone: alarm.isInNamedZone(words.text)))
      }
      let expression = try? wall.reader.expression(words.text)
      let nextUsec = expression.flatMap(wall.reader.next) ?? wall.nowUsec
      return (
        start, time.again(expression, typed: words.text, zone: rings.zone, nextUsec: nextUsec)
      )
    default: return (nil, "\(wall.program) \(reading.arguments.joined(separator: " "))")
    }
  }
}
