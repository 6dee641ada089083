internal import ArgumentParser

/// One `nightjar start`, the whole program, traced beside a daemon: what it executes and what it touches.
struct CommandTrace: ParsableArguments {
  /// The names by which it has thresholds, and what is counted, in words.
  static let counts = [
    ("command-start", "one nightjar start, the whole program"),
    ("command-pages", "the pages of the program that it touches"),
  ]

  @Option(help: ArgumentHelp("The command, without debug symbols.", valueName: "file"))
  var command: String

  @Option(help: ArgumentHelp("The daemon that it asks.", valueName: "file"))
  var daemon: String

  /// A zone with a rule for its summers, as most people have one.
  private static let zone = "TZ=Europe/Berlin"

  /// How many instructions it executes, and how many pages of its own it touches.
  func counted() -> [CheckReport.Count] {
    let trace = traced([Self.zone])[0]
    let pages = SymbolOrder.pages(touchedBy: trace, among: symbols)
    return zip(Self.counts, [trace.instructions, pages]).map { count, number in
      CheckReport.Count(name: count.0, work: count.1, instructions: Double(number))
    }
  }

  /// What it touches: with such a zone, and behind that with the machine's own.
  var order: SymbolOrder {
    let symbols = symbols
    return traced([Self.zone, nil]).reduce(into: SymbolOrder()) { order, trace in
      order.append(touchedBy: trace, among: symbols)
    }
  }

  private var symbols: [SymbolOrder.Symbol] {
    let listing = ["nm", "--numeric-sort", "--print-size", "--defined-only", program]
    return SymbolOrder.symbols(required(try Command.output(listing)))
  }

  private var program: String { Path.absolute(command) }

  private func traced(_ zones: [String?]) -> [Trace] {
    let nightjard = Nightjard(binary: Path.absolute(daemon))
    let server = nightjard.start()
    defer { server.end() }
    return zones.enumerated().map { traced(number: $0, zone: $1, of: nightjard) }
  }

  private func traced(number: Int, zone: String?, of nightjard: Nightjard) -> Trace {
    let file = "\(nightjard.folder.path)/trace-\(number)"
    let surroundings =
      ["HOME=\(nightjard.folder.path)", "NIGHTJAR_SOCKET=\(nightjard.socketPath)"]
      + (zone.map { [$0] } ?? [])
    let valgrind = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-file=\(file)"]
    let start = [program, "start", "order-\(number)", "1h"]
    _ = required(
      try Command.output(
        ["env"] + Callgrind.environment + surroundings + valgrind + start, called: "valgrind"))
    let trace = Trace(File.text(file))
    guard trace.instructions > 0 else { fail("valgrind has traced nothing of \(program)") }
    return trace
  }
}

/// Writes down what the command touches, for the linker.
struct Order: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order", abstract: "Write down what nightjar start touches, for the linker.")

  @OptionGroup var trace: CommandTrace

  @Argument(help: ArgumentHelp("The file that is written.", valueName: "file"))
  var path: String

  func run() throws {
    let order = trace.order
    File.write(order.text, to: path)
    Terminal.print(["\(order.names.count) symbols in \(path)"])
  }
}
