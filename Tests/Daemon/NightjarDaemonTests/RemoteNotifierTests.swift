import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

@testable import NightjarDesktop

/// Popups for timers of other machines, with python-dbusmock's notification server.
@Suite(.blocking) struct RemoteNotifierTests {
  let rig: Rig

  init() throws { rig = try Rig() }

  private func desk(on mock: NotificationMock) throws -> RemoteDesk {
    try mock.start()
    return try RemoteDesk(on: mock, config: "sound = false\nsnooze = \"9min\"")
  }

  /// Waits for the popups of these rings, in this order.
  private func awaitShown(_ names: String..., on mock: NotificationMock) throws {
    for name in names { _ = try mock.nextNotify { $0.summary == name } }
  }

  private func expectAnswer(
    _ answer: RemoteNotifier.Answer, to key: Int, _ desk: RemoteDesk
  ) throws {
    #expect(try desk.answers.next("an answer") == RemoteDesk.Pressed(key: key, answer: answer))
  }

  @Test func `A ring of another machine is a popup that shows markup as it is`() throws {
    let mock = try NotificationMock(of: rig)
    let desk = try desk(on: mock)
    desk.ring(.now("<i>tea & co", message: "<b>Pour it</b>\u{1B}[2J"))
    let shown = try mock.nextNotify()
    #expect(shown.summary == "<b>Pour it</b>\\u{1B}[2J")
    #expect(shown.body == "&lt;i&gt;tea &amp; co\nFor laptop, which did not say that it rang.")
    #expect(
      shown.actions == ["default", "Dismiss", "snooze", "Snooze 9 min", "dismiss", "Dismiss"])
    #expect(shown.hint("urgency") == ["y", 2])
    #expect(shown.hint("category") == ["s", "x-nightjar.ring"])
    #expect(shown.replacesID == 0 && shown.expiry == 0 && shown.isSilent)
    #expect(desk.answers.all == [])
  }

  @Test func `A pressed button on the popup of another machine's ring answers the ring`() throws {
    let mock = try NotificationMock(of: rig)
    let desk = try desk(on: mock)
    desk.ring(.now("a"), .now("b"), .now("c"))
    try awaitShown("a", "b", "c", on: mock)
    try mock.pressAndClose("snooze", on: 1)
    try expectAnswer(.snoozed(byUsec: 540 * second), to: 1, desk)
    try mock.pressAndClose("default", on: 2)
    try expectAnswer(.dismissed, to: 2, desk)
    try mock.closed(3, reason: 2)
    try expectAnswer(.dismissed, to: 3, desk)
    // The key of a ring that has ended is free. A popup that expires is no answer, and neither is a
    // button that is pressed there later.
    desk.ring(.now("d"))
    try awaitShown("d", on: mock)
    try mock.closed(4, reason: 1)
    try mock.press("dismiss", on: 4)
    desk.ring(.now("e"), from: 2)
    try awaitShown("e", on: mock)
    try mock.pressAndClose("dismiss", on: 5)
    try expectAnswer(.dismissed, to: 2, desk)
    #expect(desk.answers.all.count == 4)
  }

  @Test func `Many rings of other machines share a popup, and one button answers`() throws {
    let mock = try NotificationMock(of: rig)
    let desk = try desk(on: mock)
    desk.ring(
      all: (1...30).map { RemoteRing.now("t\($0)", of: $0 % 2 == 0 ? "desktop" : "laptop") })
    let digest = try mock.nextNotify()
    #expect(digest.summary == "30 timers of laptop and desktop ring")
    #expect(digest.body.hasPrefix("t1 (laptop)\n") && digest.body.hasSuffix("\nand 25 more"))
    #expect(digest.actions == ["default", "Dismiss all", "dismiss", "Dismiss all"])
    desk.end(3)
    let fewer = try mock.nextNotify()
    #expect(fewer.summary == "29 timers of laptop and desktop ring" && fewer.replacesID == 1)
    try mock.pressAndClose("default", on: 1)
    for key in 1...30 where key != 3 { try expectAnswer(.dismissed, to: key, desk) }
    #expect(mock.notifications.count == 2)
    // The next ring has its own popup again.
    desk.ring(.now("later"))
    try awaitShown("later", on: mock)
    #expect(desk.answers.all.count == 29)
  }
}
