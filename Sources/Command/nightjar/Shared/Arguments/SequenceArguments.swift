import NightjarClient
import NightjarModel
import Varlink

struct SequenceArguments {
  let words: [String]
  let loop: String?
  let long: [String]
  let longEvery: Int64?
  let waits: Bool
  let waitAfter: [String]
  let breaks: [String]
  let afterSleep, afterAway: Wire.AfterSpan?

  /// - Throws: `CommandError`: there are no steps, or an option has the name of a step that does
  ///   not exist.
  func parsed() throws(CommandError) -> (name: String?, Wire.Sequence) {
    var steps = words
    var name: String?
    if let first = words.first, !first.contains("="), !Invocation.isSpan(first) {
      name = first
      steps.removeFirst()
    }
    guard !steps.isEmpty else {
      throw .usage(
        "a sequence has at least one step: \(Typed.nightjar) sequence pomodoro work=25min "
          + "rest=5min")
    }
    var sequence = Wire.Sequence(steps: [])
    sequence.rounds = try rounds()
    for (index, word) in steps.enumerated() {
      // A length alone is a step without a name of its own.
      sequence.steps.append(
        try step(Invocation.isSpan(word) ? "\(index + 1)=\(word)" : word))
    }
    for word in waitAfter { try mark(word, in: &sequence) { $0.waits = true } }
    for word in breaks { try mark(word, in: &sequence) { $0.break = true } }
    for word in long {
      let (name, usec) = try Self.named(word)
      try mark(name, in: &sequence) { $0.longUsec = usec }
    }
    guard (longEvery != nil) == !long.isEmpty else {
      throw .usage("--long and --long-every belong together: --long rest=20min --long-every 4")
    }
    if let longEvery { sequence.longEvery = try Rounds.checked(longEvery: longEvery) }
    (sequence.afterSleep, sequence.afterAway) = (afterSleep, afterAway)
    return (name, sequence)
  }

  private func rounds() throws(CommandError) -> Int64 {
    guard let loop else { return 1 }
    if loop == "forever" { return 0 }
    guard let number = Int64(loop) else {
      throw .usage("--loop is a number or forever, not '\(loop)'")
    }
    return try Rounds.checked(number, option: "--loop", otherwise: "or write forever")
  }

  private func step(_ word: String) throws(CommandError) -> Wire.Step {
    let (name, usec) = try Self.named(word)
    var step = Wire.Step(name: name, durationUsec: usec)
    (step.waits, step.break) = (waits, Self.isBreak(name))
    return step
  }

  /// Whether a step with this name is a break, if the user does not say.
  static func isBreak(_ name: String) -> Bool {
    ["rest", "break", "pause"].contains { name.lowercased().hasSuffix($0) }
  }

  /// The name and the duration of a step, from a text such as `work=25min`.
  private static func named(
    _ word: String
  ) throws(CommandError) -> (name: String, usec: Int64) {
    guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
      throw .usage("a step is written name=span, such as work=25min, not '\(word)'")
    }
    let span = try DurationArgument(String(word[word.index(after: equals)...]), in: word)
    return (String(word[..<equals]), span.usec)
  }

  private func mark(
    _ name: String, in sequence: inout Wire.Sequence, _ body: (inout Wire.Step) -> Void
  ) throws(CommandError) {
    var isThere = false
    for index in sequence.steps.indices where sequence.steps[index].name == name {
      body(&sequence.steps[index])
      isThere = true
    }
    guard isThere else {
      let names = sequence.steps.map(\.name).joined(separator: ", ")
      throw .usage("no step is called '\(name)'; there are \(names)")
    }
  }
}
