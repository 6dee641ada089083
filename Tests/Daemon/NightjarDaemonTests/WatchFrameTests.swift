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
}
