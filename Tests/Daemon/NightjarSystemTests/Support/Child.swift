import CLinux
import Glibc
import NightjarSystem
import NightjarTestSupport
import Testing

/// A process that a test starts and ends.
final class Child {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let pid: Int32
  private let standardOutput: Descriptor
  private var status: Int32?

  /// Starts a program; its output, including standard error, can be read.
  ///
  /// - Parameter package: the Debian package to name if the program is not there.
  init(_ command: [String], environment: [String: String] = [:], package: String? = nil) throws {
    var ends: [Int32] = [-1, -1]
    try #require(nj_pipe(&ends) == 0)
    standardOutput = Descriptor(owning: ends[0])
    let writing = Descriptor(owning: ends[1])

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, writing.raw, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, writing.raw, STDERR_FILENO)
    // The child must not inherit signals that a test has blocked in this thread.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var variables = Child.environment
    variables.merge(environment) { $1 }
    var child: pid_t = 0
    let code = withCStrings(command) { arguments in
      withCStrings(variables.map { "\($0)=\($1)" }) { variables in
        posix_spawnp(&child, command[0], &actions, &attributes, arguments, variables)
      }
    }
    guard code == 0 else {
      let hint = package.map { "; install the package \($0)" } ?? ""
      let reason = String(cString: strerror(code))
      throw Failure(description: "cannot run \(command[0]): \(reason)\(hint)")
    }
    pid = child
  }

  deinit { kill() }

  /// Kills it.
  func kill() {
    guard status == nil else { return }
    Glibc.kill(pid, SIGKILL)
    reap()
  }

  /// The next line of its output, without its newline.
  func readLine(within seconds: Int32 = 20) throws -> String {
    var line: [UInt8] = []
    while let byte = try readByte(within: seconds), byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  /// Its whole output, and its exit code; -1 if a signal ended it.
  func finish(within seconds: Int32 = 60) throws -> (code: Int32, output: String) {
    var output: [UInt8] = []
    while let byte = try readByte(within: seconds) { output.append(byte) }
    reap()
    let status = try #require(status)
    let code = nj_wait_exited(status) ? nj_wait_exit_code(status) : -1
    return (code, String(decoding: output, as: UTF8.self))
  }

  private func readByte(within seconds: Int32) throws -> UInt8? {
    try BlockingThreads.expectBlockable()
    var waiting = pollfd(fd: standardOutput.raw, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, seconds * 1000) > 0 else {
      throw Failure(description: "process \(pid) printed nothing for \(seconds) s")
    }
    var byte: UInt8 = 0
    return read(standardOutput.raw, &byte, 1) == 1 ? byte : nil
  }

  private func reap() {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    self.status = status
  }

  private static var environment: [String: String] {
    var result: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let pair = String(cString: text).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
      entry += 1
    }
    return result
  }
}

/// Passes strings to `body` as a C array of pointers that ends with nil.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
