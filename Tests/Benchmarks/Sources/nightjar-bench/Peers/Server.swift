internal import Glibc
internal import NightjarSystem
internal import Varlink

/// A server that is measured: a process on its own core, with its own folder. It ends at the latest
/// when this program ends.
final class Server {
  /// The core of the servers. This program, which makes the load, runs on another core.
  static let core = 0

  let pid: Int32
  let socketPath: String
  /// The time from before the server's start until it was ready, in nanoseconds.
  private(set) var startNsec: Int64 = 0
  private let place: Folder
  private var isOver = false

  /// Starts the server, and waits until it reports READY=1 (sd_notify(3)) or accepts connections.
  ///
  /// - Parameters:
  ///   - command: its program, which is looked for in PATH, and its arguments.
  ///   - place: its working directory, which also has its log.
  init(_ command: [String], socketPath: String, in place: Folder, saysReady: Bool) {
    self.socketPath = socketPath
    self.place = place
    let folder = place.path
    let notice = saysReady ? Notices(path: "\(folder)/notify") : nil
    let log = open("\(folder)/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard log >= 0 else { fail("\(folder) cannot be written") }
    defer { close(log) }
    var environment = ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=\(folder)"]
    if saysReady { environment.append("NOTIFY_SOCKET=\(folder)/notify") }
    let program = Program(
      path: "/usr/bin/setpriv",
      arguments: ["setpriv", "--pdeathsig", "KILL", "taskset", "-c", "\(Self.core)"] + command,
      environment: environment, folder: folder)
    let begin = Clock.nsec()
    do { pid = try program.spawn(output: log) } catch { fail("\(error)") }
    if let notice {
      guard notice.awaitReady(of: pid) else {
        fail("\(command[0]) does not become ready: \(File.text("\(folder)/log"))")
      }
    } else {
      while (try? VarlinkConnection(path: socketPath)) == nil {
        if Clock.nsec() - begin > 30_000_000_000 { fail("\(command[0]) does not listen") }
        poll(nil, 0, 1)
      }
    }
    startNsec = Clock.nsec() - begin
  }

  deinit { end() }

  /// Ends the server, and waits until it has ended.
  func end() {
    guard !isOver else { return }
    isOver = true
    _ = kill(pid, SIGTERM)
    var status: Int32 = 0
    _ = waitpid(pid, &status, 0)
  }

  /// Resident memory, in bytes.
  var residentBytes: Int64 { status("VmRSS:") * 1024 }

  /// Memory that no other process shares, in bytes.
  var privateBytes: Int64 {
    let path = "/proc/\(pid)/smaps_rollup"
    return ["Private_Clean:", "Private_Dirty:"].reduce(0) { $0 + Self.field($1, in: path) * 1024 }
  }

  /// Processor time that it has used so far, in nanoseconds.
  var processorNsec: Int64 {
    Folder.names("/proc/\(pid)/task").reduce(0) { sum, task in
      let fields = File.text("/proc/\(pid)/task/\(task)/schedstat").split(separator: " ")
      return sum + (fields.first.flatMap { Int64($0) } ?? 0)
    }
  }

  /// How often its threads have waited for something and been woken.
  var wakeups: Int64 {
    Folder.names("/proc/\(pid)/task").reduce(0) { sum, task in
      sum + Self.field("voluntary_ctxt_switches:", in: "/proc/\(pid)/task/\(task)/status")
    }
  }

  private func status(_ name: String) -> Int64 { Self.field(name, in: "/proc/\(pid)/status") }

  private static func field(_ name: String, in path: String) -> Int64 {
    for line in File.text(path).split(separator: "\n") where line.hasPrefix(name) {
      let words = line.dropFirst(name.count).split { $0 == " " || $0 == "\t" }
      return words.first.flatMap { Int64($0) } ?? 0
    }
    return 0
  }
}
