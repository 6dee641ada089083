import Foundation

/// A file system in memory: for full and for read-only disks. It takes root.
final class Mount {
  /// Whether one can be mounted here; says so once if not.
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
  private let folder: Folder

  init(options: String) throws {
    folder = try Folder()
    try Self.run("mount", ["-t", "tmpfs", "-o", options + ",mode=0700", "nightjar", folder.path])
  }

  deinit {
    // Lazily: what is open in it may be closed after this.
    do { try Self.run("umount", ["-l", path]) } catch { print("left behind: \(path): \(error)") }
  }

  /// Gives it more room.
  func grow() throws {
    try Self.run("mount", ["-o", "remount,size=64m", path])
  }

  struct Failure: Error {
    var command: String
    var status: Int32
  }

  private static func run(_ command: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/" + command)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(command: command, status: process.terminationStatus)
    }
  }
}
