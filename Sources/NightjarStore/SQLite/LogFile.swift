internal import Glibc
internal import NightjarLedger

/// SQLite's write-ahead log, seen as a file (https://sqlite.org/fileformat2.html#walformat). SQLite takes
/// no locks on it, so that a second descriptor is harmless.
final class LogFile {
  /// The log is made so long at a start: a commit that lengthens the file also syncs its new length,
  /// which costs a third more.
  static let grownBytes = 1 << 20
  static let pageBytes = 4096
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24

  /// How many bytes a log of so many frames has.
  static func bytes(frames: Int) -> Int {
    headerBytes + frames * (frameHeaderBytes + pageBytes)
  }

  private let file: Int32
  /// Which file it is.
  let identity: FileIdentity

  /// Opens the log of the database at a path; the database is open, so that there is one.
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

  /// Makes the log as long as it usually gets. What is behind the last frame means nothing to SQLite.
  ///
  /// SQLite does not sync a log that it has truncated. So the first sync is of its length: without it, a power
  /// cut during the write could leave some of the old frames among the zeros. SQLite would take these for
  /// changes, and copy a part of them over the database.
  func grow() throws(StoreError) {
    guard let size = FileIdentity(descriptor: file)?.size, size < Self.grownBytes else { return }
    let zeros = [UInt8](repeating: 0, count: Self.grownBytes - Int(size))
    guard fdatasync(file) == 0, pwrite(file, zeros, zeros.count, off_t(size)) == zeros.count,
      fdatasync(file) == 0
    else {
      throw .file("the log of the database", String(cString: strerror(errno)))
    }
  }

  /// Tells one run through the log from the next: SQLite draws it anew when it begins at the front.
  /// Nil: there is none yet, or it cannot be read. https://sqlite.org/fileformat2.html has it at 16.
  var salt: UInt64? {
    var salt: UInt64 = 0
    return pread(file, &salt, 8, 16) == 8 ? salt : nil
  }

  /// Makes the frame behind the first `frames` unreadable, and by that all behind it: reading a log ends
  /// at the first frame whose salt is not that of the log.
  func cut(behind frames: Int) throws(StoreError) {
    let zeros = [UInt8](repeating: 0, count: Self.frameHeaderBytes)
    guard pwrite(file, zeros, zeros.count, off_t(Self.bytes(frames: frames))) == zeros.count else {
      throw .file("the log of the database", String(cString: strerror(errno)))
    }
  }
}

/// What tells one file from another of the same name, and how long it is.
struct FileIdentity: Sendable {
  let device: dev_t
  let inode: ino_t
  let size: Int64
  /// Whether its owner may write to it.
  let isWritable: Bool

  /// Of a link, the link itself.
  init?(path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Of a link, what it leads to.
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
