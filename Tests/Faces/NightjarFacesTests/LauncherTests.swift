import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The launcher on a bus, with a real daemon.
@Suite(.blocking) struct LauncherTests {
  private let run: FaceRun
  private let client: Connection

  init() throws {
    run = try FaceRun()
    client = try run.daemon.connect()
  }

  @Test func `It has the interfaces of GNOME and KRunner, and the bus starts it`() throws {
    #expect(try !run.isOwned(FaceRun.launcher.name))
    let (name, path) = FaceRun.launcher
    #expect(
      try run.members(of: name, path, "org.gnome.Shell.SearchProvider2") == [
        "GetInitialResultSet": "method as as", "GetSubsearchResultSet": "method asas as",
        "GetResultMetas": "method as aa{sv}", "ActivateResult": "method sasu -",
        "LaunchSearch": "method asu -",
      ])
    #expect(
      try run.members(of: name, path, "org.kde.krunner1") == [
        "Match": "method s a(sssida{sv})", "Actions": "method - a(sss)", "Run": "method ss -",
      ])
    #expect(try run.isOwned(name))
    #expect(try run.krunner("Actions") == [[]])
    #expect(try run.launch("LaunchSearch", ["asu", "1", "tea", "0"]) == [])
  }

  @Test func `Words that are a time show when it rings, and Return starts that`() throws {
    let found = try run.gnome("tea 4min")
    try #require(found.count == 1)
    #expect(found[0][0].contains(/^tea: 4 min, rings (at|tomorrow) \d\d:\d\d$/), "\(found)")
    #expect(found[0][1] == "Start this timer")
    #expect(try client.names() == [])
    let id = try #require(run.ids("tea 4min").first)
    #expect(try run.metas(of: [id]).first?["id"]?["data"]?.stringValue == id)
    try run.launch("ActivateResult", ["sasu", id, "2", "tea", "4min", "0"])
    try run.daemon.awaitTimer("tea") { $0.durationUsec == 240 * second && $0.state == .running }
  }

  @Test func `KRunner finds the same, and Run starts it`() throws {
    let match = try #require(try run.krunner("Match", "s", "timer tea 4min")[0].arrayValue?.first)
    let fields = try #require(match.arrayValue)
    try #require(fields.count == 6)
    #expect(fields[1].stringValue?.hasPrefix("tea: 4 min, rings") == true)
    #expect(fields[2...4] == ["nightjar", 100, 1.0])
    #expect(fields[5]["subtext"]?["data"] == "Start this timer")
    #expect(try run.krunner("Run", "ss", try #require(fields[0].stringValue), "") == [])
    try run.daemon.awaitTimer("tea") { $0.state == .running }
  }

  @Test(arguments: [
    ("firefox", 0), ("5", 0), ("tea 5", 0), ("python 3", 0), ("7zip", 0), ("tea", 0), ("", 0),
    ("start", 0), ("\"", 0), ("1password", 0), ("4min", 1), ("pomodoro", 1), ("wake 7:00am", 1),
    ("tea every 10min", 1), ("green tea 4min", 0), ("'green tea' 4min", 1), ("17:30", 2),
    ("area 51", 0), ("windows 11", 0), ("2024", 0), ("gpu-z", 0),
  ])
  func `Only what is clearly a time has results, one for each reading`(
    typed: String, count: Int
  ) throws {
    let found = try run.krunner("Match", "s", typed)[0].arrayValue ?? []
    #expect(found.count == count, "\(found)")
    let relevances: [JSONValue] = [1.0, 0.5]
    #expect(found.compactMap { $0.arrayValue?[4] } == Array(relevances.prefix(count)))
  }

  @Test func `What runs is found by name, paused by Return, and resumed by another`() throws {
    try client.timer(.start(name: "green tea", durationUsec: hour))
    let found = try run.gnome("gre")
    try #require(found.map { $0[1] } == ["Pause it"])
    #expect(found[0][0].contains(/^green tea: rings .*, (1:00:00|01:00:00|59:5\d) left$/))
    for (state, detail) in [(Wire.State.paused, "Resume it"), (.running, "Pause it")] {
      try run.launch(
        "ActivateResult", ["sasu", try #require(run.ids("tea").first), "1", "tea", "0"])
      try run.daemon.awaitTimer("green tea") { $0.state == state }
      #expect(try run.gnome("tea").map { $0[1] } == [detail])
    }
    // A shorter query first, then one within its results.
    let ids = try run.ids("te")
    let sub = try run.launch(
      "GetSubsearchResultSet", ["asas", "\(ids.count)"] + ids + ["1", "tea"])
    #expect(sub[0].arrayValue?.count == 1)
  }

  @Test func `A ring is found first, and dismissed by Return`() throws {
    try client.timer(.start(name: "later", durationUsec: hour))
    try client.timer(.start(name: "tea", durationUsec: second / 10))
    try run.daemon.awaitTimer("tea") { $0.ringing == .ringing }
    let found = try run.gnome("timers")
    try #require(found.map { $0[1] } == ["Dismiss the ring", "Pause it"])
    #expect(found[0][0].contains(/^tea: rang at \d\d:\d\d$/))
    try run.launch("ActivateResult", ["sasu", try #require(run.ids("timers").first), "0", "0"])
    try run.daemon.awaitEnd(of: "tea")
    #expect(try run.gnome("timers").map { $0[1] } == ["Pause it"])
  }

  @Test func `A new timer replaces one that runs, and Undo brings that back`() throws {
    try client.timer(.start(name: "tea", durationUsec: hour))
    let id = try #require(run.ids("tea 4min").first)
    #expect(
      try run.gnome("tea 4min").first?[1].hasPrefix("Replaces the one that rings at ") == true)
    try run.launch("ActivateResult", ["sasu", id, "0", "0"])
    try run.daemon.awaitTimer("tea") { $0.durationUsec == 240 * second }
    _ = try client.call(.undo())
    try run.daemon.awaitTimer("tea") { $0.durationUsec == hour }
  }

  @Test(arguments: hostileNames + ["\u{301}\u{301}"])
  func `A hostile name is shown as it is, without what turns text around`(name: String) throws {
    try client.timer(.start(name: name, durationUsec: hour))
    let found = try run.gnome("timers")
    try #require(found.count == 1)
    #expect(found[0][0].contains("\(shownName(name)): rings"), "\(found)")
    try run.launch("ActivateResult", ["sasu", try #require(run.ids("timers").first), "0", "0"])
    try run.daemon.awaitTimer(name) { $0.state == .paused }
  }

  @Test func `An ID of another program does nothing, and has no text`() throws {
    #expect(try run.metas(of: ["", "start 1 0 ", "Pause 1 - gone", "Remove 1 - tea"]) == [])
    for id in ["", "start 1 99 tea 4min", "start 1 0 firefox", "rm -rf"] {
      try run.launch("ActivateResult", ["sasu", id, "0", "0"])
    }
    #expect(try run.gnome("timers") == [])
    #expect(try client.names() == [])
  }

  @Test func `A refusal is shown in a popup, without markup`() throws {
    let monitor = try run.monitor("type='method_call',member='Notify'")
    _ = try run.ids("tea")
    try run.launch("ActivateResult", ["sasu", "Pause 1 - <b>gone</b>", "0", "0"])
    try monitor.lines.next("the popup") { $0.contains("Notify") }
  }

  @Test func `Without a daemon there are no results, and with one again there are`() throws {
    #expect(try run.gnome("tea 4min").count == 1)
    try run.daemon.crash()
    #expect(try run.gnome("tea 4min") == [])
    try run.startDaemon()
    try awaitTrue("no results") { try run.gnome("tea 4min").count == 1 }
  }

  @Test func `After each of 50 kills of the daemon, what is found is what is there`() throws {
    _ = try run.gnome("timers")
    try run.survive50Kills { names in
      try run.ids("timers").compactMap { $0.split(separator: " ").last.map(String.init) } == names
    }
  }
}
