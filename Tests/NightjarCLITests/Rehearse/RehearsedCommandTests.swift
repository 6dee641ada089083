import Foundation
import NightjarTestSupport
import NightjarWire
import Testing

/// A rehearsal with commands of timers, and hooks.
@Suite struct RehearsedCommandTests {
  private let runner: CommandRunner

  init() throws { runner = try CommandRunner() }

  private func rehearse(_ script: String, _ arguments: String...) throws -> CommandRunner.Result {
    let path = "\(runner.folder.path)/script"
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    return try runner.run(["rehearse", path] + arguments)
  }

  private func hook(_ name: String, on type: String, _ body: String, mode: mode_t = 0o755) throws {
    let folder = "\(runner.folder.path)/.config/nightjar/hooks/\(type).d"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try writeFile("#!/bin/sh\n\(body)\n", to: "\(folder)/\(name)", mode: mode)
  }

  /// What is behind the time of each line, from the first command on.
  private func told(_ result: CommandRunner.Result) -> [String] {
    let lines = result.output.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    }
    return lines.filter { $0.hasPrefix("ran: ") || $0.hasPrefix("  ") || $0.contains("would run") }
  }

  @Test func `Without --hooks nothing is run: what a timer says is told`() throws {
    try hook("10-lamp", on: "fired", "echo lamp")
    let result = try rehearse(
      "start tea 1s --shell 'touch \(runner.folder.path)/ran'\nrun\n")
    #expect(result.status == 0, "\(result)")
    #expect(told(result) == ["would run: touch \(runner.folder.path)/ran"])
    #expect(!FileManager.default.fileExists(atPath: "\(runner.folder.path)/ran"))
  }

  @Test func `With --hooks the timer's command comes first, then the hooks in order`() throws {
    try hook("20-second", on: "fired", "echo second; exit 3")
    try hook("10-first", on: "fired", "echo $NIGHTJAR_EVENT $NIGHTJAR_NAME $NIGHTJAR_LATE_CAUSE")
    try hook("30-plain", on: "fired", "echo never", mode: 0o644)
    try hook("wake", on: "will_enter_foreground", "echo $NIGHTJAR_CAUSES $NIGHTJAR_REHEARSAL")
    let result = try rehearse("start tea 1s --shell 'echo own'\nsleep 1h\n", "--hooks")
    #expect(result.status == 0, "\(result)")
    #expect(
      told(result) == [
        "ran: hook will_enter_foreground.d/wake (exit status 0)", "  sleep 1",
        "ran: echo own (exit status 0)", "  own",
        "ran: hook fired.d/10-first (exit status 0)", "  fired tea sleep",
        "ran: hook fired.d/20-second (exit status 3)", "  second",
      ])
  }

  @Test func `A command can ask no daemon, and start none`() throws {
    let result = try rehearse(
      "start tea 1s --exec '\(runner.executable) list'\nrun\n", "--hooks")
    #expect(told(result).last == "  nightjar: this is a rehearsal: there is no daemon to ask")
  }

  @Test func `What hangs, leaves something behind, is missing or is killed is told, and over`()
    throws
  {
    let script = """
      start a-hangs 1s --exec 'sleep 1000' --exec-timeout 100ms
      start b-leaves 2s --shell 'echo left; sleep 1000 & echo $! >\(runner.folder.path)/pid'
      start c-missing 3s --exec nosuch
      start d-killed 4s --shell 'kill -9 $$'
      start e-loud 5s --shell 'yes | head -c 1000000'
      run
      """
    let result = try rehearse(script, "--hooks", "--json")
    let pid = try String(contentsOfFile: "\(runner.folder.path)/pid", encoding: .utf8)
    kill(try #require(Int32(pid.trimmingCharacters(in: .newlines))), SIGKILL)
    let commands = try result.output.split(separator: "\n").compactMap {
      try JSONValue.parse(String($0))["command"]
    }
    #expect(
      commands.compactMap { $0["outcome"]?.stringValue }
        == ["timed_out", "exited", "not_started", "signalled", "exited"])
    #expect(commands[1]["output"] == "left\n" && commands[1]["exit_status"] == 0)
    #expect(commands[3]["signal"] == 9)
    #expect(try #require(commands[4]["output"]?.stringValue).utf8.count == 4096)
    #expect(commands[4]["output_dropped_bytes"] == 995_904)
    #expect(commands[1]["output_dropped_bytes"] == nil)
  }

  @Test func `A command begins where the daemon's would, and its end is told as it was`() throws {
    let plain = "\(runner.folder.path)/plain"
    try writeFile("", to: plain, mode: 0o644)
    let script = """
      start a 1s --shell 'pwd; echo $NIGHTJAR_ATTEMPT; exit 130'
      start b 2s --shell 'yes | head -c 10000 | tr -d "\\n"'
      start c 3s --exec nosuch
      start d 4s --exec /no/such
      start e 5s --exec \(plain)
      run
      """
    let told = try told(rehearse(script, "--hooks"))
    #expect(
      told.prefix(3) == [
        "ran: pwd; echo $NIGHTJAR_ATTEMPT; exit 130 (exit status 130)",
        "  \(runner.folder.path)", "  1",
      ])
    #expect(told.contains("  ... 904 bytes more"), "\(told)")
    #expect(
      told.suffix(3) == [
        "ran: nosuch (could not be started: no folder of PATH has it)",
        "ran: /no/such (could not be started: there is no such file)",
        "ran: \(plain) (could not be started: it may not be executed)",
      ])
  }

  /// The next that is written into a pipe; empty: nobody can write any more.
  private func told(_ descriptor: Int32) throws -> String {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wanted, 1, 30_000) > 0 else { throw Unmet(description: "nothing within 30 s") }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test(
    "whoever ends a rehearsal ends what it runs, and it ends by that signal",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func interrupted(signal: Int32) throws {
    let folder = runner.folder.path
    let path = "\(folder)/script"
    // It says that it runs by opening the pipe, which is at its end when all of its group are gone.
    let fifo = "\(folder)/fifo"
    #expect(mkfifo(fifo, 0o600) == 0)
    try Data("start tea 1s --shell 'exec >\(fifo); sleep 1000 & echo up; wait'\nrun\n".utf8)
      .write(to: URL(fileURLWithPath: path))
    let process = try ChildProcess(
      [runner.executable, "rehearse", path, "--hooks"], environment: runner.environment)
    let reading = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reading) }
    #expect(try told(reading) == "up\n")
    kill(process.pid, signal)
    #expect(try told(reading) == "")
    #expect(try process.changes.next("its end") { $0.isEnd } == .killed(signal))
  }
}
