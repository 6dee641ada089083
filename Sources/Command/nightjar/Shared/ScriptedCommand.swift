import ArgumentParser
package import NightjarClient
package import Varlink

/// A command in a line of a script. It is parsed when the script is read, and runs at the time of
/// its line.
package struct ScriptedCommand {
  private enum Kind {
    /// A start. It has its request if the request does not depend on the time of the line.
    case start(any StartCommand, StartRequest?)
    case change(any ChangeCommand)
    /// A list of timers; nil: a list of all timers.
    case list(List?)
    case show(Show)
    case undo
  }

  /// The output of a command: timers, or undone changes, each with the daemon's reply.
  package enum Shown {
    case nothing
    case listed([Wire.Timer], JSONValue)
    case shown([Wire.Timer], JSONValue)
    /// The lines about the undone changes, one for each timer, and the daemon's reply.
    case undone([String], JSONValue)
  }

  package static var list: ScriptedCommand { ScriptedCommand(kind: .list(nil)) }

  package static var names: [String] { Nightjar.commandNames + Invocation.otherNames.keys }

  private let kind: Kind

  private init(kind: Kind) { self.kind = kind }

  /// Parses the words of a line of the script.
  ///
  /// - Parameter wall: the time and zone at the beginning of the script. Words that are not valid
  ///   at that time are refused, because they are not valid later either.
  /// - Throws: `CommandError`: the words are not valid, or a script cannot use the command.
  package init(_ words: [String], at wall: WallClock) throws(CommandError) {
    let parsed = try Program.parsedCommand(words)
    if let start = parsed as? any StartCommand {
      try Self.check(start.format, start.socket, start.queue)
      kind = .start(start, try start.check(at: wall))
    } else if let change = parsed as? any ChangeCommand {
      try Self.check(change.format, change.socket, change.queue)
      _ = try change.request(at: wall)
      kind = .change(change)
    } else if let list = parsed as? List {
      try Self.check(list.format, list.socket)
      kind = .list(list)
    } else if let show = parsed as? Show {
      try Self.check(show.format, show.socket)
      // `show` without names becomes a list of all timers, because the table shows enough.
      kind =
        show.selection.names.isEmpty && !show.selection.isAll ? .list(nil) : .show(show)
    } else if let undo = parsed as? Undo {
      try Self.check(undo.format, undo.socket)
      kind = .undo
    } else {
      let line = words.map(Quoting.quoted).joined(separator: " ")
      throw .usage("nightjar \(line) cannot be used in a rehearsal; remove the line")
    }
  }

  private static func check(
    _ format: FormatOption, _ socket: SocketOption, _ queue: QueueOption? = nil
  ) throws(CommandError) {
    guard !format.isJSON else {
      throw .usage("--json is for the whole rehearsal, not for a line of it")
    }
    guard socket.path == nil else {
      let option = socket.device.map { "@\($0)" } ?? "--socket"
      throw .usage("a rehearsal asks no daemon: leave out \(option)")
    }
    guard queue?.isGiven != true else {
      throw .usage("a rehearsal asks no other machine: leave out --queue")
    }
  }

  /// Runs the command, and returns its output.
  ///
  /// - Throws: `CommandError`: the daemon refuses the call.
  package func carryOut(
    by daemon: some Answering, at wall: WallClock
  ) throws(CommandError) -> Shown {
    switch kind {
    case .start(let command, let known):
      let request = if let known { known } else { try command.request(at: wall) }
      guard request.saving == nil else {
        throw .usage("a rehearsal saves nothing: leave out --save")
      }
      _ = try request.reply(of: daemon, at: wall)
      return .nothing
    case .change(let command):
      try Self.change(command.request(at: wall), by: daemon)
      return .nothing
    case .list(let list):
      var timers: [JSONValue] = []
      if let list {
        let (found, isFound) = try list.timers(in: daemon)
        if !isFound, let prefix = list.prefix { throw NamePattern(prefix).absence(in: daemon) }
        timers = found
      } else {
        try daemon.forEachPage { page in timers += page["timers"]?.arrayValue ?? [] }
      }
      let document: JSONValue = ["timers": .array(timers)]
      return .listed(try Session.timers(in: document), document)
    case .show(let show): return try Self.shown(show, by: daemon)
    case .undo:
      let reply = try daemon.call(Call(Wire.Undo()))
      return .undone(try Undo.lines(reply, at: wall), reply)
    }
  }

  private static func change(
    _ request: ChangeRequest, by daemon: some Answering
  ) throws(CommandError) {
    let answers = try request.change.answers(on: request.names(in: daemon), in: daemon)
    var refusals: [CommandError] = []
    for case .failure(let refusal) in answers { refusals.append(daemon.explained(refusal)) }
    guard let worst = refusals.map(\.status).max() else { return }
    throw CommandError(worst, refusals.map { "\($0.message)" }.joined(separator: "\n"))
  }

  private static func shown(
    _ show: Show, by daemon: some Answering
  ) throws(CommandError) -> Shown {
    let names = try show.selection.resolve(states: [], command: "show", in: daemon)
    var timers: [Wire.Timer] = []
    var replies: [JSONValue] = []
    for name in names {
      let reply = try daemon.call(Call(Wire.Get(name: name)))
      timers.append(try Session.timer(in: reply))
      replies.append(reply["timer"] ?? .null)
    }
    return .shown(timers, .object([.init("timers", .array(replies))]))
  }
}

extension ScriptedCommand.Shown {
  /// The output for people, in blocks of lines.
  package func blocks(at wall: WallClock) -> [[String]] {
    switch self {
    case .nothing: []
    case .undone(let lines, _): [lines]
    case .listed(let timers, _): [List.lines(timers, at: wall)]
    case .shown(let timers, let json):
      zip(timers, json["timers"]?.arrayValue ?? []).map { Show.lines($0, $1, at: wall) }
    }
  }

  /// The output for programs, as the members of a JSON object.
  package var members: [JSONValue.Member] {
    switch self {
    case .nothing: []
    case .listed(_, let json), .shown(_, let json), .undone(_, let json): json.objectValue ?? []
    }
  }
}
