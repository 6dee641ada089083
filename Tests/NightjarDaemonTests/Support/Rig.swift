import Foundation
import Glibc
import Testing

/// A folder of a test's own and the processes it started; all of it is gone with the test, however that
/// ends. A suite holds one: its instance lives as long as the test.
final class Rig {
  /// The folder; its path has no symbolic link in it.
  let path: String
  private var processes: [ChildProcess] = []

  init() throws {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(parent)/nightjar-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil, "cannot make a folder in \(parent)")
    let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = URL(fileURLWithPath: made).resolvingSymlinksInPath().path
    for name in ["home", "run"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(name)", withIntermediateDirectories: false)
    }
  }

  deinit {
    for process in processes.reversed() { process.kill() }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Starts a program, to be ended with the test.
  func start(
    _ command: [String], environment: [String: String]? = nil, isFed: Bool = false,
    descriptors: [Int32: Int32] = [:], package: String? = nil
  ) throws -> ChildProcess {
    let process = try ChildProcess(
      command, environment: environment, descriptors: descriptors, isFed: isFed, package: package)
    processes.append(process)
    return process
  }

  /// Runs a program to its end.
  func run(
    _ command: [String], environment: [String: String]? = nil, package: String? = nil,
    within seconds: Double = 60
  ) throws -> (end: ChildProcess.Change, output: String) {
    let process = try start(command, environment: environment, package: package)
    let end = try process.awaitEnd(within: seconds)
    return (end, process.output)
  }

  /// Runs a program that must succeed, and returns what it printed.
  @discardableResult
  func tool(
    _ command: [String], environment: [String: String]? = nil, package: String? = nil,
    within seconds: Double = 60
  ) throws -> String {
    let (end, output) = try run(
      command, environment: environment, package: package, within: seconds)
    guard end == .exited(0) else { throw Unmet(description: "\(command): \(end): \(output)") }
    return output
  }

  /// What a query on a database prints, read as anybody can: beside the daemon, without writing.
  func query(_ sql: String, on database: String) throws -> String {
    try tool(["sqlite3", "-readonly", database, sql], package: "sqlite3")
  }

  /// Starts a daemon on this rig's folder. It can be ended and started again on the same state.
  func daemon(
    awaitingReady: Bool = true, _ configure: (inout DaemonProcess.Options) throws -> Void = { _ in }
  ) throws -> DaemonProcess {
    var options = DaemonProcess.Options(folder: path)
    try configure(&options)
    let daemon = try DaemonProcess(options, of: self)
    if awaitingReady { try daemon.awaitReady() }
    return daemon
  }

  /// Starts a daemon that is to refuse, and returns its exit code and what it said.
  func refusedDaemon(
    _ configure: (inout DaemonProcess.Options) throws -> Void = { _ in }
  ) throws -> (end: ChildProcess.Change, said: String) {
    let daemon = try daemon(awaitingReady: false, configure)
    let end = try daemon.process.awaitEnd()
    return (end, daemon.process.output)
  }
}

/// What only root may do. Elsewhere one line says what was left out; where CI is set, that is a failure.
enum Root {
  static func isMissing(for what: String) -> Bool {
    guard geteuid() != 0 else { return false }
    let sentence = "left out, because it takes root: \(what)"
    if ProcessInfo.processInfo.environment["CI"] != nil {
      Issue.record("\(sentence)")
    } else {
      print(sentence)
    }
    return true
  }
}
