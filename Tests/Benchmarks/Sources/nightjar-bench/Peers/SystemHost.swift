internal import Glibc

/// A machine of the bench's own, as the tests have it: systemd, logind and the manager of a
/// lingering user, all real, in namespaces over a throw-away overlay of this machine, with Nightjar
/// installed (see the script `host` of the system tests). Its services run on the servers' core;
/// what the daemon keeps is on this machine's disk, and the rest of its files are in memory.
final class SystemHost {
  private static let userID = "1777"

  private let folder = Folder()
  private let script: String
  private let running: Command.Running
  /// Its first process, as this machine counts.
  private let initPid: String

  /// Boots it; returns when its system is up, its user's manager, and Nightjar in it.
  ///
  /// A machine on which this does not work has other things to measure: a command that fails in it
  /// throws.
  ///
  /// - Parameters:
  ///   - script: the path of `host`.
  ///   - installed: what `make install` left, in a folder.
  init(script: String, installed: String) throws(Unmeasured) {
    guard geteuid() == 0 else { throw Unmeasured(why: "takes root") }
    self.script = script
    let log = "\(folder.path)/log"
    // A start is acknowledged when it is on disk; in memory that would cost nothing.
    guard mkdir("\(folder.path)/disk", 0o700) == 0 else { fail("\(folder.path) cannot be written") }
    let notices = Notices(path: "\(folder.path)/notify")
    running = Command.Running(
      [
        "env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "bash", script, "run", folder.path, installed, "/",
      ], output: log)
    // PID 1 of a container says when its boot is over.
    let isUp = notices.awaitReady(of: running.pid)
    let children = File.text("/proc/\(running.pid)/task/\(running.pid)/children")
    initPid = children.split(separator: " ").first.map(String.init) ?? ""
    guard isUp, !initPid.isEmpty else {
      let said = File.text(log).split(separator: "\n").last ?? "it did not boot"
      throw Unmeasured(why: "no host of systemd's: \(said)")
    }
    _ = try output(["systemctl", "start", "user@\(Self.userID).service"])
    _ = try user(["systemctl", "--user", "start", "nightjar.socket", "nightjar.service"])
  }

  deinit {
    running.end()
    // Its control groups can be taken away when the last of its processes is gone.
    if let pid = Int32(initPid) {
      for _ in 0..<1_000 where kill(pid, 0) == 0 { poll(nil, 0, 10) }
    }
    // If it cannot, what was measured is none the worse for it.
    _ = try? Command.output(["bash", script, "clean", folder.path])
  }

  /// The daemon's socket, as this machine sees it.
  var socketPath: String { "\(root)/run/user/\(Self.userID)/nightjar/socket" }

  /// Puts a program where the user finds it.
  func install(_ program: String) throws(Unmeasured) {
    _ = try Command.output(["install", "-m", "755", program, "\(root)/usr/local/bin/"])
  }

  /// Runs a command as the user, with what a login would have put into the environment, on the
  /// load's core.
  ///
  /// - Returns: what it printed.
  func user(_ words: [String]) throws(Unmeasured) -> String {
    let run = "/run/user/\(Self.userID)"
    return try output(
      words,
      with: [
        "setpriv", "--reuid", Self.userID, "--regid", Self.userID, "--init-groups", "env", "-i",
        "-C", "/home/tester", "HOME=/home/tester", "USER=tester", "LOGNAME=tester",
        "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR=\(run)",
        "DBUS_SESSION_BUS_ADDRESS=unix:path=\(run)/bus",
      ], onServersCore: false)
  }

  private var root: String { "/proc/\(initPid)/root" }

  /// Runs a command in it, by way of another that starts it; a failure is told by the command's own
  /// name.
  private func output(
    _ words: [String], with starter: [String] = [], onServersCore: Bool = true
  ) throws(Unmeasured) -> String {
    try Command.output(
      ["nsenter", "-t", initPid, "--all", "--"] + starter + words, called: words[0],
      onServersCore: onServersCore)
  }
}
