import CLinux
import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// `nightjar watch --format` with a real daemon: a line whenever the bar's text changes.
@Suite(.blocking) struct BarTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
    client = try daemon.connect()
  }

  private func bar(_ arguments: String...) throws -> ChildProcess {
    try rig.start(
      [try Binaries.nightjar(), "watch", "--format"] + arguments,
      environment: daemon.clientEnvironment)
  }

  @Test func `A bar has a new line at each shown second, and at each change of state`() throws {
    let bar = try bar("plain")
    try bar.lines.next("that there is nothing") { $0 == "" }
    try client.start("tea", usec: 3 * second)
    try bar.lines.next("that it rang") { $0 == "tea rang" }
    // The bar may show zero for a moment, before the daemon reports the ring.
    let lines = bar.lines.all.filter { $0 != "tea 00:00" }
    #expect(lines == ["", "tea 00:03", "tea 00:02", "tea 00:01", "tea rang"])
    _ = try client.timer(.perform(.dismiss, name: "tea"))
    try bar.lines.next("that there is nothing") { $0 == "" }
  }

  @Test func `Two bars show the same second at the same moments`() throws {
    try client.start("tea", usec: 10 * second + 950 * millisecond)
    let first = try bar("plain", "tea")
    try first.lines.next("a second") { $0 == "tea 00:09" }
    // A second bar that starts within a second shows the same as the first, from its first line on.
    let other = try bar("plain", "tea")
    for expected in ["tea 00:08", "tea 00:07", "tea 00:06"] {
      let line = try first.lines.next("the next second")
      #expect(line == expected)
      try other.lines.next("the same on the other") { $0 == line }
    }
    #expect(first.lines.all.starts(with: ["tea 00:11", "tea 00:10", "tea 00:09", "tea 00:08"]))
  }

  @Test func `A bar for one timer shows no other, even after that timer is started anew`() throws {
    try client.start("tea/green", usec: hour)
    let bar = try bar("plain", "tea")
    try bar.lines.next("that there is nothing") { $0 == "" }
    try client.start("tea", usec: hour)
    try bar.lines.next("tea") { $0.hasPrefix("tea ") }
    _ = try client.timer(.perform(.remove, name: "tea"))
    try bar.lines.next("that there is nothing") { $0 == "" }
    try client.start("tea", usec: 2 * hour)
    try bar.lines.next("tea again") { $0.hasPrefix("tea 0") }
  }

  @Test func `Each bar has its own format`() throws {
    var tea = Wire.Start(name: "tea & <milk>", .countdown(.seconds(3_600)))
    tea.bands = [
      Wire.Band("soon", remaining: .seconds(7_200), color: "orange", text: "50% #1 %{F}"),
      Wire.Band("last", remaining: .seconds(60), color: "red"),
    ]
    _ = try client.timer(.start(tea))
    _ = try client.timer(.perform(.pause, name: "tea & <milk>"))
    try client.start("egg", usec: hour / 2)
    _ = try client.timer(.perform(.pause, name: "egg"))
    func first(_ format: String, _ name: String...) throws -> String {
      let bar = try rig.start(
        [try Binaries.nightjar(), "watch", "--format", format] + name,
        environment: daemon.clientEnvironment)
      defer { bar.kill() }
      return try bar.lines.next("a line of \(format)")
    }
    let name = "tea & <milk>"
    #expect(try first("plain") == "egg 30:00 paused (+1)")
    #expect(try first("plain", name) == "tea & <milk> 01:00:00 paused")
    #expect(try first("polybar", name) == "%{F#ffa500}tea & <milk> 01:00:00 paused%{F-}")
    #expect(try first("tmux", name) == "#[fg=#ffa500]tea & <milk> 01:00:00 paused#[default]")
    #expect(
      try JSONValue.parse(try first("waybar", name)) == [
        "text": "tea &amp; &lt;milk&gt; 01:00:00 paused", "alt": "paused",
        "tooltip": "tea &amp; &lt;milk&gt; 01:00:00 paused", "class": ["paused", "soon"],
        "percentage": 0,
      ])
    #expect(
      try JSONValue.parse(try first("i3blocks", name)) == [
        "full_text": "tea & <milk> 01:00:00 paused", "short_text": "01:00:00", "color": "#ffa500",
      ])
    #expect(
      try JSONValue.parse(try first("i3status-rs", name)) == [
        "text": "tea &amp; &lt;milk&gt; 01:00:00 paused", "short_text": "01:00:00",
        "state": "Info",
      ])
    let json = try JSONValue.parse(try first("json"))
    #expect(json["text"] == "egg 30:00 paused (+1)")
    #expect(json["timers"]?.arrayValue?.map { $0["name"] } == ["egg", .string(name)])
    #expect(json["timers"]?.arrayValue?.last?["color"] == "orange")
  }

  @Test
  func
    `A timer that expired without a ring does not look like one that rings, and others come first`()
    throws
  {
    let at = Now.realtimeUsec + hour
    var egg = Wire.Start(name: "egg", .alarm(at: WallTime(usec: at)))
    egg.late = .skip
    _ = try client.timer(.start(egg))
    try daemon.crash()
    let again = try rig.daemon {
      try $0.fakeWallClock(seconds: 0)
      try $0.pretendSleep(seconds: 2 * 3600)
    }
    let bar = try rig.start(
      [try Binaries.nightjar(), "watch", "--format", "waybar"],
      environment: again.clientEnvironment)
    let waybar = try JSONValue.parse(
      try bar.lines.next("that it was due") { $0.contains("did not ring") })
    #expect(waybar["text"] == "egg did not ring" && waybar["alt"] == "over")
    #expect(waybar["class"] == ["over"])
    try again.connect().start("tea", usec: hour)
    let line = try bar.lines.next("the one that runs") { $0.contains("tea") }
    #expect(try JSONValue.parse(line)["alt"] == "running")
  }

  @Test func `The tooltip tells of a ring that waits for an answer while its timer runs on`() throws
  {
    _ = try client.timer(.start(Wire.Start(name: "r", .repeating(.seconds(1), rounds: 0))))
    try client.start("tea", usec: hour)
    let line = try bar("waybar").lines.next("the ring") { $0.contains("unanswered\\n") }
    let tooltip = try JSONValue.parse(line)["tooltip"]?.stringValue?.split(separator: "\n")
    #expect(tooltip?.first?.hasPrefix("r 00:0") == true, "\(line)")
    #expect(tooltip?.first?.hasSuffix(", a ring is unanswered") == true, "\(line)")
    #expect(tooltip?.last?.contains("unanswered") == false, "\(line)")
  }

  @Test func `A ring is in colour in each bar, also without a band`() throws {
    let name = "egg & co"
    _ = try client.timer(.start(Wire.Start(name: name, .countdown(.microseconds(1)))))
    func line(_ format: String) throws -> String {
      let bar = try bar(format)
      defer { bar.kill() }
      return try bar.lines.next("the ring in \(format)") { $0.contains("rang") }
    }
    let red = "#ff5f5f"
    #expect(try line("polybar") == "%{F\(red)}egg & co rang%{F-}")
    #expect(try line("tmux") == "#[fg=\(red)]egg & co rang#[default]")
    let waybar = try JSONValue.parse(try line("waybar"))
    #expect(waybar["text"] == .string("<span color=\"\(red)\">egg &amp; co rang</span>"))
    #expect(waybar["class"] == ["ringing"])
    // i3blocks 1.4 ignores a boolean.
    #expect(
      try JSONValue.parse(try line("i3blocks")) == [
        "full_text": "egg & co rang", "short_text": "00:00", "color": .string(red),
        "urgent": "true",
      ])
    #expect(try JSONValue.parse(try line("i3status-rs"))["state"] == "Critical")
  }

  @Test func `A template has the fields of the bar, and a timer's texts are no markup in it`()
    throws
  {
    try client.start("tea & <milk>", usec: hour)
    _ = try client.timer(.perform(.pause, name: "tea & <milk>"))
    func line(_ format: String, _ template: String) throws -> String {
      let bar = try bar(format, "--template", template)
      defer { bar.kill() }
      return try bar.lines.next("a line of \(format)")
    }
    #expect(try line("plain", "{name}: {remaining}") == "tea & <milk>: 01:00:00")
    let waybar = try JSONValue.parse(try line("waybar", "<b>{name}</b> {state}"))
    #expect(waybar["text"] == "<b>tea &amp; &lt;milk&gt;</b> paused")
    #expect(try line("tmux", "#[bold]{name}") == "#[bold]tea & <milk>")
    #expect(try JSONValue.parse(try line("json", "{percent} %"))["text"] == "0 %")
  }

  @Test func `Characters that a bar would take for markup are removed from names and texts`() throws
  {
    var tea = Wire.Start(name: "#[fg=red]%{F#f00}", .countdown(.seconds(3_600)))
    tea.bands = [Wire.Band("soon", remaining: .seconds(7_200), text: "50% #1 %{F}")]
    _ = try client.timer(.start(tea))
    let tmux = try bar("tmux").lines.next("tmux's line")
    #expect(tmux.hasPrefix("##[fg=red]%{F##f00} 0") && tmux.contains(" 50% ##1 %{F}"), "\(tmux)")
    let polybar = try bar("polybar").lines.next("polybar's line")
    #expect(
      polybar.hasPrefix("#[fg=red]% {F#f00} 0") && polybar.contains(" 50% #1 % {F}"), "\(polybar)")
  }

  @Test func `A watch ends when its bar is gone, even if there is nothing to print`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(nj_pipe(&ends) == 0)
    let bar = try rig.start(
      [try Binaries.nightjar(), "watch", "--format", "plain"],
      environment: daemon.clientEnvironment, descriptors: [STDOUT_FILENO: ends[1]])
    close(ends[1])
    var byte: UInt8 = 0
    #expect(read(ends[0], &byte, 1) == 1, "the empty line")
    close(ends[0])
    #expect(try bar.changes.next("its end") { $0.isEnd } == .exited(0))
  }

  @Test func `A closed standard output is an error, and is not confused with another connection`()
    throws
  {
    let bar = try rig.start(
      ["sh", "-c", "exec \(try Binaries.nightjar()) watch --format plain >&-"],
      environment: daemon.clientEnvironment)
    #expect(try bar.awaitEnd() == .exited(1))
    #expect(bar.output.contains("cannot write the result"))
  }

  @Test func `A bar outlives the daemon, and continues with the next`() throws {
    try client.start("tea", usec: hour)
    _ = try client.timer(.perform(.pause, name: "tea"))
    let bar = try bar("plain")
    try bar.lines.next("tea") { $0 == "tea 01:00:00 paused" }
    daemon.process.kill()
    let next = try rig.daemon()
    _ = try next.connect().timer(.perform(.resume, name: "tea"))
    try bar.lines.next("that it runs") { $0 == "tea 01:00:00" || $0 == "tea 59:59" }
  }

  @Test func `A timer on awake time is right again after a span that did not count`() throws {
    try client.start("work", usec: hour, clock: .awake)
    let bar = try bar("plain", "work")
    try bar.lines.next("work") { $0.hasPrefix("work ") }
    let stopped = try client.timer(.get(name: "work")).remainingUsec
    try daemon.stop()
    // The timer of another daemon shows that time passes, while this one stands still on the bar.
    let other = try rig.daemon {
      $0.stateFolder += "-other"
      $0.socketPath += "-other"
    }
    try other.connect().start("clock", usec: 3 * second)
    _ = try other.events(after: 0).event { $0.type == .rang }
    #expect(bar.lines.all.count <= 2)
    daemon.process.signal(SIGCONT)
    let shown = (stopped + second - 1) / second
    try bar.lines.next("what was left when it was stopped, or a second less") { line in
      [shown, shown - 1].contains { line == "work \(Self.clock($0))" }
    }
  }

  private static func clock(_ seconds: Int64) -> String {
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return (seconds >= 3_600 ? "\(two(seconds / 3_600)):" : "")
      + "\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}
