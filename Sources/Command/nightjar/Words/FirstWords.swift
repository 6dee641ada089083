import NightjarConfig
import NightjarModel
import NightjarTime

/// What `nightjar WORDS` means, without a verb: `[name] time` or `time [name]`. A time span starts
/// a countdown, a time of day, a date or a weekday an alarm, a preset's name the preset, and a name
/// alone a timer as long as the last one of that name.
struct FirstWords {
  /// A command that the words may mean.
  struct Reading: Equatable {
    /// The arguments, with their verb.
    let arguments: [String]
    /// What the command does, such as `a time of day`.
    let meaning: String
  }

  private let words: [String]
  private let alarm: AlarmTime

  init(_ words: some Sequence<String>, at wall: WallClock) {
    self.words = StartArguments.withoutFor(words.map(Sign.typed))
    alarm = AlarmTime(at: wall, for: "alarm")
  }

  private init(words: [String], alarm: AlarmTime) { (self.words, self.alarm) = (words, alarm) }

  /// The verbs that may stand before a time alone.
  private static let verbsOfTimes = ["start", "alarm", "snooze", "extend"]

  /// The commands that the words may mean; empty: they mean none, and may be a mistyped verb.
  var readings: [Reading] {
    var readings = found
    if readings.isEmpty, words.count > 2, let text = words.last, text.contains(" ") {
      // A text in quotes after a name and a time is the message.
      readings = FirstWords(words: Array(words.dropLast()), alarm: alarm).found.map {
        Reading(arguments: $0.arguments + [text], meaning: $0.meaning)
      }
    }
    if readings.isEmpty { readings = incomplete }
    // `extnd 5min` may be a mistyped verb, or a name. Short names resemble a verb by chance.
    if words.count > 1, words[0].count > 3, !readings.isEmpty,
      let verb = NearName.nearest(to: words[0], among: Self.verbsOfTimes)
    {
      let corrected = Reading(arguments: [verb] + words.dropFirst(), meaning: "a mistyped \(verb)")
      readings.insert(corrected, at: 0)
    }
    return readings
  }

  private var found: [Reading] {
    if let every = words.lastIndex(where: PhraseWords.isEvery),
      Invocation.isSpan(words[(every + 1)...].phrase)
    {
      let rest = words[..<every] + words[(every + 1)...]
      return [Reading(arguments: ["start"] + rest + ["--repeat"], meaning: "again and again")]
    }
    let isAfterIn = words.count > 1 && words[0].lowercased() == "in"
    if isAfterIn, Invocation.isSpan(words.dropFirst().phrase) {
      return [Reading(arguments: ["start"] + words.dropFirst(), meaning: "a time span")]
    }
    guard !words.isEmpty, let span = place(where: Invocation.isSpan) else {
      return place(where: alarm.isTime) == nil ? names : [time(words)]
    }
    // `mon 9:30` is a time, although 9:30 alone may be a time span.
    if span.count < words.count, let time = place(where: alarm.isTime), time.count > span.count {
      return [self.time(words)]
    }
    guard let parsed = try? ParsedSpan(phrase: words[span].phrase, locale: .here) else { return [] }
    if let number = parsed.bareNumber, words[span].phrase == number {
      // `5 minuts` has a mistake in it.
      if span.lowerBound == 0, let last = words.dropFirst(span.count).last, last.count > 3,
        NearName.nearest(to: last, among: ParsedSpan.unitWords) != nil
      {
        return []
      }
      return [
        Reading(arguments: ["start"] + replacing(span, by: "\(number)s"), meaning: "seconds"),
        Reading(arguments: ["start"] + replacing(span, by: "\(number)min"), meaning: "minutes"),
      ]
    }
    let length = Reading(
      arguments: ["start"] + words,
      meaning: parsed.clock.map { "\($0.layout.rawValue), a time span" } ?? "a time span")
    guard parsed.clock != nil, alarm.isTime(words[span].phrase) else { return [length] }
    return [time(words), length]
  }

  private func time(_ words: [String]) -> Reading {
    Reading(arguments: ["alarm"] + words, meaning: "a time of day")
  }

  private func replacing(_ range: Range<Int>, by word: String) -> [String] {
    words[..<range.lowerBound] + [word] + words[range.upperBound...]
  }

  /// The place of a time in the words: all of them, all but the first, or all but the last. The
  /// word beside it is the name: no word of time, and no number.
  private func place(where isTime: (String) -> Bool) -> Range<Int>? {
    let all = words.indices
    if isTime(words.phrase) { return all }
    guard words.count > 1 else { return nil }
    for (range, name) in [(all.dropFirst(), 0), (all.dropLast(), words.count - 1)] {
      guard isTime(words[range].phrase), !PhraseWords.isOfTime(words[name]),
        !Invocation.isMeantAsSpan(words[name])
      else { continue }
      return range
    }
    return nil
  }

  /// A preset, or a timer of that name; empty: the word resembles a verb, or cannot be a name.
  private var names: [Reading] {
    guard words.count == 1, let name = words.first,
      Array(name.utf8).withUnsafeBytes({ TimerName.problem($0) }) == nil
    else { return [] }
    let isPreset = (try? Presets.read().names.contains(name)) ?? false
    guard isPreset || Invocation.nearVerb(name) == nil else { return [] }
    return [Reading(arguments: ["start", name], meaning: "a name")]
  }

  /// Words with a number in them that are no name and time: `start` says what is wrong.
  private var incomplete: [Reading] {
    guard let first = words.first,
      Invocation.isMeantAsSpan(first) || Invocation.nearVerb(first) == nil,
      words.contains(where: Invocation.isMeantAsSpan)
    else { return [] }
    let isSpan = words.allSatisfy(Invocation.isMeantAsSpan)
    return [
      Reading(arguments: ["start"] + (isSpan ? [words.phrase] : words), meaning: "a time span")
    ]
  }
}

extension FirstWords {
  /// The arguments that the words mean. If there are two readings, the user is asked on a terminal.
  ///
  /// - Throws: `CommandError`: there are two readings, and nobody can be asked.
  func arguments(canAsk: Bool) throws(CommandError) -> [String]? {
    let readings = readings
    guard readings.count > 1 else { return readings.first?.arguments }
    func line(_ reading: Reading) -> String {
      let words = reading.arguments.map(Quoting.quoted).joined(separator: " ")
      return "\(Typed.nightjar) \(words)"
    }
    let question = "'\(words.phrase)' has two readings"
    let lines = readings.map { "\(line($0)) (\($0.meaning))" }
    if canAsk, Terminal.canAsk, let index = Output.choose("\(question); which?", lines) {
      return readings[index].arguments
    }
    throw .usage("\(question): write \(lines.joined(separator: ", or "))", see: .time)
  }
}
