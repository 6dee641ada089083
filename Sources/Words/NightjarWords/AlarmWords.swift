/// What the words after `alarm` say.
package struct AlarmWords {
  package let name: String?
  /// The time, which is not checked yet.
  package let text: String
  package let message: String?
  /// The time span of a text such as `every 2 hours`; nil: the text is another one.
  package let everyUsec: Int64?

  /// - Parameters:
  ///   - given: the name that an option gave; nil: no option gave one.
  ///   - time: reads the times.
  /// - Throws: `WordsProblem`: the name or the time is missing, or the words have two readings.
  package init(
    _ words: [String], name given: String? = nil, _ time: AlarmTime
  ) throws(WordsProblem) {
    guard !words.isEmpty else {
      throw .usage("say when: \(time.wall.program) alarm tea 17:30")
    }
    if let given {
      (name, text, message) = (given, words.phrase, nil)
    } else {
      let rest: [String]
      (rest, message) = WordsEnd.message(of: words, time.isTime)
      (name, text) = try time.split(rest)
    }
    let said = text.split(separator: " ").map(String.init)
    everyUsec = WordsEnd.every(of: said, at: time.wall).flatMap { before, span in
      before.isEmpty
        ? try? TypedSpan(span.phrase, at: time.wall).withoutMonths().usec : nil
    }
  }
}
