import NightjarTestSupport
import Testing
import Varlink

/// The restrictions of the units, tried from inside by a program that runs in place of the daemon
/// and the bridge.
@Suite(.blocking, .serialized, .enabled(if: Host.isWanted)) struct SandboxTests {
  private let host: Host
  private let unit = "nightjar.service"
  private static let bridge = "nightjar-mqtt.service"
  private static let units = ["nightjar.service", bridge]

  init() throws { host = try Host() }

  /// Tries each operation that a daemon may not need, and prints its name and the result: let, or
  /// an errno's name.
  private static let probe = #"""
    import ctypes, errno, mmap, os, socket, stat, sys
    libc = ctypes.CDLL(None, use_errno=True)
    def said(name, result):
        code = ctypes.get_errno() if result < 0 else 0
        print(name, errno.errorcode.get(code, "let"), flush=True)
    def attempt(name, body):
        try:
            body()
            print(name, "let", flush=True)
        except OSError as error:
            print(name, errno.errorcode[error.errno], flush=True)
    attempt("inet", lambda: socket.socket(socket.AF_INET).close())
    attempt("unix", lambda: socket.socket(socket.AF_UNIX).close())
    libc.mmap.restype = ctypes.c_long
    said("write_and_execute", libc.mmap(None, 4096, 7, 0x22, -1, 0))
    said("user_namespace", libc.unshare(0x10000000))
    said("personality", libc.personality(0x0040000))
    said("realtime", libc.sched_setscheduler(0, 2, ctypes.byref(ctypes.c_int(1))))
    path = os.environ["XDG_RUNTIME_DIR"] + "/probe"
    open(path, "w").close()
    print("umask", oct(stat.S_IMODE(os.stat(path).st_mode)), flush=True)
    attempt("setuid_file", lambda: os.chmod(path, 0o4755))
    said("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
    said("reboot_call", libc.reboot(0))
    said("chroot", libc.chroot(b"/tmp"))
    # What the kernel would refuse for another reason if it were let: the calls are not looked at.
    said("bpf", libc.syscall(321, 0, None, 0))
    said("perf_event_open", libc.syscall(298, None, 0, -1, -1, 0))
    group = open("/proc/self/cgroup").read().strip().split("::")[1]
    attempt("control_group", lambda: open("/sys/fs/cgroup" + group + "/cgroup.procs", "w").close())
    said("adjtimex", libc.adjtimex(ctypes.create_string_buffer(512)))
    status = dict(line.split(":\t", 1) for line in open("/proc/self/status") if ":\t" in line)
    print("no_new_privileges", status["NoNewPrivs"].strip(), flush=True)
    print("capabilities", status["CapEff"].strip(), flush=True)
    attempt("usr", lambda: open("/usr/local/probe", "w").close())
    print("usr_read_only", bool(os.statvfs("/usr").f_flag & os.ST_RDONLY), flush=True)
    attempt("home", lambda: open(os.path.expanduser("~/probe"), "w").close())
    """#

  /// The probe's output in place of the daemon or the bridge.
  private func probe(in unit: String, dropIn: String = "") throws -> [String: String] {
    try host.user("cat >probe.py <<'PYTHON'\n\(Self.probe)\nPYTHON")
    try host.user(
      """
      mkdir -p .config/systemd/user/\(unit).d
      printf '[Service]\\nType=oneshot\\nRestart=no\\nExecStart=\\nExecStart=/usr/bin/python3 /home/tester/probe.py\\n\
      StandardOutput=file:/home/tester/said\\n\(dropIn)' >.config/systemd/user/\(unit).d/probe.conf
      systemctl --user daemon-reload && systemctl --user start \(unit)
      """)
    let lines = try host.user("cat said").split(separator: "\n").map { $0.split(separator: " ") }
    return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), String($0[1])) })
  }

  /// From version 254 on, systemd forbids writable and executable memory by prctl(2), which has
  /// another errno, and gives the service a user namespace by itself, in which the system is
  /// read-only to all users.
  private func answers(of unit: String, version: Int) -> [String: String] {
    [
      // The broker is in the network.
      "inet": unit == Self.bridge ? "let" : "EAFNOSUPPORT", "unix": "let",
      "write_and_execute": version >= 254 ? "EACCES" : "EPERM",
      "user_namespace": "EPERM", "personality": "EPERM", "realtime": "EPERM", "umask": "0o600",
      "bpf": "EPERM", "perf_event_open": "EPERM",
      "control_group": version >= 254 ? "EROFS" : "let",
      "setuid_file": "EPERM", "mount": "EPERM", "reboot_call": "EPERM", "chroot": "EPERM",
      "adjtimex": "let", "no_new_privileges": "1", "capabilities": "0000000000000000",
      "usr": version >= 254 ? "EROFS" : "EACCES", "home": "let",
    ]
  }

  private func version() throws -> Int {
    let number = try host.root("systemctl --version | sed -n '1s/systemd \\([0-9]*\\).*/\\1/p'")
    return try #require(Int(number))
  }

  @Test(arguments: units)
  func `The unit allows what its program needs, and nothing else`(unit: String) throws {
    let said = try probe(in: unit)
    for (what, answer) in answers(of: unit, version: try version()) {
      #expect(said[what] == answer, "\(what)")
    }
  }

  @Test(arguments: units)
  func `With a user namespace of its own, the system is read-only to the program`(unit: String)
    throws
  {
    let said = try probe(in: unit, dropIn: "PrivateUsers=yes\\n")
    #expect(said["usr_read_only"] == "True")
    #expect(said["home"] == "let" && said["control_group"] == "EROFS")
    // Without it systemd 252 silently does nothing; from 254 on it creates one by itself.
    let expected = try version() >= 254 ? "True" : "False"
    #expect(try probe(in: unit)["usr_read_only"] == expected)
  }

  @Test func `The daemon runs in a user namespace of its own as well`() throws {
    try host.sandbox(unit)
    try host.user("nightjar start egg 1s && nightjar wait egg")
    #expect(try host.timer("egg")["state"] == "over")
    // Root has no mapping there, so the daemon does not recognise it.
    let refused = try host.rootRun("nightjar --socket /run/user/1777/nightjar/socket list 2>&1")
    #expect(refused.code == 4, "\(refused.output)")
  }

  @Test(arguments: [false, true])
  func `The configuration is read in the sandbox, and again by a reload`(namespace: Bool) throws {
    if namespace { try host.sandbox(unit) }
    try host.user(
      """
      mkdir -p .config/nightjar && chmod 700 .config/nightjar
      printf '[daemon]\\nmaximum_timers = 1\\n' >.config/nightjar/config.toml
      chmod 600 .config/nightjar/config.toml
      nightjar start tea 1h
      """)
    let refused = try host.userRun("nightjar start egg 1h 2>&1")
    #expect(refused.code == 1, "\(refused.output)")
    try host.user(
      """
      printf '[daemon]\\nmaximum_timer = 9\\n' >.config/nightjar/config.toml
      systemctl --user reload \(unit)
      """)
    // On 252 a reload ends when the signal is sent.
    try host.awaitUser(
      "nightjar status | grep -q \"config.toml, line 2: .*did you mean 'maximum_timers'\"")
    #expect(try host.userRun("nightjar start egg 1h").code == 1)
    try host.user("rm .config/nightjar/config.toml && systemctl --user reload \(unit)")
    try host.awaitUser("nightjar start egg 1h")
    #expect(try host.timer("tea")["state"] == "running")
  }

  // The bridge has the network, which counts.
  @Test(arguments: [("nightjar.service", 5.9), (bridge, 6.2)])
  func `The score of systemd-analyze security does not get worse`(
    unit: String, most: Double
  ) throws {
    let said = try host.user(
      "systemctl --user start nightjar.service; systemd-analyze --user security --json=short \(unit) --no-pager | tail -n 1; systemd-analyze --user security \(unit) --no-pager | tail -n 1"
    )
    let level = said.split(separator: " ").compactMap { Double($0) }.last
    #expect(try #require(level) <= most, "\(said.suffix(200))")
  }
}
