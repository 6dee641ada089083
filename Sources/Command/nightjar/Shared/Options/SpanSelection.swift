import ArgumentParser
import NightjarClient

/// Names followed by a time span: the arguments of `extend`, `shorten` and `snooze`.
struct SpanSelection: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Names of timers, followed by the time span.", valueName: "names-and-span"),
    completion: TimerCompletion.names)
  var words: [String] = []

  @OptionGroup var all: AllFlag

  var isAll: Bool { all.isGiven }

  /// - Parameters:
  ///   - usual: the time span if the user gives none; nil: the user must give one.
  ///   - isSigned: whether the time span may have a sign.
  /// - Returns: the names, and the text of the time span.
  func split(
    command: String, usual: String? = nil, isSigned: Bool = false
  ) throws(CommandError) -> (names: [String], span: String) {
    let words = words.map(Sign.typed)
    guard let last = words.last else {
      if let usual { return ([], usual) }
      throw .usage("say how long: \(Typed.nightjar) \(command) 5min")
    }
    if let count = spanCount(words, isSigned: isSigned) {
      let span = words.suffix(count).phrase
      return (Array(words.dropLast(count)), span)
    }
    let names = Array(words.dropLast())
    if let first = words.first, words.count > 1, Invocation.isSpan(first), !Invocation.isSpan(last)
    {
      let name = Quoting.quoted(last)
      throw .usage(
        "the name comes first: \(Typed.nightjar) \(command) \(name) \(Quoting.quoted(first))")
    }
    if let usual, !Sign.isMeantAsSpan(last) { return (words, usual) }
    if words.count == 1, !isAll, !Sign.isMeantAsSpan(last) {
      throw .usage("how long? \(Typed.nightjar) \(command) \(Quoting.quoted(last)) 5min")
    }
    return (names, last)
  }

  /// The number of words at the end that are the time span; nil: there is no time span. As many
  /// words as possible belong to it, but a number before a time span is a name.
  private func spanCount(_ words: [String], isSigned: Bool) -> Int? {
    func isSpan(_ index: Int) -> Bool {
      guard index < words.count else { return false }
      let text = words[index...].phrase
      return Invocation.isSpan(isSigned && text.hasPrefix("-") ? String(text.dropFirst()) : text)
    }
    let found = words.indices.first { index in
      isSpan(index) && !(Int(words[index]) != nil && isSpan(index + 1))
    }
    return found.map { words.count - $0 }
  }
}
