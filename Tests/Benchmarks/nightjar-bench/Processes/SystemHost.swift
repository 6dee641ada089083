internal import Glibc

/// A machine for the benchmark, made by the script `host` of the system tests. It has a real
/// systemd, a real logind and the real manager of a lingering user, in namespaces over a temporary
/// overlay of this machine, and Nightjar is installed in it. Its services run on the servers' core.
/// The daemon's data is on this machine's disk; all other files of the host are in memory.
final class SystemHost {
  private static let userID = "1777"

  private let folder = Folder()
  private let script: String
  private let running: Running
  /// The process id of the host's PID 1, as this machine sees it.
  private let initPid: String

  /// Boots the host. Returns when the system, the user's manager and Nightjar are running.
  ///
  /// If a command fails in the host, this throws `Unmeasured` and does not end the program, so that
  /// the other measurements continue on a machine on which the host does not work.
  ///
  /// - Parameters:
  ///   - script: the path of `host`.
  ///   - installed: the folder with the files that `make install` wrote.
  init(script: String, installed: String) throws(Unmeasured) {
    guard geteuid() == 0 else { throw Unmeasured(why: "takes root") }
    self.script = script
    // The script puts the user's data on disk if this folder exists. The daemon acknowledges a
    // start when it is on disk; in memory that would cost nothing.
    guard mkdir("\(folder.path)/disk", 0o700) == 0 else { fail("\(folder.path) cannot be written") }
    let notices = Notices(path: "\(folder.path)/notify")
    let path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"
    running = Running(["env", path, "bash", script, "run", folder.path, installed, "/"])
    // systemd, as PID 1 of a container, reports when its boot is over.
    let isUp = notices.awaitReady(of: running)
    let children = File.text("/proc/\(running.pid)/task/\(running.pid)/children")
    initPid = children.split(separator: " ").first.map(String.init) ?? ""
    guard isUp, !initPid.isEmpty else {
      let said = running.output.split(separator: "\n").last ?? "it did not boot"
      throw Unmeasured(why: "no host of systemd's: \(said)")
    }
    _ = try output(["systemctl", "start", "user@\(Self.userID).service"])
    _ = try user(["systemctl", "--user", "start", "nightjar.socket", "nightjar.service"])
  }

  deinit {
    running.end(with: SIGKILL)
    // The host's control groups can be removed only when the last of its processes has ended.
    if let pid = Int32(initPid) {
      for _ in 0..<1_000 where kill(pid, 0) == 0 { poll(nil, 0, 10) }
    }
    // A failure does not affect what was measured.
    _ = try? Running.output(["bash", script, "clean", folder.path])
  }

  /// Copies a program to /usr/local/bin in the host, where the user's PATH finds it.
  func install(_ program: String) throws(Unmeasured) {
    _ = try Running.output([
      "install", "-m", "755", program, "/proc/\(initPid)/root/usr/local/bin/",
    ])
  }

  /// Runs a command as the user, with the environment of a login, on the load's core.
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

  /// Runs a command in the host, through `starter` if there is one. An error has the command's
  /// name, not the starter's.
  private func output(
    _ words: [String], with starter: [String] = [], onServersCore: Bool = true
  ) throws(Unmeasured) -> String {
    try Running.output(
      ["nsenter", "-t", initPid, "--all", "--"] + starter + words, called: words[0],
      onServersCore: onServersCore)
  }
}
