import NightjarTestSupport
import Testing
import Varlink

/// Sleep as a real logind announces it, and its failures.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct RealLogindTests {
  private let host: Host

  init() throws {
    host = try Host()
    try host.user("systemctl --user start nightjar.service")
    try host.user("nightjar start tea 1h")
    try awaitInhibitor()
    // A script records what it finds right after logind's delay: the time, and the span that is
    // open on disk.
    try host.root(
      """
      cat >/run/on-suspend <<'X'
      cat /proc/uptime >/run/suspend-began
      sqlite3 -readonly /home/tester/.local/state/nightjar/nightjar.db \
        'SELECT causes FROM span WHERE leftUsec IS NULL' >/run/open-span
      X
      """)
  }

  /// Waits until the daemon holds logind's delay inhibitor.
  private func awaitInhibitor() throws {
    try host.awaitRoot("systemd-inhibit --list --no-legend | grep -q 'Nightjar.*sleep.*delay'")
  }

  /// Lets the next suspend last until `endSleep`.
  private func holdSleep() throws {
    try host.root("echo 'until [ -e /run/go ]; do sleep 0.1; done' >>/run/on-suspend")
  }

  private func endSleep() throws { try host.root("touch /run/go") }

  /// Makes suspends run a program instead.
  private func pretendSuspend(_ program: String) throws {
    try host.root(
      """
      printf '[Service]\\nExecStart=\\nExecStart=\(program)\\n' \
        >/run/systemd/system/systemd-suspend.service.d/pretend.conf
      systemctl daemon-reload
      """)
  }

  /// BOOTTIME at which the last suspend began, to the hundredth of a second.
  private func suspendBegan() throws -> Int64 {
    let seconds = try host.root("cut -d ' ' -f 1 /run/suspend-began")
    return Int64((Double(seconds) ?? 0) * 1e6)
  }

  @Test func `A suspend is a span of its length, entered before the machine sleeps`() throws {
    #expect(try host.status()["sleep"]?["seen"] == true)
    #expect(try host.status()["sleep"]?["inhibitor"] == true)
    try host.root("systemctl suspend")
    let span = try host.awaitLeft(1)
    #expect(span["causes"] == ["sleep"] && span["estimated"] == false)
    let elapsed = try #require(span["elapsed_usec"]?.integerValue)
    #expect((2 * second..<8 * second).contains(elapsed))
    #expect(try host.root("cat /run/open-span") == "sleep")
    // The daemon is ready for the next one.
    try awaitInhibitor()
    try host.root("systemctl suspend")
    #expect(try host.awaitLeft(2)["causes"] == ["sleep"])
  }

  @Test func `The machine waits for a daemon that has not saved, up to logind's limit`() throws {
    let pid = try host.mainPid()
    // Stopped, so that it can neither save nor release anything.
    try host.root("kill -STOP \(pid)")
    let asked = Now.boottimeUsec
    try host.root("systemctl suspend", within: 60)
    try host.awaitRoot("[ -s /run/suspend-began ]")
    // InhibitDelayMaxSec is 5 s.
    #expect(try suspendBegan() - asked >= 4 * second)
    try host.root("kill -CONT \(pid)")
    #expect(try host.awaitLeft(1)["causes"] == ["sleep"])
  }

  @Test func `A timer that expires in a sleep rings after it, and is late`() async throws {
    try holdSleep()
    try host.user("nightjar start egg 3s")
    try host.root("systemctl suspend")
    try host.awaitEvent(type: "did_enter_background")
    await elapse(seconds: 3)
    try endSleep()
    let leftUsec = try #require(try host.awaitLeft(1)["left_usec"]?.integerValue)
    let egg = try host.awaitEvent(type: "rang", of: "egg")
    #expect(egg["late_cause"] == "sleep")
    let lateUsec = try #require(egg["late_usec"]?.integerValue)
    let dueUsec = try #require(try host.timer("egg")["started_usec"]?.integerValue) + 3 * second
    // The suspend lasts two seconds more after the test lets it end.
    #expect(lateUsec > 2 * second)
    #expect((0..<second).contains(lateUsec - (leftUsec - dueUsec)))
  }

  @Test func `A suspend that fails is a short span`() throws {
    try pretendSuspend("/bin/false")
    _ = try host.rootRun("systemctl suspend")
    let span = try host.awaitLeft(1)
    #expect(span["causes"] == ["sleep"])
    #expect(try #require(span["elapsed_usec"]?.integerValue) < 2 * second)
    try awaitInhibitor()
  }

  @Test func `A logind that restarts while its inhibitor is held grants another one`() throws {
    try host.root("systemctl restart systemd-logind")
    try awaitInhibitor()
    try host.root("systemctl suspend")
    #expect(try host.awaitLeft(1)["causes"] == ["sleep"])
  }

  @Test func `A logind that restarts during a sleep ends the span`() throws {
    try pretendSuspend("/bin/sleep 30")
    try host.root("systemctl suspend")
    try host.awaitEvent(type: "did_enter_background")
    try host.root("systemctl restart systemd-logind")
    #expect(try host.awaitLeft(1)["causes"] == ["sleep"])
    try awaitInhibitor()
    #expect(try host.timer("tea")["state"] == "running")
  }

  @Test func `The daemon listens again to a system bus that went away and came back`() throws {
    try host.root("systemctl stop dbus.service dbus.socket")
    #expect(try host.status()["sleep"]?["reason"]?.stringValue?.isEmpty == false)
    try host.root("systemctl start dbus.socket dbus.service && systemctl restart systemd-logind")
    try awaitInhibitor()
    try host.root("systemctl suspend")
    #expect(try host.awaitLeft(1)["causes"] == ["sleep"])
  }

  @Test func `SIGTSTP in a sleep is part of the same span`() throws {
    let pid = try host.mainPid()
    try holdSleep()
    try host.root("systemctl suspend")
    try host.awaitEvent(type: "did_enter_background")
    try host.root("kill -TSTP \(pid)")
    try host.awaitStopped(pid)
    // The sleep ends while the daemon is stopped and cannot receive the signal.
    try endSleep()
    try host.root("systemctl start systemd-suspend.service || true; kill -CONT \(pid)")
    #expect(try host.awaitLeft(1)["causes"] == ["sleep", "stop"])
    #expect(try host.spans().count == 1)
  }

  @Test func `A SIGSTOP is a freeze only if a deadline passed in it`() async throws {
    let pid = try host.mainPid()
    try host.root("kill -STOP \(pid)")
    await elapse(seconds: 2)
    try host.root("kill -CONT \(pid)")
    #expect(try host.status()["open_span"] == nil)
    #expect(try host.spans().isEmpty)

    let begun = Now.boottimeUsec
    try host.user("nightjar start egg 1s && kill -STOP \(pid)")
    await elapse(seconds: 4)
    try host.root("kill -CONT \(pid)")
    let continued = Now.boottimeUsec
    let span = try host.awaitLeft(1)
    #expect(span["causes"] == ["freeze"])
    // The freeze is proven from the deadline on, not from the stop, which the daemon did not see.
    let elapsed = try #require(span["elapsed_usec"]?.integerValue)
    #expect((2 * second...continued - begun - second).contains(elapsed))
    #expect(try host.awaitEvent(type: "rang", of: "egg")["late_cause"] == "freeze")
  }

  @Test func `Suspends while the daemon starts and while it ends are in the ledger`() throws {
    try host.user("systemctl --user stop nightjar.service")
    // PrepareForSleep(true) comes before the daemon is there: it reads the property.
    try host.root("systemctl suspend")
    try host.user("systemctl --user start nightjar.service")
    // It is chance whether the daemon reads that before or after its own past.
    let first = try host.awaitLeft(1)
    #expect(names(first).contains("down"))
    try awaitInhibitor()
    try host.root("systemctl suspend")
    try host.user("systemctl --user stop nightjar.service")
    try host.user("systemctl --user start nightjar.service")
    _ = try host.awaitEvent("the way back") {
      $0["type"] == "will_enter_foreground"
        && $0["span"]?["span"]?.integerValue ?? 0 > first["span"]?.integerValue ?? 0
        && names($0["span"] ?? .null).contains("down")
    }
    // Whatever overlapped, nothing was counted twice: the timer still rings an hour after its
    // start.
    let tea = try host.timer("tea")
    let started = try #require(tea["started_usec"]?.integerValue)
    let deadline = try #require(tea["deadline_usec"]?.integerValue)
    #expect(abs(deadline - started - hour) < millisecond)
  }

  private func names(_ span: JSONValue) -> [String] {
    guard case .array(let causes) = span["causes"] else { return [] }
    return causes.compactMap(\.stringValue)
  }
}
