import ArgumentParser
import NightjarClient
import NightjarConfig
import Varlink

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a timer in an editor.",
    discussion: """
      Opens properties of a timer in $VISUAL or $EDITOR, in the form of a preset: duration or \
      time, message, labels, data, bands, days, command and sound. When the editor ends, the \
      command changes the timer. If there is a mistake in the text, the command names its line, \
      and the text is not lost.
      """)

  @Argument(help: "The timer's name.", completion: TimerCompletion.names)
  var name: String

  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws { try edit(in: Session.open(socket, queue)) }

  private func edit(in session: Session) throws(CommandError) {
    var timer = try EditedTimer(Self.json(name, session))
    let file = try EditorFile(timer.text)
    while true {
      let bytes: [UInt8]
      do throws(CommandError) { bytes = try file.edit() } catch {
        if let left = try? file.read(), left != Array(timer.text.utf8) {
          throw Self.errorNamingFile(error, file.path)
        }
        file.remove()
        throw error
      }
      do throws(CommandError) {
        let changed = try Self.change(timer, to: bytes, file.path, session)
        file.remove()
        return try say(changed)
      } catch {
        guard Terminal.canAsk else { throw Self.errorNamingFile(error, file.path) }
        Output.complain("\(error.message)", reference: error.topic?.reference)
        guard Output.confirm("edit it again?") else {
          throw CommandError(.refused, "what you wrote is in \(file.path)")
        }
        // Reads the timer again, because the next text is compared with its present state.
        do throws(CommandError) {
          timer = try EditedTimer(Self.json(name, session))
        } catch {
          throw Self.errorNamingFile(error, file.path)
        }
      }
    }
  }

  private static func json(_ name: String, _ session: Session) throws(CommandError) -> JSONValue {
    try session.call(Call(Wire.Get(name: name)))["timer"] ?? .null
  }

  private static func errorNamingFile(_ error: CommandError, _ path: String) -> CommandError {
    CommandError(.refused, "\(error.message); what you wrote is in \(path)", see: error.topic)
  }

  private struct Changed {
    /// The last reply.
    var reply: JSONValue
    var before: Wire.Timer
    /// The variables that the new command lacks.
    var lostVariables: [String]
  }

  /// - Returns: the result; nil if the user's text changes nothing.
  private static func change(
    _ timer: EditedTimer, to bytes: [UInt8], _ path: String, _ session: Session
  ) throws(CommandError) -> Changed? {
    var changes: EditedTimer.Changes
    do throws(ConfigError) { changes = try timer.changes(in: bytes, path: path) } catch {
      throw CommandError(.refused, error.description, see: .configuration)
    }
    guard !changes.isEmpty else { return nil }
    // Another client may have changed the timer while the editor was open.
    let present = try Session.timer(json(timer.name, session))
    guard present.id == timer.id else {
      throw CommandError(
        .refused, "'\(timer.name)' is another timer now; \(Typed.nightjar) edit opens that one")
    }
    if changes.byUsec != 0 { changes.byUsec += timer.durationUsec - present.durationUsec }
    let undoID = UndoableChange.newID()
    var reply: JSONValue?
    var calls: [Call] = []
    // The extension comes first, because the daemon may refuse it. If it does, nothing is changed.
    if changes.byUsec != 0 {
      calls.append(Call(Wire.Extend(name: timer.name, byUsec: changes.byUsec)))
    }
    if changes.update != .object([]) {
      let parameters = changes.update.setting("name", .string(timer.name))
      calls.append(Call(method: "\(Wire.Update.method)", parameters: parameters))
    }
    for call in calls {
      switch try session.change(call, undoID: undoID) {
      case .success(let answer): reply = answer
      case .failure(let refusal):
        guard let error = changes.place(refusal) else {
          throw session.explained(refusal, isChange: true)
        }
        throw CommandError(.refused, error.description, see: .configuration)
      }
    }
    return reply.map {
      Changed(reply: $0, before: present, lostVariables: changes.lostVariables)
    }
  }

  private func say(_ changed: Changed?) throws(CommandError) {
    guard let changed else { return Output.line("\(name): nothing was changed") }
    guard !format.isJSON else { return Output.ready(changed.reply.text) }
    let text = TimerText(try Session.timer(in: changed.reply))
    let lostSkips = AlarmText(text).lostSkips(changed.before) ?? ""
    Output.line("\(text.timer.name): changed, \(text.stateAndRemaining)\(lostSkips)")
    let variables = changed.lostVariables
    guard !variables.isEmpty else { return }
    let (noun, pronoun) = variables.count == 1 ? ("variable", "it") : ("variables", "them")
    let options = variables.map { " --env \($0)=VALUE" }.joined()
    Output.line(
      "the new command has no \(noun) \(variables.joined(separator: ", ")); \(Typed.nightjar) "
        + "update \(Quoting.quoted(text.timer.name))\(options) sets \(pronoun), and "
        + "\(Typed.nightjar) undo brings the "
        + "old command back")
  }
}
