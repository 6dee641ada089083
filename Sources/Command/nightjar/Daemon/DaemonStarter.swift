import Glibc
import NightjarClient

/// Starts the daemon if none runs. The user's service manager starts it if the manager has the
/// daemon's unit. Otherwise this command starts it as a detached process.
struct DaemonStarter {
  let socketPath: String
  /// Whether the socket's path is the one in the unit files. The service manager cannot start a
  /// daemon for any other path.
  let isUsualPath: Bool
  /// The deadline of the whole command.
  var limit = Deadline.never

  /// How long a daemon may take to become ready, in microseconds.
  private static let timeoutUsec: Int64 = 10_000_000

  private var deadline: Deadline { .earlier(.after(usec: Self.timeoutUsec), limit) }

  /// Returns when a daemon listens at the socket, and prints once how it was started.
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
        // Without systemctl there is no service manager, so the daemon is started detached.
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
      // Another command may have started a daemon at the same moment; then ours has exited.
      if waitForAnother() { return }
      if !isUsualPath, let id = ProcessState.holder(of: "\(state)/lock"), kill(id, 0) == 0 {
        throw CommandError(
          .noDaemon,
          "no daemon listens at \(socketPath); the daemon with your timers (process \(id)) listens "
            + "at another socket; leave out --socket and unset NIGHTJAR_SOCKET to reach it")
      }
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

  /// The path of nightjard: beside this program, else in PATH.
  private static func program() throws(CommandError) -> String {
    if let path = InstalledProgram.path(of: "nightjard") { return path }
    throw CommandError(
      .noDaemon,
      "no daemon is running, and nightjard is neither beside nightjar nor in PATH; install it there"
    )
  }
}
