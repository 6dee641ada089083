internal import ArgumentParser
internal import Glibc

/// Counts the instructions of the hot paths, and fails if one takes more than its threshold allows.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Hold the hot paths' instruction counts against thresholds.",
    discussion: """
      This program and nightjar have to be without debug symbols, which not every valgrind can read: make \
      bench-check runs such copies.
      """)

  /// The names of all paths, in the order in which they are shown.
  private static let names = Micro.all.map(\.name) + [commandName]
  private static let commandName = "command-start"

  @Option(help: ArgumentHelp("The file of the thresholds.", valueName: "file"))
  var thresholds: String

  @Option(help: ArgumentHelp("The command, without debug symbols.", valueName: "file"))
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
    var counts = try Micro.all.filter { isAsked($0.name) }.map { micro in
      Terminal.say("counting \(micro.name)")
      return CheckReport.Count(
        name: micro.name, work: micro.work, flatBeside: micro.flatBeside,
        instructions: try Callgrind.instructions(of: micro))
    }
    if isAsked(Self.commandName) {
      Terminal.say("counting \(Self.commandName)")
      counts.append(try countCommand())
    }
    var report = CheckReport(counts: counts, thresholds: known)
    if write {
      let measured = counts.map { ($0.name, max(1, Int($0.instructions.rounded()))) }
      report = CheckReport(
        counts: counts, thresholds: Thresholds(counts: Dictionary(uniqueKeysWithValues: measured)))
      File.write(report.thresholds.text(inOrderOf: Self.names), to: thresholds)
    }
    Terminal.print(report.table)
    for failure in report.failures { Terminal.report("error: \(failure)") }
    if !report.failures.isEmpty { throw ExitCode(1) }
  }

  /// Counts one `nightjar start` that calls a running daemon: the whole program with its dynamic
  /// loader.
  private func countCommand() throws(Unmeasured) -> CheckReport.Count {
    let nightjard = Nightjard(binary: daemon)
    let server = nightjard.start()
    defer { server.end() }
    // A time zone with daylight saving time, because most users have one.
    let environment = [
      "HOME=\(nightjard.folder.path)", "NIGHTJAR_SOCKET=\(server.socketPath)",
      "TZ=Europe/Berlin",
    ]
    let start = [command, "start", "counted", "1h"]
    return CheckReport.Count(
      name: Self.commandName, work: "one nightjar start, the whole program",
      instructions: Double(try Callgrind.instructions(of: start, in: environment)))
  }

  private func isAsked(_ name: String) -> Bool { only.isEmpty || only.contains(name) }

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
}

/// Runs one hot path once, so that callgrind can count it.
struct Counting: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count", abstract: "Run one hot path under callgrind, which counts it.",
    shouldDisplay: false)

  @Argument(help: "Its name.")
  var name: String

  func run() throws {
    guard let micro = Micro.all.first(where: { $0.name == name }) else {
      throw ValidationError("there is no \(name)")
    }
    let body = micro.prepare(micro.count)
    counted(body)
  }
}
