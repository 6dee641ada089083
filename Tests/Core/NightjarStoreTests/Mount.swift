import NightjarTestSupport

/// A file system in memory, for full and for read-only disks. It requires root.
final class Mount {
  /// Whether one can be mounted here; prints a line once if not.
  static let isPossible: Bool = {
    do {
      _ = try Mount(options: "size=64k")
      return true
    } catch {
      print("nothing can be mounted here (\(error)): full and read-only disks are not tested")
      return false
    }
  }()

  var path: String { folder.path }
  private let folder: TestFolder

  init(options: String) throws {
    folder = try TestFolder()
    try Self.run("mount", ["-t", "tmpfs", "-o", options + ",mode=0700", "nightjar", folder.path])
  }

  deinit {
    // Lazily, because files in it may be closed after this.
    do { try Self.run("umount", ["-l", path]) } catch { print("left behind: \(path): \(error)") }
  }

  func grow() throws {
    try Self.run("mount", ["-o", "remount,size=64m", path])
  }

  private static func run(_ command: String, _ arguments: [String]) throws {
    let process = try ChildProcess([command] + arguments, package: "mount")
    guard try process.awaitEnd() == .exited(0) else {
      throw Unmet(description: "\(command) \(arguments.joined(separator: " ")): \(process.output)")
    }
  }
}
