import NightjarTestSupport

/// The result of a command on a machine of the tests.
struct CommandOutcome: Sendable {
  let code: Int32
  let output: String
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The output of a command that must have succeeded.
  func output(of command: String) throws -> String {
    guard code == 0 else {
      throw Unmet(description: "\(command): exit code \(code): \(output)")
    }
    return output
  }
}
