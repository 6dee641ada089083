internal import ArgumentParser
internal import Glibc

/// `nightjar-bench`: what is measured, and what is counted.
@main struct NightjarBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-bench", abstract: "Measure Nightjar.",
    subcommands: [Comparison.self, Check.self, Counting.self],
    defaultSubcommand: Comparison.self)
}

/// Nightjar beside what a person would use instead, measured in turns in one run.
struct Comparison: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Measure Nightjar beside what a person would use instead.",
    discussion: """
      Servers run on the first core; run this, and the load with it, on the second: make bench does. \
      Figures are medians of the rounds, with the lowest and the highest in brackets.
      """)

  @Option(help: "Only these measurements.")
  var only: [Name] = []

  @Option(help: "How many timers and keys there are, at least 1,000.")
  var timers = 1_000_000

  @Option(help: "How often each is measured.")
  var rounds = 5

  @Option(help: ArgumentHelp("How long each round is.", valueName: "milliseconds"))
  var round: Int64 = 2_000

  @Option(help: "How many changes the database is to survive.")
  var changes = 10_000_000

  @Option(help: "The folder of nightjard and nightjar.")
  var binaries: String

  @Option(help: "The folder of the peers in C.")
  var peers: String

  @Option(help: ArgumentHelp("Write the figures there, as JSON.", valueName: "file"))
  var json: String?

  /// A measurement.
  enum Name: String, CaseIterable, ExpressibleByArgument {
    case get, start, latency, lateness, burst, queue, core, keeping, idle, churn, micro
  }

  func validate() throws {
    guard timers >= 1_000, rounds > 0, round > 0, changes > 0 else {
      throw ValidationError("there are at least 1,000 timers, and one of anything else")
    }
  }

  func run() throws {
    let setting = Setting(
      timers: timers, changes: changes, rounds: rounds, roundMsec: round,
      binaries: Path.absolute(binaries), peers: Path.absolute(peers))
    var results: [Result] = []
    for name in only.isEmpty ? Name.allCases : only {
      switch name {
      case .get: results += Requests(setting: setting).get()
      case .start: results += Requests(setting: setting).start()
      case .latency: results += Latency(setting: setting).run()
      case .lateness: results += Lateness(setting: setting).run()
      case .burst: results += Burst(setting: setting).run()
      case .queue: results += Queue(setting: setting).run()
      case .core: results += Core(setting: setting).run()
      case .churn: results += Churn(setting: setting).run()
      case .keeping: results += Keeping(setting: setting).run()
      case .micro: results += MicroTimes(setting: setting).run()
      case .idle: results += Keeping(setting: setting).idle()
      }
    }
    Terminal.print(Table.lines(results))
    if let json {
      ResultJSON.write(results, command: CommandLine.arguments.joined(separator: " "), to: json)
    }
    if results.contains(where: { $0.isGood == false }) { throw ExitCode(1) }
  }
}
