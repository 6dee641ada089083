import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Popups and sounds when something is missing, hangs, disappears, comes back, or is switched off.
@Suite(.blocking) struct NotifierTroubleTests {
  let rig: Rig
  let players: FakePlayers

  init() throws {
    rig = try Rig()
    players = try FakePlayers(of: rig)
  }

  func playSounds() throws {
    try players.install("pw-play")
    try players.runPipeWire()
  }

  // MARK: The server

  @Test func `A server that replaces another shows the unanswered rings`() throws {
    try playSounds()
    let (mock, daemon) = try rig.desktop()
    for name in ["a", "b"] { try daemon.ring(name, on: mock) }
    try mock.stop()
    try daemon.awaitSeen(false)
    #expect(try daemon.ringReport().reason == "no notification server is on the session bus")
    _ = try daemon.connect().call(.perform(.dismiss, name: "a"))
    try mock.start(untilItAnswers: false)
    let shown = try mock.nextNotify()
    #expect(shown.summary == "b" && shown.replacesID == 0 && shown.isSilent)
    try mock.pressAndClose("dismiss", on: 1)
    try daemon.awaitEvent("dismissed", "b")
    #expect(mock.notifications.count == 3)
  }

  @Test func `A ring makes the bus start a server, and the start of the daemon does not`() throws {
    try playSounds()
    let mock = try NotificationMock(of: rig, startable: true)
    let daemon = try rig.ringingDaemon(on: mock)
    try daemon.awaitSeen(true)
    #expect(try daemon.ringReport().server == nil)
    #expect(try !mock.isStarted())
    try daemon.ring("tea")
    // The sound was played before the server's capabilities could be known.
    try players.next()
    try mock.awaitStarted()
    #expect(try mock.isStarted())
    #expect(try mock.nextNotify().isSilent)
  }

  @Test func `A server that hangs delays nothing, and the sound is played without it`() throws {
    try playSounds()
    let (mock, daemon) = try rig.desktop(capabilities: "body sound")
    try mock.hang()
    try daemon.ring("tea")
    let rangUsec = Now.boottimeUsec
    #expect(try players.next() == FakePlayers.chime)
    #expect((2 * second..<10 * second).contains(Now.boottimeUsec - rangUsec))
    #expect(try daemon.connect().get("tea").state == .over)
    try mock.unhang()
    let shown = try mock.nextNotify()
    #expect(shown.summary == "tea" && !shown.isSilent)
    #expect(players.all.count == 1)
  }

  @Test func `A slow server has at most four calls to answer, and gets the latest texts`() throws {
    let (mock, daemon) = try rig.desktop(isSlow: true)
    let client = try daemon.connect()
    for number in 1...8 {
      // Three within a second have their own popups.
      try client.start("t\(number)", usec: 1_000 + Int64((number - 1) / 3) * 3 * second)
    }
    for number in 1...8 { try daemon.awaitEvent("rang", "t\(number)") }
    #expect(mock.notifications.map(\.summary) == ["t1", "t2", "t3", "t4"])
    for name in ["t2", "t6"] { _ = try client.call(.perform(.dismiss, name: name)) }
    try mock.answer(4)
    // The popup that was dismissed meanwhile is closed now that it has a number; the other one is
    // not shown.
    var awaited: Set = ["t5", "t7", "t8", "the closing of 2"]
    while !awaited.isEmpty {
      try mock.next("\(awaited)") { call in
        switch call {
        case .notify(let notify): awaited.remove(notify.summary) != nil
        case .close(let id): awaited.remove("the closing of \(id)") != nil
        case .other: false
        }
      }
    }
    #expect(!mock.notifications.contains { $0.summary == "t6" })
  }

  @Test(arguments: [true, false])
  func `A digest that the user closes while it is sent again is dismissed`(isShownFirst: Bool)
    throws
  {
    let (mock, daemon) = try rig.desktop(isSlow: true)
    let client = try daemon.connect()
    try daemon.ringTogether((1...4).map { "t\($0)" })
    _ = try mock.nextNotify { $0.summary.hasPrefix("4 timers rang") }
    // The server answers that it shows the digest before one of its timers is dismissed, or after
    // that.
    if isShownFirst { try mock.answer(1) }
    _ = try client.call(.perform(.dismiss, name: "t1"))
    if !isShownFirst { try mock.answer(1) }
    _ = try mock.nextNotify { $0.summary.hasPrefix("3 timers rang") }
    // The user closes it before the server has handled the call.
    try mock.closed(1, reason: 2)
    for number in 2...4 { try daemon.awaitEvent("dismissed", "t\(number)") }
    try mock.answer(1)
    try mock.nextClose(of: 1)
    #expect(mock.notifications.count == 2)
  }

  @Test func `A button of a timer's popup does nothing to the next timer of that name`() throws {
    let (mock, daemon) = try rig.desktop(isSlow: true)
    let client = try daemon.connect()
    let repeating = #"{"name":"stretch","duration_usec":300000,"repeat":{"rounds":2}}"#
    _ = try daemon.rawSocket().call("org.nightjar.Timers.Start", repeating)
    _ = try mock.nextNotify()
    try mock.answer(1)
    // The popup is on the screen, and on its way to the server once more.
    _ = try mock.nextNotify { $0.replacesID == 1 }
    _ = try client.timer(.start(name: "stretch", durationUsec: 1_000, replace: true))
    _ = try mock.nextNotify { $0.replacesID == 0 }
    try mock.press("dismiss", on: 1)
    try daemon.ring("mark", on: mock)
    try mock.answer(3)
    try mock.press("dismiss", on: 3)
    try daemon.awaitEvent("dismissed", "mark")
    #expect(try client.get("stretch").state == .over)
  }

  // MARK: The daemon

  @Test
  func `A daemon that exits closes its popups, and the next shows them again, without a sound`()
    throws
  {
    try playSounds()
    let mock = try NotificationMock.running(of: rig)
    var daemon = try rig.ringingDaemon(on: mock)
    try daemon.ring("a tea", on: mock)
    try players.next()
    // The first sound may still be playing, and this ring would share it.
    try daemon.ring("b", on: mock) { $0.silent = true }
    _ = try daemon.connect().call(.perform(.dismiss, name: "b"))
    try mock.nextClose(of: 2)
    try daemon.terminate()
    try mock.nextClose(of: 1)
    daemon = try rig.ringingDaemon(on: mock)
    let again = try mock.nextNotify()
    #expect(again.summary == "a tea" && again.replacesID == 0 && again.isSilent)
    try mock.pressAndClose("dismiss", on: 3)
    try daemon.awaitEvent("dismissed", "a tea")
    #expect(players.all.count == 1)
  }

  @Test func `The popups of a killed daemon are closed by the next and shown again`() throws {
    let mock = try NotificationMock.running(of: rig)
    var daemon = try rig.ringingDaemon(on: mock)
    for name in ["egg", "tea"] { try daemon.ring(name, on: mock) }
    _ = try daemon.connect().call(.perform(.dismiss, name: "egg"))
    try mock.nextClose(of: 1)
    // The second daemon is killed as well.
    for number: Int64 in [2, 3] {
      try daemon.awaitNoted(number)
      try daemon.crash()
      daemon = try rig.ringingDaemon(on: mock)
      try mock.nextClose(of: number)
      let again = try mock.nextNotify()
      #expect(again.summary == "tea" && again.replacesID == 0 && again.isSilent)
    }
    try mock.pressAndClose("dismiss", on: 4)
    try daemon.awaitEvent("dismissed", "tea")
    #expect(mock.notifications.count == 4)
  }

  @Test func `A popup with the same number at another server is not closed`() throws {
    let mock = try NotificationMock.running(of: rig)
    var daemon = try rig.ringingDaemon(on: mock)
    try daemon.ring("tea", on: mock)
    try daemon.awaitNoted(1)
    try daemon.crash()
    try mock.stop()
    try mock.start()
    daemon = try rig.ringingDaemon(on: mock)
    let call = try mock.next("a popup, and nothing closed before") {
      if case .other = $0 { false } else { true }
    }
    guard case .notify(let again) = call else { throw Unmet(description: "\(call)") }
    #expect(again.summary == "tea" && again.replacesID == 0)
    try daemon.awaitNoted(1)
  }

  // MARK: Switched off

  @Test func `The configuration can switch off the sound, the popup, or both`() throws {
    try playSounds()
    let (mock, daemon) = try rig.desktop(capabilities: "body sound", config: "sound = false")
    try daemon.ring("seen")
    #expect(try mock.nextNotify().isSilent)
    #expect(players.all == [])
    var report = try daemon.ringReport()
    #expect(report.reason == "the configuration says sound = false")
    #expect(report.unseen == nil && report.unheard == .off)

    try rig.configure("notify = false")
    try daemon.reload()
    try daemon.ring("heard")
    #expect(try players.next() == FakePlayers.chime)
    report = try daemon.ringReport()
    #expect(report.reason == "the configuration says notify = false")
    #expect(report.unseen == .off && report.unheard == nil)

    try rig.configure("notify = false\nsound = false")
    try daemon.reload()
    try daemon.ring("neither")
    try rig.configure("")
    try daemon.reload()
    try daemon.ring("both")
    let last = try mock.nextNotify()
    #expect(last.summary == "both" && !last.isSilent)
    #expect(last.hint("sound-name") == ["s", "alarm-clock-elapsed"])
    #expect(players.all.count == 1)
  }

  // MARK: RingTest

  private func testReply(_ daemon: DaemonProcess) throws -> JSONValue {
    try daemon.connect().call(Call(Wire.TestRing()), deadline: .after(usec: 30 * second))
  }

  @Test func `A test ring rings as timers do, and reports the result, unlike a status if paused`()
    throws
  {
    try playSounds()
    let (mock, daemon) = try rig.desktop()
    let reply = try testReply(daemon)
    var report = try Wire.TestRing.Reply(reply).ring
    #expect(report.seen && report.heard && report.reason == nil && reply["ring"]?["paused"] == nil)
    #expect(report.server == "mock-notify 1.0" && report.player == "pw-play")
    let shown = try mock.nextNotify()
    #expect(shown.summary == "Nightjar" && shown.expiry == -1)
    #expect(shown.hint("transient") == ["b", true])
    #expect(try players.next() == FakePlayers.chime)

    try mock.pause(interface: "org.dunstproject.cmd0", property: "paused")
    #expect(try testReply(daemon)["ring"]?["paused"] == .bool(true))
    #expect(try daemon.connect().call(.status())["ring"]?["paused"] == nil)

    try players.install("pw-play", code: 1)
    try mock.stop()
    let count = mock.notifications.count
    try daemon.awaitSeen(false)
    report = try Wire.TestRing.Reply(testReply(daemon)).ring
    #expect(!report.seen && !report.heard)
    #expect(report.unseen == .missing && report.unheard == .failing)
    #expect(
      report.reason
        == "no notification server is on the session bus; pw-play failed: pw-play cannot")
    // The popup is not shown to a server that starts later.
    try mock.start()
    try daemon.ring("tea", on: mock)
    #expect(mock.notifications.count == count + 1)
  }

  @Test func `A test ring ends in time while the notification server and the sound hang`() throws {
    try players.install("pw-play", "exec /bin/sleep 1000")
    try players.runPipeWire()
    let (mock, daemon) = try rig.desktop()
    try mock.hang()
    let began = Now.boottimeUsec
    let report = try Wire.TestRing.Reply(testReply(daemon)).ring
    #expect(Now.boottimeUsec - began < 9 * second)
    // The sound is being played for that long.
    #expect(!report.seen && report.heard)
    #expect(report.reason == "the notification server does not answer")
  }
}
