/// The program's name, as it is written in the commands that messages suggest.
enum Typed {
  /// The other machine on whose timers the command acts: `laptop` in `nightjar @laptop …`. Nil: the
  /// command acts on this machine's timers.
  private static let machine = addressee(in: CommandLine.arguments.dropFirst())

  /// `nightjar`, or `nightjar @laptop` if the command is for the timers of another machine.
  ///
  /// Messages about timers use it. Messages about this machine, such as those that suggest
  /// `nightjar mqtt status`, do not.
  static let nightjar = program(for: machine)

  /// The name of the machine that the user typed before a command; nil: the user typed none.
  static func addressee(in arguments: some Collection<String>) -> String? {
    arguments.first.flatMap(SocketOption.device(in:))
  }

  /// The program's name, with the machine on whose timers a command acts.
  static func program(for machine: String?) -> String {
    "nightjar" + (machine.map { " @\($0)" } ?? "")
  }
}
