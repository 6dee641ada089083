import NightjarTestSupport
import Testing
import Varlink

/// Commands as services of a real user's manager.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct ActionHostTests {
  private let host: Host
  private let unit = "nightjar.service"

  init() throws {
    host = try Host()
    try host.user("systemctl --user start \(unit)")
  }

  private static let units =
    "systemctl --user list-units --all --plain --no-legend 'nightjar-*'"

  /// Waits until the manager has no unit of ours any more.
  private func awaitNoUnits() throws { try host.awaitUser("[ -z \"$(\(Self.units))\" ]") }

  /// Expects that the command of tea has run once, and exited so.
  private func expectRanOnce(exitStatus: Int64) throws -> JSONValue {
    let end = try host.actionEnd(of: "tea")
    #expect(end["outcome"] == "exited" && end["exit_status"] == .integer(exitStatus), "\(end)")
    #expect(end["attempt"] == 1, "\(end)")
    #expect(try host.user("cat ran") == "start")
    return end
  }

  private func journal(_ match: String) throws -> [JSONValue] {
    try host.user("journalctl --user -o json \(match)").split(separator: "\n").map {
      try JSONValue.parse(String($0))
    }
  }

  /// Reports for each restriction of the daemon whether this program is subject to it.
  private static let probe = #"""
    import ctypes, os, socket
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_long
    try:
        socket.socket(socket.AF_INET).close()
        print("inet let", flush=True)
    except OSError:
        print("inet refused", flush=True)
    print("write_and_execute", "let" if libc.mmap(None, 4096, 7, 0x22, -1, 0) > 0 else "refused", flush=True)
    status = dict(line.split(":\t", 1) for line in open("/proc/self/status") if ":\t" in line)
    print("no_new_privileges", status["NoNewPrivs"].strip(), "seccomp", status["Seccomp"].strip(), flush=True)
    print("namespace", open("/proc/self/uid_map").read().split()[2], flush=True)
    print("group", open("/proc/self/cgroup").read().strip().split("/")[-1], flush=True)
    print("folder", os.getcwd(), "files", sorted(os.listdir("/proc/self/fd"))[:3], flush=True)
    """#

  @Test func `A command is a service of its own, without the daemon's restrictions`() throws {
    try host.user("cat >probe.py <<'PYTHON'\n\(Self.probe)\nPYTHON")
    try host.user(
      "nightjar start tea 100ms --exec 'python3 /home/tester/probe.py' --env 'A=$HOME %n \"x\"'")
    let end = try host.actionEnd(of: "tea")
    #expect(end["outcome"] == "exited" && end["exit_status"] == 0, "\(end)")
    try host.awaitUser("journalctl --user NIGHTJAR_EVENT=action_output | grep -q folder")
    let entries = try journal("NIGHTJAR_EVENT=action_output")
    let said = entries.compactMap { $0["MESSAGE"]?.stringValue?.dropFirst("python3: ".count) }
    #expect(
      said.prefix(3) == ["inet let", "write_and_execute let", "no_new_privileges 0 seccomp 0"])
    #expect(said.contains("namespace 4294967295"))
    #expect(said.contains { $0.hasPrefix("group nightjar-action-") })
    #expect(said.contains("folder /home/tester files ['0', '1', '2']"))
    #expect(entries.allSatisfy { $0["NIGHTJAR_TIMER"] == "tea" })
    #expect(entries.allSatisfy { $0["_SYSTEMD_USER_UNIT"]?.stringValue == unit })
    try awaitNoUnits()
  }

  @Test func `A command's arguments and environment reach it unchanged`() throws {
    try host.user(
      #"nightjar start tea 100ms --shell 'printf "%s|" "$A" "$NIGHTJAR_LABEL_X" "$NIGHTJAR_NAME" >said' --env 'A=$HOME %n %% \ "x"' --label 'x=a%b$c'"#
    )
    _ = try host.actionEnd(of: "tea")
    #expect(try host.user("cat said") == #"$HOME %n %% \ "x"|a%b$c|tea|"#)
    try host.user(
      #"nightjar start egg 100ms --exec 'printf "%s|" $ %n \$HOME é' && nightjar wait egg"#)
    _ = try host.actionEnd(of: "egg")
    try host.awaitUser("journalctl --user NIGHTJAR_TIMER=egg -o cat | grep -qF '$|%n|$HOME|é|'")
  }

  @Test func `A command runs once, whatever becomes of the daemon, and loses no output`() throws {
    try host.user(
      """
      nightjar start tea 100ms --shell 'echo start >>ran; for n in $(seq 40); do echo tick $n; \
      [ $n != 15 ] || until [ -e go ]; do sleep 0.1; done; sleep 0.1; done; exit 5'
      """)
    let ticks = "journalctl --user NIGHTJAR_EVENT=action_output -o cat | grep -c"
    try host.awaitUser("\(ticks) tick | grep -q '[1-9]'")
    try host.user("systemctl --user restart \(unit)")
    try host.awaitUser("[ $(\(ticks) tick) -ge 15 ]")
    // The daemon has logged what the command printed. Now it prints while no daemon runs.
    try host.user("kill -9 \(host.mainPid()) && touch go")
    let usec = try #require(try expectRanOnce(exitStatus: 5)["duration_usec"]?.integerValue)
    #expect((4 * second..<40 * second).contains(usec))
    try host.awaitUser("\(ticks) 'tick 40$'")
    let numbers = try host.user(
      "journalctl --user NIGHTJAR_EVENT=action_output -o cat | grep -o 'tick.*' | cut -d' ' -f2")
    #expect(numbers.split(separator: "\n").map(String.init) == (1...40).map(String.init))
    #expect(try host.events("action_started").count == 1)
    try awaitNoUnits()
  }

  @Test func `The next daemon learns how a command ended while there was none`() throws {
    try host.user(
      "nightjar start tea 100ms --shell 'echo start >>ran; until [ -e go ]; do sleep 0.1; done; exit 7'"
    )
    try host.awaitUser("[ -e ran ]")
    try host.user("systemctl --user stop nightjar.socket \(unit) && touch go")
    // The manager lists the unit as failed, and keeps it loaded.
    try host.awaitUser("systemctl --user list-units --failed --plain | grep -q nightjar-action")
    try host.user("systemctl --user start \(unit)")
    _ = try expectRanOnce(exitStatus: 7)
    try awaitNoUnits()
  }

  @Test func `A command that hangs is ended whole, and what one leaves behind runs on`() throws {
    try host.user(
      "nightjar start hang 100ms --shell 'sleep 1234 & sleep 1235' --exec-timeout 500ms")
    #expect(try host.actionEnd(of: "hang")["outcome"] == "timed_out")
    try host.awaitUser("! pgrep -f 'sleep 123[45]'")
    try awaitNoUnits()
    try host.user("nightjar start leave 100ms --shell 'sleep 1236 & sleep 0.1; echo left'")
    #expect(try host.actionEnd(of: "leave")["outcome"] == "exited")
    // It belongs to the command's unit, not to the daemon's, and outlives the daemon.
    #expect(
      try host.user("systemctl --user status | grep -A 1 nightjar-action").contains("sleep 1236"))
    try host.user("systemctl --user stop nightjar.socket \(unit)")
    try host.user("pgrep -f 'sleep 1236'")
    try host.user("pkill -f 'sleep 1236'")
    try awaitNoUnits()
  }

  @Test func `A command that fails, is missing or is stopped is reported, and is gone`() throws {
    try host.user("nightjar start fails 100ms --shell 'exit 3'")
    #expect(try host.actionEnd(of: "fails")["exit_status"] == 3)
    try host.user("nightjar start missing 100ms --exec nosuch 2>&1")
    #expect(try host.actionEnd(of: "missing")["reason"] == "no folder of PATH has it")
    try host.user("printf '#!/no/such/thing\\n' >script && chmod 755 script")
    try host.user("nightjar start script 100ms --exec ./script")
    #expect(
      try host.actionEnd(of: "script")["reason"] == "the service manager could not execute it")
    try host.user("nightjar start stopped 100ms --exec 'sleep 1000'")
    try host.awaitUser("systemctl --user is-active 'nightjar-action-*'")
    try host.user("systemctl --user stop 'nightjar-action-*'")
    let stopped = try host.actionEnd(of: "stopped")
    #expect(stopped["outcome"] == "signalled" && stopped["signal"] == 15, "\(stopped)")
    try host.user("nightjar start killed 100ms --shell 'kill -9 $$'")
    #expect(try host.actionEnd(of: "killed")["signal"] == 9)
    try awaitNoUnits()
    #expect(
      try host.user("systemctl --user list-units --failed --plain --no-legend 'nightjar*'") == "")
  }

  @Test func `Without a manager a command is a child, with the daemon's restrictions`() throws {
    try host.user("cat >probe.py <<'PYTHON'\n\(Self.probe)\nPYTHON")
    try host.user(
      """
      mkdir -p .config/systemd/user/\(unit).d
      printf '[Service]\\nEnvironment=DBUS_SESSION_BUS_ADDRESS=unix:path=/no/such/bus\\n' \
      >.config/systemd/user/\(unit).d/test.conf
      systemctl --user daemon-reload && systemctl --user restart \(unit)
      nightjar start tea 100ms --exec 'python3 /home/tester/probe.py'
      """)
    #expect(try host.actionEnd(of: "tea")["outcome"] == "exited")
    try host.awaitUser("journalctl --user NIGHTJAR_EVENT=action_output | grep -q folder")
    let said = try journal("NIGHTJAR_EVENT=action_output").compactMap {
      $0["MESSAGE"]?.stringValue
    }
    #expect(said.contains("python3: inet refused") && said.contains("python3: group \(unit)"))
    #expect(try host.user(Self.units) == "")
  }
}
