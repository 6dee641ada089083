internal import Glibc
internal import NightjarLedger

/// SQLite's write-ahead log as a file (https://sqlite.org/fileformat2.html#walformat). SQLite takes
/// no locks on it, so a second descriptor is harmless.
final class LogFile {
  /// The length of the log when the daemon starts. If a commit makes the file longer, its sync also
  /// writes the new length, which costs a third more.
  static let grownBytes = 1 << 20
  static let pageBytes = 4096
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24

  /// The length of a log with this many frames.
  static func bytes(frames: Int) -> Int {
    headerBytes + frames * (frameHeaderBytes + pageBytes)
  }

  private let file: Int32
  /// The identity of the opened file.
  let identity: FileIdentity

  /// Opens the log of the database at a path. The database must be open, so that the log exists.
  init(databasePath: String) throws(StoreError) {
    let path = databasePath + "-wal"
    file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw .file(path, String(cString: strerror(errno))) }
    guard let identity = FileIdentity(descriptor: file) else {
      throw .file(path, String(cString: strerror(errno)))
    }
    self.identity = identity
  }

  deinit { close(file) }

  /// Extends the log to its usual length. SQLite ignores bytes after the last frame.
  ///
  /// SQLite does not sync a log that it has truncated, so this syncs the new length first. Without
  /// that, a power cut during the next write could leave some old frames among the zeros. SQLite
  /// would take these for changes, and copy some of them over the database.
  func grow() throws(StoreError) {
    guard let size = FileIdentity(descriptor: file)?.size, size < Self.grownBytes else { return }
    let zeros = [UInt8](repeating: 0, count: Self.grownBytes - Int(size))
    guard fdatasync(file) == 0, pwrite(file, zeros, zeros.count, off_t(size)) == zeros.count,
      fdatasync(file) == 0
    else {
      throw .file("the log of the database", String(cString: strerror(errno)))
    }
  }

  /// The number of one generation of the log. SQLite chooses a new salt when it begins the log
  /// again from the front. Nil if there is no log yet, or it cannot be read. The salt is at offset
  /// 16 (https://sqlite.org/fileformat2.html).
  var salt: UInt64? {
    var salt: UInt64 = 0
    return pread(file, &salt, 8, 16) == 8 ? salt : nil
  }

  /// Makes the frame after the first `frames` unreadable, and with it all later frames: a reader
  /// stops at the first frame whose salt is not the log's.
  func cut(behind frames: Int) throws(StoreError) {
    let zeros = [UInt8](repeating: 0, count: Self.frameHeaderBytes)
    guard pwrite(file, zeros, zeros.count, off_t(Self.bytes(frames: frames))) == zeros.count else {
      throw .file("the log of the database", String(cString: strerror(errno)))
    }
  }
}

/// The identity of a file, independent of its name, and its length.
struct FileIdentity: Sendable {
  let device: dev_t
  let inode: ino_t
  let size: Int64
  /// Whether the owner of the file may write to it.
  let isWritable: Bool

  /// The identity of a file; for a symbolic link, of the link itself.
  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The identity of a file; for a symbolic link, of its target.
  init?(following path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    (device, inode, size) = (status.st_dev, status.st_ino, Int64(status.st_size))
    isWritable = status.st_mode & S_IWUSR != 0
  }

  func isSameFile(as other: FileIdentity?) -> Bool {
    device == other?.device && inode == other?.inode
  }
}
