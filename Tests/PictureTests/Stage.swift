import Foundation
import NightjarClient
import NightjarTestSupport
import NightjarTesting

/// A machine in simulated time whose screen the pictures show.
///
/// The daemon is that of NightjarTesting. The command is the real program; its clocks stand still
/// at what the daemon's clocks read, so that it shows the same at every run.
class Stage {
  let rig: Rig
  private let daemon: TestDaemon
  private let clockFile: String

  /// - Parameter seconds: the time at the beginning, in seconds since the epoch.
  init(at seconds: Int64) throws {
    rig = try Rig()
    daemon = try TestDaemon(at: WallTime(sinceEpoch: .seconds(seconds)))
    clockFile = "\(rig.path)/clock"
    try setClock()
  }

  func pass(minutes: Int, seconds: Int = 0) throws {
    try daemon.advance(by: .seconds(minutes * 60 + seconds))
    try setClock()
  }

  /// The lid is closed.
  func sleep(minutes: Int) throws {
    try daemon.sleep(for: .seconds(minutes * 60))
    try setClock()
  }

  /// Sets the command's clocks to what the daemon's read.
  private func setClock() throws {
    let connection = try Connection(path: daemon.socketPath)
    let clocks = try Wire.Status.Reply(
      connection.call(.status(), deadline: .after(usec: 90 * second))
    ).clocks
    try "at \(clocks.realtimeUsec) \(clocks.boottimeUsec) \(clocks.monotonicUsec)".write(
      toFile: clockFile, atomically: true, encoding: .utf8)
  }

  func nightjar(_ arguments: String...) throws {
    try rig.tool([try Binaries.nightjar()] + arguments, environment: environment())
  }

  private func environment() throws -> [String: String] {
    [
      "NIGHTJAR_SOCKET": daemon.socketPath, "HOME": "\(rig.path)/home",
      "PATH": "\(Binaries.release):/usr/bin:/bin",
      // A zone without a name: an alarm does not have to say which zone it goes by.
      "TZ": "UTC0", "LANG": "C.UTF-8", "COLORTERM": "truecolor",
    ].merging(try DaemonProcess.fakeClocks(clockFile)) { $1 }
  }

  // MARK: What a terminal shows

  /// `nightjar watch`, when a timer was selected with keys.
  func watch(width: Int, height: Int, keys: String, selecting name: String) throws
    -> [[TerminalScreen.Cell]]
  {
    let terminal = try TerminalProcess(
      [try Binaries.nightjar(), "watch"], of: rig, environment: try environment(), width: width,
      height: height)
    try terminal.awaitScreen("the screen") { $0.lines[1].hasPrefix("╭─ ") }
    terminal.type(keys)
    try terminal.awaitScreen(name) { $0.lines[1].hasPrefix("╭─ \(name) ") }
    // The program draws all of a screen before it reads the next key, so this one is complete.
    terminal.type("q")
    let last = try terminal.awaitScreen("its end") { $0.cellsOfOther != nil }
    guard last.unknown.isEmpty, let cells = last.cellsOfOther else {
      throw Unmet(description: "the tests' terminal does not know \(last.unknown)")
    }
    return cells
  }

  static let prompt = "\u{1B}[32m$\u{1B}[0m "

  /// What a terminal shows when a command was typed at a prompt, and has ended.
  func session(_ command: String, width: Int) throws -> [[TerminalScreen.Cell]] {
    // The title says that all before it has been read.
    let script = "echo '\(Self.prompt)\(command)'; \(command); printf '\\033]2;over\\007'"
    let terminal = try TerminalProcess(
      ["sh", "-c", script], of: rig, environment: try environment(), width: width, height: 60)
    return try terminal.awaitScreen("the end") { $0.title == "over" }.cells
  }

  /// The first line that the command prints for a status bar.
  func barLine(_ format: String) throws -> String {
    let bar = try rig.start(
      [try Binaries.nightjar(), "watch", "--format", format], environment: try environment())
    defer { bar.kill() }
    return try bar.lines.next("a line for \(format)")
  }
}

/// The evening that the pictures show: Tuesday, 24 November 2026, in simulated time.
final class Evening: Stage {
  /// Plays the evening up to 18:58:36.
  init() throws {
    // 17:10:00 UTC.
    try super.init(at: 1_795_540_200)
    try nightjar("start", "laundry", "75min", "--message", "Hang it up to dry")
    try nightjar("alarm", "call", "19:30", "--message", "Ring Ada back")
    try nightjar("alarm", "wake", "weekdays 6:30")
    try pass(minutes: 20)
    try nightjar(
      "start", "oven", "90min", "--message", "Take the bread out", "--band",
      "15min=soon:gold,2min=hurry:red")
    try nightjar("start", "parking", "110min", "--band", "30min=walk back:orange")
    try pass(minutes: 25)
    // The lid is closed from 17:55 to 18:37. The laundry rings when it is opened, 12 minutes late.
    try sleep(minutes: 42)
    try pass(minutes: 3)
    try nightjar("sequence", "pomodoro", "work=25min", "rest=5min", "--loop", "4")
    try nightjar("start", "reading", "30min")
    try pass(minutes: 11)
    try nightjar("pause", "reading")
    try nightjar("stopwatch", "guitar")
    try pass(minutes: 7, seconds: 36)
  }
}
