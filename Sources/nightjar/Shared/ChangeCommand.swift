import ArgumentParser
import NightjarClient
import NightjarVarlink

/// A command that changes timers.
protocol ChangeCommand: ParsableCommand {
  var queue: QueueOption { get }
  var format: FormatOption { get }
  var socket: SocketOption { get }

  /// What is asked for.
  ///
  /// - Parameter wall: when and where it is asked for.
  /// - Throws: `CommandError`: it makes no sense.
  func request(at wall: Wall) throws(CommandError) -> ChangeRequest
}

extension ChangeCommand {
  func run() throws {
    let request = try request(at: .here)
    let session = try Session.open(socket, queue)
    let names = try request.names(in: session)
    try request.askFirst(about: names)
    try request.change.run(on: names, isJSON: format.isJSON, session: session)
  }
}

/// A change, and the timers that it is for.
struct ChangeRequest {
  /// The command's name, for the sentence about what is missing.
  let command: String
  /// Names and prefixes, as they were typed.
  let words: [String]
  /// All there are are meant.
  let isAll: Bool
  /// Those in which a timer is meant by a prefix or by --all; none for any. A timer that is named is
  /// meant in any state: if it is the wrong one, the daemon says so.
  let states: Set<NightjarTimer.State>
  /// Likewise whether the change is for what it does.
  let isFor: (NightjarTimer) -> Bool
  let change: Change
  /// A person at a terminal is asked first if more timers are meant than were named.
  private var asksFirst = false

  init(
    _ command: String, _ words: [String], isAll: Bool, states: Set<NightjarTimer.State> = [],
    isFor: @escaping (NightjarTimer) -> Bool = { _ in true }, _ change: Change
  ) {
    self.command = command
    self.words = words
    self.isAll = isAll
    self.states = states
    self.isFor = isFor
    self.change = change
  }

  init(
    _ command: String, _ selection: Selection, states: Set<NightjarTimer.State> = [],
    isFor: @escaping (NightjarTimer) -> Bool = { _ in true }, _ change: Change
  ) {
    self.init(
      command, selection.names, isAll: selection.isAll, states: states, isFor: isFor, change)
  }

  /// The same, but a person at a terminal is asked before it is done to several timers that --all or a prefix
  /// stands for.
  func askingFirst(unless yes: YesFlag) -> ChangeRequest {
    var request = self
    request.asksFirst = !yes.isGiven && (isAll || words.contains(where: NamePattern.isPrefix))
    return request
  }

  /// - Throws: `CommandError`: the answer is no.
  func askFirst(about names: [String]) throws(CommandError) {
    guard asksFirst, names.count > 1, Terminal.canAsk else { return }
    guard Output.asks("\(command) \(names.count) timers?") else {
      throw CommandError(.refused, "nothing was changed")
    }
  }

  /// The names that were typed, and those that a prefix or --all stands for.
  ///
  /// - Throws: `CommandError`: nothing was said, or there is nothing under a prefix.
  func names(in daemon: some Answering) throws(CommandError) -> [String] {
    let names = try Selection.resolve(
      words: words, isAll: isAll, states: states, isFor: isFor, command: command, in: daemon)
    if isAll, names.isEmpty { Output.complain("no timer to \(command)") }
    if names.count > 1, !isAll { try checkNames(in: daemon) }
    return names
  }

  /// - Throws: `CommandError`: one of the names that were typed is unknown. Then nothing is changed, also not what
  ///   has the other names.
  private func checkNames(in daemon: some Answering) throws(CommandError) {
    let typed = ManyNames.unfolded(words).filter { !NamePattern.isPrefix($0) }
    var (unknown, refusals): ([String], [NightjarError]) = ([], [])
    for (name, result) in zip(typed, try daemon.callAll(typed.map { .get(name: $0) })) {
      guard case .failure(let refusal) = result, case .timerNotFound = refusal else { continue }
      unknown.append("'\(name)'")
      refusals.append(refusal)
    }
    guard let first = refusals.first, let last = unknown.last else { return }
    let known = unknown.count <= ExplainedRefusals.most
    let others = unknown.dropLast().prefix(ExplainedRefusals.most - 1).joined(separator: ", ")
    let sentence =
      unknown.count == 1
      ? daemon.explained(first).message
      : "no timers called \(others) and \(known ? last : "others"); see \(Typed.nightjar) list"
    throw CommandError(.notFound, "\(sentence); nothing was changed")
  }
}

/// One change made to each of several timers.
struct Change {
  /// What to ask for each timer.
  let call: (String) -> Call
  /// What the user calls it, where the daemon has another name for it.
  var command: String?
  /// What to say when it was done, behind the timer's name.
  let echo: (NightjarTimer) -> String
  /// What to ask instead where the daemon refuses; nil lets the refusal stand.
  var instead: (NightjarError) -> Call? = { _ in nil }
  /// What to ask next, one after the other, of the timer as it is then, or why that makes no sense. What was refused
  /// ends it for that timer.
  var next: [(NightjarTimer) -> Result<Call, NightjarError>] = []

  func run(on names: [String], isJSON: Bool, session: Session) throws(CommandError) {
    let answers = try answers(on: names, in: session)
    try session.forEachAnswer(in: answers, isChange: true) { (reply) throws(CommandError) in
      guard !isJSON else { return Output.ready(reply.text) }
      let timer = try Session.timer(in: reply)
      Output.line("\(timer.name): \(echo(timer))")
    }
  }

  /// Makes the change, and says what became of it for each timer.
  func answers(
    on names: [String], in daemon: some Answering
  ) throws(CommandError) -> [Result<JSONValue, NightjarError>] {
    let undoID = PersonalChange.newID()
    var results = try daemon.changeAll(names.map(call), undoID: undoID)
    var retries: [(index: Int, call: Call)] = []
    for (index, result) in results.enumerated() {
      if case .failure(let refusal) = result, let call = instead(refusal) {
        retries.append((index, call))
      }
    }
    for (retry, result) in zip(retries, try daemon.changeAll(retries.map(\.call), undoID: undoID)) {
      results[retry.index] = result
    }
    for step in next { try follow(step, &results, undoID: undoID, in: daemon) }
    return results.map { $0.mapError(asAsked) }
  }

  /// Asks one more part of what is done, in the same change.
  private func follow(
    _ step: (NightjarTimer) -> Result<Call, NightjarError>,
    _ results: inout [Result<JSONValue, NightjarError>], undoID: String?, in daemon: some Answering
  ) throws(CommandError) {
    var calls: [(index: Int, call: Call)] = []
    for (index, result) in results.enumerated() {
      guard case .success(let reply) = result else { continue }
      switch step(try Session.timer(in: reply)) {
      case .success(let call): calls.append((index, call))
      case .failure(let refusal): results[index] = .failure(refusal)
      }
    }
    for (call, result) in zip(calls, try daemon.changeAll(calls.map(\.call), undoID: undoID)) {
      results[call.index] = result
    }
  }

  /// A refusal of what the user asked for, not of what the daemon was asked for instead.
  private func asAsked(_ refusal: NightjarError) -> NightjarError {
    guard let command else { return refusal }
    switch refusal {
    case .invalidTransition(let name, let state, _):
      return .invalidTransition(name: name, state: state, operation: command)
    case .notForKind(let name, let kind, _):
      return .notForKind(name: name, kind: kind, operation: command)
    default: return refusal
    }
  }
}
