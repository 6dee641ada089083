import Foundation
import Glibc
package import NightjarClient

/// A real nightjard with a state folder and a socket of its own, and an environment that has
/// nothing but what the test put there.
package final class DaemonProcess {
  package struct Options {
    /// The rig's folder.
    package let folder: String
    package var stateFolder: String
    package var socketPath: String
    /// Overrides `--socket` and `--state-dir` with both paths.
    package var arguments: [String]?
    /// A program that runs the daemon, such as `unshare …`.
    package var wrapper: [String] = []
    /// Variables beside the usual; an empty value removes one of them.
    package var environment: [String: String] = [:]
    /// What it inherits, by its own number.
    package var descriptors: [Int32: Int32] = [:]

    package init(folder: String) {
      self.folder = folder
      stateFolder = "\(folder)/nightjar"
      socketPath = "\(folder)/socket"
    }

    /// Puts the wall clock off by so many seconds; the other clocks go as they go.
    package mutating func fakeWallClock(seconds: Int64) throws {
      try useFakeClocks()
      try setWallClock(seconds: seconds)
    }

    /// Has the clocks be put off by what the daemon before it on this folder was told, or not yet.
    package mutating func useFakeClocks() throws {
      environment["LD_PRELOAD"] = try Binaries.library("FakeWallClock")
      environment["NIGHTJAR_TEST_WALL_CLOCK"] = wallClockFile
    }

    /// Has what the daemon does with its state folder go by a disk that a test makes fail or wait.
    package mutating func useFaultyDisk() throws -> FaultSwitch {
      let fault = try FaultSwitch(path: "\(folder)/fault")
      environment["LD_PRELOAD"] = try Binaries.library("FaultyDisk")
      environment["NIGHTJAR_TEST_DISK_FOLDER"] = stateFolder
      environment["NIGHTJAR_TEST_DISK_FAULT"] = fault.path
      return fault
    }

    private var wallClockFile: String { "\(folder)/wall-clock" }

    /// Steps the wall clock of a daemon that runs with a fake one.
    package func setWallClock(seconds: Int64) throws {
      try "\(seconds)".write(toFile: wallClockFile, atomically: true, encoding: .utf8)
    }

    /// Has a daemon that runs with a fake wall clock find that the machine has slept for so long. What
    /// it awaits from then on comes late by that.
    package func pretendSleep(seconds: Int64) throws {
      try "\(seconds) \(seconds)".write(toFile: wallClockFile, atomically: true, encoding: .utf8)
    }
  }

  package let options: Options
  package let process: ChildProcess
  /// What it told its service manager.
  package var notifications: Happenings<String> { notify.notifications }
  private let notify: NotifySocket

  fileprivate static let bound = 90.0
  private nonisolated(unsafe) static var number = 0
  private static let numberLock = NSLock()

  package init(_ options: Options, of rig: Rig) throws {
    self.options = options
    let number = Self.numberLock.withLock {
      Self.number += 1
      return Self.number
    }
    notify = try NotifySocket(path: "\(options.folder)/notify-\(number)")
    let arguments =
      options.arguments ?? ["--socket", options.socketPath, "--state-dir", options.stateFolder]
    process = try rig.start(
      options.wrapper + [try Binaries.nightjard()] + arguments,
      environment: Self.environment(options, notifyPath: notify.path),
      descriptors: options.descriptors)
    endNotifications()
  }

  private static func environment(_ options: Options, notifyPath: String) -> [String: String] {
    var environment = [
      // Nothing is there unless a test puts it there: what rings must not be heard in the room.
      "PATH": "\(options.folder)/bin", "LANG": "C.UTF-8",
      "HOME": "\(options.folder)/home", "XDG_RUNTIME_DIR": "\(options.folder)/run",
      "NOTIFY_SOCKET": notifyPath,
      // No bus: the machine's own must not put a test to sleep.
      "DBUS_SYSTEM_BUS_ADDRESS": "none",
    ]
    environment.merge(options.environment) { $1 }
    return environment.filter { !$0.value.isEmpty }
  }

  /// Who waits for a notification of one that has ended need not wait on.
  private func endNotifications() {
    let (notifications, changes) = (notify.notifications, process.changes)
    Thread.detachNewThread {
      try? changes.awaitEnd("its end", within: 86_400)
      notifications.end()
    }
  }

  // MARK: Its life

  package func awaitReady() throws {
    do {
      try notifications.next("READY=1", within: Self.bound) {
        $0.split(separator: "\n").contains("READY=1")
      }
    } catch {
      throw Unmet(description: "\(error)\n\(process.output)")
    }
  }

  /// SIGTERM, and its end.
  @discardableResult
  package func terminate() throws -> ChildProcess.Change {
    process.signal(SIGTERM)
    return try process.awaitEnd()
  }

  /// SIGKILL, and its end.
  package func crash() throws {
    process.signal(SIGKILL)
    try process.awaitEnd()
  }

  /// SIGTSTP; returns when the kernel says that it is stopped.
  package func stop(within seconds: Double = 30) throws {
    process.signal(SIGTSTP)
    try process.changes.next("its stop", within: seconds) { $0 == .stopped }
  }

  /// SIGCONT; returns when the kernel says that it is continued.
  package func proceed() throws {
    process.signal(SIGCONT)
    try process.changes.next("its continuation") { $0 == .continued }
  }

  // MARK: Its socket and its memory

  package func connect() throws -> Connection {
    try Connection(path: options.socketPath, deadline: .after(usec: 90 * second))
  }

  /// What its clients find in their environment: at noon, so that an hour from now is today.
  package var clientEnvironment: [String: String] {
    [
      "NIGHTJAR_SOCKET": options.socketPath, "HOME": options.folder, "TZ": Noon().zone,
      "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin",
    ]
  }

  package var databasePath: String { "\(options.stateFolder)/nightjar.db" }

  /// Resident memory in kB.
  package var residentKilobytes: Int64 {
    get throws { try ChildProcess.statusField("VmRSS", in: "/proc/\(process.pid)/status") }
  }

  /// What it has taken for itself, without the pages of its program: these come and go as the kernel has room for them.
  package var ownKilobytes: Int64 {
    get throws { try ChildProcess.statusField("RssAnon", in: "/proc/\(process.pid)/status") }
  }
}

extension Rig {
  /// Starts a daemon on this rig's folder. It can be ended and started again on the same state.
  package func daemon(
    awaitingReady: Bool = true, _ configure: (inout DaemonProcess.Options) throws -> Void = { _ in }
  ) throws -> DaemonProcess {
    var options = DaemonProcess.Options(folder: path)
    try configure(&options)
    let daemon = try DaemonProcess(options, of: self)
    if awaitingReady { try daemon.awaitReady() }
    return daemon
  }

  /// Starts a daemon that is to refuse, and returns its exit code and what it said.
  package func refusedDaemon(
    _ configure: (inout DaemonProcess.Options) throws -> Void = { _ in }
  ) throws -> (end: ChildProcess.Change, said: String) {
    let daemon = try daemon(awaitingReady: false, configure)
    let end = try daemon.process.awaitEnd()
    return (end, daemon.process.output)
  }
}
