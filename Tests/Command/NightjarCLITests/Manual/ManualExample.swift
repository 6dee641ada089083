/// An example of a manual page.
enum ManualExample {
  /// A command and its output; the command begins with "$ ".
  struct Command: Equatable {
    var typed: String
    var answer: [String]
  }

  static func commands(_ example: [String]) -> [Command] {
    var commands: [Command] = []
    var goesOn = false
    for line in example {
      if goesOn {
        commands[commands.count - 1].typed += "\n\(line)"
      } else if line.hasPrefix("$ ") {
        commands.append(Command(typed: String(line.dropFirst(2)), answer: []))
      } else {
        if !commands.isEmpty { commands[commands.count - 1].answer.append(line) }
        continue
      }
      goesOn = commands.last.map { Self.goesOn($0.typed) } ?? false
    }
    return commands
  }

  /// Whether a shell waits for more input.
  private static func goesOn(_ typed: String) -> Bool {
    let lines = typed.split(separator: "\n")
    guard let last = lines.last else { return false }
    if lines[0].hasSuffix("<<'END'") { return last != "END" }
    return last.hasSuffix("\\") || last.hasSuffix("|") || typed.count { $0 == "'" } % 2 == 1
  }
}

extension ManualBlock {
  /// The commands of an example; other blocks have none.
  var commands: [ManualExample.Command] {
    if case .example(let lines) = self { ManualExample.commands(lines) } else { [] }
  }
}
