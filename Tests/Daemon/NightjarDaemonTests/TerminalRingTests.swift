import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// `nightjar watch` and `nightjar wait` signal a ring to the terminal, and leave the terminal as it
/// was.
@Suite(.blocking) struct TerminalRingTests {
  private static let ownTitle = "the terminal's own"

  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func terminal(
    _ arguments: String..., environment: [String: String] = [:]
  ) throws -> TerminalProcess {
    try daemon.terminal(arguments, of: rig, environment: environment)
  }

  /// Starts a timer that rings when it is extended by minus its length, and not before.
  private func start(_ name: String, message: String? = nil, isSilent: Bool = false) throws {
    var timer = Wire.Start(name: name, .countdown(.seconds(200)))
    var ring = Wire.Ring()
    ring.silent = true
    (timer.message, timer.ring) = (message, isSilent ? ring : nil)
    _ = try client.timer(.start(timer))
  }

  private func ring(_ name: String) throws {
    _ = try client.timer(.extend(name: name, byUsec: -300 * second))
  }

  // MARK: wait

  @Test func `wait counts down in one line, rings, and says in its place what rang`() throws {
    try start("tea", message: "Take the bread out")
    let terminal = try terminal("wait", "tea", environment: ["TERM_PROGRAM": "WezTerm"])
    var seen: Set<String> = []
    try terminal.awaitScreen("three seconds of it") { screen in
      seen.insert(screen.lines[0])
      #expect(screen.lines.dropFirst().joined() == "")
      return seen.filter { $0.hasPrefix("tea  03:1") && $0.contains(" left, rings at ") }.count >= 3
    }
    #expect(terminal.shown.title.hasPrefix("tea: rings at "))
    #expect(terminal.shown.bells == 0 && terminal.shown.notifications == [])
    try ring("tea")
    #expect(try terminal.process.awaitExit() == .exited(0))
    // The bell and the title follow the line.
    let screen = try terminal.awaitScreen("what rang, and its own title") {
      $0.lines[0].hasPrefix("tea rang ") && $0.title == Self.ownTitle && $0.bells == 1
    }
    #expect(screen.lines[0].hasSuffix(": Take the bread out"))
    #expect(screen.lines.dropFirst().joined() == "")
    #expect(screen.bells == 1 && screen.notifications == ["9;Timer tea: Take the bread out"])
    #expect(screen.unknown == [])
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `A wait that a signal ends restores the title`(number: Int32) throws {
    try start("tea")
    let terminal = try terminal("wait", "tea")
    try terminal.awaitScreen("its title") { $0.title.hasPrefix("tea: ") }
    if number == SIGINT { terminal.type("\u{3}") } else { terminal.process.signal(number) }
    #expect(try terminal.process.awaitExit() == .killed(number))
    try terminal.awaitScreen("the title that was there") { $0.title == Self.ownTitle }
    #expect(terminal.shown.unknown == [])
  }

  @Test func `With --quiet, in a pipe or on a dumb terminal a wait shows nothing`() throws {
    try start("tea")
    let quiet = try terminal("wait", "tea", "--quiet")
    let dumb = try terminal("wait", "tea", environment: ["TERM": "dumb"])
    let piped = try rig.start(
      [try Binaries.nightjar(), "wait", "tea"],
      environment: daemon.clientEnvironment.merging(["TERM": "xterm-kitty"]) { _, new in new })
    try awaitTrue("three that wait") { try client.status().counts.watchers >= 3 }
    try ring("tea")
    for terminal in [quiet, dumb] { #expect(try terminal.process.awaitExit() == .exited(0)) }
    #expect(try piped.awaitEnd() == .exited(0) && piped.lines.all == [])
    let marks = [quiet, dumb].map(\.shown)
    #expect(marks.allSatisfy { $0.bells == 0 && $0.title == Self.ownTitle && $0.unknown == [] })
    #expect(quiet.shown.lines.joined() == "")
  }

  // MARK: watch

  @Test func `The screen rings, and its title says what rings until that is dismissed`() throws {
    try start("tea")
    try start("egg", message: "Eat; now", isSilent: true)
    let terminal = try terminal("watch", environment: ["VTE_VERSION": "7006"])
    try terminal.awaitScreen("both") { $0.text.contains("2 running") }
    #expect(terminal.shown.title == Self.ownTitle && terminal.shown.bells == 0)
    try ring("tea")
    try terminal.awaitScreen("the title and the bell") { $0.title == "tea rings" && $0.bells == 1 }
    let told = terminal.shown.notifications
    #expect(told.count == 1 && told[0].hasPrefix("777;notify;tea;rang "), "\(told)")
    try ring("egg")
    try terminal.awaitScreen("the latest") {
      $0.title == "egg rings: Eat; now" && $0.notifications.count == 2
    }
    // It makes no sound.
    #expect(
      terminal.shown.bells == 1 && terminal.shown.notifications.last == "777;notify;egg;Eat; now")
    _ = try client.timer(.perform(.dismiss, name: "egg"))
    try terminal.awaitScreen("the other") { $0.title == "tea rings" }
    _ = try client.timer(.perform(.dismiss, name: "tea"))
    try terminal.awaitScreen("its own") { $0.title == Self.ownTitle }
    try start("tea")
    try ring("tea")
    try terminal.awaitScreen("the title") { $0.title == "tea rings" && $0.bells == 2 }
    terminal.type("\u{3}")
    #expect(try terminal.process.awaitExit() == .killed(SIGINT))
    try terminal.awaitScreen("its own") { $0.title == Self.ownTitle && !$0.isAlternate }
    #expect(terminal.shown.unknown == [])
  }
}

extension ChildProcess {
  /// Waits for its end; its output went to a terminal.
  fileprivate func awaitExit() throws -> Change {
    try changes.next("the end of process \(pid)") { $0.isEnd }
  }
}
