import CLinux
import Foundation
import Glibc

/// A process that a test starts and ends.
///
/// The kernel reports its changes (waitid(2)): stopped, continued, ended. Nothing polls.
package final class ChildProcess: Sendable {
  /// A change of the process.
  package enum Change: Equatable, Sendable {
    case stopped
    case continued
    case exited(Int32)
    case killed(Int32)

    package var isEnd: Bool {
      switch self {
      case .exited, .killed: true
      case .stopped, .continued: false
      }
    }
  }

  package let pid: Int32
  package let changes = Happenings<Change>()
  /// Its output, including standard error.
  package let lines = Happenings<String>()
  /// Its standard input, if the test feeds it.
  private let input: FileHandle?
  private let life = Life()

  /// Whether the process ID still belongs to the process. It is checked and changed under one lock,
  /// so that no signal reaches another process.
  private final class Life: @unchecked Sendable {
    let lock = NSLock()
    var hasEnded = false
  }

  /// Starts a program that is found in PATH.
  ///
  /// - Parameters:
  ///   - environment: its whole environment; nil: this process's own.
  ///   - descriptors: descriptors that it inherits besides the standard three, by their number in
  ///     the child.
  ///   - isFed: whether `feed` will be used; otherwise its standard input is empty.
  ///   - package: the Debian package to name if the program is missing.
  package init(
    _ command: [String], environment: [String: String]? = nil, descriptors: [Int32: Int32] = [:],
    isFed: Bool = false, package: String? = nil
  ) throws {
    let output = try Self.pipe()
    let feeding = isFed ? try Self.pipe() : nil
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output.write, STDERR_FILENO)
    if let feeding {
      posix_spawn_file_actions_adddup2(&actions, feeding.read, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    for (number, own) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, number) }
    var child: pid_t = 0
    let variables = environment ?? ProcessInfo.processInfo.environment
    let code = Self.withCStrings(command) { arguments in
      Self.withCStrings(variables.map { "\($0)=\($1)" }) { variables in
        Self.withAttributes { posix_spawnp(&child, command[0], &actions, $0, arguments, variables) }
      }
    }
    close(output.write)
    if let feeding { close(feeding.read) }
    guard code == 0 else {
      close(output.read)
      if let feeding { close(feeding.write) }
      let hint = package.map { "; install the package \($0)" } ?? ""
      throw Unmet(
        description: "cannot run \(command[0]): \(String(cString: strerror(code)))\(hint)")
    }
    pid = child
    input = feeding.map { FileHandle(fileDescriptor: $0.write, closeOnDealloc: true) }
    lines.follow(output.read)
    watch()
  }

  deinit { kill() }

  /// Sends a signal, unless it has ended.
  package func signal(_ number: Int32) {
    life.lock.withLock {
      if !life.hasEnded { Glibc.kill(pid, number) }
    }
  }

  /// Kills it with SIGKILL, and returns when it has ended.
  package func kill() {
    signal(SIGKILL)
    // Nothing survives a SIGKILL; the time limit is for a machine that hangs.
    try? changes.awaitEnd("the end of process \(pid)")
  }

  /// Waits until it ends by itself, and for the end of its output.
  @discardableResult
  package func awaitEnd(within seconds: Double = 30) throws -> Change {
    let change = try changes.next("the end of process \(pid)", within: seconds) { $0.isEnd }
    try lines.awaitEnd("the output of process \(pid)", within: seconds)
    return change
  }

  /// Its output so far.
  package var output: String { lines.all.joined(separator: "\n") }

  /// Writes a line to its standard input.
  package func feed(_ line: String) throws {
    try input?.write(contentsOf: Data((line + "\n").utf8))
  }

  /// A number in a file of /proc/PID in which a colon follows each name (proc_pid_status(5)).
  package static func statusField(_ name: String, in path: String) throws -> Int64 {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      if words.count > 1, let value = Int64(words[1]) { return value }
    }
    throw Unmet(description: "\(path) has no \(name)")
  }

  /// The voluntary context switches of each of its threads, by thread ID: one per wake-up
  /// (proc_pid_status(5)).
  package var waits: [String: Int64] {
    get throws {
      let tasks = "/proc/\(pid)/task"
      var waits: [String: Int64] = [:]
      for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
        waits[task] = try Self.statusField(
          "voluntary_ctxt_switches", in: "\(tasks)/\(task)/status")
      }
      return waits
    }
  }

  /// Its state in /proc: R, S, T, Z…
  package var stateLetter: Character? {
    let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    // The name before it is in parentheses and may contain any character.
    return text?.split(separator: ")").last?.first { $0 != " " }
  }
}

// MARK: - Changes

extension ChildProcess {
  /// Waits for its changes on a thread of its own.
  private func watch() {
    let (pid, changes, life) = (pid, changes, life)
    Thread.detachNewThread {
      while true {
        var info = siginfo_t()
        let wanted = WEXITED | WSTOPPED | WCONTINUED
        // First without reaping, then reaping under the lock: the process ID is free after that.
        guard waitid(P_PID, id_t(pid), &info, Int32(wanted | WNOWAIT)) == 0 || errno == EINTR
        else { break }
        var status: Int32 = 0
        let change: Change? = life.lock.withLock {
          guard waitpid(pid, &status, WNOHANG | WUNTRACED | Int32(WCONTINUED)) == pid else {
            return nil
          }
          let change = Change(status: status)
          life.hasEnded = change.isEnd
          return change
        }
        guard let change else { continue }
        changes.append(change)
        if change.isEnd { break }
      }
      changes.end()
    }
  }
}

extension ChildProcess.Change {
  /// The status of waitpid(2); WIFSTOPPED and WIFCONTINUED are macros that Swift does not import.
  fileprivate init(status: Int32) {
    if status == 0xffff {
      self = .continued
    } else if status & 0xff == 0x7f {
      self = .stopped
    } else if nj_wait_exited(status) {
      self = .exited(nj_wait_exit_code(status))
    } else {
      self = .killed(nj_wait_signal(status))
    }
  }
}

// MARK: - posix_spawn

extension ChildProcess {
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    let code = nj_pipe(&ends)
    guard code == 0 else { throw Unmet(description: "pipe: \(String(cString: strerror(-code)))") }
    return (ends[0], ends[1])
  }

  /// Attributes with which no signal is blocked or ignored in the child, whatever other tests have
  /// done in this process.
  private static func withAttributes(
    _ body: (UnsafePointer<posix_spawnattr_t>) -> Int32
  ) -> Int32 {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    return body(&attributes)
  }

  /// Passes strings to `body` as a C array of pointers that ends with nil.
  private static func withCStrings(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }
}
