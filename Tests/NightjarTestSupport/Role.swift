import Foundation
import Glibc

/// A part of a test that needs a process of its own: it changes what a process has once, as its environment
/// and its signals, or ends it, or another program has to prepare it. The test program runs again, with only
/// that test, in a role.
///
/// Swift Testing's exit tests would do, but they wait for any child of the process, and do not see their own
/// behind one that another test has not waited for yet.
package enum Role {
  private static let variable = "NIGHTJAR_TEST_ROLE"

  /// The role this process plays; nil in the test run proper.
  package static var current: String? { ProcessInfo.processInfo.environment[variable] }

  /// Runs `body` in a process of its own, which must pass.
  ///
  /// - Parameter test: the test function that calls this.
  /// - Returns: what the process printed; nil in the process itself.
  @discardableResult
  package static func alone(_ test: String = #function, _ body: () throws -> Void) throws -> String?
  {
    if current != nil {
      try body()
      return nil
    }
    return try passing("alone", inTest: pattern(of: test), through: [])
  }

  /// Runs `body` in a process of its own, which it must end by a trap that prints `message`.
  package static func trapping(
    _ message: String, _ test: String = #function, _ body: () throws -> Void
  ) throws {
    if current != nil { return try body() }
    let (end, output) = try run("trapping", inTest: pattern(of: test), through: [])
    guard [.killed(SIGILL), .killed(SIGTRAP)].contains(end), output.contains(message) else {
      throw Unmet(description: "it does not trap with '\(message)': \(end): \(output)")
    }
  }

  /// Runs the test function named `test` again through `wrapper`, and returns once it has passed
  /// there.
  package static func play(
    _ role: String, inTest test: String, through wrapper: [String]
  ) throws {
    _ = try passing(role, inTest: test, through: wrapper)
  }

  private static func passing(
    _ role: String, inTest test: String, through wrapper: [String]
  ) throws -> String {
    let (end, output) = try run(role, inTest: test, through: wrapper)
    // A filter that finds no test would pass as well.
    guard end == .exited(0), output.contains("with 1 test in") else {
      throw Unmet(description: "as '\(role)': \(end): \(output)")
    }
    return output
  }

  /// The same where BOOTTIME is 100,000 s ahead of what it is here, and MONOTONIC is not
  /// (time_namespaces(7)).
  package static func playInTimeNamespace(_ role: String, inTest test: String) throws {
    try play(
      role, inTest: test,
      through: unshare + ["--time", "--boottime", "100000", "--fork"])
  }

  /// unshare(1) into namespaces of one's own; a user namespace around them makes it possible for
  /// others than root.
  package static var unshare: [String] {
    ["unshare"] + (geteuid() == 0 ? [] : ["--user", "--map-root-user"])
  }

  private static func run(
    _ role: String, inTest test: String, through wrapper: [String]
  ) throws -> (end: ChildProcess.Change, output: String) {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    // What traps takes half a minute to say where, unless it is told not to.
    let added = [variable: role, "SWIFT_BACKTRACE": "enable=no"]
    let process = try ChildProcess(
      wrapper + [program, "--testing-library", "swift-testing", "--filter", test],
      environment: ProcessInfo.processInfo.environment.merging(added) { $1 })
    let end = try process.awaitEnd(within: 300)
    return (end, process.output)
  }

  /// A filter that finds a test by its function.
  private static func pattern(of function: String) -> String {
    let name = function.filter { $0 != "`" }.replacing("()", with: "")
    return NSRegularExpression.escapedPattern(for: name)
  }
}
