/// A command that starts a timer, typed on the screen.
enum StartLine {
  /// Parses the input, such as `tea 4min --exec 'paplay bell.oga'` or `alarm up 7:00`.
  ///
  /// - Throws: `CommandError`: the input is not valid, or the screen does not allow the command.
  static func command(_ text: String) throws(CommandError) -> any StartCommand {
    var words = try words(text)
    if words.first == "nightjar" { words.removeFirst() }
    let parsed = try Program.parsedCommand(words)
    guard let command = parsed as? any StartCommand else {
      let name = Invocation.commandName(in: words) ?? "start"
      throw .usage("type a command that starts a timer; its options are in nightjar-\(name)(1)")
    }
    guard !command.format.isJSON, command.socket.path == nil, !command.queue.isGiven else {
      throw .usage("the screen does not accept --json, --socket and --queue; leave them out")
    }
    return command
  }

  /// The words of the input, split and unquoted by the rules of systemd. No shell is involved, so a
  /// character such as the `*` of a calendar expression is an ordinary character.
  private static func words(_ text: String) throws(CommandError) -> [String] {
    do throws(CommandWords.Problem) {
      return try CommandWords.split(text)
    } catch {
      guard error.isForShell else { throw .usage("the line \(error.sentence)") }
      return text.split(separator: " ").map(String.init)
    }
  }
}
