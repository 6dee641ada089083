import NightjarTime

/// Splits the arguments of `start` into the name and the duration.
package struct StartArguments {
  private let wall: WallClock

  package init(at wall: WallClock) { self.wall = wall }

  /// - Parameter given: the name that an option gave; nil: no option gave one.
  /// - Returns: the name, or nil if there is none, and the text of the duration, which is not
  ///   checked yet.
  /// - Throws: `WordsProblem`: the name or the duration is missing, or the arguments have two
  ///   readings.
  package func parsed(
    _ words: [String], name given: String? = nil
  ) throws(WordsProblem) -> (name: String?, duration: String) {
    let words = withoutFor(words.map(Sign.typed), isNamed: given != nil)
    guard let first = words.first, let last = words.last else {
      throw .usage(
        "say how long: \(wall.program) start \(given.map(Quoting.quoted) ?? "tea") 4min")
    }
    let all = words.phrase
    if let given {
      if !wall.isSpan(all) { try refuseTime(all, name: given) }
      return (given, all)
    }
    guard words.count > 1 else {
      if wall.isSpan(first) { return (nil, first) }
      // A name without a duration means the duration of the last timer of that name.
      guard Sign.isMeantAsSpan(first) || first.isEmpty else {
        throw .usage(
          "how long? no last duration of '\(first)' is known; write \(command(first, "4min"))")
      }
      try refuseTime(first)
      return (nil, first)
    }
    let rest = words.dropFirst().phrase
    if wall.isSpan(all) {
      // A number before a time span is a name, for example the number of a task.
      if isNumber(first), wall.isSpan(rest) { return (first, rest) }
      return (nil, all)
    }
    if wall.isSpan(rest) {
      // A time such as `Mon 9:30` is an error, because the user means an alarm, although a timer
      // may be called Mon. If the first word is one such as 1h or 1:30, it is part of the duration,
      // not a name.
      try refuseTime(all, rest: rest)
      guard !isPlainlySpan(first) else { return (nil, all) }
      if let problem = problem(name: first, span: rest) { throw problem }
      return (first, rest)
    }
    let front = words.dropLast().phrase
    if wall.isSpan(front), !isNumber(last), !Sign.isMeantAsSpan(last) {
      if let problem = problem(name: last, span: front) { throw problem }
      if isNumber(front), last.count > 3,
        let unit = NearName.nearest(to: last, among: ParsedSpan.unitWords)
      {
        throw .usage(
          "'\(last)' is no unit; did you mean \(front) \(unit)? For a timer called '\(last)' write "
            + "\(command(last, front + "s"))", see: .time)
      }
      return (last, front)
    }
    try refuseTime(all)
    try refuseTime(rest, name: first)
    guard !isPlainlySpan(first) else { return (nil, all) }
    if let (name, span) = WordsEnd.severalWords(words, wall.isSpan) {
      throw .usage("a name of several words stands in quotes: \(command(name, span))")
    }
    // In arguments such as `40minn tea`, the mistake is in the first word.
    let isReversed = Sign.isMeantAsSpan(first) && !Sign.isMeantAsSpan(rest)
    return isReversed ? (rest, first) : (first, rest)
  }

  /// Whether the words are a name and nothing else: a preset, or a timer as long as the last one.
  package func isName(_ words: [String]) -> Bool {
    words.count == 1 && !words[0].isEmpty && !wall.isSpan(words[0])
      && !Sign.isMeantAsSpan(words[0])
  }

  /// The words without the `for` between a name and a time span, as in `tea for 5 minutes` or `5
  /// minutes for tea`.
  func withoutFor(_ words: [String], isNamed: Bool = false) -> [String] {
    guard let index = words.firstIndex(where: { $0.lowercased() == "for" }),
      index > 0 || isNamed, index + 1 < words.count
    else { return words }
    let (front, rest) = (Array(words[..<index]), Array(words[(index + 1)...]))
    let isBetween =
      wall.isSpan(rest.phrase)
      || rest.count == 1 && wall.isSpan(front.phrase)
    return isBetween ? front + rest : words
  }

  /// The command that starts a timer with a name and a time span, for advice.
  package func command(_ name: String, _ span: String) -> String {
    "\(wall.program) start \(Self.typed(name)) \(Quoting.phrase(span))"
  }

  /// The name as the user must type it after `start`. A word of time needs the option `--name`.
  package static func typed(_ name: String) -> String {
    (PhraseWords.isOfTime(name) ? "--name " : "") + Quoting.quoted(name)
  }

  /// The error if the name is a word of time; nil: the word can be a name.
  private func problem(name: String, span: String) -> WordsProblem? {
    guard PhraseWords.isOfTime(name) else { return nil }
    let repeats = PhraseWords.isEvery(name) ? " --repeat" : ""
    // The words `min 4` mean 4min.
    let length = isNumber(span) && wall.isSpan(span + name) ? span + name : span
    return .usage(
      "'\(name)' is a word of time; write \(wall.program) start "
        + "\(Quoting.phrase(length))\(repeats), or for a "
        + "timer called '\(name)' \(command(name, span))", see: .time)
  }

  /// - Parameter text: no time span.
  /// - Throws: `WordsProblem` if the text is a time.
  private func refuseTime(
    _ text: String, name: String? = nil, rest: String? = nil
  ) throws(WordsProblem) {
    guard let problem = wall.reader.timeInsteadOfLength(text) else { return }
    var sentence = problem.sentence(for: "start", name: name, of: wall.program)
    if let rest {
      let first = text.dropLast(rest.count + 1)
      sentence +=
        ", or \(wall.program) start --name \(Quoting.quoted(String(first))) "
        + "\(Quoting.phrase(rest))"
    }
    throw .usage(sentence, see: .time)
  }

  private func isNumber(_ word: String) -> Bool {
    !word.isEmpty && word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private func isPlainlySpan(_ text: String) -> Bool {
    wall.span(text).map { $0.bareNumber == nil } ?? false
  }
}
