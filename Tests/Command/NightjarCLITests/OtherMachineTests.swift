import ArgumentParser
import Foundation
import Glibc
import NightjarInterface
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

@testable import nightjar

/// Commands for the timers of another machine, `nightjar @laptop …`.
@Suite(.blocking) struct OtherMachineTests {
  /// A stand-in for the bridge's socket of the machine laptop, beside that of this machine's
  /// daemon.
  private let laptop: FakeDaemon
  private var fixture: Fixture

  init() throws { try self.init { _, _ in nil } }

  /// - Parameter answer: laptop's answers to some calls; nil: the stand-in answers.
  private init(
    answer: @escaping @Sendable (FakeDaemon.Request, Int64) -> [FakeDaemon.Answer]?
  ) throws {
    fixture = try Fixture()
    let nowUsec = fixture.noon.nowUsec
    let timers = FakeTimers(Fixture.four, nowUsec: nowUsec)
    let folder = fixture.daemon.path.dropLast("/socket".count) + "/devices"
    try makeFolder(String(folder))
    laptop = try FakeDaemon(path: "\(folder)/laptop") { request in
      answer(request, nowUsec) ?? [timers.answer(request)]
    }
  }

  /// Runs a command, and returns its standard error without the program's name.
  private func refusal(_ arguments: [String], status: Int32) throws -> String {
    let result = try fixture.runner.run(arguments)
    #expect(result.status == status, "\(result)")
    #expect(result.output == "")
    return result.errors.replacing("nightjar: ", with: "", maxReplacements: 1)
  }

  @Test(arguments: [true, false])
  func `A start on another machine asks nothing about the rings of that machine`(
    isByName: Bool
  ) throws {
    var runner = fixture.runner
    if !isByName { runner.environment["NIGHTJAR_SOCKET"] = laptop.path }
    let words = (isByName ? ["@laptop"] : []) + ["start", "soup", "4min"]
    let result = try runner.runOnTerminal(words, typing: "")
    #expect(result.status == 0 && result.output.hasPrefix("soup: 4 min, "), "\(result)")
    #expect(laptop.requests.map(\.method) == ["Start"])
  }

  @Test(
    arguments: Row.table(
      #"""
      start tea 4min => 1 => ; use nightjar @laptop restart tea, nightjar @laptop extend tea \#
      4min, or nightjar @laptop start tea 4min --replace
      stopwatch tea => 1 => nightjar @laptop restart tea, or nightjar @laptop stopwatch tea \#
      --replace
      show beans => 3 => no timer called 'beans'; see nightjar @laptop list
      pause beans/… => 3 => no timer under 'beans/'; see nightjar @laptop list
      pause tea beans => 3 => ; see nightjar @laptop list; nothing was changed
      pause run/1/me => 1 => : it is paused; use nightjar @laptop resume run/1/me
      shorten egg 1min => 1 => : it has rung; use nightjar @laptop dismiss egg
      show => 64 => say which timer: nightjar @laptop show NAME; there are egg, tea, run/1/me, old
      extend tea => 64 => how long? nightjar @laptop extend tea 5min
      start => 64 => say how long: nightjar @laptop start tea 4min
      alarm => 64 => say when: nightjar @laptop alarm tea 17:30
      alarm tea in 4min --repeat => 64 => write nightjar @laptop start 4min --repeat
      unskip tea => 64 => write nightjar @laptop skip tea --undo
      watch --template x => 64 => : nightjar @laptop watch --format plain
      frobnicate 5 => 64 => write nightjar @laptop start frobnicate 5s (seconds), or nightjar \#
      @laptop start frobnicate 5min (minutes)
      startt tea => 64 => no command is called 'startt'; did you mean 'start'?
      list --frobnicate => 64 => unknown option '--frobnicate'
      """#))
  func `Advice about the timers of another machine names that machine`(row: Row) throws {
    let sentence = try refusal(["@laptop"] + row.words(), status: Int32(row[1]) ?? 0)
    #expect(sentence.hasSuffix("\(row[2])\n"), "\(sentence)")
    #expect(fixture.methods.isEmpty)
  }

  @Test func `A start that replaced a timer on another machine says how to get it back there`()
    throws
  {
    _ = try fixture.run("@laptop", "start", "pie", "4min", "--label", "kind=food")
    let result = try fixture.run("@laptop", "start", "pie", "4min", "--replace")
    #expect(result.output.hasSuffix("had --label; nightjar @laptop undo brings that back\n"))
  }

  @Test func `The machine is the first argument, and nothing else is read as one`() {
    #expect(Typed.addressee(in: ["@laptop", "list"]) == "laptop")
    #expect(Typed.addressee(in: ["list", "@laptop"]) == nil && Typed.addressee(in: []) == nil)
  }

  @Test(
    arguments: Row.table(
      #"""
      @laptop => say what to do with the timers of laptop, such as nightjar @laptop list
      @laptop --json => say what to do with the timers of laptop, such as nightjar @laptop list
      @laptop mqtt => 'mqtt' is not for another machine: leave out @laptop
      @laptop help => 'help' is not for another machine: leave out @laptop
      @laptop --help => '--help' is not for another machine: leave out @laptop
      @laptop version => 'version' is not for another machine: leave out @laptop
      @laptop --socket x list => @laptop and --socket say both whose timers are meant: leave \#
      out one of them
      @laptop list --socket=x => @laptop and --socket say both whose timers are meant: leave \#
      out one of them
      @laptop @desktop list => give one machine, not both @laptop and @desktop
      --json @laptop list egg => the machine comes first: nightjar @laptop --json list egg
      @laptop doctor => doctor examines the machine that it runs on; run nightjar doctor on laptop
      """#))
  func `A command that is not for another machine is refused, with the remedy`(row: Row) throws {
    #expect(try refusal(row.words(), status: 64) == "\(row[1])\n")
    #expect(laptop.requests.isEmpty && fixture.methods.isEmpty)
  }

  @Test func `A command is refused for another machine if it has no socket`() throws {
    for command in Nightjar.configuration.subcommands {
      guard let name = command.configuration.commandName, !name.hasPrefix("_") else { continue }
      let isForOne = command.helpMessage(includeHidden: true).contains("--socket")
      let words = try? Invocation.rewritten(["@laptop", name, "x"])
      #expect((words != nil) == isForOne, "\(name)")
    }
  }

  @Test func `A word of a command after -- is no option of nightjar`() throws {
    let result = try fixture.run("@laptop", "start", "new", "4min", "--", "ssh", "--socket", "x")
    #expect(result.status == 0, "\(result)")
    #expect(
      laptop.requests.last?.parameters["ring"]?["exec"]?.arrayValue == ["ssh", "--socket", "x"])
  }

  @Test
  func `The status of another machine is its daemon's answer, and has nothing of this machine`()
    throws
  {
    let machines = try Self { request, nowUsec in
      guard request.method == "Status" else { return nil }
      let status = Samples.status(nowUsec: nowUsec)
      let storage = (status["storage"] ?? .null).setting("state_directory", "")
      return [.reply(status.setting("storage", storage))]
    }
    // A mistake in this machine's presets.
    try machines.fixture.runner.configure("[presets]\ntea = 1\n")
    for arguments in [["@laptop", "status"], ["@laptop", "status", "--no-start"]] {
      let result = try machines.fixture.runner.run(arguments)
      #expect(result.status == 0, "\(result)")
      let rows = result.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
      #expect(
        rows == [
          "Daemon", "Timers", "Clients", "Foreground", "Last span", "Sleep", "Wake",
          "Presence", "Ring", "Commands", "Clock", "Storage", "Warning",
        ], "\(result)")
      #expect(result.output.contains("  events 1 to 9 of ledger 5f0c2a9be41d7736\n"), "\(result)")
    }
    #expect(machines.fixture.methods.isEmpty)
  }

  @Test(arguments: [
    (true, "laptop did not answer in time", "try again, or wait longer with NIGHTJAR_TIMEOUT=10s"),
    (false, "nightjar-mqtt went away before laptop had answered", "try again"),
  ])
  func
    `A machine that does not answer, or a bridge that goes away, is named, and a change in doubt`(
      isSilent: Bool, reason: String, remedy: String
    ) throws
  {
    let gate = FakeDaemon.Gate()
    defer { for _ in 0..<4 { gate.open() } }
    var machines = try Self { _, _ in [isSilent ? .wait(gate) : .close] }
    machines.fixture.runner.environment["NIGHTJAR_TIMEOUT"] = isSilent ? "200ms" : nil
    try machines.fixture.check(
      """
      $ @laptop start new 4min
      4! \(reason); it is not known whether the change was made; check with nightjar @laptop list
      $ @laptop show tea
      4! \(reason); \(remedy)
      """)
  }

  @Test func `A queued change says why it waits, unless the machine answers at once`() throws {
    let late =
      "nightjar: laptop has not answered yet; the command waits for it (the change may be "
      + "made also after Ctrl-C)\n"
    let gate = FakeDaemon.Gate()
    let machines = try Self { request, nowUsec in
      guard request.method == "Pause" else { return nil }
      return [.wait(gate), FakeTimers(Fixture.four, nowUsec: nowUsec).answer(request)]
    }
    // The bridge's own socket, which reports each machine as online.
    let folder = machines.fixture.daemon.path.dropLast("/socket".count)
    let bridge = try FakeDaemon(path: "\(folder)/mqtt") { request in
      [request.method == "Await" ? .reply(["state": "online"]) : .close]
    }
    defer { bridge.stop() }
    let command = try machines.fixture.runner.start(["@laptop", "pause", "tea", "--queue"])
    try command.waitForErrors { $0 == late }
    gate.open()
    let result = try command.finish()
    #expect(result.status == 0 && result.errors == late, "\(result)")
    #expect(result.output.hasPrefix("tea: paused"), "\(result)")
    #expect(machines.laptop.requests.map(\.method) == ["Pause"])
    let other = try machines.fixture.run("@laptop", "extend", "tea", "1min", "--queue")
    #expect(other.status == 0 && other.errors == "", "\(other)")
  }
}
