import Foundation
import Glibc
import NightjarTestSupport

/// A real nightjard on a folder of a round's own, with an environment that has nothing but what is
/// put there.
final class TorturedDaemon {
  /// What became of a start.
  enum Start {
    case ready(TorturedDaemon)
    /// It ended before it was ready.
    case ended(ChildProcess.Change, said: String)
  }

  let process: ChildProcess
  let socketPath: String
  private let notify: NotifySocket

  private init(_ workshop: Workshop, _ environment: [String: String]) throws {
    let folder = workshop.path
    socketPath = "\(folder)/socket"
    notify = try NotifySocket(path: workshop.nextNotifyPath())
    let variables = DaemonProcess.environment(
      in: folder, notifyPath: notify.path,
      environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { own, _ in own })
    process = try ChildProcess(
      [workshop.tools.daemon, "--socket", socketPath, "--state-dir", workshop.stateFolder],
      environment: variables)
    notify.end(with: process)
  }

  /// Starts a daemon and waits until it is ready or has ended.
  static func start(in workshop: Workshop, environment: [String: String] = [:]) throws -> Start {
    let daemon = try TorturedDaemon(workshop, environment)
    do {
      try daemon.notify.awaitReady(within: 30)
    } catch {
      let end = try? daemon.process.awaitEnd(within: 1)
      guard let end else { throw Unmet(description: "hangs: it does not become ready") }
      return .ended(end, said: daemon.process.output)
    }
    return .ready(daemon)
  }

  /// Starts one that is killed again, perhaps before it is ready.
  static func startAndKill(in workshop: Workshop, afterUsec: UInt32) throws {
    let daemon = try TorturedDaemon(workshop, [:])
    usleep(afterUsec)
    daemon.process.kill()
  }

  /// SIGTERM, and its end.
  func terminate() throws -> ChildProcess.Change {
    process.signal(SIGTERM)
    return try process.awaitEnd(within: 30)
  }
}

/// Where a round works: a folder that is gone with it.
final class Workshop {
  let path: String
  let tools: Tools
  private var sockets = 0

  init(_ tools: Tools) throws {
    self.tools = tools
    path = try makeTemporaryFolder(in: tools.folder)
    for name in ["home", "run"] { mkdir("\(path)/\(name)", 0o700) }
    mkdir(stateFolder, 0o700)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var stateFolder: String { "\(path)/state" }

  func nextNotifyPath() -> String {
    sockets += 1
    return "\(path)/notify-\(sockets)"
  }

  /// The files of the state folder as they are now. SQLite makes the index of its log anew where it
  /// is not there.
  func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: stateFolder)
    where !name.hasSuffix("-shm") {
      files[name] = [UInt8](try Data(contentsOf: URL(filePath: "\(stateFolder)/\(name)")))
    }
    return files
  }

  /// Has the state folder hold these files and no others.
  func replaceFiles(with files: [String: [UInt8]]) throws {
    try FileManager.default.removeItem(atPath: stateFolder)
    mkdir(stateFolder, 0o700)
    for (name, bytes) in files {
      let path = "\(stateFolder)/\(name)"
      let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw Unmet(description: "cannot write \(path)") }
      defer { close(file) }
      let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard written == bytes.count else {
        throw Unmet(description: "cannot write \(path): the folder is full")
      }
    }
  }
}

/// What a run works with.
struct Tools: Sendable {
  /// The daemon's program.
  var daemon: String
  /// The library that fails and records (`Tests/C/FaultyDisk.c`).
  var library: String
  /// Where rounds work.
  var folder: String
  /// Where the folders of violations are kept.
  var kept: String
  /// For `NIGHTJAR_TEST_DISK_SABOTAGE`.
  var sabotage: String?

  /// The variables of a daemon that runs on the faulty disk.
  func environment(
    _ workshop: Workshop, log: String? = nil, fault: String? = nil
  ) -> [String: String] {
    var variables = ["LD_PRELOAD": library, "NIGHTJAR_TEST_DISK_FOLDER": workshop.stateFolder]
    variables["NIGHTJAR_TEST_DISK_LOG"] = log
    variables["NIGHTJAR_TEST_DISK_FAULT"] = fault
    variables["NIGHTJAR_TEST_DISK_SABOTAGE"] = sabotage
    return variables
  }
}
