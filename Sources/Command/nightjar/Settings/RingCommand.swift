import NightjarClient
import NightjarConfig
import NightjarParameters
import Varlink

/// The command of a ring, in the parameters of a call.
enum RingCommand {
  /// The parameters of `Start` or `Update`, in which a command has the variables of this process
  /// that it needs, beside its own.
  ///
  /// - Parameter isNew: whether the timer is new, so that settings of a command need a command.
  /// - Throws: `CommandError` if a setting of a command has no command, or the command would never
  ///   run.
  static func completed(
    _ call: JSONValue, isNew: Bool, rings: Bool
  ) throws(CommandError) -> JSONValue {
    guard let ring = call["ring"] else { return call }
    guard let command = ring["exec"]?.strings, !command.isEmpty else {
      guard !isNew || ["on", "timeout_usec", "environment"].allSatisfy({ ring[$0] == nil }) else {
        throw .usage(
          "--exec-on, --exec-timeout and --env are settings of a command; add --exec or --shell")
      }
      return call
    }
    guard rings || ring["on"] != nil else {
      throw .usage("a stopwatch does not ring; say when to run it: --exec-on lapped,paused")
    }
    var environment = Wire.Ring.environmentOfThisProcess
    for member in ring["environment"]?.objectValue ?? [] {
      environment[member.key] = member.value.stringValue
    }
    environment.members.sort { $0.key < $1.key }
    remark(on: command, path: environment["PATH"], isNew ? "started" : "changed")
    return call.setting(["ring", "environment"], JSONValue(environment))
  }

  /// Prints a warning if the command's program does not exist. The command is accepted, because the
  /// user may install the program later. The warning is for a user who has made a typing mistake.
  private static func remark(on command: [String], path: String?, _ done: String) {
    guard let program = ShellLine(command).map(\.program) ?? command.first else { return }
    switch ProgramFile(program, search: path) {
    case .found: break
    case .obstructed(.notInPath), .obstructed(.missing):
      Output.complain("there is no program '\(program)' now; the timer is \(done) all the same")
    case .obstructed:
      Output.complain("'\(program)' may not be executed now; the timer is \(done) all the same")
    }
  }
}
