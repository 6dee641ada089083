internal import ArgumentParser
internal import Glibc

/// Counts the instructions of the hot paths, and fails where one takes more than it may; holds what the
/// command touches against the order in which it is linked.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Hold the hot paths' instruction counts against thresholds.",
    discussion: """
      This program and nightjar have to be without debug symbols, which not every valgrind can read: make \
      bench-check runs such copies.
      """)

  /// The names of all paths, in the order in which they are shown.
  private static let names = Micro.all.map(\.name) + [CommandTrace.name]

  @Option(help: ArgumentHelp("The file of the thresholds.", valueName: "file"))
  var thresholds: String

  @Option(help: ArgumentHelp("The file of the command's symbols.", valueName: "file"))
  var order: String

  @Option(help: ArgumentHelp("The command that is traced.", valueName: "file"))
  var command: String

  @Option(help: ArgumentHelp("The daemon that it asks.", valueName: "file"))
  var daemon: String

  @Option(help: "Only these paths.")
  var only: [String] = []

  @Flag(help: "Write the file anew, with what is counted.")
  var write = false

  func validate() throws {
    guard !write || only.isEmpty else { throw ValidationError("a file has all paths or none") }
    for name in only where !Self.names.contains(name) {
      throw ValidationError("there is no path '\(name)'")
    }
  }

  func run() throws {
    let known = write ? Thresholds(counts: [:]) : try read()
    var counts = Micro.all.filter { isAsked($0.name) }.map { micro in
      Terminal.say("counting \(micro.name)")
      return CheckReport.Count(
        name: micro.name, work: micro.work, flatBeside: micro.flatBeside,
        instructions: Callgrind.instructions(of: micro))
    }
    var failures: [String] = []
    if isAsked(CommandTrace.name) {
      let (instructions, touched) = traced()
      counts.append(
        CheckReport.Count(
          name: CommandTrace.name, work: CommandTrace.work, instructions: Double(instructions)))
      if write { save(touched.text, as: order) }
      failures = CheckReport.failures(of: touched, in: SymbolOrder(File.text(order)))
    }
    var report = CheckReport(counts: counts, thresholds: known)
    if write {
      let measured = counts.map { ($0.name, max(1, Int($0.instructions.rounded()))) }
      report = CheckReport(
        counts: counts, thresholds: Thresholds(counts: Dictionary(uniqueKeysWithValues: measured)))
      save(report.thresholds.text(inOrderOf: Self.names), as: thresholds)
    }
    Terminal.print(report.table)
    for note in report.notes { Terminal.tell("note: \(note)") }
    failures += report.failures
    for failure in failures { Terminal.tell("error: \(failure)") }
    if !failures.isEmpty { throw ExitCode(1) }
  }

  private func isAsked(_ name: String) -> Bool { only.isEmpty || only.contains(name) }

  private func traced() -> (instructions: Int, order: SymbolOrder) {
    Terminal.say("tracing \(CommandTrace.name)")
    return CommandTrace.run(Path.absolute(command), daemon: Path.absolute(daemon))
  }

  private func read() throws -> Thresholds {
    guard access(thresholds, R_OK) == 0 else {
      fail("there is no \(thresholds); make bench-check BENCH_CHECK=--write writes it")
    }
    do throws(Thresholds.Problem) {
      var read = try Thresholds(File.text(thresholds))
      if !only.isEmpty { read.counts = read.counts.filter { only.contains($0.key) } }
      return read
    } catch { fail("\(thresholds), line \(error.line): '\(error.text)' is not NAME COUNT") }
  }

  private func save(_ text: String, as path: String) {
    guard let file = fopen(path, "we"), fputs(text, file) >= 0, fclose(file) == 0 else {
      fail("\(path) cannot be written")
    }
  }
}
