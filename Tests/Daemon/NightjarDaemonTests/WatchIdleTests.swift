import Glibc
import NightjarClient
import NightjarTestSupport
import Testing

/// How often `nightjar watch` and the daemon wake up: only when the screen changes.
@Suite(.blocking, .timed) struct WatchIdleTests {
  /// How many changes the test measures. A program that polls ten times a second wakes ten times
  /// for each.
  private static let changes = 8
  /// A process may be measured before or after it waits again, and its last output may not have
  /// arrived.
  private static let spare: Int64 = 4

  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func bar(_ format: String) throws -> ChildProcess {
    try rig.start(
      [try Binaries.nightjar(), "watch", "--format", format], environment: daemon.clientEnvironment)
  }

  /// A terminal of 24 lines has boxes, and a line about the next ring.
  private func screen(height: Int) throws -> TerminalProcess {
    try daemon.terminal(["watch"], of: rig, height: height)
  }

  private func wakeUps(_ process: ChildProcess) throws -> Int64 {
    try process.waits.values.reduce(0, +)
  }

  @Test func `While nothing changes, neither a screen nor a bar nor the daemon wakes`() throws {
    try client.start("tea", usec: hour)
    _ = try client.timer(.perform(.pause, name: "tea"))
    let (screens, bar) = (try [16, 24].map(screen), try bar("plain"))
    for screen in screens {
      try screen.awaitScreen("tea") { $0.text.contains("1 paused") && $0.text.contains("tea ") }
    }
    try bar.lines.next("tea") { $0 == "tea 01:00:00 paused" }
    // The timer of another daemon shows that time passes, so that the test does not sleep.
    let other = try rig.daemon {
      $0.stateFolder += "-other"
      $0.socketPath += "-other"
    }
    let clock = try other.connect()
    // The daemon's status line comes within a second of a change, and is the last effect of it.
    try clock.start("measure", usec: 3 * second)
    _ = try other.events(after: 0).event { $0.type == .rang }
    let processes = screens.map(\.process) + [bar, daemon.process]
    let before = try processes.map(wakeUps)
    try clock.start("measure2", usec: 3 * second)
    _ = try other.events(after: 0).event { $0.type == .rang && $0.name == "measure2" }
    let after = try processes.map(wakeUps)
    #expect(after == before)
  }

  @Test func `While a timer runs, a bar wakes up once per line, and the daemon never`() throws {
    try client.start("tea", usec: hour)
    let formats = ["plain", "json", "waybar", "polybar", "i3blocks", "i3status-rs", "tmux"]
    let bars = try formats.map(bar)
    try daemon.notifications.next("the status line") { $0.contains("1 running") }
    // Each bar has begun, and the daemon is idle.
    for _ in 1...2 {
      for bar in bars { try bar.lines.next("a line") }
    }
    let daemonBefore = try wakeUps(daemon.process)
    let before = try bars.map { (lines: $0.lines.all.count, wakeUps: try wakeUps($0)) }
    for bar in bars {
      for _ in 1...Self.changes { try bar.lines.next("a line") }
    }
    for (index, bar) in bars.enumerated() {
      let wakeUps = try wakeUps(bar) - before[index].wakeUps
      let lines = bar.lines.all.count - before[index].lines
      print("\(formats[index]): \(wakeUps) wake-ups for \(lines) lines")
      // Zero would mean that nothing was counted.
      #expect(wakeUps > 0 && wakeUps <= Int64(lines) + Self.spare, "\(formats[index])")
    }
    let ofDaemon = try wakeUps(daemon.process) - daemonBefore
    print("the daemon: \(ofDaemon) wake-ups")
    #expect(ofDaemon <= 2)
  }

  @Test(arguments: [16, 24])
  func `While a timer runs, a screen wakes up once per second, and the daemon never`(
    height: Int
  ) throws {
    try client.start("tea", usec: hour)
    // A single timer would have no line in a list.
    try client.start("nap", usec: hour)
    _ = try client.timer(.perform(.pause, name: "nap"))
    let screen = try screen(height: height)
    try daemon.notifications.next("the status line") { $0.contains("1 running") }
    func awaitClock(where isThere: (Int64) -> Bool) throws -> Int64 {
      var seconds: Int64 = 0
      try screen.awaitScreen("the clock") {
        guard let shown = Self.clock(on: $0) else { return false }
        seconds = shown
        return isThere(shown)
      }
      return seconds
    }
    // The screen has begun, and the daemon is idle.
    let from = try awaitClock { $0 < 3_598 }
    let daemonBefore = try wakeUps(daemon.process)
    let before = try wakeUps(screen.process)
    _ = try awaitClock { $0 <= from - Int64(Self.changes) }
    let wakeUps = try wakeUps(screen.process) - before
    let ofDaemon = try self.wakeUps(daemon.process) - daemonBefore
    let seconds = from - (try awaitClock { _ in true })
    print("screen: \(wakeUps) wake-ups for \(seconds) seconds; the daemon: \(ofDaemon)")
    // Zero would mean that nothing was counted.
    #expect(wakeUps > 0 && wakeUps <= seconds + Self.spare)
    #expect(ofDaemon <= 2)
  }

  /// Two hundred timers change at two hundred moments of each second, and forty of them are
  /// visible. Busy programs delay both screens.
  @Test
  func
    `A screen of 200 timers draws 12 times a second at most, and costs little more than one of 5`()
    async throws
  {
    let calls = (0..<200).map { number -> Call in
      let usec = hour + Int64(number) * 17_137_911
      var timer = Wire.Start(
        name: number < 5 ? "few/\(number)" : "many/\(number)", .countdown(.microseconds(usec)))
      timer.bands = [Wire.Band("half", remaining: .microseconds(usec / 2), color: "yellow")]
      return .start(timer)
    }
    for result in try client.callAll(calls) { _ = try result.get() }
    let screens = try [["watch", "few/…"], ["watch"]].map {
      try daemon.terminal($0, of: rig, width: 200, height: 60)
    }
    try screens[0].awaitScreen("five timers") { $0.text.contains("5 running") }
    try screens[1].awaitScreen("all timers") { $0.text.contains("200 running") }
    let begunUsec = Now.boottimeUsec
    let before = try screens.map { try (wakeUps($0.process), $0.process.processorTime.runUsec) }
    await elapse(seconds: 8)
    let after = try screens.map { try (wakeUps($0.process), $0.process.processorTime.runUsec) }
    let seconds = Double(Now.boottimeUsec - begunUsec) / Double(second)
    let draws = zip(before, after).map { Double($1.0 - $0.0) / seconds }
    let loads = zip(before, after).map { Double($1.1 - $0.1) / seconds / 1e4 }
    print("screens of 5 and 200 timers: \(draws) wake-ups a second, \(loads) % of a processor")
    #expect(draws[1] < 12)
    // The screen with more timers also has more lines.
    #expect(loads[0] > 0 && loads[1] < 8 * loads[0])
  }

  /// The seconds that the line of `tea` shows.
  private static func clock(on screen: TerminalScreen) -> Int64? {
    let lines = screen.lines.filter { $0.contains("tea ") }
    return lines.lazy.flatMap { $0.split(separator: " ") }.compactMap { word -> Int64? in
      let parts = word.split(separator: ":").compactMap { Int64($0) }
      return parts.count == 3 ? (parts[0] * 60 + parts[1]) * 60 + parts[2] : nil
    }.first
  }
}
