import NightjarInterface
import NightjarModel
import NightjarTime

/// What words mean without a verb: `[name] time` or `time [name]`. A time span starts a countdown,
/// a time of day, a date or a weekday an alarm, a preset's name the preset, and a name alone a
/// timer as long as the last one of that name. A text in quotes after a name and a time is the
/// message.
package struct FirstWords {
  /// A command that the words may mean.
  package struct Reading {
    let verb: String
    /// The words after the verb.
    let words: [String]
    var repeats = false
    var message: String?
    /// What the command does, such as `a time of day`.
    let meaning: String

    /// The command, with its verb.
    package var arguments: [String] {
      [verb] + words + (repeats ? ["--repeat"] : []) + (message.map { [$0] } ?? [])
    }
  }

  /// The verb before the words, which are all others; nil: they have none.
  private let verb: String?
  let words: [String]
  private let message: String?
  let wall: WallClock
  private let verbs: [String]
  private let isPreset: (String) -> Bool

  /// - Parameters:
  ///   - verbs: the commands of the program. A word that resembles one is no name.
  ///   - isPreset: whether there is a preset of a name.
  package init(
    _ words: some Sequence<String>, at wall: WallClock, verbs: [String] = verbsOfTimes,
    isPreset: @escaping (String) -> Bool = { $0 == BuiltInPreset.name }
  ) {
    let alarm = AlarmTime(wall: wall)
    var words = words.map(Sign.typed)
    let first = words.first?.lowercased()
    let verb = Self.startingVerbs.first { $0 == first }
    if verb != nil {
      words.removeFirst()
    } else {
      words = StartArguments(at: wall).withoutFor(words)
    }
    let isTime = { verb != "alarm" && wall.isSpan($0) || verb != "start" && alarm.isTime($0) }
    (self.words, message) = WordsEnd.message(of: words, isTime)
    (self.verb, self.wall, self.verbs, self.isPreset) = (verb, wall, verbs, isPreset)
  }

  /// The verbs with whose words nothing else is meant.
  static let startingVerbs = ["start", "alarm"]
  /// The verbs that may stand before a time alone.
  package static let verbsOfTimes = ["start", "alarm", "snooze", "extend"]

  var alarm: AlarmTime { AlarmTime(wall: wall) }

  /// The commands that the words may mean; empty: they mean none, and may be a mistyped verb.
  package var readings: [Reading] {
    if let verb {
      return [Reading(verb: verb, words: words, message: message, meaning: "a timer")]
    }
    var readings = found
    if readings.isEmpty { readings = names }
    if readings.isEmpty { readings = incomplete }
    // `extnd 5min` may be a mistyped verb, or a name. Short names resemble a verb by chance.
    if words.count > 1, words[0].count > 3, !readings.isEmpty,
      let verb = NearName.nearest(to: words[0], among: Self.verbsOfTimes)
    {
      let words = Array(words.dropFirst())
      readings.insert(Reading(verb: verb, words: words, meaning: "a mistyped \(verb)"), at: 0)
    }
    for index in readings.indices { readings[index].message = message }
    return readings
  }

  private var found: [Reading] {
    if let (before, span) = WordsEnd.every(of: words, at: wall) {
      return [start(before + span, "again and again", repeats: true)]
    }
    let afterIn = Array(words.dropFirst())
    if words.first?.lowercased() == "in", wall.isSpan(afterIn.phrase) {
      return [start(afterIn, "a time span")]
    }
    guard let (place, span) = find(wall.span) else {
      return find { alarm.isTime($0) ? true : nil } == nil ? [] : [time]
    }
    // `mon 9:30` is a time, although 9:30 alone may be a time span.
    guard place.count == words.count || !alarm.isTime(words.phrase) else { return [time] }
    if let number = span.bareNumber, words[place].phrase == number {
      // `5 minuts` has a mistake in it.
      if place.lowerBound == 0, let last = words.dropFirst(place.count).last, last.count > 3,
        NearName.nearest(to: last, among: ParsedSpan.unitWords) != nil
      {
        return []
      }
      return [("s", "seconds"), ("min", "minutes")].map { unit, meaning in
        start(words[..<place.lowerBound] + [number + unit] + words[place.upperBound...], meaning)
      }
    }
    guard let clock = span.clock else { return [start(words, "a time span")] }
    let reading = start(words, "\(clock.layout.rawValue), a time span")
    return alarm.isTime(words[place].phrase) ? [time, reading] : [reading]
  }

  private func start(_ words: [String], _ meaning: String, repeats: Bool = false) -> Reading {
    Reading(verb: "start", words: words, repeats: repeats, meaning: meaning)
  }

  private var time: Reading { Reading(verb: "alarm", words: words, meaning: "a time of day") }

  /// The time in the words, and its place: all of them, all but the first, or all but the last. The
  /// word beside it is the name: no word of time, and no number.
  private func find<Time>(_ time: (String) -> Time?) -> (place: Range<Int>, time: Time)? {
    let all = words.indices
    if let found = time(words.phrase) { return (all, found) }
    guard words.count > 1 else { return nil }
    for (place, name) in [(all.dropFirst(), 0), (all.dropLast(), words.count - 1)] {
      guard !PhraseWords.isOfTime(words[name]), !Sign.isMeantAsSpan(words[name]),
        let found = time(words[place].phrase)
      else { continue }
      return (place, found)
    }
    return nil
  }

  /// A preset, or a timer of that name; empty: the word resembles a verb, or cannot be a name.
  private var names: [Reading] {
    guard words.count == 1, let name = words.first,
      Array(name.utf8).withUnsafeBytes({ TimerName.problem($0) }) == nil,
      case let isPreset = isPreset(name), isPreset || near(name) == nil
    else { return [] }
    return [start(words, isPreset ? "a preset" : "a name")]
  }

  private func near(_ word: String) -> String? { NearName.nearest(to: word, among: verbs) }

  /// Words with a number in them that are no name and time: `start` says what is wrong.
  private var incomplete: [Reading] {
    guard let first = words.first, Sign.isMeantAsSpan(first) || near(first) == nil,
      words.contains(where: Sign.isMeantAsSpan)
    else { return [] }
    let isSpan = words.allSatisfy(Sign.isMeantAsSpan)
    return [start(isSpan ? [words.phrase] : words, "a time span")]
  }
}

extension FirstWords {
  /// The question which reading is meant.
  package var question: String { "'\(words.phrase)' has two readings" }

  /// A reading as a command that the user can type, with its meaning.
  package func line(_ reading: Reading) -> String {
    let words = reading.arguments.map(Quoting.quoted).joined(separator: " ")
    return "\(wall.program) \(words) (\(reading.meaning))"
  }

  /// The command that the words mean; nil: they mean none.
  ///
  /// - Throws: `WordsProblem`: there are several readings. It has all of them.
  package func command() throws(WordsProblem) -> [String]? {
    let readings = readings
    guard readings.count > 1 else { return readings.first?.arguments }
    throw .usage("\(question): write \(readings.map(line).joined(separator: ", or "))", see: .time)
  }
}
