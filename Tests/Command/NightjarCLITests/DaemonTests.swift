import Foundation
import NightjarTestSupport
import Testing
import Varlink

/// The command without a daemon, or with one that does not answer.
@Suite(.blocking) struct DaemonTests {
  /// A command line beside a nightjard that is a script of the test; no other program is reachable.
  private struct Place {
    var runner: CommandRunner
    let socket: String

    init(_ script: String?) throws {
      runner = try CommandRunner(zone: Noon().zone)
      socket = runner.folder.path + "/socket"
      try shell("mkdir bin && cp \"$1\" bin/nightjar && mkfifo gate", Binaries.nightjar())
      runner.executable = runner.folder.path + "/bin/nightjar"
      runner.environment["NIGHTJAR_SOCKET"] = socket
      if let script { try write("bin/nightjard", "#!/bin/sh\ncd \"$HOME\"\n\(script)\n") }
    }

    var path: String { runner.folder.path }

    /// Writes a script. A shell does this, because a file that this process has open for writing
    /// would stay open for a moment in a process that another test starts, and could not be
    /// executed ("text file busy").
    func write(_ name: String, _ text: String) throws {
      try shell(#"printf '%s' "$2" > "$1" && chmod 755 "$1""#, name, text)
    }

    private func shell(_ script: String, _ arguments: String...) throws {
      var runner = runner
      runner.executable = "/bin/sh"
      let result = try runner.run(["-c", "cd \"$HOME\" && \(script)", "sh"] + arguments)
      #expect(result == .init(0))
    }

    /// Releases a script that waits for a line from the gate. If no script waits, the line is lost.
    func letGo() throws {
      let gate = open("\(path)/gate", O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard gate >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      defer { close(gate) }
      #expect(Glibc.write(gate, "go\n", 3) == 3)
      // Held open until the script has read the line, because the pipe would discard it.
      var unread: Int32 = 1
      let limit = Date(timeIntervalSinceNow: 10)
      while unread > 0, Date() < limit, ioctl(gate, UInt(FIONREAD), &unread) == 0 {
        poll(nil, 0, 2)
      }
    }

    func text(_ name: String) throws -> String {
      try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }

    /// Waits at most ten seconds until the script has made a file.
    func waits(for name: String) -> Bool {
      let limit = Date(timeIntervalSinceNow: 10)
      while !FileManager.default.fileExists(atPath: "\(path)/\(name)") {
        guard Date() < limit else { return false }
        poll(nil, 0, 5)
      }
      return true
    }

    func fake(at socket: String) throws -> FakeDaemon {
      let timers = FakeTimers(nowUsec: Noon().nowUsec)
      return try FakeDaemon(path: socket) { [timers.answer($0)] }
    }
  }

  /// Prints its arguments, waits for the gate, reports readiness, and waits for its end.
  private static let cooperative = """
    echo "from the daemon" >&2
    printf '%s\\n' "$@" > arguments
    cut -d' ' -f5,6 /proc/$$/stat > groups
    readlink /proc/$$/fd/* > descriptors
    env | cut -d= -f1 > variables
    echo $$ > process.new
    mv process.new process
    read go < gate
    systemd-notify --no-block --ready
    read end < gate
    """

  @Test
  func `A missing daemon is started detached, from beside the command, and reported once`() throws {
    var place = try Place(Self.cooperative)
    // As in a unit, which must not be tied to the daemon's lifetime.
    let unit = [
      "FDSTORE", "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID",
      "WATCHDOG_PID", "WATCHDOG_USEC",
    ]
    for variable in unit { place.runner.environment[variable] = "1" }
    // As from a script that holds a lock, which the daemon must not inherit.
    let command = place.runner.executable
    place.runner.executable = "/bin/sh"
    let script = "exec 7> \"$HOME/held\"; exec \"$0\" \"$@\""
    let running = try place.runner.start(["-c", script, command, "start", "tea", "4min"])
    #expect(place.waits(for: "process"))
    let fake = try place.fake(at: place.socket)
    try place.letGo()
    let result = try running.finish()
    let process = try place.text("process").trimmingCharacters(in: .newlines)
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasPrefix("tea: 4 min, rings at "))
    #expect(
      result.errors
        == "nightjar: no daemon was running; started it in the background (process \(process))\n")
    let state = place.path + "/.local/state/nightjar"
    #expect(try place.text("arguments") == "--socket\n\(place.socket)\n--state-dir\n\(state)\n")
    // The daemon is in a session of its own, so Ctrl-C, Ctrl-Z and the end of the terminal do not
    // reach it.
    #expect(try !place.text("descriptors").contains("held"))
    let variables = Set(try place.text("variables").split(separator: "\n").map(String.init))
    #expect(variables.isDisjoint(with: unit))
    #expect(variables.isSuperset(of: ["HOME", "NOTIFY_SOCKET", "PATH", "TZ"]))
    #expect(try place.text("groups") == "\(process) \(process)\n")
    #expect(try place.text(".local/state/nightjar/nightjard.log") == "from the daemon\n")
    let mode = try FileManager.default.attributesOfItem(atPath: state)[.posixPermissions]
    #expect(mode as? Int == 0o700)
    try place.letGo()
    _ = fake
  }

  @Test func `A daemon that fails to start is exit 4, with the last line of its log`() throws {
    let place = try Place(
      "echo first >&2; echo 'nightjard: the folder is held by process 7' >&2; exit 1")
    try place.runner.check(
      """
      $ list
      4! the daemon could not be started: nightjard: the folder is held by process 7
      """)
    try place.write("bin/nightjard", "#!/bin/sh\nexit 1\n")
    // The log of an earlier daemon is not used as the reason.
    let log = "\(place.path)/.local/state/nightjar/nightjard.log"
    try place.runner.check("$ list\n4! the daemon could not be started, see \(log)")
  }

  @Test func `A socket that is not the running daemon's is named, with the way to that daemon`()
    throws
  {
    let place = try Place("exit 1")
    try makeFolder(place.path + "/.local/state/nightjar")
    try place.write(".local/state/nightjar/lock", "\(getpid())\n")
    try place.runner.check(
      """
      $ list
      4! no daemon listens at \(place.socket); the daemon with your timers (process \(getpid())) \
      listens at another socket; leave out --socket and unset NIGHTJAR_SOCKET to reach it
      """)
  }

  @Test(
    arguments: Row.table(
      """
      size=64k => echo lost >&2; exit 1 => could not be started: the disk that holds FOLDER is full; \
      make room
      nr_inodes=3 => exit 1 => could not be started: the disk that holds FOLDER is full; make room
      nr_inodes=2 => exit 1 => cannot keep its timers in FOLDER: No space left on device; make room, \
      or set XDG_STATE_HOME
      """))
  func `A full disk is reported, although the daemon cannot write its reason either`(row: Row)
    throws
  {
    guard !Root.isMissing(for: "a disk that is full") else { return }
    let place = try Place(row[1])
    var full = place.runner
    full.executable = "/usr/bin/unshare"
    let script = """
      disk=$HOME/disk
      mkdir "$disk" && mount -t tmpfs -o "$1" tmpfs "$disk" && mkdir "$disk/nightjar" || exit
      touch "$disk/nightjar/nightjard.log" 2>/dev/null
      (cat /dev/zero >"$disk/ballast") 2>/dev/null
      XDG_STATE_HOME=$disk exec "$0" list
      """
    let result = try full.run(
      "--mount", "/bin/sh", "-c", script, place.runner.executable, row[0])
    let sentence = row[2].replacing("FOLDER", with: place.path + "/disk/nightjar")
    #expect(result == .sentence(4, "the daemon \(sentence)"))
  }

  @Test func `A slow start of the daemon does not extend a wait's timeout`() throws {
    let place = try Place("touch started; read end < gate")
    try place.runner.check("$ wait tea --timeout 300ms\n124! 'tea' has not rung in 300 ms")
    #expect(place.waits(for: "started"))
    try place.letGo()
  }

  private static func anothers(_ socket: String) -> CommandRunner.Result {
    .sentence(
      4,
      "the daemon at \(socket) is another user's, and was sent nothing; each user has a "
        + "daemon of their own")
  }

  @Test func `Nothing is sent to another user's daemon`() throws {
    guard !Root.isMissing(for: "another user") else { return }
    let place = try Place(nil)
    let fake = try FakeDaemon(path: place.socket) { _ in [.close] }
    #expect(chmod(place.socket, 0o666) == 0)
    var stranger = place.runner
    stranger.executable = "/usr/bin/setpriv"
    for command in [["pause", "tea"], ["wait", "tea"], ["watch"], ["events", "--follow"]] {
      #expect(
        try stranger.run(["--reuid", "12345", "--clear-groups", place.runner.executable] + command)
          == Self.anothers(place.socket))
    }
    #expect(fake.requests.isEmpty)
    fake.stop()
  }

  @Test func `Root's secrets are not sent to a socket that another user has created`() throws {
    guard !Root.isMissing(for: "a socket of another user") else { return }
    let place = try Place(nil)
    chmod(place.path, 0o777)
    let script = """
      import os, socket, sys
      listener = socket.socket(socket.AF_UNIX)
      listener.bind(sys.argv[1])
      listener.listen()
      os.chmod(sys.argv[1], 0o666)
      print("listening", flush=True)
      while True:
          peer, _ = listener.accept()
          print("got", len(peer.recv(65536)), flush=True)
      """
    let rig = try Rig()
    for uid in ["4242", "65534"] {
      let thief = try rig.start(
        ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "/usr/bin/python3", "-c"]
          + [script, place.socket], package: "python3")
      try thief.lines.next("that it listens") { $0 == "listening" }
      let result = try place.runner.run(
        "start", "tea", "4min", "--exec", "true", "--env", "SECRET=hunter2")
      #expect(result == Self.anothers(place.socket))
      try thief.lines.next("that there was nothing") { $0 == "got 0" }
      thief.kill()
      #expect(unlink(place.socket) == 0)
    }
  }

  @Test
  func `No daemon is started with a log or in a folder that another user may have created`() throws
  {
    let place = try Place("touch started")
    let state = "\(place.path)/.local/state/nightjar"
    try makeFolder(state)
    try #require(symlink("\(place.path)/precious", "\(state)/nightjard.log") == 0)
    try place.runner.check(
      """
      $ list
      4! no daemon can be started: \(state)/nightjard.log is not trusted: it is a symbolic link, \
      which is not followed here; move it away
      """)
    unlink("\(state)/nightjard.log")
    chmod(state, 0o777)
    let result = try place.runner.run("list")
    #expect(result.status == 4 && result.errors.contains("chmod go-w \(state)"), "\(result)")
    for name in ["precious", "started"] {
      #expect(!FileManager.default.fileExists(atPath: "\(place.path)/\(name)"))
    }
  }

  @Test func `If another command was faster, its daemon is used`() throws {
    let place = try Place("touch process; read go < gate; exit 1")
    let running = try place.runner.start(["list"])
    #expect(place.waits(for: "process"))
    let fake = try place.fake(at: place.socket)
    try place.letGo()
    #expect(try running.finish() == .init(0))
    #expect(fake.requests.map(\.method) == ["List"])
  }

  @Test func `No daemon, and none to start: exit 4, and what to do`() throws {
    let place = try Place(nil)
    try place.runner.check(
      """
      $ list
      4! no daemon is running, and nightjard is neither beside nightjar nor in PATH; install it \
      there
      """)
    var homeless = place.runner
    homeless.environment["XDG_STATE_HOME"] = "/proc/nightjar-test"
    try place.write("bin/nightjard", "#!/bin/sh\nexit 1\n")
    let result = try homeless.run("list")
    let reason = "nightjar: the daemon cannot keep its timers in /proc/nightjar-test/"
    #expect(result.status == 4 && result.errors.hasPrefix(reason), "\(result)")
    #expect(result.errors.hasSuffix("; make it writable, or set XDG_STATE_HOME\n"))
  }

  @Test func `If HOME is not set, the user database supplies it`() throws {
    var place = try Place(nil)
    place.runner.environment = ["NIGHTJAR_SOCKET": place.socket]
    let home = String(cString: try #require(getpwuid(getuid())).pointee.pw_dir)
    let result = try place.runner.run("doctor")
    // The folder, if it exists, is the tester's own.
    #expect(result.output.contains("\(home)/.config/nightjar/config.toml"), "\(result)")
  }

  /// Runs a script as root, with a folder that all users can read. Nil: the test runs without root.
  private func asRoot(_ script: String, for what: String) throws -> CommandRunner.Result? {
    guard !Root.isMissing(for: what) else { return nil }
    var place = try Place(nil)
    chmod(place.path, 0o755)
    let arguments = ["--mount", "sh", "-c", script, place.runner.executable]
    place.runner.executable = "/usr/bin/unshare"
    return try place.runner.run(arguments)
  }

  private static let user = "setpriv --reuid 4242 --regid 4242 --clear-groups env -i"

  /// `nss-systemd(8)` reads users from /run/userdb.
  @Test
  func
    `Where HOME is not set, users who are not in /etc/passwd have their home from other name services`()
    throws
  {
    let script = """
      mount -t tmpfs none /run && mkdir /run/userdb && cd /run/userdb
      echo '{"userName":"stranger","uid":4242,"gid":4242,"homeDirectory":"/home/of/stranger"}' >stranger.user
      ln -s stranger.user 4242.user
      exec \(Self.user) "$0" doctor
      """
    guard let result = try asRoot(script, for: "a user whom only another name service knows")
    else { return }
    let file = "/home/of/stranger/.config/nightjar/config.toml"
    #expect(result.output.contains(file), "\(result)")
  }

  @Test func `A user without a name and without HOME gets an error that says what to set`() throws {
    let script = "exec \(Self.user) \"$0\" list"
    guard let result = try asRoot(script, for: "a command of a user who has no name")
    else { return }
    let sentence =
      "cannot tell where the daemon's socket is; set XDG_RUNTIME_DIR or HOME, or give --socket"
    #expect(result == .sentence(4, sentence))
  }

  @Test func `Status --no-start and completion start nothing`() throws {
    let place = try Place("touch started")
    try place.runner.check(
      """
      $ status --no-start
      4! no daemon is running; nightjar status starts it
      $ __complete names
      """)
    // A daemon that was killed still accepts a connection for a moment.
    let killed = try FakeDaemon(path: place.socket) { _ in
      unlink(place.socket)
      return [.close]
    }
    #expect(try place.runner.run("status", "--no-start").status == 4)
    killed.stop()
    #expect(!FileManager.default.fileExists(atPath: place.path + "/started"))
  }

  /// A place with a service manager, whose systemctl(1) is a script.
  private static func managed(_ script: String, daemon: String) throws -> Place {
    var place = try Place(daemon)
    for folder in ["run/systemd", "run/nightjar"] { try makeFolder("\(place.path)/\(folder)") }
    try writeFile("", to: place.path + "/run/systemd/private")
    try place.write("bin/systemctl", "#!/bin/sh\ncd \"$HOME\"\n\(script)")
    place.runner.environment["XDG_RUNTIME_DIR"] = place.path + "/run"
    place.runner.environment["PATH"] = place.path + "/bin:/usr/bin:/bin"
    return place
  }

  @Test(arguments: [
    ("", "nightjar.socket", "--user --quiet start nightjar.socket\n"),
    (
      "case $4 in *.socket) exit 5;; esac", "nightjar.service",
      "--user --quiet start nightjar.socket\n--user --quiet start nightjar.service\n"
    ),
  ])
  func `If the user's service manager has the unit, it starts the daemon`(
    script: String, unit: String, calls: String
  ) throws {
    var place = try Self.managed(
      "echo \"$@\" >> calls\n\(script)\ntouch asked\nread go < gate\n", daemon: "touch started")
    place.runner.environment["NIGHTJAR_SOCKET"] = nil
    let running = try place.runner.start(["list"])
    #expect(place.waits(for: "asked"))
    let fake = try place.fake(at: place.path + "/run/nightjar/socket")
    try place.letGo()
    #expect(
      try running.finish()
        == .sentence(0, "no daemon was running; started it with systemctl --user start \(unit)"))
    #expect(try place.text("calls") == calls)
    #expect(!FileManager.default.fileExists(atPath: place.path + "/started"))
    _ = fake
  }

  @Test func `A socket that the user names is never the service manager's`() throws {
    let place = try Self.managed("touch asked\n", daemon: "exit 1")
    #expect(try place.runner.run("list").status == 4)
    #expect(!FileManager.default.fileExists(atPath: place.path + "/asked"))
  }

  @Test func `A daemon that does not answer in time is reported; the time can be set`() throws {
    let gate = FakeDaemon.Gate()
    var fixture = try Fixture { _, _ in [.wait(gate)] }
    fixture.runner.environment["NIGHTJAR_TIMEOUT"] = "50ms"
    try fixture.check(
      """
      $ list
      4! the daemon did not answer in time; nightjar doctor looks for the reason, and \
      NIGHTJAR_TIMEOUT=1min waits longer
      $ pause tea
      4! the daemon did not answer in time, and may still make the change; nightjar list shows \
      whether it has
      """)
    let doctor = try fixture.run("doctor").output
    #expect(doctor.contains("the daemon did not answer in time") && doctor.contains("its log"))
    gate.open()
    fixture.runner.environment["NIGHTJAR_TIMEOUT"] = "5Mnt"
    try fixture.check(
      """
      $ list
      64! NIGHTJAR_TIMEOUT is no time span: unknown unit 'Mnt' at 2; the units are us ms s min h \
      d w month y
      """)
  }

  @Test func `A stopped daemon is reported as stopped, with the way to continue it`() throws {
    var runner = try CommandRunner(socket: nil)
    let socket = runner.folder.path + "/socket"
    runner.environment["NIGHTJAR_SOCKET"] = socket
    runner.environment["NIGHTJAR_TIMEOUT"] = "50ms"
    var listening = runner
    listening.executable = "/usr/bin/systemd-socket-activate"
    let listener = try listening.start(["-l", socket, "/bin/cat"])
    try listener.waitForErrors { $0.contains("Listening on") }
    listener.signal(SIGSTOP)
    let id = listener.id
    try runner.check(
      """
      $ list
      4! the daemon (process \(id)) is stopped and cannot answer; continue it with kill -CONT \(id)
      """)
  }

  /// The service manager's socket accepts connections before a daemon runs.
  @Test func `A change that failed because no daemon started is not made when one does`() throws {
    var runner = try CommandRunner(socket: nil)
    let socket = runner.folder.path + "/socket"
    runner.environment["NIGHTJAR_SOCKET"] = socket
    runner.environment["NIGHTJAR_TIMEOUT"] = "300ms"
    try writeFile(
      "read word <\"$1\"; exec \"$2\" --state-dir \"$3\"\n", to: runner.folder.path + "/late")
    let gate = runner.folder.path + "/gate"
    try #require(mkfifo(gate, 0o600) == 0)
    // The name of a service manager's process.
    let shell = runner.folder.path + "/systemd"
    try copyProgram("/bin/sh", to: shell)
    var listening = runner
    listening.executable = "/usr/bin/systemd-socket-activate"
    let listener = try listening.start([
      "-l", socket, shell, runner.folder.path + "/late", gate, try Binaries.nightjard(),
      runner.folder.path + "/state",
    ])
    try listener.waitForErrors { $0.contains("Listening on") }
    try runner.check(
      """
      $ start tea 4min
      4! the daemon does not start, so nothing was changed; nightjar doctor says why
      """)
    // Now the daemon starts, and finds the connection of the command that has failed.
    let writer = open(gate, O_WRONLY | O_CLOEXEC)
    #expect(writer >= 0 && write(writer, "now\n", 4) == 4)
    close(writer)
    runner.environment["NIGHTJAR_TIMEOUT"] = "1min"
    #expect(try runner.run("list", "--json").output.contains("\"timers\":[]"))
    listener.signal(SIGTERM)
  }

  @Test func `A stopped daemon behind the service manager's socket is found by its lock, at once`()
    throws
  {
    // The stand-in is the peer, as the service manager would be, and never answers.
    let folder = try TestFolder()
    let gate = FakeDaemon.Gate()
    try makeFolder("\(folder.path)/nightjar")
    let manager = try FakeDaemon(path: "\(folder.path)/nightjar/socket") { _ in [.wait(gate)] }
    defer { gate.open() }
    var runner = try CommandRunner(socket: nil)
    runner.environment["XDG_RUNTIME_DIR"] = folder.path
    runner.environment["XDG_STATE_HOME"] = folder.path
    func beginning(called name: String) throws -> RunningCommand {
      try copyProgram("/bin/sleep", to: "\(folder.path)/\(name)")
      var program = runner
      program.executable = "\(folder.path)/\(name)"
      let process = try program.start(["1000"])
      try "\(process.id)\n".write(
        toFile: "\(folder.path)/nightjar/lock", atomically: true, encoding: .utf8)
      process.signal(SIGSTOP)
      let bound = Date(timeIntervalSinceNow: 20)
      while try !String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8).contains(
        ") T ")
      {
        try #require(Date() < bound, "\(name) runs on")
      }
      return process
    }
    let daemon = try beginning(called: "nightjard")
    let begun = Date()
    let said = try runner.run("list")
    #expect(said.status == 4 && said.errors.contains("is stopped and cannot answer; continue it"))
    #expect(said.errors.contains("kill -CONT \(daemon.id)"))
    let doctor = try runner.run("doctor").output
    #expect(doctor.contains("→ continue it with kill -CONT \(daemon.id)"), "\(doctor)")
    // The command's time limit for an answer is ten seconds.
    #expect(Date().timeIntervalSince(begun) < 8 && manager.requests.isEmpty)
    // Another program may have the process id of a former daemon.
    let other = try beginning(called: "other")
    runner.environment["NIGHTJAR_TIMEOUT"] = "50ms"
    #expect(try runner.run("list").errors.contains("did not answer in time"))
    for process in [daemon, other] { process.signal(SIGKILL) }
  }

  @Test func `A query is repeated at the next daemon if the present one ends, and a change is not`()
    throws
  {
    let fixture = try Fixture(Fixture.four) { request, _ in
      request.connection % 2 == 0 ? [.close] : nil
    }
    try fixture.check("$ remaining tea\n03:12")
    #expect(fixture.methods == ["Get", "Get"])
    #expect(try fixture.run("pause", "tea").status == 4)
    #expect(fixture.methods == ["Get", "Get", "Pause"])
  }

  @Test func `An incomplete or invalid answer is reported`() throws {
    let lost = try Fixture { _, _ in [.raw(Array("{".utf8)), .close] }
    try lost.check(
      """
      $ pause tea
      4! the daemon closed the connection before it had answered; it is not known whether it was \
      done; check with nightjar list
      """)
    let odd = try Fixture { _, _ in [.reply(["timer": ["id": 1, "seq": 1]])] }
    try odd.check(
      """
      $ pause tea
      1! the daemon's answer makes no sense: 'name' of Timer has no value; \(Self.restart)
      """)
  }

  private static let restart =
    "it may be of another version than nightjar, so restart it: systemctl --user try-restart "
    + "nightjar.service nightjar-mqtt.service"

  /// A daemon from before an upgrade refuses what it does not know.
  @Test(
    arguments: Row.table(
      """
      MethodNotFound => {"method":"org.nightjar.Timers.Pause"} => the interface has no method
      InvalidParameter => {"parameter":"undo_id"} => the daemon does not accept this 'undo_id'
      """))
  func `What an older daemon does not know is refused, with the remedy to restart it`(
    row: Row
  ) throws {
    let parameters = try JSONValue.parse(row[1])
    let old = try Fixture(Fixture.four) { request, _ in
      request.method == "Pause" ? [.error("org.varlink.service.\(row[0])", parameters)] : nil
    }
    let result = try old.run("pause", "tea")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("nightjar: \(row[2])") && result.errors.contains(Self.restart))
  }

  @Test func `The socket's place needs a variable, and its path has a limit`() throws {
    var runner = try CommandRunner()
    let long = "/" + String(repeating: "x", count: 120)
    try runner.check(
      "$ list --socket \(long)\n4! the socket's path is longer than a socket's path may be: \(long)"
    )
    runner.environment["XDG_STATE_HOME"] = runner.folder.path + "/state"
    // No XDG_RUNTIME_DIR, as under cron: the command uses the path at which a daemon without the
    // variable would listen.
    let runtime = "/run/user/\(getuid())"
    guard !FileManager.default.fileExists(atPath: runtime) else { return }
    let folder = runner.folder.path + "/state/nightjar"
    try makeFolder(folder)
    let timers = FakeTimers(nowUsec: Noon().nowUsec)
    let fake = try FakeDaemon(path: folder + "/socket") { [timers.answer($0)] }
    try runner.check("$ list")
    #expect(fake.requests.count == 1)
  }
}
