import Foundation
import Glibc

/// Runs a part of a test in a process of its own. This is necessary if the part changes a property
/// that a process has only once, such as its environment or its signals, if it ends the process, or
/// if another program must run it. The test program runs itself again with only that test, and an
/// environment variable names the role.
///
/// Exit tests of Swift Testing are not used: they wait for any child of the process, and may miss
/// their own child while another child has ended that no test has waited for yet.
package enum Role {
  private static let variable = "NIGHTJAR_TEST_ROLE"

  /// The role of this process; nil: this is the process of the whole test run.
  package static var current: String? { ProcessInfo.processInfo.environment[variable] }

  /// Runs `body` in a process of its own, and throws an error if it fails there.
  ///
  /// - Parameter test: the test function that calls this.
  /// - Returns: the output of the process; nil in the process itself.
  @discardableResult
  package static func alone(_ test: String = #function, _ body: () throws -> Void) throws -> String?
  {
    if current != nil {
      try body()
      return nil
    }
    return try passing("alone", inTest: pattern(of: test), through: [])
  }

  /// Runs `body` in a process of its own, and throws an error unless it traps with `message` there.
  package static func trapping(
    _ message: String, _ test: String = #function, _ body: () throws -> Void
  ) throws {
    if current != nil { return try body() }
    let (end, output) = try run("trapping", inTest: pattern(of: test), through: [])
    guard [.killed(SIGILL), .killed(SIGTRAP)].contains(end), output.contains(message) else {
      throw Unmet(description: "it does not trap with '\(message)': \(end): \(output)")
    }
  }

  /// Runs the test function whose name contains `test` in a process of its own, through the command
  /// prefix `wrapper`. Throws an error if the test fails there.
  package static func play(_ role: String, inTest test: String, through wrapper: [String]) throws {
    _ = try passing(role, inTest: test, through: wrapper)
  }

  private static func passing(
    _ role: String, inTest test: String, through wrapper: [String]
  ) throws -> String {
    let (end, output) = try run(role, inTest: test, through: wrapper)
    // The number of tests is checked because a filter that matches no test also succeeds.
    guard end == .exited(0), output.contains("with 1 test in") else {
      throw Unmet(description: "as '\(role)': \(end): \(output)")
    }
    return output
  }

  /// Runs a test function in a process of its own, in a time namespace in which BOOTTIME is 100,000
  /// s ahead and MONOTONIC is not (time_namespaces(7)).
  package static func playInTimeNamespace(_ role: String, inTest test: String) throws {
    try play(role, inTest: test, through: unshare + ["--time", "--boottime", "100000", "--fork"])
  }

  /// The command unshare(1), which creates namespaces. For users other than root, a user namespace
  /// around them makes that possible.
  package static var unshare: [String] {
    ["unshare"] + (geteuid() == 0 ? [] : ["--user", "--map-root-user"])
  }

  private static func run(
    _ role: String, inTest test: String, through wrapper: [String]
  ) throws -> (end: ChildProcess.Change, output: String) {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    // Without this setting, a trap takes half a minute to print its backtrace.
    let added = [variable: role, "SWIFT_BACKTRACE": "enable=no"]
    let process = try ChildProcess(
      wrapper + [program, "--testing-library", "swift-testing", "--filter", test],
      environment: ProcessInfo.processInfo.environment.merging(added) { $1 })
    let end = try process.awaitEnd(within: 300)
    return (end, process.output)
  }

  /// A filter that matches the test with this function name.
  private static func pattern(of function: String) -> String {
    let name = function.filter { $0 != "`" }.replacing("()", with: "")
    return NSRegularExpression.escapedPattern(for: name)
  }
}
