import NightjarTestSupport
import Testing
import Varlink

/// The bridge as a service of a real user's manager, with all restrictions of its unit, and a
/// mosquitto in the network. A second machine of the user has a daemon and a bridge in folders of
/// their own.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct BridgeHostTests {
  private let host: Host
  private let port: UInt16
  private let unit = "nightjar-mqtt.service"
  /// The prefix of commands for the second machine.
  private let onLaptop = "nightjar --socket /home/tester/laptop/socket"

  init() throws {
    host = try Host()
    port = try FreePort.find()
    // A machine rings for another one only if both clocks are synchronised. The kernel of this
    // machine may not say that.
    try host.root("mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized")
    try host.user(
      """
      set -e
      printf 'listener \(port) 127.0.0.1\\nallow_anonymous true\\n' >mosquitto.conf
      systemd-run --user --quiet --unit broker /usr/sbin/mosquitto -c /home/tester/mosquitto.conf
      mkdir -p -m 700 .config .config/nightjar laptop
      \(config("desktop")) >.config/nightjar/config.toml
      \(config("laptop")) >laptop/config.toml
      """)
  }

  private func config(_ device: String) -> String {
    "printf '[mqtt]\\nbroker = \"mqtt://127.0.0.1:\(port)\"\\nperson = \"alex\"\\ndevice = \"\(device)\"\\n'"
  }

  /// Starts the units as `systemctl --user enable --now` would.
  private func startDesktop() throws {
    try host.user("systemctl --user start nightjar.socket nightjar.service \(unit)")
    try host.awaitUser("nightjar mqtt status --json | grep -q '\"connected\":true'")
  }

  /// Starts the second machine. Its rings cannot be seen or heard, because it has no session bus
  /// and no player.
  private func startLaptop() throws {
    let run = "systemd-run --user --quiet -E DBUS_SESSION_BUS_ADDRESS=none -E PATH=/nonexistent"
    try host.user(
      """
      set -e
      \(run) --unit laptop /usr/local/bin/nightjard --socket /home/tester/laptop/socket \\
        --state-dir /home/tester/laptop/state
      timeout 30 bash -c 'until \(onLaptop) status --no-start >/dev/null 2>&1; do sleep 0.05; done'
      \(run) --unit laptop-mqtt /usr/local/bin/nightjar-mqtt --socket /home/tester/laptop/socket \\
        --config /home/tester/laptop/config.toml
      """)
    try host.awaitUser(
      "nightjar mqtt status --json | grep -q '\"device\":\"laptop\",\"state\":\"online\"'")
  }

  @Test(arguments: [false, true])
  func `In its unit the bridge connects, reports it, and has another machine's timers`(
    namespace: Bool
  ) throws {
    if namespace { try host.sandbox(unit) }
    let missing = try host.finding("bridge")
    #expect(missing.level == "fault" && missing.text.contains("nightjar-mqtt does not run"))
    try startDesktop()
    let broker = "mqtt://127.0.0.1:\(port), connected since"
    let status = try host.user("nightjar mqtt status")
    #expect(status.contains(broker) && status.contains("alex/desktop"), "\(status)")
    let found = try host.finding("bridge")
    #expect(found.level == "ok" && found.text.contains(broker), "\(found)")
    #expect(try host.user("systemctl --user is-active \(unit)") == "active")
    #expect(try host.user("systemctl --user show -P NRestarts \(unit)") == "0")

    try startLaptop()
    try host.user("\(onLaptop) start egg 1h")
    try host.awaitUser("nightjar @laptop list | grep -q egg")
    #expect(try host.user("nightjar list --everywhere").contains("egg"))
    // A change made here appears there.
    try host.user("nightjar @laptop pause egg")
    let egg = try JSONValue.parse(try host.user("\(onLaptop) show egg --json"))["timer"]
    #expect(egg?["state"] == "paused")
    // And the other way round.
    try host.user("nightjar start tea 1h")
    let bridge = "NIGHTJAR_SOCKET=/home/tester/laptop/socket nightjar"
    try host.awaitUser("\(bridge) @desktop list | grep -q tea")
    // It exits in an orderly way.
    try host.user("systemctl --user stop \(unit)")
    try host.awaitUser(
      "\(bridge) mqtt status --json | grep -q '\"device\":\"desktop\",\"state\":\"offline\"'")
    let result = try host.user("systemctl --user show -P Result \(unit)")
    let journal = try host.user("journalctl --user -u \(unit) --no-pager -n 20")
    #expect(result == "success", "\(journal)")
  }

  @Test(arguments: [false, true])
  func `A ring of another machine is seen and heard from within the unit, and can be answered`(
    namespace: Bool
  ) throws {
    try host.expectDesktop()
    if namespace { try host.sandbox(unit) }
    try host.startScreen()
    try host.startSoundServer()
    try startDesktop()
    try startLaptop()
    try host.user("\(onLaptop) start tea 1s")
    try host.awaitShown(1)
    // The player belongs to the bridge's unit. A ring is played again and again.
    try host.user(
      """
      timeout 30 bash -c 'until false; do
        for pid in $(pactl list sink-inputs | sed -n "s/.*application.process.id = .\\([0-9]*\\).$/\\1/p"); do
          grep -q "/\(unit)$" "/proc/$pid/cgroup" 2>>errors && exit
        done
      done'
      """)
    try host.user("dunstctl action 0")
    try host.awaitShown(0)
    let shown = try host.shownBefore()
    #expect(shown.contains("laptop rings, and may not be noticed there."), "\(shown.prefix(500))")
    // It is dismissed on the machine that owns it.
    try host.awaitUser("\(onLaptop) events --json | grep -q '\"type\":\"dismissed\"'")
  }
}
