import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The popups of a daemon that rings. Their pixels depend on fonts and on dunst's version, so the
/// texts that the daemon sends are compared.
@Suite(.blocking) struct PopupPictureTests {
  /// Has two timers ring: one late because the machine slept, and a step of a sequence on time.
  ///
  /// - Parameter awaitPopup: returns when so many popups are shown.
  private func ring(in rig: Rig, on bus: String, awaitPopup: (_ count: Int) throws -> Void) throws {
    let daemon = try rig.daemon {
      $0.environment["DBUS_SESSION_BUS_ADDRESS"] = bus
      try $0.useFakeClocks()
    }
    try awaitTrue("a ring would not be seen") {
      try Wire.Status.Reply(try daemon.connect().call(.status(), deadline: .never)).ring.seen
        == true
    }
    func nightjar(_ arguments: String...) throws {
      try rig.tool([try Binaries.nightjar()] + arguments, environment: daemon.clientEnvironment)
    }
    try nightjar("start", "laundry", "75min", "--message", "Hang it up to dry")
    try daemon.options.pretendSleep(seconds: (75 + 12) * 60)
    // The daemon sees that the machine slept when it wakes for anything.
    try nightjar("list")
    try awaitPopup(1)
    try nightjar("sequence", "pomodoro", "work=25min", "rest=5min", "--loop", "4")
    try nightjar("shorten", "pomodoro", "24min 59.9s")
    try awaitPopup(2)
  }

  @Test func `The picture of popups has the texts that the daemon sends`() throws {
    let rig = try Rig()
    let mock = try NotificationMock.running(of: rig)
    var shown: [NotificationMock.Notify] = []
    try ring(in: rig, on: mock.address) { _ in shown.append(try mock.nextNotify()) }
    let texts = shown.map { popup in
      let buttons = stride(from: 0, to: popup.actions.count, by: 2)
        .filter { popup.actions[$0] != "default" }.map { "[\(popup.actions[$0 + 1])]" }
      return ([popup.summary, popup.body] + [buttons.joined(separator: " ")])
        .joined(separator: "\n")
    }
    try Committed.expect(texts.joined(separator: "\n\n") + "\n", in: Committed.text("popup.txt"))
    if Committed.folder != nil { try draw(to: Committed.picture("popup.png")) }
  }

  /// Has dunst show the popups on an X server without a screen.
  private func draw(to file: URL) throws {
    let rig = try Rig()
    let address = "unix:path=\(rig.path)/run/bus"
    try rig.startBus(type: "session", address: address)
    // The X server prints its display when it is there, and keeps the screen in a file.
    let screen = try rig.start(
      [
        "Xvfb", "-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "520x400x24", "-fbdir",
        rig.path,
      ], package: "xvfb")
    let display = try screen.lines.next("the display") { Int($0) != nil }
    let environment = [
      "DBUS_SESSION_BUS_ADDRESS": address, "DISPLAY": ":\(display)", "HOME": "\(rig.path)/home",
      "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
    ]
    let settings = "\(rig.path)/dunstrc"
    try Self.settings.write(toFile: settings, atomically: true, encoding: .utf8)
    _ = try rig.start(["dunst", "-config", settings], environment: environment, package: "dunst")
    func picture() throws -> Data {
      try Data(contentsOf: URL(filePath: "\(rig.path)/Xvfb_screen0"))
    }
    var last = try picture()
    try ring(in: rig, on: address) { count in
      try awaitTrue("dunst does not show \(count)") {
        try rig.tool(["dunstctl", "count", "displayed"], environment: environment) == "\(count)"
      }
      // Dunst draws a moment after it counts.
      try awaitTrue("dunst has drawn nothing") { try picture() != last }
      last = try picture()
    }
    try rig.tool(
      [
        "sh", "-c",
        "xwdtopnm -quiet '\(rig.path)/Xvfb_screen0' | pnmcrop -quiet -margin 12 | "
          + "pnmtopng -quiet -compression 9 >'\(rig.path)/popup.png'",
      ], package: "netpbm")
    try Data(contentsOf: URL(filePath: "\(rig.path)/popup.png")).write(to: file, options: .atomic)
  }

  /// Dunst's usual look, in letters that can be read on a page.
  private static let settings = """
    [global]
    font = DejaVu Sans 12
    width = 460
    height = 300
    origin = top-right
    offset = 20x20
    frame_width = 2
    gap_size = 10
    corner_radius = 6
    padding = 12
    horizontal_padding = 14
    icon_position = off
    format = "<b>%s</b>\\n%b"
    show_age_threshold = -1
    sort = false
    show_indicators = false
    [urgency_critical]
    background = "#22262f"
    foreground = "#e6e9ef"
    frame_color = "#ff6b68"
    """
}
