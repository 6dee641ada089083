import Foundation
import Glibc

/// A folder of the test and the processes that it started. All of it is removed with the test,
/// however that ends. A suite has one as a property, because its instance lives as long as the
/// test.
package final class Rig {
  /// The path of the folder, without symbolic links.
  package let path: String
  private var processes: [ChildProcess] = []

  package init() throws {
    let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(parent)/nightjar-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Unmet(description: "cannot make a folder in \(parent)")
    }
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

  /// Starts a program that is ended with the test.
  package func start(
    _ command: [String], environment: [String: String]? = nil, isFed: Bool = false,
    descriptors: [Int32: Int32] = [:], package: String? = nil
  ) throws -> ChildProcess {
    let process = try ChildProcess(
      command, environment: environment, descriptors: descriptors, isFed: isFed, package: package)
    processes.append(process)
    return process
  }

  /// Runs a program to its end.
  package func run(
    _ command: [String], environment: [String: String]? = nil, package: String? = nil,
    within seconds: Double = 60
  ) throws -> (end: ChildProcess.Change, output: String) {
    let process = try start(command, environment: environment, package: package)
    let end = try process.awaitEnd(within: seconds)
    return (end, process.output)
  }

  /// Runs a program that must succeed, and returns its output.
  @discardableResult
  package func tool(
    _ command: [String], environment: [String: String]? = nil, package: String? = nil,
    within seconds: Double = 60
  ) throws -> String {
    let (end, output) = try run(
      command, environment: environment, package: package, within: seconds)
    guard end == .exited(0) else { throw Unmet(description: "\(command): \(end): \(output)") }
    return output
  }

  /// The output of a query on a database, read as any user can: beside the daemon, without writing.
  package func query(_ sql: String, on database: String) throws -> String {
    try tool(["sqlite3", "-readonly", database, sql], package: "sqlite3")
  }
}
