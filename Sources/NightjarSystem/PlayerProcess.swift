import CLinux
import Glibc
import NightjarCore

/// A program that plays a sound: a child process that nobody waits for, and that has a time limit.
public final class PlayerProcess {
  /// How it ended.
  public enum End: Equatable, Sendable {
    case exited(Int32)
    case killed(Int32)
    /// It was ended at its time limit.
    case timedOut
  }

  /// The descriptor by which the child has what it was lent.
  public static let lentDescriptor: Int32 = 3
  /// So much of what it says is kept, in bytes: a sentence.
  private static let saidBytes = 512

  private let pid: pid_t
  private let pidfd: Descriptor
  private let output: Descriptor
  private let onEnd: (End, String) -> Void
  private var source: Source?
  private var limit: TimerSource?
  private var isPastLimit = false

  /// Starts a program, in a process group of its own, with no signal blocked or ignored and nothing
  /// to read. It lives on when this is let go of, and is then nobody's.
  ///
  /// - Parameters:
  ///   - command: the path of the program, and its arguments.
  ///   - lent: the number of a descriptor that it is given as its `lentDescriptor`.
  ///   - withheld: variables of the environment that are not its business.
  ///   - limitUsec: so long it may take.
  ///   - onEnd: called once, in a later pass, with how it ended and the first line that it said.
  public init(
    _ command: [String], lending lent: Int32?, withholding withheld: [String],
    limitUsec: Int64, on loop: EventLoop, onEnd: @escaping (End, String) -> Void
  ) throws(SystemError) {
    self.onEnd = onEnd
    var ends: [Int32] = [-1, -1]
    try checked(nj_pipe(&ends), "pipe2")
    output = Descriptor(owning: ends[0])
    let writing = Descriptor(owning: ends[1])
    // Whoever has got hold of the other end may live on: only what is there is read.
    try checked(nj_set_nonblocking(output.raw), "fcntl of a pipe")
    pid = try Self.spawn(command, lent: lent, output: writing.raw, withholding: withheld)
    do {
      pidfd = Descriptor(owning: try checked(nj_pidfd(pid), "pidfd_open"))
    } catch {
      kill(-pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw error
    }
    source = try loop.watchReadable(pidfd.raw) { [unowned self] in ended() }
    limit = try loop.timer(on: .monotonic) { [unowned self] in reachedLimit() }
    limit?.arm(atUsec: loop.now.monotonicUsec + limitUsec)
  }

  deinit {
    source?.cancel()
    limit?.cancel()
  }

  private func reachedLimit() {
    isPastLimit = true
    // It has not been waited for, so that the number is still its own.
    kill(-pid, SIGKILL)
  }

  private func ended() {
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return }
    source?.cancel()
    limit?.cancel()
    let end: End =
      if isPastLimit {
        .timedOut
      } else if nj_wait_exited(status) {
        .exited(nj_wait_exit_code(status))
      } else {
        .killed(nj_wait_signal(status))
      }
    onEnd(end, firstLine())
  }

  private func firstLine() -> String {
    withUnsafeTemporaryAllocation(byteCount: Self.saidBytes, alignment: 1) { buffer in
      let count = max(0, read(output.raw, buffer.baseAddress, buffer.count))
      let lines = buffer[..<count].split(separator: UInt8(ascii: "\n"))
      return lines.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }

  private static func spawn(
    _ command: [String], lent: Int32?, output: Int32, withholding withheld: [String]
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
    if let lent { posix_spawn_file_actions_adddup2(&actions, lent, lentDescriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    // A terminal's Ctrl-Z reaches the whole group of the daemon.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    var child: pid_t = 0
    let code = withCStrings(command) { arguments in
      withCStrings(environment(without: withheld)) { variables in
        posix_spawn(&child, command[0], &actions, &attributes, arguments, variables)
      }
    }
    guard code == 0 else { throw SystemError(operation: "run \(command[0])", code: code) }
    return child
  }

  private static func environment(without withheld: [String]) -> [String] {
    var result: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if !withheld.contains(where: { variable.hasPrefix("\($0)=") }) { result.append(variable) }
      entry += 1
    }
    return result
  }

  /// Lends strings as C wants an argument list: pointers, and nil behind the last.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
  }
}
