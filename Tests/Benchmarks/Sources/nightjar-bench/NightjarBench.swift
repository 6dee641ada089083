internal import ArgumentParser
internal import Glibc

/// The command `nightjar-bench`, which measures times and counts instructions.
@main struct NightjarBench: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nightjar-bench", abstract: "Measure Nightjar.",
    subcommands: [Comparison.self, Check.self, Counting.self], defaultSubcommand: Comparison.self)
}

/// Compares Nightjar with what a person would use instead. One run measures them alternately.
struct Comparison: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Measure Nightjar beside what a person would use instead.",
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

  @Option(help: "How many changes are made in the database.")
  var changes = 10_000_000

  @Option(help: "The folder of nightjard and nightjar.")
  var binaries: String

  @Option(help: "The folder of the peers in C.")
  var peers: String

  @Option(help: ArgumentHelp("The script that boots a host with systemd.", valueName: "file"))
  var host: String?

  @Option(help: "The folder with the files of make install for this host.")
  var installed: String?

  @Option(help: ArgumentHelp("Write the figures there, as JSON.", valueName: "file"))
  var json: String?

  /// A measurement.
  enum Name: String, CaseIterable, ExpressibleByArgument {
    case get, start, latency, lateness, burst, queue, store, core, keeping, idle, shell, churn,
      hostile, micro, bridge, devices
  }

  func validate() throws {
    guard timers >= 1_000, rounds > 0, round > 0, changes > 0 else {
      throw ValidationError("there are at least 1,000 timers, and one of anything else")
    }
  }

  func run() throws {
    let setting = Setting(
      timers: timers, changes: changes, rounds: rounds, roundMsec: round,
      binaries: Path.absolute(binaries), peers: Path.absolute(peers),
      host: host.map(Path.absolute), installed: installed.map(Path.absolute))
    var findings: [Finding] = []
    for name in only.isEmpty ? Name.allCases : only {
      switch name {
      case .get: findings += Requests(setting: setting).get()
      case .start: findings += Requests(setting: setting).start()
      case .latency: findings += Latency(setting: setting).run()
      case .lateness: findings += Lateness(setting: setting).run()
      case .burst: findings += Burst(setting: setting).run()
      case .queue: findings += Queue(setting: setting).run()
      case .store: findings += Store(setting: setting).run()
      case .core: findings += Core(setting: setting).run()
      case .churn: findings += Churn(setting: setting).run()
      case .hostile: findings += Hostile(setting: setting).run()
      case .keeping: findings += Keeping(setting: setting).run()
      case .idle: findings += Keeping(setting: setting).idle()
      case .shell: findings += Shell(setting: setting).run()
      case .micro: findings += MicroTimes(setting: setting).run()
      case .bridge: findings += Bridges(setting: setting).run()
      case .devices: findings += Devices(setting: setting).run()
      }
    }
    Terminal.print(Table.lines(findings))
    if let json {
      FindingJSON.write(findings, command: CommandLine.arguments.joined(separator: " "), to: json)
    }
    if findings.contains(where: { $0.isGood == false }) { throw ExitCode(1) }
  }
}
