import ArgumentParser
import Varlink

/// What a start does if there already is a timer of that name.
struct NewTimerOptions: ParsableArguments {
  @Flag(help: "If there is a timer of that name, replace it.")
  var replace = false

  @Flag(help: "If there is a timer of that name that is not over, keep it and start no other.")
  var ifAbsent = false

  /// The parameters of `Start` with the name and these options.
  func start(name: String?) throws(CommandError) -> JSONValue {
    guard !(replace && ifAbsent) else { throw .usage("give --replace or --if-absent, not both") }
    var start = JSONValue.object([])
    if let name { start = start.setting("name", .string(name)) }
    if replace { start = start.setting("replace", true) }
    return ifAbsent ? start.setting("if_absent", true) : start
  }
}
