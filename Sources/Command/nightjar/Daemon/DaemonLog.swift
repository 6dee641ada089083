import Glibc
import NightjarClient
import NightjarTrust

/// The file that receives a detached daemon's standard error.
struct DaemonLog {
  let path: String
  private let folder: String
  /// The length of the file before the daemon was started.
  private let start: off_t

  static func path(in folder: String) -> String { "\(folder)/nightjard.log" }

  /// The number of bytes at the end of the file in which the last line is searched.
  private static let tailBytes = 4096

  /// Creates the folder and the file if they do not exist, readable by the user only.
  init(folder: String) throws(CommandError) {
    self.folder = folder
    path = Self.path(in: folder)
    var failure = PrivateFolder.make(folder)
    var length: off_t = 0
    if failure == 0 {
      let descriptor = try Self.openOrMake(path, in: folder)
      if descriptor >= 0 {
        length = lseek(descriptor, 0, SEEK_END)
        close(descriptor)
      } else {
        failure = -descriptor
      }
    }
    guard failure == 0 else {
      let remedy = [ENOSPC, EDQUOT].contains(failure) ? "make room" : "make it writable"
      throw CommandError(
        .noDaemon,
        "the daemon cannot keep its timers in \(folder): \(SystemError.words(failure)); "
          + "\(remedy), or set XDG_STATE_HOME")
    }
    start = length
  }

  /// - Returns: the descriptor, or the negative errno.
  private static func openOrMake(_ path: String, in folder: String) throws(CommandError) -> Int32 {
    do throws(Distrust) {
      try TrustRule.stateFolder.check(folder)
      return try TrustRule.stateFile.open(path, O_WRONLY | O_CREAT | O_APPEND)
    } catch {
      throw CommandError(.noDaemon, "no daemon can be started: \(error)")
    }
  }

  /// The reason why the daemon is not running, as the end of a sentence: its last line in the file,
  /// a full disk, or else the path of the file.
  ///
  /// The disk is checked because a daemon cannot write an error to a full disk.
  var reason: String {
    if let line = lastNewLine { return ": \(line)" }
    return isDiskFull ? ": the disk that holds \(folder) is full; make room" : ", see \(path)"
  }

  /// Whether the disk has no free block or no free inode, according to statvfs(3).
  private var isDiskFull: Bool {
    var disk = statvfs()
    guard statvfs(folder, &disk) == 0 else { return false }
    // Only root can use the reserved blocks. A file system without a table of inodes reports zero
    // inodes.
    let isRoot = geteuid() == 0
    let blocks = isRoot ? disk.f_bfree : disk.f_bavail
    let inodes = isRoot ? disk.f_ffree : disk.f_favail
    return blocks == 0 && disk.f_blocks > 0 || inodes == 0 && disk.f_files > 0
  }

  /// The last line that was written since the daemon was started; nil if there is none.
  private var lastNewLine: String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let end = lseek(descriptor, 0, SEEK_END)
    let from = max(start, end - off_t(Self.tailBytes))
    var buffer = [UInt8](repeating: 0, count: Self.tailBytes)
    let count = pread(descriptor, &buffer, buffer.count, from)
    guard count > 0 else { return nil }
    return buffer[..<count].split(separator: UInt8(ascii: "\n")).last
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
