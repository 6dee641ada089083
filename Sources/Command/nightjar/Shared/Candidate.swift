import NightjarClient

/// The timer that a command means if the user names none.
struct Candidate {
  /// The command, for the sentence that asks which timer is meant.
  let command: String
  /// Whether the command is about rings: then the timers that sound come first, and a timer without
  /// an open ring is no candidate. A command that ends timers is such a command, because an empty
  /// variable in a script must not end the only timer.
  var isAboutRings = false
  /// Whether the command can act on a timer.
  let fits: (Wire.Timer) -> Bool

  /// The name of the only candidate. With several, the user chooses one on the terminal.
  ///
  /// - Throws: `CommandError`: there is no candidate, or there are several and nobody can be asked.
  func name(in daemon: some Answering) throws(CommandError) -> String {
    let fitting = try daemon.timers().filter(fits).sorted(by: TimerOrder.isBefore)
    let candidates = isAboutRings ? Self.firstRings(of: fitting) : fitting
    if candidates.count == 1 { return candidates[0].name }
    let choices = candidates.isEmpty ? fitting : candidates
    guard !choices.isEmpty else {
      throw CommandError(
        isAboutRings ? .refused : .notFound,
        isAboutRings
          ? "nothing rings" : "there is no timer to \(command); see \(Typed.nightjar) list")
    }
    guard Terminal.canAsk else { throw unnamed(choices, nothingRings: candidates.isEmpty) }
    let rows = choices.map { (name: $0.name, about: TimerText($0).stateAndRemaining) }
    guard let index = Picker(question: "\(command) which timer?", rows: rows).choice() else {
      throw CommandError(.refused, "nothing was changed")
    }
    return choices[index].name
  }

  /// The rings that sound; without one, those that are unanswered; without one, the snoozed ones.
  private static func firstRings(of timers: [Wire.Timer]) -> [Wire.Timer] {
    [Wire.Ringing.ringing, .unanswered, .snoozed].lazy
      .map { ringing in timers.filter { $0.ringing == ringing } }
      .first { !$0.isEmpty } ?? []
  }

  /// The most names in a sentence.
  private static let most = 8

  private func unnamed(_ timers: [Wire.Timer], nothingRings: Bool) -> CommandError {
    let names = timers.prefix(Self.most).map { Quoting.quoted($0.name) }.joined(separator: ", ")
    let more = timers.count > Self.most ? " and \(timers.count - Self.most) more" : ""
    let reason = isAboutRings && nothingRings ? "nothing rings, so say" : "say"
    return .usage(
      "\(reason) which timer: \(Typed.nightjar) \(command) NAME; there are \(names)\(more)")
  }
}
