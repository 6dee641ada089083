import NightjarTestSupport
import Testing
import Varlink

/// Hooks that come with Nightjar, as services of a real user's manager. ShelfTests have the rest.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct ShelfHostTests {
  private let host: Host

  init() throws { host = try Host() }

  /// Enables a hook for an event by a link, before the daemon starts.
  private func enable(_ hook: String, on events: String...) throws {
    for event in events {
      let folder = ".config/nightjar/hooks/\(event).d"
      try host.user(
        "mkdir -p \(folder) && ln -s /usr/local/share/nightjar/hooks/\(hook) \(folder)/")
    }
    try host.user("systemctl --user start nightjar.service")
  }

  @Test func `When a break begins, logind locks the desktop, or the hook misses one`() throws {
    try enable("lock-at-break", on: "rang")
    let shelf = try host.finding("hook_shelf")
    #expect(shelf.level == "ok" && shelf.text.hasPrefix("enabled: lock-at-break; not enabled: "))
    try host.user("nightjar sequence early work=100ms rest=1h")
    #expect(try host.actionEnd(of: "early")["exit_status"] == 1)
    try host.awaitUser(
      "journalctl --user NIGHTJAR_EVENT=action_output | grep -q 'you have no desktop'")

    try host.root(Desktop().logIn)
    let match = "type='signal',interface='org.freedesktop.login1.Session'"
    try host.root("systemd-run --quiet --unit=signals dbus-monitor --system \"\(match)\"")
    try host.awaitRoot("journalctl -u signals | grep -q NameAcquired")
    try host.user("nightjar start tea 100ms && nightjar wait tea")
    #expect(try host.actionEnd(of: "tea")["exit_status"] == 0)
    #expect(try !host.root("journalctl -u signals").contains("member=Lock"))
    try host.user("nightjar sequence focus work=100ms rest=1h")
    #expect(try host.actionEnd(of: "focus")["exit_status"] == 0)
    try host.awaitRoot("journalctl -u signals | grep -q member=Lock")
  }

  @Test func `While the user works, a real dunst does not disturb; an absence is no work`() throws {
    try host.expectDesktop()
    try host.startScreen()
    try host.root(Desktop().logIn)
    try enable(
      "do-not-disturb", on: "started", "rang", "did_enter_background", "will_enter_foreground")
    try host.awaitUser("nightjar status --json | grep -q '\"presence\":{\"seen\":true'")
    func awaitQuiet(_ isQuiet: Bool) throws {
      try host.awaitUser("dunstctl is-paused | grep -q \(isQuiet)")
    }
    try host.user("nightjar sequence focus work=1h rest=1h --clock present")
    try awaitQuiet(true)
    try host.root(Desktop().hint("Locked", true))
    try awaitQuiet(false)
    try host.root(Desktop().hint("Locked", false))
    try awaitQuiet(true)
    try host.user("nightjar sequence focus work=100ms rest=1h --replace")
    try awaitQuiet(false)
  }
}
