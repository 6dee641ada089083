import Foundation

/// The folder of a test, and the processes that the test starts. Both are removed when the test
/// ends, whether it passes or fails. A suite has a rig as a property, because an instance of the
/// suite lives as long as its test.
package final class Rig {
  /// The path of the folder, without symbolic links.
  package let path: String
  private var processes: [ChildProcess] = []

  package init() throws {
    let made = try makeTemporaryFolder(
      in: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")
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

  /// Starts a program. It is ended when the test ends.
  package func start(
    _ command: [String], environment: [String: String]? = nil, isFed: Bool = false,
    descriptors: [Int32: Int32] = [:], package: String? = nil
  ) throws -> ChildProcess {
    let process = try ChildProcess(
      command, environment: environment, descriptors: descriptors, isFed: isFed, package: package)
    processes.append(process)
    return process
  }

  package func run(
    _ command: [String], environment: [String: String]? = nil, package: String? = nil,
    within seconds: Double = 60
  ) throws -> (end: ChildProcess.Change, output: String) {
    let process = try start(command, environment: environment, package: package)
    let end = try process.awaitEnd(within: seconds)
    return (end, process.output)
  }

  /// Runs a program that must succeed, and returns its output.
  @discardableResult package func tool(
    _ command: [String], environment: [String: String]? = nil, package: String? = nil,
    within seconds: Double = 60
  ) throws -> String {
    let (end, output) = try run(
      command, environment: environment, package: package, within: seconds)
    guard end == .exited(0) else { throw Unmet(description: "\(command): \(end): \(output)") }
    return output
  }

  /// The output of a query on a database. The query only reads, as any user can while the daemon
  /// runs.
  package func query(_ sql: String, on database: String) throws -> String {
    try tool(["sqlite3", "-readonly", database, sql], package: "sqlite3")
  }
}
