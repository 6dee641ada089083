/// The program's name, as it appears in commands that messages suggest.
enum Typed {
  /// The other machine that this command is for: `laptop` of `nightjar @laptop …`; nil: this
  /// machine.
  private static let machine = addressee(in: CommandLine.arguments.dropFirst())

  /// `nightjar`, or `nightjar @laptop` if the command is for the timers of that machine.
  ///
  /// Use it in advice about timers. Advice about this machine, such as `nightjar mqtt status`, does
  /// not use it.
  static let nightjar = program(for: machine)

  /// The machine that is named before a command; nil: none.
  static func addressee(in arguments: some Collection<String>) -> String? {
    arguments.first.flatMap(SocketOption.device(in:))
  }

  /// The program, with the machine that a command is for.
  static func program(for machine: String?) -> String {
    "nightjar" + (machine.map { " @\($0)" } ?? "")
  }
}
