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

  private func watch(width: Int = 80, height: Int = 16) throws -> TerminalProcess {
    try daemon.terminal(["watch"], of: rig, width: width, height: height)
  }

  @Test func `Keys pause, resume, extend, cancel, restart, remove and start`() throws {
    try client.start("tea", usec: 240 * second)
    let terminal = try watch()
    try terminal.awaitScreen("tea") { $0.text.contains("1 running") }
    try terminal.press(" ", until: "1 paused")
    #expect(try client.get("tea").state == .paused)
    try terminal.press(" ", until: "1 running")
    terminal.type("+")
    try terminal.awaitScreen("a minute more") { screen in
      ["00:04:5", "00:05:00"].contains { screen.text.contains($0) }
    }
    #expect(try client.get("tea").durationUsec == 300 * second)
    try terminal.press("e1h\r", until: "01:04:")
    terminal.type("c")
    try terminal.awaitScreen("that it is cancelled") { $0.selects("tea", "cancelled") }
    try terminal.press("r", until: "1 running")
    try terminal.press("nsoup 3min\r", until: "2 running")
    #expect(try client.get("soup").durationUsec == 180 * second)
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
    try terminal.press("2", until: "there is 1 preset")
    terminal.type("1")
    let screen = try terminal.awaitScreen("the preset") {
      $0.text.contains("1 running") && $0.lines[23].contains("space pause")
    }
    let column = try #require(screen.lines[23].components(separatedBy: "space").first).count + 1
    try terminal.press("\u{1B}[<0;\(column);24M", until: "1 paused")
    #expect(try client.get("pomodoro").state == .paused)
    terminal.type("z")
    let clock = try terminal.awaitScreen("the clock alone") { !$0.text.contains("timers") }
    #expect(clock.text.contains("pomodoro") && clock.text.contains("████"))
    try terminal.press("z", until: "space resume")
  }

  @Test func `Enter shows all about a timer, its keys work there, and Esc leads back`() throws {
    var tea = Wire.Start(name: "tea", .countdown(.seconds(3_600)))
    tea.labels = ["kind": "green"]
    _ = try client.timer(.start(tea))
    _ = try client.timer(.perform(.pause, name: "tea"))
    let terminal = try watch(height: 24)
    try terminal.awaitScreen("tea") { $0.text.contains("1 paused") }
    try terminal.press("\r", until: "Labels:  kind=green", "what happened to it")
    try terminal.press(" ", until: "  resumed")
    terminal.type("\u{1B}")
    try terminal.awaitScreen("the list of keys") { screen in
      !screen.text.contains("Labels:") && screen.text.contains("e extend")
    }
    try terminal.press("?", until: "snooze a ring")
    try terminal.press("\u{1B}[F", until: "discard the text")
    try terminal.press("x", until: "q quit")
  }

  @Test func `A click or the wheel selects a timer, and a second click shows it`() throws {
    for (name, hours) in [("a", 1), ("b", 2), ("c", 3)] as [(String, Int64)] {
      try client.start(name, usec: hours * hour)
      _ = try client.timer(.perform(.pause, name: name))
    }
    let terminal = try watch(height: 24)
    let screen = try terminal.awaitScreen("the list") { $0.text.contains("│   c ") }
    let line = try #require(screen.lines.firstIndex { $0.hasPrefix("│   c ") })
    let click = "\u{1B}[<0;6;\(line + 1)M\u{1B}[<0;6;\(line + 1)m"
    terminal.type(click)
    try terminal.awaitScreen("that it is selected") { $0.lines[1].hasPrefix("╭─ c ─") }
    terminal.type("\u{1B}[<64;6;9M")
    try terminal.awaitScreen("the one above") { $0.lines[1].hasPrefix("╭─ b ─") }
    try terminal.press("\u{1B}[<65;6;9M" + click, until: "╭─ details ─")
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
    try terminal.press("", until: "1 ringing", "egg: the snooze is over, and it rang")
    try terminal.press("d", until: "No timers", "egg: dismissed")
  }

  @Test func `The screen is drawn anew for each size, down to very little`() throws {
    for name in ["a", "b", "c", "d", "e", "f"] { try client.start(name, usec: hour) }
    let terminal = try watch(width: 100, height: 20)
    try terminal.awaitScreen("the long bar") { $0.text.contains("rings at") }
    terminal.resize(width: 40, height: 6)
    let small = try terminal.awaitScreen("the small screen") { screen in
      screen.lines[0].hasSuffix("6 running") && screen.lines[5].contains("pause")
    }
    #expect(small.lines.allSatisfy { $0.count <= 40 } && small.lines[2].hasPrefix("› a"))
    // There is room for three lines, and the selected one is among them.
    try terminal.press("jjjjj", until: "› f")
    terminal.resize(width: 9, height: 1)
    try terminal.awaitScreen("the last line") { $0.lines.count == 1 && $0.lines[0] != "" }
    terminal.resize(width: 80, height: 16)
    try terminal.awaitScreen("all of it again") { $0.text.contains("› f") }
  }

  // MARK: Leaving

  @Test(
    arguments: [
      ("q", .exited(0)), ("\u{3}", .killed(SIGINT)), ("", .killed(SIGTERM)),
      ("", .killed(SIGHUP)), ("", .killed(SIGKILL)),
    ] as [(String, ChildProcess.Change)])
  func `The screen leaves the terminal as it found it`(key: String, end: ChildProcess.Change) throws
  {
    try client.start("tea", usec: hour)
    try client.start("egg", usec: 1)
    let terminal = try watch()
    let before = terminal.firstSettings
    try terminal.awaitScreen("both") { $0.text.contains("1 running") && $0.title == "egg rings" }
    #expect(terminal.settings != before, "it has to have settings of its own to restore others")
    terminal.type(key)
    if key.isEmpty, case .killed(let signal) = end { terminal.process.signal(signal) }
    #expect(try terminal.process.changes.next("its end") { $0.isEnd } == end)
    let screen = try terminal.awaitScreen("the screen and the title that were there") {
      !$0.isAlternate && $0.title == "the terminal's own"
    }
    #expect(screen.isCursorShown && screen.wraps)
    #expect(!screen.sendsButtons && !screen.sendsSequences)
    // The guard process restores the terminal after it has written to it.
    try awaitTrue("the settings are not restored") { terminal.settings == before }
  }

  @Test func `Ctrl-Z gives the terminal back to the shell, and fg takes it again`() throws {
    try client.start("tea", usec: hour)
    let script = "\(try Binaries.nightjar()) watch; echo stopped; read line; fg; echo ended $?"
    let terminal = try TerminalProcess(
      ["sh", "-m", "-c", script], of: rig, environment: daemon.clientEnvironment, height: 16)
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
    try terminal.press("+", until: "no daemon")
    let next = try rig.daemon()
    try terminal.press("", until: "1 running", "q quit")
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
    try terminal.press("+++", until: "kill -CONT")
    daemon.process.signal(SIGCONT)
    try terminal.press("", until: "1 running", "q quit")
    #expect(stopped.text.contains("work"))
    // No key was stored for later.
    #expect(try client.get("work").durationUsec == hour)
  }
}

extension TerminalProcess {
  /// Presses keys, and waits until the screen shows these texts.
  fileprivate func press(_ keys: String, until texts: String...) throws {
    type(keys)
    try awaitScreen("'\(texts)'") { screen in texts.allSatisfy { screen.text.contains($0) } }
  }
}

extension TerminalScreen {
  /// Whether the selected line is that of `name` and shows `state`. A key acts on what the line
  /// shows, so a test awaits the line; the messages below it may appear earlier.
  fileprivate func selects(_ name: String, _ state: String) -> Bool {
    lines.contains { $0.hasPrefix("› \(name) ") && $0.contains("  \(state)") }
  }
}
