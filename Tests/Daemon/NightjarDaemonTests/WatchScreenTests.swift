import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// `nightjar watch` on a terminal, with a real daemon: the screen's contents and its keys.
@Suite(.blocking) struct WatchScreenTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func watch(
    _ arguments: [String] = [], width: Int = 80, height: Int = 16,
    environment: [String: String] = [:]
  ) throws -> TerminalProcess {
    try terminal(
      [try Binaries.nightjar(), "watch"] + arguments, width: width, height: height,
      environment: environment)
  }

  private func terminal(
    _ command: [String], width: Int = 80, height: Int = 16, environment: [String: String] = [:]
  ) throws -> TerminalProcess {
    try TerminalProcess(
      command, of: rig,
      environment: daemon.clientEnvironment.merging(environment) { _, new in new }, width: width,
      height: height)
  }

  @Test func `Each timer has a line: its name, a bar, what remains, and when it rings`() throws {
    try client.start("tea", usec: 240 * second)
    _ = try client.timer(.perform(.pause, name: "tea"))
    _ = try client.timer(.start(Wire.Start(name: "run", .stopwatch)))
    _ = try client.timer(.perform(.pause, name: "run"))
    let terminal = try watch()
    let screen = try terminal.awaitScreen("both timers") {
      $0.text.contains("run ") && $0.text.contains("2 paused")
    }
    #expect(screen.lines[0].hasPrefix(" nightjar"))
    #expect(screen.lines[0].hasSuffix("2 paused"))
    let tea = try #require(screen.lines.first { $0.contains("tea") })
    // A countdown that has just started, to the second, rounded up.
    #expect(tea.hasPrefix("› tea  ──") && tea.hasSuffix("00:04:00    paused"))
    let run = try #require(screen.lines.first { $0.hasPrefix("  run") })
    #expect(!run.contains("─") && run.contains("00:00:00."))
    #expect(screen.lines[15].contains("space resume") && screen.lines[15].contains("q quit"))
    #expect(screen.isAlternate && !screen.isCursorShown && screen.unknown == [])
    #expect(screen.sendsButtons && screen.sendsSequences)
  }

  @Test func `A running timer counts down by itself, in tenths in its last minute`() throws {
    try client.start("egg", usec: 50 * second)
    let terminal = try watch()
    var seen: Set<String> = []
    try terminal.awaitScreen("ten tenths of a second") { screen in
      if let line = screen.lines.first(where: { $0.contains("egg") }),
        let clock = line.split(separator: " ").first(where: { $0.hasPrefix("00:00:") })
      {
        seen.insert(String(clock))
      }
      return seen.count >= 10
    }
    #expect(seen.allSatisfy { $0.count == 10 && ($0 <= "00:00:50.0") })
  }

  @Test func `Keys pause, resume, extend, cancel, restart, remove and start`() throws {
    try client.start("tea", usec: 240 * second)
    let terminal = try watch()
    try terminal.awaitScreen("tea") { $0.text.contains("1 running") }
    terminal.type(" ")
    try terminal.awaitScreen("that it is paused") { $0.text.contains("1 paused") }
    #expect(try client.timer(.get(name: "tea")).state == .paused)
    terminal.type(" ")
    try terminal.awaitScreen("that it runs") { $0.text.contains("1 running") }
    terminal.type("+")
    try terminal.awaitScreen("a minute more") { screen in
      ["00:04:5", "00:05:00"].contains { screen.text.contains($0) }
    }
    #expect(try client.timer(.get(name: "tea")).durationUsec == 300 * second)
    terminal.type("e1h\r")
    try terminal.awaitScreen("the hour") { $0.text.contains("01:04:") }
    terminal.type("c")
    try terminal.awaitScreen("that it is cancelled") { $0.selects("tea", "cancelled") }
    terminal.type("r")
    try terminal.awaitScreen("that it runs again") { $0.text.contains("1 running") }
    terminal.type("nsoup 3min\r")
    try terminal.awaitScreen("soup") { $0.text.contains("2 running") }
    #expect(try client.timer(.get(name: "soup")).durationUsec == 180 * second)
    // What was just started is selected: the key c twice removes it.
    terminal.type("c")
    try terminal.awaitScreen("soup cancelled") { $0.selects("soup", "cancelled") }
    terminal.type("c")
    try terminal.awaitScreen("that it is gone") { !$0.text.contains("soup ") }
    #expect(try client.refusal(of: .get(name: "soup")) == .timerNotFound(name: "soup"))
  }

  @Test func `A number starts a preset, a click on a key presses it, and z shows a clock`() throws {
    let terminal = try watch(height: 24)
    try terminal.awaitScreen("what to type") { $0.text.contains("1  pomodoro") }
    terminal.type("2")
    try terminal.awaitScreen("how many there are") { $0.text.contains("there is 1 preset") }
    terminal.type("1")
    let screen = try terminal.awaitScreen("the preset") {
      $0.text.contains("1 running") && $0.lines[23].contains("space pause")
    }
    let column = try #require(screen.lines[23].ranges(of: "space").first)
    let columns = screen.lines[23].distance(
      from: screen.lines[23].startIndex, to: column.lowerBound)
    terminal.type("\u{1B}[<0;\(columns + 1);24M")
    try terminal.awaitScreen("that it is paused") { $0.text.contains("1 paused") }
    #expect(try client.timer(.get(name: "pomodoro")).state == .paused)
    terminal.type("z")
    let clock = try terminal.awaitScreen("the clock alone") { !$0.text.contains("timers") }
    #expect(clock.text.contains("pomodoro") && clock.text.contains("████"))
    terminal.type("z")
    try terminal.awaitScreen("the list") { $0.text.contains("space resume") }
  }

  @Test func `A large screen tells the story of the day from the ledger`() throws {
    try client.start("egg", usec: 1)
    try client.start("tea", usec: hour)
    let terminal = try watch(width: 120, height: 44)
    try terminal.awaitScreen("the ring before the screen, and the day") { screen in
      screen.text.contains("egg: rang")
        && screen.lines.contains { $0.contains("│ tea ") && $0.contains("█") }
    }
  }

  @Test func `A preset that is started here has its command, too`() throws {
    let folder = "\(daemon.options.folder)/.config/nightjar"
    try makeFolder(folder)
    let preset = "[presets.tea]\nduration = \"4min\"\nexec = \"/bin/true brewed\"\n"
    try preset.write(toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
    let terminal = try watch()
    try terminal.awaitScreen("the keys") { $0.text.contains("q quit") }
    terminal.type("ntea\r")
    try terminal.awaitScreen("that it runs") { $0.text.contains("1 running") }
    let ring = try client.call(.get(name: "tea"))["timer"]?["ring"]
    #expect(ring?["exec"] == ["/bin/true", "brewed"])
  }

  @Test func `A ring can be dismissed and snoozed, and the events are shown below`() throws {
    try client.start("egg", usec: 1)
    let terminal = try watch()
    try terminal.awaitScreen("that it rang") { $0.text.contains("1 ringing") }
    terminal.type("s")
    try terminal.awaitScreen("the snooze") { screen in
      ["00:04:5", "00:05:00"].contains { screen.text.contains($0) }
    }
    _ = try client.timer(.snooze(name: "egg", byUsec: 1))
    try terminal.awaitScreen("that it rang again, and the news") {
      $0.text.contains("1 ringing") && $0.text.contains("egg: the snooze is over, and it rang")
    }
    terminal.type("d")
    try terminal.awaitScreen("that it is gone, and why") {
      $0.text.contains("No timers") && $0.text.contains("egg: dismissed")
    }
  }

  @Test func `A refusal and bad input are one sentence each, and the input stays`() throws {
    try client.start("tea", usec: 240 * second)
    let terminal = try watch()
    try terminal.awaitScreen("tea") { $0.text.contains("1 running") }
    terminal.type("d")
    try terminal.awaitScreen("the refusal") { $0.text.contains("cannot dismiss 'tea'") }
    terminal.type("ebogus\r")
    // The input stays, so that the user can correct it.
    try terminal.awaitScreen("what is wrong") { screen in
      screen.lines[14].contains("expected a number at 1")
        && screen.lines[15] == " extend tea by: bogus"
    }
    terminal.type("\u{1B}[H\u{1B}[3~\u{1B}[3~\u{1B}[3~\u{1B}[3~\u{1B}[3~1h\r")
    try terminal.awaitScreen("the hour") { $0.text.contains("01:0") }
    terminal.type("ntea")
    try terminal.awaitScreen("what was typed") { $0.text.contains("start: tea") }
    terminal.type("\u{1B}")
    try terminal.awaitScreen("the keys") { $0.text.contains("q quit") }
    #expect(try client.timer(.get(name: "tea")).state == .running)
  }

  @Test(arguments: [
    ("nsoup 5M", "5M is months; for minutes write 5min, for months 5month", " start: soup 5M"),
    ("nalarm x 9h", "alarm x in 9h (from now)", " start: alarm x 9h"),
    ("nalarm 12/10 9:00", "10 Dec 9:00 (month first)", " start: alarm 12/10 9:00"),
    ("nalarm in 90", "alarm in 90s (seconds)", " start: alarm in 90"),
    ("e5M", "5M is months; for minutes write 5min, for months 5month", " extend tea by: 5M"),
  ])
  func `If two readings are possible, both stand above the line, and the screen stays`(
    typed: String, sentence: String, line: String
  ) throws {
    try client.start("tea", usec: hour)
    let terminal = try watch(width: 140)
    try terminal.awaitScreen("tea") { $0.text.contains("1 running") }
    terminal.type(typed + "\r")
    let screen = try terminal.awaitScreen("both readings") { $0.text.contains(sentence) }
    #expect(screen.lines[15] == line && screen.lines[0].hasPrefix(" nightjar"))
    #expect(!screen.text.contains("[y/N]") && !screen.text.contains("number?"))
    terminal.type("\u{1B}")
    try terminal.awaitScreen("the keys") { $0.text.contains("q quit") }
    terminal.type("q")
    #expect(try terminal.process.changes.next("its end") { $0.isEnd } == .exited(0))
  }

  @Test func `Bands colour their timer, and NO_COLOR removes the colours`() throws {
    var tea = Wire.Start(name: "tea", .countdown(.seconds(230)))
    tea.bands = [Wire.Band("warn", remaining: .seconds(300), color: "#ff8800", text: "Hurry")]
    _ = try client.timer(.start(tea))
    let terminal = try watch(environment: ["COLORTERM": "truecolor"])
    let screen = try terminal.awaitScreen("the band") { $0.text.contains("Hurry") }
    #expect(screen.style(of: "00:03:") == "7;38;2;255;136;0")
    let plain = try watch(environment: ["NO_COLOR": "1"])
    let without = try plain.awaitScreen("the band") { $0.text.contains("Hurry") }
    #expect(without.style(of: "00:03:") == "7")
  }

  @Test func `The screen is drawn anew when the terminal changes its size, down to very little`()
    throws
  {
    for name in ["a", "b", "c", "d", "e", "f"] { try client.start(name, usec: hour) }
    let terminal = try watch(width: 100, height: 20)
    try terminal.awaitScreen("the long bar") { $0.text.contains("rings at") }
    terminal.resize(width: 40, height: 6)
    let small = try terminal.awaitScreen("the small screen") { screen in
      screen.lines[0].hasSuffix("6 running") && screen.lines[5].contains("pause")
    }
    #expect(small.lines.allSatisfy { $0.count <= 40 } && small.lines[2].hasPrefix("› a"))
    // There is room for three lines, and the selected one is among them.
    terminal.type("jjjjj")
    try terminal.awaitScreen("the last") { $0.text.contains("› f") }
    terminal.resize(width: 9, height: 1)
    try terminal.awaitScreen("the last line") { $0.lines.count == 1 && $0.lines[0] != "" }
    terminal.resize(width: 80, height: 16)
    try terminal.awaitScreen("all of it again") { $0.text.contains("› f") }
  }

  @Test func `Wide and combined characters leave the columns where they are`() throws {
    for name in ["日本語", "cafe\u{301}", "plain", "rtl \u{202E}abc"] {
      try client.start(name, usec: hour)
      _ = try client.timer(.perform(.pause, name: name))
    }
    let terminal = try watch()
    let screen = try terminal.awaitScreen("all four") { $0.text.contains("4 paused") }
    #expect(screen.unknown == [])
    let bars = screen.lines.filter { $0.contains("─") }
    #expect(bars.count == 4 && bars.allSatisfy { $0.hasSuffix("01:00:00    paused") })
    // Escaped characters take more columns.
    let places = bars.filter { $0.contains("plain") || $0.contains("rtl") }.map { line in
      line.prefix { $0 != "─" }.count
    }
    #expect(places.count == 2 && Set(places).count == 1, "\(bars)")
  }

  // MARK: Leaving

  @Test(arguments: ["q", "\u{3}", "SIGTERM", "SIGHUP", "SIGKILL"])
  func `The screen leaves the terminal as it found it`(how: String) throws {
    try client.start("tea", usec: hour)
    let terminal = try watch()
    let before = terminal.firstSettings
    try terminal.awaitScreen("tea") { $0.text.contains("1 running") }
    #expect(terminal.settings != before, "it has to have settings of its own to restore others")
    let end: ChildProcess.Change
    switch how {
    case "SIGTERM":
      terminal.process.signal(SIGTERM)
      end = .killed(SIGTERM)
    case "SIGHUP":
      terminal.process.signal(SIGHUP)
      end = .killed(SIGHUP)
    case "SIGKILL":
      terminal.process.signal(SIGKILL)
      end = .killed(SIGKILL)
    default:
      terminal.type(how)
      end = how == "q" ? .exited(0) : .killed(SIGINT)
    }
    #expect(try terminal.process.changes.next("its end") { $0.isEnd } == end)
    let screen = try terminal.awaitScreen("the screen that was there") { !$0.isAlternate }
    #expect(screen.isCursorShown && screen.wraps)
    #expect(!screen.sendsButtons && !screen.sendsSequences)
    // The guard process restores the terminal after it has written to it.
    let bound = Date(timeIntervalSinceNow: 10)
    while terminal.settings != before, Date() < bound { sched_yield() }
    #expect(terminal.settings == before)
  }

  @Test func `With too few descriptors for a screen, the program says so in a sentence`() throws {
    let nightjar = try Binaries.nightjar()
    // One descriptor more each time: the number that is open before the screen starts does not
    // matter.
    var said: [String] = []
    for limit in 4...64 {
      let script = "ulimit -n \(limit); \(nightjar) watch; echo ended $?"
      let screen = try terminal(["sh", "-c", script]).awaitScreen("a screen, or an end") {
        $0.isAlternate || $0.text.contains("ended ")
      }
      guard !screen.isAlternate else { break }
      said = screen.lines.filter { $0 != "" }
    }
    // What it was that was too few by one.
    let sentence = "nightjar: the screen cannot receive signals: Too many open files"
    #expect(said == [sentence, "ended 1"])
  }

  @Test func `Ctrl-Z gives the terminal back to the shell, and fg takes it again`() throws {
    try client.start("tea", usec: hour)
    let script = "\(try Binaries.nightjar()) watch; echo stopped; read line; fg; echo ended $?"
    let terminal = try terminal(["sh", "-m", "-c", script])
    try terminal.awaitScreen("tea") { $0.text.contains("1 running") }
    terminal.type("\u{1A}")
    try terminal.awaitScreen("the shell's word") { !$0.isAlternate && $0.text.contains("stopped") }
    terminal.type("typed\r")
    let screen = try terminal.awaitScreen("tea again") {
      $0.isAlternate && $0.text.contains("1 running")
    }
    #expect(!screen.isCursorShown)
    terminal.type("q")
    let last = try terminal.awaitScreen("the shell's last word") { $0.text.contains("ended 0") }
    #expect(last.text.contains("typed"), "the shell's line was echoed")
  }

  @Test func `The screen says that the daemon is gone, waits for it, and continues`() throws {
    try client.start("tea", usec: hour)
    let terminal = try watch()
    try terminal.awaitScreen("tea") { $0.text.contains("1 running") }
    daemon.process.kill()
    try terminal.awaitScreen("that it is away") { $0.text.contains("the daemon is away") }
    #expect(terminal.shown.text.contains("tea"))
    terminal.type("+")
    try terminal.awaitScreen("that a key does nothing") { $0.text.contains("no daemon") }
    let next = try rig.daemon()
    try terminal.awaitScreen("that it is back, and the keys do something again") {
      $0.text.contains("1 running") && $0.text.contains("q quit")
    }
    try next.connect().start("egg", usec: hour)
    try terminal.awaitScreen("both") { $0.text.contains("2 running") }
  }

  @Test func `The screen says that the daemon is stopped, and keys do not block`() throws {
    try client.start("work", usec: hour, clock: .awake)
    let terminal = try watch()
    try terminal.awaitScreen("work") { $0.text.contains("1 running") }
    try daemon.stop()
    let stopped = try terminal.awaitScreen("that it is stopped") {
      $0.text.contains("in the background: the daemon was stopped")
    }
    terminal.type("+++")
    try terminal.awaitScreen("what to do") { $0.text.contains("kill -CONT") }
    daemon.process.signal(SIGCONT)
    try terminal.awaitScreen("that it runs, and keys do something again") {
      $0.text.contains("1 running") && $0.text.contains("q quit")
    }
    #expect(stopped.text.contains("work"))
    // No key was stored for later.
    #expect(try client.get("work").durationUsec == hour)
  }
}

extension TerminalScreen {
  /// Whether the selected line is that of `name` and shows `state`. A key acts on what the line
  /// shows, so a test awaits the line; the messages below it may appear earlier.
  fileprivate func selects(_ name: String, _ state: String) -> Bool {
    lines.contains { $0.hasPrefix("› \(name) ") && $0.contains("  \(state)") }
  }
}
