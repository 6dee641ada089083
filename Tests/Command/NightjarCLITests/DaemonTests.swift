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
      while !has(name), Date() < limit { poll(nil, 0, 5) }
      return has(name)
    }

    func has(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: "\(path)/\(name)")
    }

    func fake(at socket: String) throws -> FakeDaemon {
      let timers = FakeTimers(nowUsec: Noon().nowUsec)
      return try FakeDaemon(path: socket) { [timers.answer($0)] }
    }
  }

  @Test func `A missing daemon is started detached, and reported once`() throws {
    var place = try Place(
      """
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
      """)
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
    #expect(result.output.hasPrefix("tea: 4 min, rings at "))
    let remark = "no daemon was running; started it in the background (process \(process))\n"
    #expect(result == .init(0, result.output, errors: "nightjar: \(remark)"))
    let state = place.path + "/.local/state/nightjar"
    #expect(try place.text("arguments") == "--socket\n\(place.socket)\n--state-dir\n\(state)\n")
    // The daemon is in a session of its own, so Ctrl-C, Ctrl-Z and the end of the terminal do not
    // reach it.
    #expect(try !place.text("descriptors").contains("held"))
    let variables = Set(try place.text("variables").split(separator: "\n").map(String.init))
    let wanted = ["HOME", "NOTIFY_SOCKET", "PATH", "TZ"]
    #expect(variables.isDisjoint(with: unit) && variables.isSuperset(of: wanted))
    #expect(try place.text("groups") == "\(process) \(process)\n")
    #expect(try place.text(".local/state/nightjar/nightjard.log") == "from the daemon\n")
    let mode = try FileManager.default.attributesOfItem(atPath: state)[.posixPermissions]
    #expect(mode as? Int == 0o700)
    try place.letGo()
    _ = fake
  }

  @Test func `A daemon that fails to start is exit 4, with the last line of its log`() throws {
    let place = try Place("echo first >&2; echo 'nightjard: process 7 runs' >&2; exit 1")
    try place.runner.check("$ list\n4! the daemon could not be started: nightjard: process 7 runs")
    try place.write("bin/nightjard", "#!/bin/sh\nexit 1\n")
    // The log of an earlier daemon is not used as the reason.
    let log = "\(place.path)/.local/state/nightjar/nightjard.log"
    try place.runner.check("$ list\n4! the daemon could not be started, see \(log)")
  }

  @Test func `A socket that is not the running daemon's is named, with the way to it`() throws {
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

  @Test func `Nothing is sent to another user's daemon`() throws {
    guard !Root.isMissing(for: "another user") else { return }
    let place = try Place(nil)
    let fake = try FakeDaemon(path: place.socket) { _ in [.close] }
    #expect(chmod(place.socket, 0o666) == 0)
    var stranger = place.runner
    stranger.executable = "/usr/bin/setpriv"
    let refusal =
      "the daemon at \(place.socket) is another user's, and was sent nothing; each user has a "
      + "daemon of their own"
    for command in ["start tea 4min", "pause tea", "wait tea", "watch", "events --follow"] {
      let words = "--reuid 12345 --clear-groups \(place.runner.executable) \(command)"
      let result = try stranger.run(words.split(separator: " ").map(String.init))
      #expect(result == .sentence(4, refusal))
    }
    #expect(fake.requests.isEmpty)
    fake.stop()
  }

  @Test func `No daemon is started with a log or in a folder that others may have made`() throws {
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
    #expect(!place.has("precious") && !place.has("started"))
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
    let absence = "no daemon is running, and nightjard is neither beside nightjar nor in PATH"
    try place.runner.check("$ list\n4! \(absence); install it there")
    var homeless = place.runner
    homeless.environment["XDG_STATE_HOME"] = "/proc/nightjar-test"
    try place.write("bin/nightjard", "#!/bin/sh\nexit 1\n")
    let result = try homeless.run("list")
    let reason = "nightjar: the daemon cannot keep its timers in /proc/nightjar-test/"
    #expect(result.status == 4 && result.errors.hasPrefix(reason), "\(result)")
    #expect(result.errors.hasSuffix("; make it writable, or set XDG_STATE_HOME\n"))
  }

  /// `nss-systemd(8)` reads users from /run/userdb.
  @Test func `Without HOME the user database supplies it, or what to set is said`() throws {
    let place = try Place(nil)
    var homeless = place.runner
    homeless.environment = ["NIGHTJAR_SOCKET": place.socket]
    let home = String(cString: try #require(getpwuid(getuid())).pointee.pw_dir)
    let own = try homeless.run("doctor")
    // The folder, if it exists, is the tester's own.
    #expect(own.output.contains("\(home)/.config/nightjar/config.toml"), "\(own)")
    guard !Root.isMissing(for: "a user without HOME") else { return }
    chmod(place.path, 0o755)
    let script = """
      mount -t tmpfs none /run && mkdir /run/userdb && cd /run/userdb
      echo '{"userName":"stranger","uid":4242,"gid":4242,"homeDirectory":"/home/of/stranger"}' >stranger.user
      ln -s stranger.user 4242.user
      exec setpriv --reuid "$1" --regid 4242 --clear-groups env -i "$0" "$2"
      """
    func result(_ uid: String, _ command: String) throws -> CommandRunner.Result {
      var root = place.runner
      root.executable = "/usr/bin/unshare"
      return try root.run("--mount", "sh", "-c", script, place.runner.executable, uid, command)
    }
    let known = try result("4242", "doctor")
    let file = "/home/of/stranger/.config/nightjar/config.toml"
    #expect(known.output.contains(file), "\(known)")
    let sentence =
      "cannot tell where the daemon's socket is; set XDG_RUNTIME_DIR or HOME, or give --socket"
    #expect(try result("4243", "list") == .sentence(4, sentence))
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
    #expect(!place.has("started"))
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
    ("", ["nightjar.socket"]),
    ("case $4 in *.socket) exit 5;; esac", ["nightjar.socket", "nightjar.service"]),
  ])
  func `If the user's service manager has the unit, it starts the daemon`(
    script: String, units: [String]
  ) throws {
    var place = try Self.managed(
      "echo \"$@\" >> calls\n\(script)\ntouch asked\nread go < gate\n", daemon: "touch started")
    place.runner.environment["NIGHTJAR_SOCKET"] = nil
    let running = try place.runner.start(["list"])
    #expect(place.waits(for: "asked"))
    let fake = try place.fake(at: place.path + "/run/nightjar/socket")
    try place.letGo()
    let remark = "no daemon was running; started it with systemctl --user start "
    #expect(try running.finish() == .sentence(0, remark + units[units.count - 1]))
    let calls = units.map { "--user --quiet start \($0)\n" }.joined()
    #expect(try place.text("calls") == calls && !place.has("started"))
    // A socket that the user names is never the service manager's.
    let named = try Self.managed("touch asked\n", daemon: "exit 1")
    #expect(try named.runner.run("list").status == 4 && !named.has("asked"))
    _ = fake
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

  /// The service manager's socket accepts connections before a daemon runs.
  @Test func `A change that failed because no daemon started is not made when one does`() throws {
    var runner = try CommandRunner()
    let path = runner.folder.path
    let (socket, gate, shell) = ("\(path)/socket", "\(path)/gate", "\(path)/systemd")
    runner.environment["NIGHTJAR_SOCKET"] = socket
    runner.environment["NIGHTJAR_TIMEOUT"] = "300ms"
    let script = "read word <\"$1\"; exec \"$2\" --state-dir \"$3\"\n"
    try writeFile(script, to: "\(path)/late")
    try #require(mkfifo(gate, 0o600) == 0)
    // The name of a service manager's process.
    try copyProgram("/bin/sh", to: shell)
    var listening = runner
    listening.executable = "/usr/bin/systemd-socket-activate"
    let daemon = try Binaries.nightjard()
    let listener = try listening.start(
      ["-l", socket, shell, "\(path)/late", gate, daemon, "\(path)/state"])
    try listener.waitForErrors { $0.contains("Listening on") }
    let refusal = "the daemon does not start, so nothing was changed; nightjar doctor says why"
    try runner.check("$ start tea 4min\n4! \(refusal)")
    // Now the daemon starts, and finds the connection of the command that has failed.
    let writer = open(gate, O_WRONLY | O_CLOEXEC)
    #expect(writer >= 0 && write(writer, "now\n", 4) == 4)
    close(writer)
    runner.environment["NIGHTJAR_TIMEOUT"] = "1min"
    #expect(try runner.run("list", "--json").output.contains("\"timers\":[]"))
    listener.signal(SIGTERM)
  }

  @Test func `A stopped daemon behind the manager's socket is found by its lock, at once`() throws {
    // The stand-in is the peer, as the service manager would be, and never answers.
    let folder = try TestFolder()
    let gate = FakeDaemon.Gate()
    try makeFolder("\(folder.path)/nightjar")
    let manager = try FakeDaemon(path: "\(folder.path)/nightjar/socket") { _ in [.wait(gate)] }
    defer { gate.open() }
    var runner = try CommandRunner()
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
      let (bound, file) = (Date(timeIntervalSinceNow: 20), "/proc/\(process.id)/stat")
      while try !String(contentsOfFile: file, encoding: .utf8).contains(") T ") {
        try #require(Date() < bound, "\(name) runs on")
      }
      return process
    }
    let daemon = try beginning(called: "nightjard")
    let begun = Date()
    let remedy = "continue it with kill -CONT \(daemon.id)"
    let sentence = "the daemon (process \(daemon.id)) is stopped and cannot answer; \(remedy)"
    #expect(try runner.run("list") == .sentence(4, sentence))
    let doctor = try runner.run("doctor").output
    #expect(doctor.contains("→ \(remedy)"), "\(doctor)")
    // The command's time limit for an answer is ten seconds.
    #expect(Date().timeIntervalSince(begun) < 8 && manager.requests.isEmpty)
    // Another program may have the process id of a former daemon.
    let other = try beginning(called: "other")
    runner.environment["NIGHTJAR_TIMEOUT"] = "50ms"
    #expect(try runner.run("list").errors.contains("did not answer in time"))
    for process in [daemon, other] { process.signal(SIGKILL) }
  }

  @Test func `A query is repeated at the next daemon if one ends, and a change is not`() throws {
    let fixture = try Fixture(Fixture.four) { request, _ in
      request.connection % 2 == 0 ? [.close] : nil
    }
    try fixture.check("$ remaining tea\n03:12")
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
      1! the daemon's answer makes no sense: 'name' of Timer has no value; it may be of another \
      version than nightjar, so restart it: systemctl --user try-restart nightjar.service \
      nightjar-mqtt.service
      """)
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
    let fake = try FakeDaemon(path: folder + "/socket") { _ in [.reply(["timers": []])] }
    try runner.check("$ list")
    #expect(fake.requests.count == 1)
  }
}
