import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Popups and sounds of rings, with python-dbusmock's notification server and the tests' own
/// players.
@Suite(.blocking) struct NotifierTests {
  let rig: Rig
  let players: FakePlayers

  init() throws {
    rig = try Rig()
    players = try FakePlayers(of: rig)
    try players.install("pw-play")
    try players.runPipeWire()
  }

  /// Starts a timer that rings, and returns its popup.
  private func ring(
    _ name: String, _ client: Connection, _ mock: NotificationMock
  ) throws -> NotificationMock.Notify {
    try client.start(name, usec: 1000)
    return try mock.nextNotify { $0.summary == name }
  }

  // MARK: Popups

  @Test func `A ring is one notification that stays, with a sound of our own`() throws {
    let (mock, daemon) = try rig.desktop(capabilities: "body body-markup")
    let client = try daemon.connect()
    let name = "<b>tea</b> & co"
    let shown = try ring(name, client, mock)
    #expect(shown.summary == name && shown.body == "After 1 ms.")
    #expect(shown.replacesID == 0 && shown.expiry == 0 && shown.icon == "appointment-soon")
    #expect(
      shown.hint("urgency") == ["y", 2] && shown.hint("category") == ["s", "x-nightjar.ring"])
    #expect(shown.hint("desktop-entry") == ["s", "nightjar"])
    // It stays; and this server has no buttons.
    #expect(shown.hint("transient") == nil && shown.hint("resident") == nil && shown.actions == [])
    // It plays no sounds either: the daemon plays one, and asks the server for silence.
    #expect(shown.isSilent)
    #expect(try players.next() == FakePlayers.chime)
    #expect(players.sound?.prefix(4) == Data("RIFF".utf8))
    // A change of the message applies to the next popup.
    let escaped = "&lt;b&gt;tea&lt;/b&gt; &amp; co"
    for (message, body) in [("Pour it", "\(escaped)\nAfter 1 ms."), ("", "After 1 ms.")] {
      _ = try client.timer(.update(name: name, message: message))
      _ = try client.timer(.perform(.restart, name: name))
      let told = try mock.nextNotify()
      #expect(told.summary == (message.isEmpty ? name : message) && told.body == body)
    }
  }

  @Test func `A band has a popup that soon goes, and makes no sound`() throws {
    let (mock, daemon) = try rig.desktop(capabilities: "body body-markup")
    let text =
      #"{"name":"<i>&","duration_usec":60000000,"#
      + #""bands":[{"name":"b","remaining_usec":59999000,"text":"<Hurry>"}]}"#
    _ = try daemon.rawSocket().call("org.nightjar.Timers.Start", text)
    let band = try mock.nextNotify()
    // Characters of markup are shown as they are.
    #expect(band.summary == "<Hurry>")
    #expect(band.body.hasPrefix("&lt;i&gt;&amp;: ") && band.body.hasSuffix(" left."))
    #expect(band.hint("urgency") == ["y", 1] && band.hint("transient") == ["b", true])
    #expect(band.expiry == -1 && band.isSilent)
  }

  @Test func `A failed command shows a popup with its last lines, without a sound`() throws {
    let (mock, daemon) = try rig.desktop()
    let shell = "echo '<b>lost</b>'; printf '\\033[2J\\a& gone'; exit 3"
    try daemon.start("bread", usec: hour, shell: shell) { $0.ring?.on = [.started] }
    let shown = try mock.nextNotify()
    #expect(shown.summary == "bread: a command failed")
    let lines = shown.body.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasSuffix("exit 3 failed with exit status 3.") == true)
    let expected = [
      "&lt;b&gt;lost&lt;/b&gt;", "\\u{07}&amp; gone", "nightjar show bread says more.",
    ]
    #expect(Array(lines.dropFirst()) == expected)
    #expect(shown.hint("category") == ["s", "x-nightjar.command"] && shown.isSilent)
    #expect(shown.hint("urgency") == ["y", 1])
    // Another failure of the same timer replaces the popup.
    try daemon.start("bread", usec: hour, shell: "exit 4") { $0.ring?.on = [.started] }
    try mock.nextClose(of: 1)
    _ = try mock.nextNotify { $0.body.contains("exit status 4") }
  }

  // MARK: Buttons

  @Test func `Buttons do what they say, to the very timer of the popup`() throws {
    let (mock, daemon) = try rig.desktop(config: "snooze = \"7min\"")
    let client = try daemon.connect()
    let shown = try ring("tea", client, mock)
    #expect(
      shown.actions == [
        "default", "Dismiss", "snooze", "Snooze 7 min", "restart", "Restart", "dismiss", "Dismiss",
      ])
    try mock.pressAndClose("snooze", on: 1)
    try daemon.awaitEvent("snoozed", "tea")
    let timer = try client.get("tea")
    #expect(timer.state == .over && timer.ringing == .snoozed)
    #expect(try #require(timer.openRing?.leftUsec) > 6 * 60 * second)

    _ = try ring("egg", client, mock)
    try mock.pressAndClose("restart", on: 2)
    try daemon.awaitEvent("restarted", "egg")

    _ = try ring("rice", client, mock)
    try mock.pressAndClose("dismiss", on: try number(of: "rice", mock))
    try daemon.awaitEvent("dismissed", "rice")
    #expect(try client.refusal(of: .get(name: "rice")) == .timerNotFound(name: "rice"))

    // The popup has nothing to do with another timer of the same name.
    _ = try ring("soup", client, mock)
    _ = try client.timer(.start(name: "soup", durationUsec: hour, replace: true))
    try mock.nextClose(of: try number(of: "soup", mock))
  }

  /// The mock counts from 1; a popup that replaces another has its number.
  private func number(of summary: String, _ mock: NotificationMock) throws -> Int64 {
    let new = mock.notifications.filter { $0.replacesID == 0 }
    return Int64(try #require(new.firstIndex { $0.summary == summary })) + 1
  }

  @Test(arguments: ["default", "advance"])
  func `A sequence that waits continues when its popup or the button is pressed`(key: String) throws
  {
    let (mock, daemon) = try rig.desktop()
    let steps =
      #"{"name":"pomodoro","sequence":{"steps":["#
      + #"{"name":"work","duration_usec":100000,"waits":true},"#
      + #"{"name":"rest","duration_usec":300000000}]}}"#
    _ = try daemon.rawSocket().call("org.nightjar.Timers.Start", steps)
    _ = try mock.nextNotify()
    try mock.pressAndClose(key, on: 1)
    try daemon.awaitEvent("advanced", "pomodoro")
    let timer = try daemon.connect().get("pomodoro")
    #expect(timer.state == .running && timer.step?.name == "rest")
  }

  @Test func `A ring that is dismissed in one place is closed in the other`() throws {
    let (mock, daemon) = try rig.desktop()
    let client = try daemon.connect()
    for (number, change) in [Wire.Operation.dismiss, .remove].enumerated() {
      _ = try ring("t\(number)", client, mock)
      _ = try client.call(.perform(change, name: "t\(number)"))
      try mock.nextClose(of: Int64(number) + 1)
    }
    _ = try ring("snoozed", client, mock)
    _ = try client.call(.snooze(name: "snoozed", byUsec: hour))
    try mock.nextClose(of: 3)
    let repeating = #"{"name":"stretch","duration_usec":300000,"repeat":{"rounds":1000}}"#
    _ = try daemon.rawSocket().call("org.nightjar.Timers.Start", repeating)
    _ = try mock.nextNotify { $0.summary == "stretch" }
    _ = try client.call(.perform(.cancel, name: "stretch"))
    try mock.nextClose(of: 4)
    // A user who closes the popup has seen it; a popup that expires was not seen.
    _ = try ring("expired", client, mock)
    try mock.closed(5, reason: 1)
    _ = try ring("closed", client, mock)
    try mock.closed(6, reason: 2)
    try daemon.awaitEvent("dismissed", "closed")
    #expect(try client.get("expired").state == .over)
  }

  @Test func `Signals of senders other than the server are ignored`() throws {
    let (mock, daemon) = try rig.desktop()
    let client = try daemon.connect()
    _ = try ring("tea", client, mock)
    try mock.forge("dismiss", on: 1)
    // When this has been handled, everything that the bus delivered before it has been, too.
    _ = try ring("mark", client, mock)
    try mock.press("dismiss", on: 2)
    try daemon.awaitEvent("dismissed", "mark")
    #expect(try client.get("tea").state == .over)
  }

  @Test func `The popup of a renamed timer shows the new name, and its buttons find it`() throws {
    let (mock, daemon) = try rig.desktop(capabilities: "body actions")
    let client = try daemon.connect()
    _ = try ring("tea", client, mock)
    _ = try client.timer(.rename(name: "tea", newName: "egg"))
    #expect(try mock.nextNotify { $0.summary == "egg" }.body == "After 1 ms.")
    let watch = try daemon.watch(name: "egg")
    try mock.press("dismiss", on: 2)
    #expect(try watch.event { _ in true }.type == "dismissed")
  }

  // MARK: Many at once

  @Test func `Timers that rang in a span share a popup, and one button dismisses them`() throws {
    let (mock, daemon) = try rig.desktop()
    let client = try daemon.connect()
    let names = (1...7).map { "t\($0)" }
    try daemon.ringTogether(names)
    let digest = try mock.nextNotify()
    #expect(digest.summary.hasPrefix("7 timers rang while the daemon was stopped for "))
    let lines = digest.body.split(separator: "\n")
    #expect(lines.count == 6 && lines.last == "and 2 more")
    #expect(lines.dropLast().allSatisfy { $0.hasSuffix(" late") })
    #expect(digest.actions == ["default", "Dismiss all", "dismiss", "Dismiss all"])
    #expect(try players.next() == FakePlayers.chime)

    // A timer that is dismissed elsewhere leaves the digest.
    _ = try client.call(.perform(.dismiss, name: "t3"))
    let fewer = try mock.nextNotify()
    #expect(fewer.summary.hasPrefix("6 timers rang") && fewer.replacesID == 1)
    #expect(!fewer.body.contains("t3"))
    try mock.pressAndClose("default", on: 1)
    for name in names where name != "t3" { try daemon.awaitEvent("dismissed", name) }
    #expect(try client.names() == [])
    #expect(mock.notifications.count == 2)
  }
}
