import Foundation
import Glibc
package import NightjarClient

/// A real nightjard, with a state folder and a socket of its own. Its environment contains only the
/// variables that the test sets.
package final class DaemonProcess {
  package struct Options {
    package let folder: String
    package var stateFolder: String
    package var socketPath: String
    /// The arguments of the daemon, in place of `--socket` and `--state-dir` with their paths.
    package var arguments: [String]?
    /// A command prefix that runs the daemon, such as `unshare …`.
    package var wrapper: [String] = []
    /// Additional variables of the daemon. An empty value removes a variable.
    package var environment: [String: String] = [:]
    /// The descriptors that the daemon inherits, by their numbers in the daemon.
    package var descriptors: [Int32: Int32] = [:]

    package init(folder: String) {
      self.folder = folder
      stateFolder = "\(folder)/nightjar"
      socketPath = "\(folder)/socket"
    }

    /// Shifts the daemon's wall clock by a number of seconds. The other clocks are not shifted. The
    /// kernel vouches for the clock, so the daemon does not wait until it is set.
    package mutating func fakeWallClock(seconds: Int64) throws {
      try useFakeClocks()
      try setWallClock(seconds: seconds)
    }

    /// Gives the daemon fake clocks. They are shifted as they were for the previous daemon with
    /// this folder; without one, they are not shifted.
    package mutating func useFakeClocks() throws {
      environment.merge(try DaemonProcess.fakeClocks(wallClockFile)) { $1 }
    }

    /// Gives the daemon a disk that the test can make fail or wait.
    package mutating func useFaultyDisk() throws -> FaultSwitch {
      let fault = try FaultSwitch(path: "\(folder)/fault")
      environment["LD_PRELOAD"] = try Binaries.library("FaultyDisk")
      environment["NIGHTJAR_TEST_DISK_FOLDER"] = stateFolder
      environment["NIGHTJAR_TEST_DISK_FAULT"] = fault.path
      return fault
    }

    private var wallClockFile: String { "\(folder)/wall-clock" }

    /// Steps the wall clock of a running daemon that has a fake wall clock.
    package func setWallClock(seconds: Int64) throws {
      try "\(seconds) 0 1".write(toFile: wallClockFile, atomically: true, encoding: .utf8)
    }

    /// Makes a running daemon that has a fake wall clock detect a sleep. Its deadlines after that
    /// are late by the length of the sleep.
    package func pretendSleep(seconds: Int64) throws {
      try "\(seconds) \(seconds)".write(toFile: wallClockFile, atomically: true, encoding: .utf8)
    }
  }

  /// The variables of a program with clocks that a file shifts (`Tests/C/FakeWallClock.c`).
  package static func fakeClocks(_ file: String) throws -> [String: String] {
    ["LD_PRELOAD": try Binaries.library("FakeWallClock"), "NIGHTJAR_TEST_WALL_CLOCK": file]
  }

  package let options: Options
  package let process: ChildProcess
  /// The notifications that the daemon has sent to the service manager.
  package var notifications: Happenings<String> { notify.notifications }
  private let notify: NotifySocket

  package init(_ options: Options, of rig: Rig) throws {
    self.options = options
    notify = try NotifySocket(path: "\(options.folder)/notify-\(UUID().uuidString.prefix(8))")
    let arguments =
      options.arguments ?? ["--socket", options.socketPath, "--state-dir", options.stateFolder]
    process = try rig.start(
      options.wrapper + [try Binaries.nightjard()] + arguments,
      environment: Self.environment(
        in: options.folder, notifyPath: notify.path, options.environment),
      descriptors: options.descriptors)
    notify.end(with: process)
  }

  /// The environment of a daemon, with additional variables. An empty value removes a variable.
  package static func environment(
    in folder: String, notifyPath: String, _ variables: [String: String]
  ) -> [String: String] {
    [
      // PATH has only the programs that the test installs, so that no ring is audible.
      "PATH": "\(folder)/bin", "LANG": "C.UTF-8", "HOME": "\(folder)/home",
      "XDG_RUNTIME_DIR": "\(folder)/run", "NOTIFY_SOCKET": notifyPath,
      // The daemon has no system bus, because the host's bus must not report a sleep to a test.
      "DBUS_SYSTEM_BUS_ADDRESS": "none",
    ].merging(variables) { $1 }.filter { !$0.value.isEmpty }
  }

  // MARK: Start and end

  package func awaitReady() throws {
    do {
      try notify.awaitReady(within: 90)
    } catch {
      throw Unmet(description: "\(error)\n\(process.output)")
    }
  }

  @discardableResult package func terminate() throws -> ChildProcess.Change {
    process.signal(SIGTERM)
    return try process.awaitEnd()
  }

  package func crash() throws {
    process.signal(SIGKILL)
    try process.awaitEnd()
  }

  /// Sends SIGTSTP to the daemon, and waits until the kernel reports that it is stopped.
  package func stop(within seconds: Double = 30) throws {
    process.signal(SIGTSTP)
    try process.changes.next("its stop", within: seconds) { $0 == .stopped }
  }

  /// Sends SIGCONT to the daemon, and waits until the kernel reports that it continues.
  package func proceed() throws {
    process.signal(SIGCONT)
    try process.changes.next("its continuation") { $0 == .continued }
  }

  // MARK: Socket and memory

  package func connect() throws -> Connection {
    try Connection(path: options.socketPath, deadline: .after(usec: 90 * second))
  }

  /// The environment of the daemon's clients. Its time zone is one in which it is noon, so that the
  /// time in an hour is on the same day.
  package var clientEnvironment: [String: String] {
    [
      "NIGHTJAR_SOCKET": options.socketPath, "HOME": options.folder, "TZ": Noon().zone,
      "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin",
    ]
  }

  package var databasePath: String { "\(options.stateFolder)/nightjar.db" }

  package var residentKilobytes: Int64 {
    get throws { try ChildProcess.statusField("VmRSS", in: "/proc/\(process.pid)/status") }
  }

  /// The private memory of the daemon, in kB. The pages of the program are left out, because the
  /// kernel may drop and read them at any time.
  package var ownKilobytes: Int64 {
    get throws { try ChildProcess.statusField("RssAnon", in: "/proc/\(process.pid)/status") }
  }
}

extension Rig {
  /// Starts a daemon in the folder of this rig. A test can end it, and start another with the same
  /// state.
  package func daemon(
    awaitingReady: Bool = true, _ configure: (inout DaemonProcess.Options) throws -> Void = { _ in }
  ) throws -> DaemonProcess {
    var options = DaemonProcess.Options(folder: path)
    try configure(&options)
    let daemon = try DaemonProcess(options, of: self)
    if awaitingReady { try daemon.awaitReady() }
    return daemon
  }

  /// Starts a daemon that must refuse to start, and returns its exit code and its output.
  package func refusedDaemon(
    _ configure: (inout DaemonProcess.Options) throws -> Void = { _ in }
  ) throws -> (end: ChildProcess.Change, said: String) {
    let daemon = try daemon(awaitingReady: false, configure)
    let end = try daemon.process.awaitEnd()
    return (end, daemon.process.output)
  }
}
