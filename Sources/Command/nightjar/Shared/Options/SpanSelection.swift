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

  /// - Parameter usual: the time span if the user gives none; nil: the user must give one.
  /// - Returns: the names, and the text of the time span.
  func split(
    command: String, usual: String? = nil
  ) throws(CommandError) -> (names: [String], span: String) {
    guard let last = words.last else {
      if let usual, isAll { return ([], usual) }
      throw .usage("say which timer and how long: \(Typed.nightjar) \(command) tea 5min")
    }
    if let count = spanCount() {
      let span = words.suffix(count).joined(separator: " ")
      return (Array(words.dropLast(count)), span)
    }
    let names = Array(words.dropLast())
    if let first = words.first, words.count > 1, Invocation.isSpan(first), !Invocation.isSpan(last)
    {
      let name = Quoting.quoted(last)
      throw .usage(
        "the name comes first: \(Typed.nightjar) \(command) \(name) \(Quoting.quoted(first))")
    }
    if let usual, !Invocation.isMeantAsSpan(last) { return (words, usual) }
    if words.count == 1, !isAll {
      throw Invocation.isSpan(last)
        ? .usage("say which timer: \(Typed.nightjar) \(command) NAME \(Quoting.quoted(last))")
        : .usage("how long? \(Typed.nightjar) \(command) \(Quoting.quoted(last)) 5min")
    }
    return (names, last)
  }

  /// The number of words at the end that are the time span; nil: there is no time span. As many
  /// words as possible belong to it, but a number before a time span is a name. If a name is
  /// required, the first word does not belong to the time span.
  private func spanCount() -> Int? {
    func isSpan(_ index: Int) -> Bool {
      index < words.count && Invocation.isSpan(words[index...].joined(separator: " "))
    }
    let begin = (isAll ? 0 : 1)..<max(words.count, isAll ? 0 : 1)
    let found = begin.first { index in
      isSpan(index) && !(Int(words[index]) != nil && isSpan(index + 1))
    }
    return found.map { words.count - $0 }
  }
}
