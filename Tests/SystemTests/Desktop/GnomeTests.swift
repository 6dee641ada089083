import Foundation
import NightjarTestSupport
import Testing
import Varlink

/// The extension of GNOME Shell in a real shell without a screen, with a real daemon.
@Suite(.blocking, .serialized, .enabled(if: DesktopTests.isWanted)) struct GnomeTests {
  private let rig: Rig
  private var shell: GnomeShell

  init() throws {
    rig = try Rig()
    shell = try GnomeShell(rig)
  }

  private func daemon(stateFolder: String = "nightjar") throws -> DaemonProcess {
    try rig.daemon {
      $0.socketPath = GnomeShell.socket(in: rig)
      $0.stateFolder = "\(rig.path)/\(stateFolder)"
    }
  }

  @discardableResult
  private func nightjar(_ arguments: [String], _ daemon: DaemonProcess) throws -> String {
    try rig.tool([try Binaries.nightjar()] + arguments, environment: daemon.clientEnvironment)
  }

  private func nightjar(_ line: String, _ daemon: DaemonProcess) throws {
    try nightjar(line.split(separator: " ").map(String.init), daemon)
  }

  /// Whether a text is the remaining time, in seconds, up to the second that passes meanwhile.
  private func isTime(_ label: String?, seconds: Int64) -> Bool {
    (seconds - 1...seconds + 1).contains { seconds in
      let digits = [seconds / 60, seconds % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }
      return label == digits.joined(separator: ":")
    }
  }

  @Test func `The panel shows the time of the next ring, and nothing waits without one`() throws {
    // There is neither a daemon nor the folder of its socket.
    try shell.awaitState("something waits without a daemon") { $0.label == "" && $0.waiting == 0 }
    let daemon = try daemon()
    try nightjar("start tea 4min", daemon)
    try nightjar("start cake 50min", daemon)
    let startUsec = Now.boottimeUsec
    try shell.awaitState("the panel does not show tea") {
      isTime($0.label, seconds: 240 - (Now.boottimeUsec - startUsec) / second) && $0.waiting == 1
    }
    // It counts down.
    try shell.awaitState("the time stands still") { isTime($0.label, seconds: 237) }
    try nightjar("pause tea", daemon)
    try shell.awaitState("the panel does not show cake") { $0.label?.hasPrefix("49:") == true }
    try nightjar("cancel cake", daemon)
    try shell.awaitState("something waits for a timer that is paused") {
      $0.label == "" && $0.waiting == 0
    }
    #expect(shell.complaints == [])
  }

  @Test func `Words that are typed are explained, and start the timer that they mean`() throws {
    let daemon = try daemon()
    try shell.openMenu()
    try shell.type("tea 4zz")
    try shell.awaitState("no line says what is wrong") { $0.lines.first?.contains("zz") == true }
    for _ in 0..<2 { try shell.press(key: "BackSpace") }
    try shell.type("min")
    try shell.awaitState("no line says what it means") {
      $0.lines.count == 1 && $0.lines[0].hasPrefix("tea: 4 min, rings at ")
    }
    try shell.press(key: "Return")
    try shell.awaitState("tea does not run") { $0.label?.hasPrefix("03:") == true && !$0.isOpen }
    // Two meanings: Return starts neither, and a click starts one.
    try shell.openMenu()
    try shell.type("lunch 17:30")
    let both = try shell.awaitState("not both meanings are shown") { $0.lines.count == 2 }
    #expect(both.lines[1].hasPrefix("lunch: 17 min 30 s, rings at "), "\(both)")
    try shell.evaluate("nightjarTest.before = nightjarTest.readings[1]; 0")
    try shell.press(key: "Return")
    try shell.click(
      """
      const [, second] = nightjarTest.readings;
      second != nightjarTest.before && nightjarTest.click(second)
      """)
    try shell.awaitState("the menu is open") { !$0.isOpen }
    let list = try nightjar(["list"], daemon)
    #expect(list.contains("lunch") && list.contains("17:"), "\(list)")
    // The daemon refuses a second timer of this name, and the menu says so.
    try shell.openMenu()
    try shell.type("tea 9min")
    try shell.awaitState("no line says what it means") { $0.lines.first?.contains("9 min") == true }
    try shell.press(key: "Return")
    try shell.awaitState("no line says that tea runs") { $0.lines == ["timer exists: tea"] }
    #expect(shell.complaints == [])
  }

  @Test func `The menu changes timers, and snoozes and dismisses a ring`() throws {
    let daemon = try daemon()
    try nightjar("start tea 4min", daemon)
    try shell.openMenu()
    try shell.awaitState("tea has no row") {
      $0.rows.map { $0.filter { !$0.contains(":") } } == [["tea", "Pause", "Extend", "Stop"]]
    }
    // A click arrives, even if an event of the daemon comes before it.
    try shell.click("nightjarTest.press('tea', 'Extend') && (nightjarTest.face._show(), true)")
    try shell.awaitState("tea is not longer") { ($0.label ?? "") > "04:30" }
    try shell.press("Pause", of: "tea")
    try shell.awaitState("tea is not paused") { $0.rows[0][1].hasSuffix(" paused") }
    try shell.press("Resume", of: "tea")
    try shell.awaitState("tea is still paused") { $0.rows[0].contains("Pause") }
    try shell.press("Stop", of: "tea")
    try shell.awaitState("tea is still there") { $0.rows.isEmpty }
    try nightjar("undo", daemon)
    try shell.awaitState("tea is not back") { $0.rows.first?.contains("Pause") == true }
    try shell.press("Stop", of: "tea")
    try shell.awaitState("tea is still there again") { $0.rows.isEmpty }
    try nightjar("start egg 100ms", daemon)
    try shell.awaitState("egg does not ring") {
      $0.label == "egg" && $0.isHighlighted && $0.rows == [["egg", "ringing", "Snooze", "Dismiss"]]
    }
    try shell.press("Snooze", of: "egg")
    try shell.awaitState("egg is not snoozed") {
      $0.label?.hasPrefix("04:") == true && !$0.isHighlighted && $0.rows[0][1].hasSuffix("snoozed")
    }
    try shell.press("Dismiss", of: "egg")
    try shell.awaitState("egg is still there") { $0.rows.isEmpty && $0.label == "" }
    #expect(shell.complaints == [])
  }

  /// Does something 50 times, and expects that it takes 2 s at most, by what `body` returns.
  private func fiftyTimes(_ what: String, _ body: (Int) throws -> Int64) throws {
    let tookUsec = try (1...50).map(body)
    print("  \(what) 50 times: at most \(tookUsec.max()! / 1000) ms")
    #expect(tookUsec.filter { $0 > 2 * second } == [])
  }

  /// The daemon is killed 50 times. Before the shell has connected to the next one, the timer is
  /// replaced; every tenth time, the daemon begins with an empty state.
  @Test func `When the daemon was killed, the panel is right again within 2 s`() throws {
    var daemon = try daemon(stateFolder: "state-0")
    try nightjar("start timer-0 30min", daemon)
    try fiftyTimes("daemon killed") { round in
      try daemon.crash()
      daemon = try self.daemon(stateFolder: "state-\(round / 10)")
      let startUsec = Now.boottimeUsec
      if round % 10 != 0 { try nightjar("remove timer-\(round - 1)", daemon) }
      try nightjar("start timer-\(round) \(round + 2)min", daemon)
      let beginUsec = Now.boottimeUsec
      try shell.awaitState("the panel is not right in round \(round)") { state in
        let passed = (Now.boottimeUsec - beginUsec) / second
        return isTime(state.label, seconds: Int64(round + 2) * 60 - passed)
      }
      let tookUsec = Now.boottimeUsec - startUsec
      #expect(
        try shell.evaluate("[...nightjarTest.face._timers.keys()]")
          == .array([.string("timer-\(round)")]))
      return tookUsec
    }
    #expect(shell.complaints == [])
  }

  @Test func `After the shell was killed, the panel is right, and the timer rings once`() throws {
    let daemon = try daemon()
    try nightjar("start tea 30min", daemon)
    try nightjar("start egg 100ms", daemon)
    let startUsec = Now.boottimeUsec
    try fiftyTimes("shell killed") { round in
      try shell.crash()
      // Every second time, the ring was dismissed meanwhile.
      if round % 2 == 0 {
        try nightjar("dismiss egg", daemon)
      } else if round > 1 {
        try nightjar("start egg 100ms", daemon)
      }
      try shell.start()
      let beginUsec = Now.boottimeUsec
      try shell.awaitState("the panel is not right in round \(round)") { state in
        let passed = (Now.boottimeUsec - startUsec) / second
        return round % 2 == 0 ? isTime(state.label, seconds: 1800 - passed) : state.label == "egg"
      }
      return Now.boottimeUsec - beginUsec
    }
    #expect(try rings(of: "egg", daemon) == 25)
    #expect(shell.complaints == [])
  }

  private func rings(of name: String, _ daemon: DaemonProcess) throws -> Int {
    try nightjar(["events", name, "--json"], daemon)
      .split(separator: "\n").map { try JSONValue.parse(String($0)) }
      .filter { ($0["event"] ?? $0)["type"] == "rang" }.count
  }

  @Test func `The lock screen shows nothing, and after it the timers are there again`() throws {
    let daemon = try daemon()
    try nightjar("start tea 30min", daemon)
    try nightjar("start egg 3s", daemon)
    try shell.awaitState("egg does not run") { $0.label?.hasPrefix("00:") == true }
    try shell.set(isLocked: true)
    try shell.awaitState("the lock screen shows timers") { $0.label == nil && $0.waiting == 0 }
    #expect(try shell.evaluate("Main.sessionMode.currentMode") == "unlock-dialog")
    try nightjar("wait egg", daemon)
    try shell.set(isLocked: false)
    try shell.awaitState("egg does not ring") { $0.label == "egg" && $0.isHighlighted }
    try shell.openMenu()
    let rows = try shell.state.rows
    #expect(rows.map(\.first) == ["egg", "tea"])
    try shell.press("Dismiss", of: "egg")
    try shell.awaitState("egg is still there") { $0.label?.hasPrefix("29:") == true }
    #expect(try rings(of: "egg", daemon) == 1)
    #expect(shell.complaints == [])
  }

  @Test(arguments: [
    ("<b>bold</b> &amp;", "<b>bold</b> &amp;"),
    ("_mnemonic __two", "_mnemonic __two"),
    ("right\u{202E}left", "right left"),
    ("\u{05E9}\u{05DC}\u{05D5}\u{05DD}", "\u{05E9}\u{05DC}\u{05D5}\u{05DD}"),
    ("${name} %s \\n 'quoted'", "${name} %s \\n 'quoted'"),
    (String(repeating: "W", count: 255), String(repeating: "W", count: 255)),
  ])
  func `A name is shown as it is, and not as markup`(name: String, shown: String) throws {
    let daemon = try daemon()
    try nightjar(["start", "--name", name, "100ms"], daemon)
    try nightjar(["start", "--name", "\(name.dropLast(2)) 2", "30min"], daemon)
    try shell.openMenu()
    let state = try shell.awaitState("no ring is shown") { $0.label == shown && $0.isHighlighted }
    #expect(!state.hasMarkup)
    #expect(state.width < 300 && state.menuWidth < 500, "\(state)")
    #expect(state.rows.map(\.first) == [shown, "\(shown.dropLast(2)) 2"])
    try shell.press("Dismiss", of: shown)
    try shell.awaitState("the ring is still there") { $0.rows.count == 1 }
    #expect(shell.complaints == [])
  }
}
