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

  /// Adds a hook, such as `rang.d/a`, which runs a line of shell.
  func addHook(_ hook: String, _ line: String) throws {
    let file = "\(path)/home/.config/nightjar/hooks/\(hook)"
    try makeFolder((file as NSString).deletingLastPathComponent)
    try writeFile("#!/bin/sh\n\(line)\n", to: file, mode: 0o755)
  }

  /// A shell command that waits until `go`, or until the test is over.
  var untilGo: String {
    "while [ -d \(path) ] && [ ! -e \(path)/go ]; do sleep 0.02; done"
  }

  func go() throws { try Data().write(to: URL(filePath: "\(path)/go")) }

  /// The lines that commands have written into a file. If the file does not exist, there are none.
  func lines(of file: String) throws -> [String] {
    let path = "\(path)/\(file)"
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @discardableResult func awaitLines(_ count: Int, of file: String) throws -> [String] {
    try awaitTrue("\(file) has no \(count) lines") { try lines(of: file).count >= count }
    return try lines(of: file)
  }
}

/// Timers that run commands.
extension DaemonProcess {
  /// Starts a timer that runs a command.
  ///
  /// - Parameters:
  ///   - usec: its duration; nil: 20 ms, or an hour if `events` are given.
  ///   - events: the events on which the command runs; nil: when the timer rings.
  @discardableResult func start(
    _ name: String, usec: Int64? = nil, on events: [Wire.EventType]? = nil,
    running command: [String], _ configure: (inout Wire.Start) -> Void = { _ in }
  ) throws -> Wire.Timer {
    let usec = usec ?? (events == nil ? 20 * millisecond : hour)
    var timer = Wire.Start(name: name, .countdown(.microseconds(usec)))
    timer.ring = Wire.Ring(running: command, environment: [:])
    if let events { timer.ring?.on = events }
    timer.replace = true
    configure(&timer)
    return try connect().timer(.start(timer))
  }

  @discardableResult func start(
    _ name: String, usec: Int64? = nil, on events: [Wire.EventType]? = nil, shell: String,
    _ configure: (inout Wire.Start) -> Void = { _ in }
  ) throws -> Wire.Timer {
    try start(name, usec: usec, on: events, running: ["/bin/sh", "-c", shell], configure)
  }

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
