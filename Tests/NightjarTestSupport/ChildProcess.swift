import CLinux
import Foundation
import Glibc

/// A process that a test starts, knows the number of, and ends.
///
/// The kernel tells what becomes of it (waitid(2)): stopped, continued, ended. Nobody asks again
/// and again.
package final class ChildProcess: Sendable {
  /// What became of it.
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
  /// What it prints, on standard error too.
  package let lines = Happenings<String>()
  /// Its standard input, if it was asked for.
  private let input: FileHandle?
  private let life = Life()

  /// Whether the number is still the process's; asked and changed under one lock, so that no signal
  /// goes to a stranger.
  private final class Life: @unchecked Sendable {
    let lock = NSLock()
    var hasEnded = false
  }

  /// Starts a program that is found in PATH.
  ///
  /// - Parameters:
  ///   - environment: all of it; nil: this process's own.
  ///   - descriptors: what it inherits beside the standard three, by its own number.
  ///   - isFed: whether `feed` will be used; otherwise its standard input is empty.
  ///   - package: the Debian package to name if the program is not there.
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

  /// Ends it now, and returns when it has ended.
  package func kill() {
    signal(SIGKILL)
    // Nothing outlives a SIGKILL; the bound is for a machine that hangs.
    try? changes.awaitEnd("the end of process \(pid)")
  }

  /// Waits for it to end by itself, and for the end of what it printed.
  @discardableResult
  package func awaitEnd(within seconds: Double = 30) throws -> Change {
    let change = try changes.next("the end of process \(pid)", within: seconds) { $0.isEnd }
    try lines.awaitEnd("the output of process \(pid)", within: seconds)
    return change
  }

  /// What it has printed so far.
  package var output: String { lines.all.joined(separator: "\n") }

  /// Hands it a line on its standard input.
  package func feed(_ line: String) throws {
    try input?.write(contentsOf: Data((line + "\n").utf8))
  }

  /// The number in a line of a file of /proc/PID, whose name has a colon (proc_pid_status(5)).
  package static func statusField(_ name: String, in path: String) throws -> Int64 {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      if words.count > 1, let value = Int64(words[1]) { return value }
    }
    throw Unmet(description: "\(path) has no \(name)")
  }

  /// How often each of its threads, by its number, has given up the processor of its own accord: each
  /// wake-up ends with that (proc_pid_status(5)).
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

  /// Its state as /proc has it: R, S, T, Z…
  package var stateLetter: Character? {
    let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    // The name before it is in brackets and may hold anything.
    return text?.split(separator: ")").last?.first { $0 != " " }
  }
}

// MARK: - What follows it

extension ChildProcess {
  /// Waits for what becomes of it, on a thread of its own.
  private func watch() {
    let (pid, changes, life) = (pid, changes, life)
    Thread.detachNewThread {
      while true {
        var info = siginfo_t()
        let wanted = WEXITED | WSTOPPED | WCONTINUED
        // Looked at first, then taken under the lock: the number is free from then on.
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
  /// What waitpid(2) said; WIFSTOPPED and WIFCONTINUED are macros that Swift does not see.
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

  /// No signal is blocked or ignored in the child, whatever other tests have done in this process.
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

  /// Lends strings as C wants an argument list: pointers, and nil behind the last.
  private static func withCStrings(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }
}
