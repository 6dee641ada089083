import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

extension Rig {
  /// Starts a daemon that finds the system's programs, and plays no sound with them.
  func actingDaemon(
    _ configure: (inout DaemonProcess.Options) throws -> Void = { _ in }
  ) throws -> DaemonProcess {
    try self.configure("sound = false")
    return try daemon { options in
      options.environment["PATH"] = "/usr/bin:/bin"
      try configure(&options)
    }
  }
}

/// Timers that run commands.
extension DaemonProcess {
  /// Starts a timer that runs a command when it rings.
  @discardableResult func start(
    _ name: String, usec: Int64 = 20_000, running command: [String],
    _ configure: (inout Wire.Start) -> Void = { _ in }
  ) throws -> Wire.Timer {
    var timer = Wire.Start(name: name, .countdown(.microseconds(usec)))
    timer.ring = Wire.Ring(running: command, environment: [:])
    timer.replace = true
    configure(&timer)
    return try connect().timer(.start(timer))
  }

  /// The same with a shell command.
  @discardableResult func start(
    _ name: String, usec: Int64 = 20_000, shell: String,
    _ configure: (inout Wire.Start) -> Void = { _ in }
  ) throws -> Wire.Timer {
    try start(name, usec: usec, running: ["/bin/sh", "-c", shell], configure)
  }

  /// Waits for the end of a command of a timer.
  func end(of name: String) throws -> Wire.Event {
    try events(after: 0).event { $0.type == .actionEnded && $0.name == name }
  }

  /// The rows of commands that have not ended.
  func unfinished(_ rig: Rig) throws -> String {
    try rig.query("SELECT seq, number, attempt FROM action ORDER BY seq, number", on: databasePath)
      .trimmingCharacters(in: .newlines)
  }

  /// The number of its child processes, including zombies.
  var children: Int {
    get throws {
      let path = "/proc/\(process.pid)/task/\(process.pid)/children"
      return try String(contentsOfFile: path, encoding: .utf8).split(separator: " ").count
    }
  }

  /// The number of its open descriptors.
  var descriptors: Int {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/fd").count
    }
  }
}

extension Wire.Event {
  /// `exited 0`, `signalled 9`, `not_started no folder of PATH has it`.
  var end: String {
    let detail = exitStatus.map(String.init) ?? signal.map(String.init) ?? reason
    return ([outcome?.rawValue, detail].compactMap { $0 }).joined(separator: " ")
  }
}
