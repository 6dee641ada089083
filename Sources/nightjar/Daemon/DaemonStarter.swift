import Glibc
import NightjarClient

/// Starts the daemon where there is none: by the user's service manager if it has the unit, else as
/// a process of its own.
struct DaemonStarter {
  let socketPath: String
  /// The socket is where the unit files have it; only then the service manager can help.
  let isUsualPath: Bool
  /// How long the command may take altogether.
  var limit = Deadline.never

  /// How long a daemon may take to be ready.
  private static let patienceUsec: Int64 = 10_000_000

  private var deadline: Deadline { .earlier(.after(usec: Self.patienceUsec), limit) }

  /// Returns when there is a daemon at the socket, and says once what was done.
  func start() throws(CommandError) {
    if isUsualPath, let unit = try startUnit() {
      Output.complain("no daemon was running; started it with systemctl --user start \(unit)")
      return
    }
    try startDetached()
  }

  // MARK: By the service manager

  private func startUnit() throws(CommandError) -> String? {
    guard let runtime = Environment.runtimeDirectory,
      Environment.fileExists("\(runtime)/systemd/private")
    else { return nil }
    let environment = ["XDG_RUNTIME_DIR": runtime]
    for unit in ["nightjar.socket", "nightjar.service"] {
      let process: ChildProcess
      do {
        process = try ChildProcess(
          searching: "systemctl", arguments: ["--user", "--quiet", "start", unit],
          environment: environment, errors: nil)
      } catch {
        // No systemctl, no service manager: the daemon is started without one.
        return nil
      }
      let isDone = process.wait(until: deadline) == 0
      if isDone, isAnswered() { return unit }
      if limit.hasPassed { throw .limitReached }
    }
    return nil
  }

  private func isAnswered() -> Bool {
    do {
      _ = try Connection(path: socketPath, deadline: deadline)
      return true
    } catch {
      return false
    }
  }

  // MARK: Detached

  private func startDetached() throws(CommandError) {
    let program = try Self.program()
    guard let state = Environment.stateDirectory else {
      throw CommandError(
        .noDaemon,
        "no daemon is running, and without HOME or XDG_STATE_HOME there is no place to "
          + "keep its timers")
    }
    let log = try DaemonLog(folder: state)
    let readiness = try ReadinessSocket()
    let process: ChildProcess
    do {
      process = try ChildProcess(
        path: program, arguments: ["--socket", socketPath, "--state-dir", state],
        environment: ["NOTIFY_SOCKET": readiness.address], errors: .file(log.path))
    } catch {
      throw CommandError(.noDaemon, "cannot run \(program): \(error)")
    }
    switch readiness.wait(for: process, until: deadline) {
    case .ready:
      Output.complain(
        "no daemon was running; started it in the background (process \(process.id))")
    case .exited:
      // Somebody else may have started one at the same moment, and ours has made room for it.
      if waitForAnother() { return }
      throw CommandError(.noDaemon, "the daemon could not be started\(log.reason)")
    case .timedOut:
      if limit.hasPassed { throw .limitReached }
      throw CommandError(
        .noDaemon, "the daemon (process \(process.id)) is not ready after 10 s\(log.reason)")
    }
  }

  private func waitForAnother() -> Bool {
    for _ in 0..<20 {
      if isAnswered() { return true }
      poll(nil, 0, 50)
    }
    return false
  }

  /// nightjard beside this program, else in PATH.
  private static func program() throws(CommandError) -> String {
    if let path = InstalledProgram.path(of: "nightjard") { return path }
    throw CommandError(
      .noDaemon,
      "no daemon is running, and nightjard is neither beside nightjar nor in PATH; install it there"
    )
  }
}
