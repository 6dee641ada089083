internal import Glibc
internal import NightjarSystem
internal import Varlink

/// Why something could not be measured.
struct Unmeasured: Error, CustomStringConvertible {
  let why: String
  var description: String { why }
}

/// A program that this program has started. It ends at the latest when this program ends.
class Running {
  /// The core of the servers. This program, which makes the load, runs on another core.
  static let serversCore = 0

  let pid: Int32
  private let name: String
  /// Has the output.
  private let folder = Folder()
  private var isOver = false

  /// - Parameters:
  ///   - words: the program, which is looked for in PATH, and its arguments.
  ///   - name: the program's name in errors; nil: its first word.
  ///   - environment: variables besides PATH.
  ///   - onServersCore: false: it runs on the core of the load.
  init(
    _ words: [String], called name: String? = nil, environment: [String] = [],
    onServersCore: Bool = true
  ) {
    self.name = name ?? words[0]
    let output = open("\(folder.path)/output", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard output >= 0 else { fail("\(folder.path) cannot be written") }
    defer { close(output) }
    let pin = onServersCore ? ["taskset", "-c", "\(Self.serversCore)"] : []
    let program = Program(
      path: "/usr/bin/setpriv", arguments: ["setpriv", "--pdeathsig", "KILL"] + pin + words,
      environment: ["PATH=/usr/local/bin:/usr/bin:/bin"] + environment, folder: "/")
    do { pid = try program.spawn(output: output) } catch { fail("\(error)") }
  }

  deinit { end() }

  /// Runs a program to its end.
  ///
  /// - Returns: what it printed.
  static func output(
    _ words: [String], called name: String? = nil, onServersCore: Bool = true
  ) throws(Unmeasured) -> String {
    try Running(words, called: name, onServersCore: onServersCore).finish()
  }

  var output: String { File.text("\(folder.path)/output") }

  var hasEnded: Bool { isOver || Program.hasEnded(pid) }

  /// Waits until the program has ended. If it failed, the error has the last line of its output.
  ///
  /// - Returns: what it printed.
  func finish() throws(Unmeasured) -> String {
    guard awaitEnd() == 0 else {
      // The last line of systemctl only says where to read more.
      let said = output.split(separator: "\n").last { !$0.hasPrefix("See ") }
      throw Unmeasured(why: "\(name) failed" + (said.map { ": \($0)" } ?? ""))
    }
    return output
  }

  /// Ends the program, and waits until it has ended.
  func end(with signal: Int32 = SIGTERM) {
    guard !isOver else { return }
    _ = kill(pid, signal)
    _ = awaitEnd()
  }

  private func awaitEnd() -> Int32 {
    isOver = true
    var status: Int32 = 0
    return waitpid(pid, &status, 0) == pid ? status : -1
  }

  // MARK: - What it costs

  /// Resident memory, in bytes.
  var residentBytes: Int64 { field("VmRSS:", in: "status") * 1024 }

  /// Memory that is only its own, without pages of files such as its code, in bytes.
  var privateBytes: Int64 { field("Private_Dirty:", in: "smaps_rollup") * 1024 }

  /// Processor time that its threads have used so far, in nanoseconds.
  var processorNsec: Int64 {
    tasks.reduce(0) { sum, task in
      let fields = File.text("/proc/\(pid)/\(task)/schedstat").split(separator: " ")
      return sum + (fields.first.flatMap { Int64($0) } ?? 0)
    }
  }

  /// How often its threads have waited for something and been woken.
  var wakeups: Int64 {
    tasks.reduce(0) { $0 + field("voluntary_ctxt_switches:", in: "\($1)/status") }
  }

  private var tasks: [String] { Folder.names("/proc/\(pid)/task").map { "task/\($0)" } }

  /// The number after a name in a file of /proc/PID.
  private func field(_ name: String, in file: String) -> Int64 {
    for line in File.text("/proc/\(pid)/\(file)").split(separator: "\n")
    where line.hasPrefix(name) {
      let words = line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }
      return words.first.flatMap { Int64($0) } ?? 0
    }
    return 0
  }
}

/// A program that listens on a socket.
final class Server: Running {
  let socketPath: String
  /// The time from before the server's start until it was ready, in nanoseconds.
  private(set) var startNsec: Int64 = 0
  private let place: Folder

  /// Starts the server, and waits until it reports READY=1 (sd_notify(3)) or accepts connections.
  ///
  /// - Parameter place: the folder in which it finds and keeps its files.
  init(
    _ command: [String], socketPath: String, in place: Folder, environment: [String] = [],
    saysReady: Bool
  ) {
    (self.socketPath, self.place) = (socketPath, place)
    let notices = saysReady ? Notices(path: "\(place.path)/notify") : nil
    let own = ["HOME=\(place.path)"] + (notices.map { ["NOTIFY_SOCKET=\($0.path)"] } ?? [])
    let begin = Clock.nsec()
    super.init(command, environment: own + environment)
    guard notices?.awaitReady(of: self) ?? isListening() else {
      fail("\(command[0]) does not become ready: \(output)")
    }
    startNsec = Clock.nsec() - begin
  }

  // The server ends before its folder is removed.
  deinit { end() }

  /// Waits until the server accepts connections, at most 30 s.
  private func isListening() -> Bool {
    let end = Clock.nsec() + 30_000_000_000
    while (try? VarlinkConnection(path: socketPath)) == nil {
      guard Clock.nsec() < end, !hasEnded else { return false }
      poll(nil, 0, 1)
    }
    return true
  }
}
