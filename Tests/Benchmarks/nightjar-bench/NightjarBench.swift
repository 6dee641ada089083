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

  @Option(help: "The folder of Nightjar's programs.")
  var binaries: String

  @Option(help: "The folder of the peers in C.")
  var peers: String

  @Option(help: ArgumentHelp("The script that boots a host with systemd.", valueName: "file"))
  var host: String

  @Option(help: "The folder with the files of make install for this host.")
  var installed: String

  /// A measurement. Each has one row or more.
  enum Name: String, CaseIterable, ExpressibleByArgument {
    case get, start, queue, core, lateness, keeping, idle, shell, face, bridge
  }

  func validate() throws {
    guard timers >= 1_000, rounds > 0 else {
      throw ValidationError("there are at least 1,000 timers, and one round")
    }
  }

  func run() throws {
    let setting = Setting(
      timers: timers, rounds: rounds, binaries: binaries,
      peers: peers, host: host, installed: installed)
    var findings: [Finding] = []
    var isAllMeasured = true
    for name in only.isEmpty ? Name.allCases : only {
      do throws(Unmeasured) {
        findings += try measure(name, setting)
      } catch {
        isAllMeasured = false
        Terminal.report("\(name) could not be measured: \(error.why)")
      }
    }
    Terminal.print(Table.lines(findings))
    if !isAllMeasured || findings.contains(where: { !$0.isGood }) { throw ExitCode(1) }
  }

  private func measure(_ name: Name, _ setting: Setting) throws(Unmeasured) -> [Finding] {
    switch name {
    case .get: Requests(setting: setting).get()
    case .start: Requests(setting: setting).start()
    case .queue: try Queue(setting: setting).run()
    case .core: Core(setting: setting).run()
    case .lateness: try Lateness(setting: setting).run()
    case .keeping: try Keeping(setting: setting).run()
    case .shell: try Shell(setting: setting).run()
    case .idle: Waiting(setting: setting).daemon()
    case .face: try Waiting(setting: setting).tray()
    case .bridge: try Waiting(setting: setting).bridge()
    }
  }
}
