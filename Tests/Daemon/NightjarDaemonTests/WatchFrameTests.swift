import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// `nightjar watch` on a terminal with room for boxes, with a real daemon.
@Suite(.blocking) struct WatchFrameTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func watch(width: Int = 80, height: Int = 24) throws -> TerminalProcess {
    try TerminalProcess(
      [try Binaries.nightjar(), "watch"], of: rig, environment: daemon.clientEnvironment,
      width: width, height: height)
  }

  /// Starts three timers that stand still, in this order: a, b, c.
  private func startThree() throws {
    for (name, minutes) in [("a", 1), ("b", 2), ("c", 3)] {
      try client.start(name, usec: Int64(minutes) * hour)
      _ = try client.timer(.perform(.pause, name: name))
    }
  }

  @Test func `The selected timer has a box with its story, and the others a list`() throws {
    try startThree()
    let terminal = try watch()
    let first = try terminal.awaitScreen("the first, and its story") { screen in
      screen.lines[1].hasPrefix("╭─ a ─") && screen.text.contains("  paused, 01:00:00 left")
    }
    #expect(first.lines[1].hasSuffix(" paused ─╮") && first.text.contains("│ › a"))
    #expect(first.unknown == [])
    terminal.type("j")
    try terminal.awaitScreen("the second, and its story") { screen in
      screen.lines[1].hasPrefix("╭─ b ─") && screen.text.contains("  paused, 02:00:00 left")
    }
    // A change by another client is shown at once.
    _ = try client.timer(.perform(.resume, name: "b"))
    try terminal.awaitScreen("that it is resumed") { $0.text.contains("  resumed") }
  }

  @Test func `Enter shows all about a timer, its keys work there, and Esc leads back`() throws {
    var tea = Wire.Start(name: "tea", .countdown(.seconds(3_600)))
    tea.labels = ["kind": "green"]
    _ = try client.timer(.start(tea))
    _ = try client.timer(.perform(.pause, name: "tea"))
    let terminal = try watch()
    try terminal.awaitScreen("tea") { $0.text.contains("1 paused") }
    terminal.type("\r")
    try terminal.awaitScreen("the details") { screen in
      screen.text.contains("Labels:  kind=green") && screen.text.contains("what happened to it")
    }
    terminal.type(" ")
    try terminal.awaitScreen("that it runs") { $0.text.contains("  resumed") }
    terminal.type("\u{1B}")
    try terminal.awaitScreen("the list of keys") { screen in
      !screen.text.contains("Labels:") && screen.text.contains("e extend")
    }
    terminal.type("?")
    try terminal.awaitScreen("the keys") { $0.text.contains("snooze a ring") }
    terminal.type("\u{1B}[F")
    try terminal.awaitScreen("the last of them") { $0.text.contains("discard the text") }
    terminal.type("x")
    try terminal.awaitScreen("that they are gone") { $0.text.contains("q quit") }
  }

  @Test
  func
    `A click selects a timer and a second shows all about it, and the wheel moves the selection`()
    throws
  {
    try startThree()
    let terminal = try watch()
    let screen = try terminal.awaitScreen("the list") { $0.text.contains("│   c ") }
    let line = try #require(screen.lines.firstIndex { $0.hasPrefix("│   c ") })
    let click = "\u{1B}[<0;6;\(line + 1)M\u{1B}[<0;6;\(line + 1)m"
    terminal.type(click)
    try terminal.awaitScreen("that it is selected") { $0.lines[1].hasPrefix("╭─ c ─") }
    terminal.type("\u{1B}[<64;6;9M")
    try terminal.awaitScreen("the one above") { $0.lines[1].hasPrefix("╭─ b ─") }
    terminal.type("\u{1B}[<65;6;9M" + click)
    try terminal.awaitScreen("all about it") { $0.text.contains("╭─ details ─") }
  }

  @Test func `The filter applies while it is typed, and Esc shows all again`() throws {
    try startThree()
    try client.start("bread", usec: hour)
    let terminal = try watch()
    try terminal.awaitScreen("all four") { $0.text.contains("1 running, 3 paused") }
    terminal.type("/B")
    try terminal.awaitScreen("those with a b") { $0.text.contains("/2 of 4 ─╮") }
    terminal.type("r\r")
    try terminal.awaitScreen("bread alone") { screen in
      screen.text.contains("1/1 of 4 ─╮") && screen.text.contains("esc all timers")
    }
    terminal.type("\u{1B}")
    try terminal.awaitScreen("all of them") { $0.text.contains("│   a ") }
  }

  @Test func `The input line takes the options of start, and mistakes in it can be corrected`()
    throws
  {
    let terminal = try watch()
    try terminal.awaitScreen("the screen") { $0.text.contains("No timers") }
    terminal.type("ntea 4mni --label kind=green --exec '/bin/true \"a b\"'\r")
    try terminal.awaitScreen("what is wrong") { screen in
      screen.text.contains("unknown unit 'mni'") && screen.text.contains("start: tea 4mni --label")
    }
    #expect(try client.refusal(of: .get(name: "tea")) == .timerNotFound(name: "tea"))
    terminal.type("\u{15}tea 4min --label kind=green --exec '/bin/true \"a b\"'\r")
    try terminal.awaitScreen("that it runs") { $0.text.contains("1 running") }
    let timer = try client.call(.get(name: "tea"))["timer"]
    #expect(timer?["labels"] == ["kind": "green"])
    #expect(timer?["ring"]?["exec"] == ["/bin/true", "a b"])
    // The same input is refused again, and stays.
    terminal.type("n\u{1B}[A\r")
    try terminal.awaitScreen("the refusal") { screen in
      screen.text.contains("use nightjar restart tea") && screen.text.contains("start: tea 4min")
    }
    terminal.type("\u{15}alarm up 2040-01-01 7:00\r")
    try terminal.awaitScreen("both") { $0.text.contains("2 running") }
    #expect(try client.timer(.get(name: "up")).kind == .alarm)
  }
}
