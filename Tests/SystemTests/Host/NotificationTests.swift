import NightjarTestSupport
import Testing
import Varlink

/// A ring on a desktop. The daemon is the service, with all restrictions of its unit.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct NotificationTests {
  private let host: Host

  init() throws {
    host = try Host()
    try host.expectDesktop()
  }

  @Test func `A ring makes the bus start a server, is on the screen, and is answered`() throws {
    try host.user("systemctl --user start nightjar.service")
    // The daemon was there before the session.
    try host.startScreen()
    try host.user("cp screen/Xvfb_screen0 blank")
    #expect(try host.userRun("systemctl --user is-active dunst.service").output == "inactive")
    #expect(try host.finding("ring").text.hasPrefix("shown by a server that is started for it"))
    try host.user("nightjar start 'tea & <b>cake</b>' 1s && nightjar wait 'tea & <b>cake</b>'")
    try host.awaitShown(1)
    // The server draws the popup a moment after it has reported it.
    try host.awaitUser("! cmp -s screen/Xvfb_screen0 blank")
    // The border of a critical popup, its background, and its letters: 5,000 pixels of 3 bytes.
    let changedBytes = try host.user("cmp -l screen/Xvfb_screen0 blank | wc -l")
    #expect(try #require(Int(changedBytes)) > 15_000)
    #expect(try host.finding("ring").text.hasPrefix("shown by dunst "))

    try host.user("dunstctl action 0")
    try host.awaitEvent(type: "dismissed")
    try host.awaitShown(0)
    try host.user("nightjar start egg 1s && nightjar wait egg")
    try host.awaitShown(1)
    try host.user("nightjar dismiss egg")
    try host.awaitShown(0)
    let history = try host.shownBefore()
    #expect(history.contains("After 1 s."), "\(history.prefix(500))")
  }

  @Test(arguments: [false, true])
  func `A sound is heard from within the sandbox`(namespace: Bool) throws {
    if namespace { try host.sandbox("nightjar.service") }
    try host.startScreen()
    try host.startSoundServer()
    try host.user("systemctl --user start nightjar.service")
    let found = try host.finding("ring", "--ring")
    #expect(found.level == "ok" && found.text.contains("paplay has played it"), "\(found.text)")
    #expect(found.text.hasPrefix("dunst"))
    try host.awaitShown(1)
  }
}
