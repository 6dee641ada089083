import Foundation
import Glibc

/// A part of a test that needs a process of its own, because it changes what a process has once,
/// such as its environment and its signals, or ends the process, or must be run by another program.
/// The test program runs again with only that test, in a role.
///
/// Swift Testing's exit tests would do, but they wait for any child of the process, and miss their
/// own behind one that another test has not waited for yet.
package enum Role {
  private static let variable = "NIGHTJAR_TEST_ROLE"

  /// The role of this process; nil in the test run itself.
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

  /// Runs `body` in a process of its own, in which it must trap with `message`.
  package static func trapping(
    _ message: String, _ test: String = #function, _ body: () throws -> Void
  ) throws {
    if current != nil { return try body() }
    let (end, output) = try run("trapping", inTest: pattern(of: test), through: [])
    guard [.killed(SIGILL), .killed(SIGTRAP)].contains(end), output.contains(message) else {
      throw Unmet(description: "it does not trap with '\(message)': \(end): \(output)")
    }
  }

  /// Runs the test function whose name contains `test` again through `wrapper`; returns if it has
  /// passed.
  package static func play(
    _ role: String, inTest test: String, through wrapper: [String]
  ) throws {
    _ = try passing(role, inTest: test, through: wrapper)
  }

  private static func passing(
    _ role: String, inTest test: String, through wrapper: [String]
  ) throws -> String {
    let (end, output) = try run(role, inTest: test, through: wrapper)
    // A filter that matches no test would succeed as well.
    guard end == .exited(0), output.contains("with 1 test in") else {
      throw Unmet(description: "as '\(role)': \(end): \(output)")
    }
    return output
  }

  /// The same in a time namespace where BOOTTIME is 100,000 s ahead and MONOTONIC is not
  /// (time_namespaces(7)).
  package static func playInTimeNamespace(_ role: String, inTest test: String) throws {
    try play(
      role, inTest: test,
      through: unshare + ["--time", "--boottime", "100000", "--fork"])
  }

  /// unshare(1) into new namespaces; a surrounding user namespace makes it possible for users other
  /// than root.
  package static var unshare: [String] {
    ["unshare"] + (geteuid() == 0 ? [] : ["--user", "--map-root-user"])
  }

  private static func run(
    _ role: String, inTest test: String, through wrapper: [String]
  ) throws -> (end: ChildProcess.Change, output: String) {
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    // Without this setting, a trap would take half a minute to print its backtrace.
    let added = [variable: role, "SWIFT_BACKTRACE": "enable=no"]
    let process = try ChildProcess(
      wrapper + [program, "--testing-library", "swift-testing", "--filter", test],
      environment: ProcessInfo.processInfo.environment.merging(added) { $1 })
    let end = try process.awaitEnd(within: 300)
    return (end, process.output)
  }

  /// A filter that matches a test by its function's name.
  private static func pattern(of function: String) -> String {
    let name = function.filter { $0 != "`" }.replacing("()", with: "")
    return NSRegularExpression.escapedPattern(for: name)
  }
}
