import CLinux
import Foundation
import Glibc

/// A process that a test starts and ends.
///
/// The kernel reports each change of the process, which is stopped, continued or ended (waitid(2)).
/// So nothing polls.
package final class ChildProcess: Sendable {
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
  /// The lines of the output of the process, including standard error.
  package let lines = Happenings<String>()
  private let input: FileHandle?
  private let life = Life()

  /// Whether the process ID still belongs to the process. One lock covers the check and the change,
  /// so that no signal is sent to another process.
  private final class Life: @unchecked Sendable {
    let lock = NSLock()
    var hasEnded = false
  }

  /// Starts a program that is found in PATH.
  ///
  /// - Parameters:
  ///   - environment: the whole environment of the program; nil: the environment of this process.
  ///   - descriptors: the descriptors that the program inherits besides the three standard ones, by
  ///     their numbers in the program.
  ///   - isFed: whether the test will call `feed`. Otherwise the standard input of the program is
  ///     empty.
  ///   - package: the Debian package that the error names if the program does not exist.
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

  /// Sends a signal to the process, unless the process has ended.
  package func signal(_ number: Int32) {
    life.lock.withLock {
      if !life.hasEnded { Glibc.kill(pid, number) }
    }
  }

  /// Stops the process with SIGSTOP. Returns when the kernel says that it is stopped.
  @discardableResult package func stop() throws -> ChildProcess {
    signal(SIGSTOP)
    try changes.next("the stop of process \(pid)") { $0 == .stopped }
    return self
  }

  /// Kills the process with SIGKILL, and waits until it has ended.
  package func kill() {
    signal(SIGKILL)
    // SIGKILL ends every process. The time limit is for a machine that hangs.
    try? changes.awaitEnd("the end of process \(pid)")
  }

  /// Waits until the process ends by itself, and until all its output has been read.
  @discardableResult package func awaitEnd(within seconds: Double = 30) throws -> Change {
    let change = try changes.next("the end of process \(pid)", within: seconds) { $0.isEnd }
    try lines.awaitEnd("the output of process \(pid)", within: seconds)
    return change
  }

  package var output: String { lines.all.joined(separator: "\n") }

  package func feed(_ line: String) throws {
    try input?.write(contentsOf: Data((line + "\n").utf8))
  }

  /// The number in a field of a file of /proc/PID. In these files, a colon follows each name
  /// (proc_pid_status(5)).
  package static func statusField(_ name: String, in path: String) throws -> Int64 {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    for line in text.split(separator: "\n") where line.hasPrefix(name + ":") {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      if words.count > 1, let value = Int64(words[1]) { return value }
    }
    throw Unmet(description: "\(path) has no \(name)")
  }

  /// The number of voluntary context switches of each thread of the process, by thread ID. Each
  /// wake-up counts one (proc_pid_status(5)).
  package var waits: [String: Int64] {
    get throws {
      let tasks = "/proc/\(pid)/task"
      var waits: [String: Int64] = [:]
      for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
        waits[task] = try Self.statusField("voluntary_ctxt_switches", in: "\(tasks)/\(task)/status")
      }
      return waits
    }
  }

  /// For how long the threads of the process have run, and have waited for a processor.
  package var processorTime: ProcessorTime {
    get throws {
      let tasks = "/proc/\(pid)/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).reduce(
        into: ProcessorTime()
      ) {
        let thread = try ProcessorTime("\(tasks)/\($1)")
        $0.runUsec += thread.runUsec
        $0.waitUsec += thread.waitUsec
      }
    }
  }

  /// The state of the process according to /proc, such as R, S, T or Z.
  package var stateLetter: Character? {
    let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    // The name of the program is in parentheses before the state, and may contain any character.
    return text?.split(separator: ")").last?.first { $0 != " " }
  }
}

/// For how long threads have run, and have waited for a processor that other threads had, in
/// microseconds, as the kernel counts it (Documentation/scheduler/sched-stats.rst of Linux).
package struct ProcessorTime {
  package fileprivate(set) var runUsec: Int64 = 0
  package fileprivate(set) var waitUsec: Int64 = 0

  fileprivate init() {}

  fileprivate init(_ folder: String) throws {
    let text = try String(contentsOfFile: "\(folder)/schedstat", encoding: .utf8)
    let numbers = text.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count >= 2 else { throw Unmet(description: "\(folder)/schedstat is '\(text)'") }
    (runUsec, waitUsec) = (numbers[0] / 1000, numbers[1] / 1000)
  }

  package static var ofThisThread: ProcessorTime {
    get throws { try ProcessorTime("/proc/thread-self") }
  }
}

// MARK: - Changes

extension ChildProcess {
  private func watch() {
    let (pid, changes, life) = (pid, changes, life)
    Thread.detachNewThread {
      while true {
        var info = siginfo_t()
        let wanted = WEXITED | WSTOPPED | WCONTINUED
        // The first wait does not release the process ID. The second wait releases it, under the
        // lock.
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
  /// Converts the status of waitpid(2). Swift does not import the macros WIFSTOPPED and
  /// WIFCONTINUED.
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

  /// Calls `body` with attributes of posix_spawn(3), with which the child blocks and ignores no
  /// signal. Other tests may have changed the signals of this process.
  private static func withAttributes(_ body: (UnsafePointer<posix_spawnattr_t>) -> Int32) -> Int32 {
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

  /// Calls `body` with the strings as a C array of pointers, which ends with a null pointer.
  private static func withCStrings(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
  ) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }
}
