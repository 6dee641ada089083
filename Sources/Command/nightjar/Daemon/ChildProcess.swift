import Glibc
import NightjarClient
import NightjarInterface
import NightjarTrust
import Varlink

/// A child process in a session of its own. Its standard streams are /dev/null unless others are
/// given.
struct ChildProcess {
  /// The target of a standard descriptor of the child.
  enum Stream: ExpressibleByNilLiteral {
    case nothing
    /// A file; output is appended.
    case file(String)
    /// A descriptor of this process.
    case descriptor(Int32)

    init(nilLiteral: ()) { self = .nothing }
  }

  struct Failure: Error, CustomStringConvertible {
    let code: Int32
    var description: String { SystemError.words(code) }
  }

  let id: pid_t

  /// POSIX_SPAWN_SETSID of glibc's spawn.h, which Swift does not import, because it needs
  /// _GNU_SOURCE.
  private static let setSession: Int16 = 0x80

  /// - Parameters:
  ///   - path: the program.
  ///   - environment: variables to add to the environment of this process. The child does not get
  ///     the variables that systemd has set for a unit.
  init(
    path: String, arguments: [String], environment: [String: String],
    input: Stream = nil, output: Stream = nil, errors: Stream
  ) throws(Failure) {
    id = try Self.spawn(
      posix_spawn, path, [path] + arguments, environment, (input, output, errors))
  }

  /// Starts a program that is searched in PATH. The parameters are those of the other `init`.
  init(
    searching name: String, arguments: [String], environment: [String: String],
    output: Stream = nil, errors: Stream
  ) throws(Failure) {
    id = try Self.spawn(
      posix_spawnp, name, [name] + arguments, environment, (.nothing, output, errors))
  }

  /// The exit code of the process; nil while the process runs. If a signal ended the process, the
  /// code is 128 plus the signal's number. The code -1 means that other code has already collected
  /// the exit code. Do not call this function again after it has returned a code.
  func exitCode() -> Int32? {
    var status: Int32 = 0
    let found = waitpid(id, &status, WNOHANG)
    guard found == id else { return found == 0 || errno == EINTR ? nil : -1 }
    // WIFEXITED and WEXITSTATUS of wait(2), which Swift does not import.
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// Waits until the process ends, and returns its exit code; nil if the deadline passes first.
  func wait(until deadline: Deadline) -> Int32? {
    while true {
      if let code = exitCode() { return code }
      if deadline.hasPassed { return nil }
      poll(nil, 0, 5)
    }
  }

  private typealias Spawn = (
    UnsafeMutablePointer<pid_t>?, UnsafePointer<CChar>,
    UnsafePointer<posix_spawn_file_actions_t>?, UnsafePointer<posix_spawnattr_t>?,
    UnsafePointer<UnsafeMutablePointer<CChar>?>, UnsafePointer<UnsafeMutablePointer<CChar>?>?
  ) -> Int32

  private static func spawn(
    _ function: Spawn, _ program: String, _ words: [String], _ environment: [String: String],
    _ streams: (input: Stream, output: Stream, errors: Stream)
  ) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, stream) in [streams.input, streams.output, streams.errors].enumerated() {
      let flags = descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY | O_APPEND
      switch stream {
      case .nothing:
        posix_spawn_file_actions_addopen(&actions, Int32(descriptor), "/dev/null", flags, 0)
      case .file(let path):
        posix_spawn_file_actions_addopen(&actions, Int32(descriptor), path, flags, 0)
      case .descriptor(let own):
        posix_spawn_file_actions_adddup2(&actions, own, Int32(descriptor))
      }
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, setSession | Int16(POSIX_SPAWN_SETSIGMASK))

    closeDescriptorsOnExec()
    var id: pid_t = 0
    let code = withCStrings(words) { argv in
      withCStrings(merged(environment)) { envp in
        function(&id, program, &actions, &attributes, argv, envp)
      }
    }
    guard code == 0 else { throw Failure(code: code) }
    return id
  }

  /// Marks every descriptor but the first three as close-on-exec. A script may have left
  /// descriptors open in this command, such as a lock or the end of a pipe. They must not stay open
  /// in a daemon.
  private static func closeDescriptorsOnExec() {
    for name in FolderListing.names(in: "/proc/self/fd") ?? [] {
      guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  /// This process's environment without the variables of its unit, plus the added ones, as
  /// `NAME=value`.
  private static func merged(_ added: [String: String]) -> [String] {
    var entries: [String] = added.map { "\($0.key)=\($0.value)" }
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      let name = String(text.prefix { $0 != "=" })
      if added[name] == nil, !UnitVariables.names.contains(name) { entries.append(text) }
      next += 1
    }
    return entries
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
      capacity: strings.count + 1)
    for (index, string) in strings.enumerated() {
      (pointers + index).initialize(to: strdup(string))
    }
    (pointers + strings.count).initialize(to: nil)
    defer {
      for index in strings.indices { free(pointers[index]) }
      pointers.deallocate()
    }
    return body(pointers)
  }
}
