import NightjarTestSupport
import Testing
import Varlink

/// The daemon as a service of a real user's manager.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct ServiceTests {
  private let host: Host
  private let unit = "nightjar.service"

  init() throws { host = try Host() }

  private func property(_ name: String) throws -> String {
    try host.user("systemctl --user show -P \(name) \(unit)")
  }

  /// Adds a drop-in to the unit, as a user would.
  private func dropIn(_ lines: String) throws {
    try host.user(
      """
      mkdir -p .config/systemd/user/\(unit).d
      printf '[Service]\\n\(lines)\\n' >.config/systemd/user/\(unit).d/test.conf
      systemctl --user daemon-reload
      """)
  }

  // MARK: Start and end

  @Test func `A service that cannot start is tried until it can`() throws {
    try host.user("nightjar start tea 1h && systemctl --user stop nightjar.service")
    try host.user("chmod 500 .local/state/nightjar && chmod 400 .local/state/nightjar/*")
    #expect(try host.userRun("systemctl --user start nightjar.service").code != 0)
    // More often than systemd would retry by itself.
    try host.awaitUser("[ $(systemctl --user show -P NRestarts nightjar.service) -ge 8 ]")
    try host.user("chmod 700 .local/state/nightjar && chmod 600 .local/state/nightjar/*")
    try host.awaitUser("systemctl --user is-active --quiet nightjar.service")
    #expect(try host.timer("tea")["state"] == "running")
  }

  @Test func `The daemon starts, reports, reloads, restarts and stops as a unit does`() throws {
    try host.user("systemctl --user start \(unit)")
    try host.user("nightjar start tea 1h")
    let first = try host.mainPid()
    let tea = try host.timer("tea")
    #expect(try host.user("systemctl --user status \(unit)").contains("active (running)"))

    try host.user("systemctl --user reload \(unit)")
    #expect(try host.mainPid() == first)
    #expect(try host.spans().isEmpty)

    try host.user("systemctl --user restart \(unit)")
    #expect(try host.mainPid() != first)
    let after = try host.timer("tea")
    #expect(after["id"] == tea["id"] && after["state"] == "running")
    let span = try host.awaitLeft(1)
    #expect(span["causes"] == ["down"] && span["estimated"] == false)

    try host.user("systemctl --user stop nightjar.socket \(unit)")
    #expect(try property("Result") == "success" && property("ActiveState") == "inactive")
  }

  @Test func `The status line has the number of running timers and the name of the next`() throws {
    try host.user("systemctl --user start \(unit)")
    try host.user("nightjar start tea 1h")
    // The line follows a change within a second.
    try host.awaitUser("systemctl --user show -P StatusText \(unit) | grep -q '1 running'")
    let text = try property("StatusText")
    #expect(text.contains("1 running") && text.contains("tea"), "\(text)")
  }

  @Test func `The first client starts the daemon through the socket`() throws {
    try host.user("systemctl --user start nightjar.socket")
    #expect(try property("ActiveState") == "inactive")
    // Without the command line, which could start the units by itself.
    try host.user(
      #"""
      python3 - <<'PYTHON'
      import os, socket
      client = socket.socket(socket.AF_UNIX)
      client.connect(os.environ["XDG_RUNTIME_DIR"] + "/nightjar/socket")
      client.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
      assert b"org.nightjar.Timers" in client.recv(65536)
      PYTHON
      """#)
    #expect(try property("ActiveState") == "active")
    #expect(try host.user("stat -c %a $XDG_RUNTIME_DIR/nightjar/socket") == "600")
  }

  @Test func `The command line starts the units if there is no daemon`() throws {
    let said = try host.user("nightjar start tea 4min 2>&1")
    #expect(said.contains("tea: 4 min"), "\(said)")
    #expect(try property("ActiveState") == "active")
    #expect(try host.user("systemctl --user is-active nightjar.socket") == "active")
  }

  @Test func `After a crash the daemon is restarted, and the manager knows since when`() throws {
    try host.user("systemctl --user start \(unit)")
    try host.user("nightjar start tea 1h")
    let restarts = try property("NRestarts")
    try host.user("kill -SEGV \(host.mainPid())")
    let span = try host.awaitLeft(1)
    #expect(try restarts == "0" && property("NRestarts") == "1")
    #expect(try host.timer("tea")["state"] == "running")
    #expect(span["causes"] == ["down"] && span["estimated"] == false)
    // RestartSec is 100 ms.
    let elapsed = try #require(span["elapsed_usec"]?.integerValue)
    #expect((50 * millisecond..<20 * second).contains(elapsed))
  }

  // MARK: The watchdog

  private func remaining(_ name: String) throws -> Int64 {
    try #require(try host.timer(name)["remaining_usec"]?.integerValue)
  }

  @Test func `The watchdog ends a daemon that hangs, and no timer is lost`() throws {
    try dropIn("WatchdogSec=4s")
    try host.user("systemctl --user start \(unit)")
    let pid = try host.mainPid()
    // No code in the process can run any more.
    try host.user("nightjar start tea 1h && nightjar start egg 1s && kill -STOP \(pid)")
    // A command that finds a stopped daemon reports it at once and exits.
    try host.awaitNewDaemon(than: pid)
    #expect(try host.awaitLeft(1)["causes"] == ["down"])
    #expect(try property("NRestarts") == "1")
    #expect(try host.user("journalctl --user -u \(unit)").contains("Watchdog timeout"))
    #expect(try host.timer("tea")["state"] == "running")
    // The daemon pings at most once in a second, so the watchdog ends it a second or more after the
    // stop, and systemd waits 100 ms before the restart.
    let egg = try host.timer("egg")
    #expect(egg["state"] == "over")
    #expect(egg["open_ring"]?["late_usec"]?.integerValue ?? 0 > 50 * millisecond)
  }

  @Test func `The watchdog leaves a daemon alone that SIGTSTP has stopped`() async throws {
    try dropIn("WatchdogSec=2s")
    try host.user("systemctl --user start \(unit)")
    try host.user("nightjar start tea 1h && nightjar start work 1h --clock awake")
    let pid = try host.mainPid()
    let before = (tea: try remaining("tea"), work: try remaining("work"))
    try host.user("systemctl --user kill -s SIGTSTP \(unit)")
    try host.awaitStopped(pid)
    await elapse(seconds: 6)
    #expect(try host.root("grep State: /proc/\(pid)/status").contains("stopped"))
    #expect(try property("ActiveState") == "active" && property("NRestarts") == "0")
    try host.user("systemctl --user kill -s SIGCONT \(unit)")
    let span = try host.awaitLeft(1)
    #expect(span["causes"] == ["stop"])
    #expect(try host.mainPid() == pid)
    let elapsedUsec = try #require(span["elapsed_usec"]?.integerValue)
    #expect(elapsedUsec >= 6 * second)
    let counted = (
      tea: try before.tea - remaining("tea"), work: try before.work - remaining("work")
    )
    #expect(counted.tea >= elapsedUsec)
    #expect(counted.work < counted.tea - elapsedUsec + second)

    // The watchdog is on again.
    try host.user("kill -STOP \(pid)")
    try host.awaitNewDaemon(than: pid)
    #expect(try host.awaitLeft(2)["causes"] == ["down"])
    #expect(try property("NRestarts") == "1")
  }

  @Test func `systemctl stop ends a stopped daemon, which saves its state`() throws {
    try host.user("systemctl --user start \(unit)")
    try host.user("nightjar start tea 1h")
    let pid = try host.mainPid()
    try host.user("systemctl --user kill -s SIGTSTP \(unit)")
    try host.awaitStopped(pid)
    // It sends SIGTERM and then SIGCONT.
    try host.user("systemctl --user stop \(unit)")
    #expect(try property("Result") == "success")
    try host.user("systemctl --user start \(unit)")
    #expect(try host.timer("tea")["state"] == "running")
    _ = try host.awaitLeft(2)
    #expect(try host.spans().map { $0["causes"] } == [["stop"], ["down"]])
  }

  @Test func `The socket is in the registry of the user's Varlink services`() throws {
    try host.user("systemctl --user start nightjar.socket")
    let entry = "$XDG_RUNTIME_DIR/varlink/registry/org.nightjar.Timers"
    #expect(try host.user("realpath \(entry)") == "/run/user/1777/nightjar/socket")
    try host.user("nightjar --socket \(entry) start tea 1h")
    #expect(try host.timer("tea")["state"] == "running")
    // The socket can be started again over what is there.
    try host.user("systemctl --user stop \(unit) nightjar.socket")
    try host.user("systemctl --user start nightjar.socket")
    try host.user("nightjar --socket \(entry) show tea")
  }

  // MARK: Log and units

  @Test func `The journal has entries with structured fields`() throws {
    try host.user("systemctl --user start \(unit)")
    try host.user("nightjar start egg 1s && nightjar wait egg")
    let look = "journalctl --user -u \(unit) NIGHTJAR_EVENT=rang -o json"
    // journald writes a little later.
    try host.awaitUser("\(look) | grep -q NIGHTJAR_TIMER")
    // More than one entry would not be one value.
    let entry = try JSONValue.parse(try host.user(look))
    #expect(entry["NIGHTJAR_TIMER"] == "egg")
    #expect(entry["PRIORITY"] == "6")
    #expect(entry["SYSLOG_IDENTIFIER"] == "nightjard")
    #expect(entry["_TRANSPORT"] == "journal")
    let seq = try #require(entry["NIGHTJAR_SEQ"]?.stringValue.flatMap { Int64($0) })
    #expect(try host.events("rang").first?["seq"]?.integerValue == seq)
  }

  @Test func `systemd-analyze verify accepts the units without a message`() throws {
    let said = try host.user(
      "systemd-analyze --user verify --man=no nightjar.service nightjar.socket 2>&1")
    #expect(said == "")
  }
}
