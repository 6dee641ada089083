import NightjarTime

/// Parts of words that several commands know.
package enum WordsEnd {
  /// The words without the message at their end, and the message: a text in quotes after a name and
  /// a time.
  ///
  /// - Parameter isTime: whether a text is a time, as the command reads it.
  package static func message(
    of words: [String], _ isTime: (String) -> Bool
  ) -> (words: [String], message: String?) {
    guard words.count > 2, let text = words.last, text.contains(" "),
      ![words[...], words.dropFirst(), words.dropLast()].contains(where: { isTime($0.phrase) }),
      isTime(words.dropFirst().dropLast().phrase) || isTime(words.dropLast(2).phrase)
    else { return (words, nil) }
    return (words.dropLast(), text)
  }

  /// The words before `every SPAN`, and the span; nil: the words do not end so. No calendar can
  /// express this in general: such a timer is a countdown that repeats.
  static func every(
    of words: [String], at wall: WallClock
  ) -> (before: [String], span: [String])? {
    guard let every = words.lastIndex(where: PhraseWords.isEvery),
      wall.isSpan(words[(every + 1)...].phrase)
    else { return nil }
    return (Array(words[..<every]), Array(words[(every + 1)...]))
  }

  /// Two or more words that may be a name, and the time after them; nil: the words are not a name
  /// and a time.
  static func severalWords(
    _ words: [String], _ isTime: (String) -> Bool, isName: (String) -> Bool = { _ in true }
  ) -> (name: String, time: String)? {
    guard let count = (2..<max(2, words.count)).first(where: { isTime(words[$0...].phrase) }),
      words[..<count].allSatisfy({
        !Sign.isMeantAsSpan($0) && !PhraseWords.isOfTime($0) && isName($0)
      })
    else { return nil }
    return (words[..<count].phrase, words[count...].phrase)
  }
}
