import ArgumentParser
import NightjarClient
import Varlink

protocol ChangeCommand: ParsableCommand {
  var queue: QueueOption { get }
  var format: FormatOption { get }
  var socket: SocketOption { get }

  /// The change that the user asks for.
  ///
  /// - Parameter wall: the current time and zone.
  /// - Throws: `CommandError`: the arguments are not valid.
  func request(at wall: WallClock) throws(CommandError) -> ChangeRequest
}

extension ChangeCommand {
  func run() throws { try runChange() }

  func runChange() throws(CommandError) {
    let request = try request(at: .here)
    let session = try Session.open(socket, queue)
    let names = try request.names(in: session)
    try request.askFirst(about: names)
    try request.change.run(on: names, isJSON: format.isJSON, session: session)
  }
}

/// A change that the user asks for, and the timers to change.
struct ChangeRequest {
  /// The name of the command, for the error if the user names no timer.
  let command: String
  /// Names and prefixes, as the user typed them.
  let words: [String]
  let isAll: Bool
  /// The states in which a prefix or --all selects a timer; empty: any state. A timer that the user
  /// names is always selected. If its state is wrong, the daemon refuses the change.
  let states: Set<Wire.State>
  /// Another condition on which a prefix or --all selects a timer.
  let isFor: (Wire.Timer) -> Bool
  let change: Change
  /// Whether the command, without names, is about rings; see `Candidate`.
  private var isAboutRings = false
  /// Whether the command asks the user, on a terminal, before it changes several timers that a
  /// prefix or --all selected.
  private var asksFirst = false

  init(
    _ command: String, _ words: [String], isAll: Bool, states: Set<Wire.State> = [],
    isFor: @escaping (Wire.Timer) -> Bool = { _ in true }, _ change: Change
  ) {
    self.command = command
    self.words = words
    self.isAll = isAll
    self.states = states
    self.isFor = isFor
    self.change = change
  }

  init(
    _ command: String, _ selection: Selection, states: Set<Wire.State> = [],
    isFor: @escaping (Wire.Timer) -> Bool = { _ in true }, _ change: Change
  ) {
    self.init(
      command, selection.names, isAll: selection.isAll, states: states, isFor: isFor, change)
  }

  /// The same request, for a command that without names acts on a ring.
  func aboutRings() -> ChangeRequest {
    var request = self
    request.isAboutRings = true
    return request
  }

  /// The same request, for a command that asks the user first. On a terminal, it asks before it
  /// changes several timers that a prefix or --all selected.
  func askingFirst(unless yes: YesFlag) -> ChangeRequest {
    var request = self
    request.asksFirst = !yes.isGiven && (isAll || words.contains(where: NamePattern.isPrefix))
    return request
  }

  /// Asks the user whether to change these timers, if the request requires that.
  ///
  /// - Throws: `CommandError`: the user answered no.
  func askFirst(about names: [String]) throws(CommandError) {
    guard asksFirst, names.count > 1, Terminal.canAsk else { return }
    guard Output.confirm("\(command) \(names.count) timers?") else {
      throw CommandError(.refused, "nothing was changed")
    }
  }

  /// The names of the timers to change: those that the user typed, and those that a prefix or --all
  /// selects. Without names, the only candidate.
  ///
  /// - Throws: `CommandError`: there is no single candidate, or no timer's name begins with a
  ///   prefix.
  func names(in daemon: some Answering) throws(CommandError) -> [String] {
    if words.isEmpty, !isAll {
      let candidate = Candidate(command: command, isAboutRings: isAboutRings) {
        Selection.means($0, states: states, isFor: isFor)
      }
      return [try candidate.name(in: daemon)]
    }
    let names = try Selection.resolve(
      words: words, isAll: isAll, states: states, isFor: isFor, command: command, in: daemon)
    if isAll, names.isEmpty { Output.complain("no timer to \(command)") }
    if names.count > 1, !isAll { try checkNames(in: daemon) }
    return names
  }

  /// - Throws: `CommandError`: there is no timer of a name that the user typed. In this case
  ///   nothing is changed, not even the timers with the other names.
  private func checkNames(in daemon: some Answering) throws(CommandError) {
    let typed = words.map(Sign.typed).filter { !NamePattern.isPrefix($0) }
    var (unknown, refusals): ([String], [TimersError]) = ([], [])
    for (name, result) in zip(typed, try daemon.callAll(typed.map { Call(Wire.Get(name: $0)) })) {
      guard case .failure(let refusal) = result, case .timerNotFound = refusal else { continue }
      unknown.append("'\(name)'")
      refusals.append(refusal)
    }
    guard let first = refusals.first, let last = unknown.last else { return }
    let known = unknown.count <= ExplainedRefusals.most
    let others = unknown.dropLast().prefix(ExplainedRefusals.most - 1).joined(separator: ", ")
    let sentence =
      unknown.count == 1
      ? "\(daemon.explained(first).message)"
      : "no timers called \(others) and \(known ? last : "others"); see \(Typed.nightjar) list"
    throw CommandError(.notFound, "\(sentence); nothing was changed")
  }
}

/// A change that is made to each of several timers.
struct Change {
  /// Makes the call for the timer of a name.
  let call: (String) -> Call
  /// The name of the user's command, if the daemon's name for the method is another one.
  var command: String?
  /// Makes the text to print after the timer's name when the change was made.
  let echo: (Wire.Timer) -> String
  /// Makes the further calls, which are sent one after the other. Each function gets the timer from
  /// the last reply. It returns the call, nil for none, or an error if the call cannot be made for
  /// that timer. After a refusal, the timer gets no further calls.
  var next: [(Wire.Timer) -> Result<Call, TimersError>?] = []

  func run(on names: [String], isJSON: Bool, session: Session) throws(CommandError) {
    let answers = try answers(on: names, in: session)
    try session.forEachAnswer(in: answers, isChange: true) { (reply) throws(CommandError) in
      guard !isJSON else { return Output.ready(reply.text) }
      let timer = try Session.timer(in: reply)
      Output.line("\(timer.name): \(echo(timer))")
    }
  }

  /// Makes the change to each timer, and returns the answers in the order of the names.
  func answers(
    on names: [String], in daemon: some Answering
  ) throws(CommandError) -> [Result<JSONValue, TimersError>] {
    let undoID = UndoableChange.newID()
    var results = try daemon.changeAll(names.map(call), undoID: undoID)
    for step in next { try follow(step, &results, undoID: undoID, in: daemon) }
    return results.map { $0.mapError(asAsked) }
  }

  /// Makes one of the further calls for the timers whose earlier calls succeeded.
  ///
  /// If a timer has changed since the earlier call, the call is made again for the changed timer.
  private func follow(
    _ step: (Wire.Timer) -> Result<Call, TimersError>?,
    _ results: inout [Result<JSONValue, TimersError>], only indices: [Int]? = nil,
    undoID: String?, in daemon: some Answering
  ) throws(CommandError) {
    var (calls, changed): ([(index: Int, call: Call)], [Int]) = ([], [])
    for index in indices ?? Array(results.indices) {
      guard case .success(let reply) = results[index] else { continue }
      switch step(try Session.timer(in: reply)) {
      case .success(let call): calls.append((index, call))
      case .failure(let refusal): results[index] = .failure(refusal)
      case nil: break
      }
    }
    for (call, result) in zip(calls, try daemon.changeAll(calls.map(\.call), undoID: undoID)) {
      results[call.index] = result
      guard case .failure(.timerChanged(let name, _)) = result else { continue }
      results[call.index] = try daemon.answer(to: Call(Wire.Get(name: name)))
      changed.append(call.index)
    }
    guard !changed.isEmpty else { return }
    try follow(step, &results, only: changed, undoID: undoID, in: daemon)
  }

  /// The refusal as if the daemon had refused the user's command, not the call that replaced it.
  private func asAsked(_ refusal: TimersError) -> TimersError {
    guard let command else { return refusal }
    switch refusal {
    case .invalidTransition(let name, let kind, let state, let ringing, _, let possible):
      return .invalidTransition(
        name: name, kind: kind, state: state, ringing: ringing, operation: command,
        possible: possible)
    case .notForKind(let name, let kind, _):
      return .notForKind(name: name, kind: kind, operation: command)
    default: return refusal
    }
  }
}
