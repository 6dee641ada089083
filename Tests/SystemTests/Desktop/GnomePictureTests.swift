import Foundation
import NightjarTestSupport
import Testing

/// The pictures of the panel and the menu in README and the manual. Their pixels depend on fonts,
/// so the texts are compared.
@Suite(.blocking, .serialized, .enabled(if: DesktopTests.isWanted)) struct GnomePictureTests {
  @Test func `The pictures of GNOME show a ring, the menu, and what typed words mean`() throws {
    let rig = try Rig()
    let shell = try GnomeShell(rig)
    let daemon = try rig.daemon { $0.socketPath = GnomeShell.socket(in: rig) }
    func nightjar(_ line: String) throws {
      let words = line.split(separator: " ").map(String.init)
      try rig.tool([try Binaries.nightjar()] + words, environment: daemon.clientEnvironment)
    }
    func takePicture(_ name: String, height: Int) throws {
      guard let folder = ProcessInfo.processInfo.environment["NIGHTJAR_PICTURES"] else { return }
      try shell.takePicture(width: 440, height: height, to: "\(folder)/gnome-\(name).png")
    }
    try nightjar("start cake 50min")
    try nightjar("sequence pomodoro work=25min rest=5min --loop 4")
    try nightjar("start bread 3h")
    try nightjar("pause bread")
    try shell.openMenu()
    try shell.type("lunch 17:30")
    let typed = try shell.awaitState("the meanings are missing") { $0.lines.count == 2 }
    #expect(typed.rows.map(\.first) == ["pomodoro", "cake", "bread"])
    try takePicture("words", height: 345)
    try shell.press(key: "Escape")
    try nightjar("start tea 100ms")
    try shell.openMenu()
    let ring = try shell.awaitState("tea does not ring") { $0.label == "tea" && $0.isHighlighted }
    #expect(ring.rows[0] == ["tea", "ringing", "Snooze", "Dismiss"])
    try takePicture("ring", height: 330)
    #expect(shell.complaints == [])
  }
}
