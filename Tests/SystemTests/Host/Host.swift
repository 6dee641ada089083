import CLinux
import Foundation
import Glibc
import NightjarTestSupport
import Testing
import Varlink

/// A machine of the test: systemd, logind, journald and a lingering user's manager, all real, in
/// namespaces over a temporary overlay of this machine (or of the one in `NIGHTJAR_HOST_ROOT`, for
/// its systemd), with the installation in `NIGHTJAR_INSTALLED` (see the script `host`).
///
/// Its suspend only waits for two seconds and sends the signals of a real one; the guest in QEMU
/// really sleeps.
final class Host {
  /// Whether the tests can run here: something is installed for them, and this is root.
  static let isWanted: Bool = {
    guard ProcessInfo.processInfo.environment["NIGHTJAR_INSTALLED"] == nil else {
      return !Root.isMissing(for: "a systemd of the tests' own")
    }
    print(
      "left out, because nothing is installed for it: a systemd of the tests' own; run `make test-system`"
    )
    return false
  }()

  static func installed() throws -> String {
    guard let folder = ProcessInfo.processInfo.environment["NIGHTJAR_INSTALLED"] else {
      throw Unmet(
        description: "run `make test-system`: NIGHTJAR_INSTALLED does not say what to test")
    }
    return folder
  }

  private let rig: Rig
  private let process: ChildProcess
  private let notify: NotifySocket
  private let initPid: String
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "host").path

  /// Boots it; returns when its system and its user's manager are up.
  convenience init() throws {
    try self.init(
      root: ProcessInfo.processInfo.environment["NIGHTJAR_HOST_ROOT"] ?? "/",
      with: Self.installed())
  }

  /// Boots it over the system in the folder `root`, with the files of the folder `files` over that.
  init(root below: String, with files: String) throws {
    rig = try Rig()
    notify = try NotifySocket(path: "\(rig.path)/notify")
    process = try rig.start(["bash", Self.script, "run", rig.path, files, below])
    do {
      // PID 1 of a container notifies its manager, which is the test, of the end of its boot.
      try notify.awaitReady(of: "the boot of the host", within: 60)
      let (pid, path) = (process.pid, "/proc/\(process.pid)/task/\(process.pid)/children")
      let children = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
      guard let child = children.first else {
        throw Unmet(description: "process \(pid) has no child")
      }
      initPid = String(child)
      try root("systemctl start user@1777.service")
    } catch {
      throw Unmet(description: "\(error)\n\(process.output)")
    }
  }

  deinit {
    process.kill()
    _ = try? rig.run(["bash", Self.script, "clean", rig.path])
  }

  /// Runs a shell command as root, whatever comes of it.
  func rootRun(_ command: String, within seconds: Double = 60) throws -> CommandOutcome {
    try run(["bash", "-c", command], within: seconds)
  }

  /// Runs a shell command as root that must succeed.
  @discardableResult func root(_ command: String, within seconds: Double = 60) throws -> String {
    try rootRun(command, within: seconds).output(of: command)
  }

  /// Runs a shell command as the user, with the environment of a login.
  func userRun(_ command: String, within seconds: Double = 60) throws -> CommandOutcome {
    let run = "/run/user/1777"
    return try self.run(
      Self.asUser + [
        "-i", "-C", "/home/tester", "HOME=/home/tester", "USER=tester", "LOGNAME=tester",
        "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "XDG_RUNTIME_DIR=\(run)",
        "DBUS_SESSION_BUS_ADDRESS=unix:path=\(run)/bus", "bash", "-c", command,
      ], within: seconds)
  }

  /// Runs a shell command as the user that must succeed.
  @discardableResult func user(_ command: String, within seconds: Double = 60) throws -> String {
    try userRun(command, within: seconds).output(of: command)
  }

  /// Polls until a condition holds that nothing reports.
  func awaitRoot(_ condition: String) throws { try root(Self.poll(condition), within: 40) }

  /// The same as the user.
  func awaitUser(_ condition: String) throws { try user(Self.poll(condition), within: 40) }

  private static func poll(_ condition: String) -> String {
    "timeout 30 bash -c \(quoted("until \(condition); do sleep 0.05; done"))"
  }

  /// Waits until a process is stopped by a signal.
  func awaitStopped(_ pid: String) throws {
    try awaitRoot("grep -q '^State:.T' /proc/\(pid)/status")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }

  /// Starts a command of the user that keeps running, such as `nightjar watch`.
  func userStart(_ command: String) throws -> ChildProcess {
    try rig.start(
      entering(
        Self.asUser + [
          "HOME=/home/tester", "XDG_RUNTIME_DIR=/run/user/1777", "bash", "-c", command,
        ]))
  }

  private static let asUser = [
    "setpriv", "--reuid", "1777", "--regid", "1777", "--init-groups", "env",
  ]

  // MARK: The daemon

  /// The output of a nightjar command with `--json`, one value per line.
  func nightjar(_ arguments: String) throws -> [JSONValue] {
    try user("nightjar \(arguments) --json").split(separator: "\n").map {
      try JSONValue.parse(String($0))
    }
  }

  /// The daemon's `Status`.
  func status() throws -> JSONValue { try #require(try nightjar("status").first) }

  /// A timer as the daemon shows it.
  func timer(_ name: String) throws -> JSONValue {
    try #require(try nightjar("show \(name)").first?["timer"])
  }

  /// The events of a type in the ledger, in order.
  func events(_ type: String) throws -> [JSONValue] {
    try nightjar("events").compactMap { $0["event"] }.filter { $0["type"]?.stringValue == type }
  }

  /// The spans that have been left, in order, from `will_enter_foreground`.
  func spans() throws -> [JSONValue] {
    try events("will_enter_foreground").compactMap { $0["span"] }
  }

  /// Waits until a span has been left, and returns it.
  func awaitLeft(_ number: Int64) throws -> JSONValue {
    let event = try awaitEvent("the end of span \(number)", within: 60) {
      $0["type"] == "will_enter_foreground"
        && $0["span"]?["span"]?.integerValue == number
    }
    return try #require(event["span"])
  }

  /// A finding of the doctor.
  func finding(
    _ check: String, _ arguments: String = ""
  ) throws -> (level: String, text: String, remedy: String) {
    let answer = try JSONValue.parse(try userRun("nightjar doctor --json \(arguments)").output)
    let findings = answer["findings"]?.arrayValue ?? []
    let found = try #require(findings.first { $0["check"]?.stringValue == check }, "\(answer)")
    func text(_ key: String) -> String { found[key]?.stringValue ?? "" }
    return (text("level"), text("text"), text("remedy"))
  }

  /// Waits until the ledger has an event of a type, of a timer if one is named, and returns it.
  @discardableResult
  func awaitEvent(type: String, of name: String? = nil) throws -> JSONValue {
    try awaitEvent("\(type) \(name ?? "")") {
      $0["type"]?.stringValue == type && (name == nil || $0["name"]?.stringValue == name)
    }
  }

  /// The end of a timer's command.
  func actionEnd(of name: String) throws -> JSONValue {
    try awaitEvent(type: "action_ended", of: name)
  }

  /// Waits until the ledger has an event that `matches`, and returns it.
  func awaitEvent(
    _ what: String, within seconds: Int = 30, where matches: (JSONValue) -> Bool
  ) throws -> JSONValue {
    let stream = try userStart("exec nightjar events --after 0 --follow --json")
    defer { stream.kill() }
    let line = try stream.lines.next(what, within: Double(seconds)) {
      guard let event = try? JSONValue.parse($0)["event"] else { return false }
      return matches(event)
    }
    return try #require(try JSONValue.parse(line)["event"])
  }

  /// The daemon's process ID in the host.
  func mainPid() throws -> String {
    try user("systemctl --user show -P MainPID nightjar.service")
  }

  /// Waits until the daemon is another process than `old`.
  func awaitNewDaemon(than old: String) throws {
    try awaitUser(
      "p=$(systemctl --user show -P MainPID nightjar.service); [ $p != 0 ] && [ $p != \(old) ]")
  }

  private func entering(_ command: [String]) -> [String] {
    ["nsenter", "-t", initPid, "--all", "--"] + command
  }

  private func run(_ command: [String], within seconds: Double) throws -> CommandOutcome {
    let (end, output) = try rig.run(entering(command), within: seconds)
    guard case .exited(let code) = end else {
      throw Unmet(description: "\(command.last ?? ""): \(end): \(output)")
    }
    return CommandOutcome(code: code, output: output)
  }
}
