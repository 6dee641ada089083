internal import CLinux
internal import Glibc
public import NightjarLedger
internal import NightjarTrust

/// The state folder, which one daemon at a time may use. It is created if it does not exist.
///
/// The lock is a flock(2) on the folder and on a file of its own. The database has no such lock, so
/// that other programs may read it. The lock ends with the process, also if the process is killed.
/// The file contains the process ID. The lock on the folder stays even if the file is removed.
public final class StateFolder {
  public let path: String
  /// The name to which this process moved a damaged database; nil if it has moved none.
  public private(set) var setAside: String?
  public let databasePath: String

  private var folder: Int32
  private var lock: Int32

  /// Whether the file system is read-only now.
  var isReadOnly: Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }

  /// Creates the folder (mode 0700) with its parents, and takes the lock.
  public init(path: String) throws(StoreError) {
    self.path = path
    databasePath = path + "/nightjar.db"
    (folder, lock) = (-1, -1)
    try takeFolder()
  }

  public func isFolder(at path: String) -> Bool {
    FileIdentity(descriptor: folder)?.isSameFile(as: FileIdentity(following: path)) ?? false
  }

  /// Creates the folder and takes its lock again if they were removed. O(1).
  func claim() throws(StoreError) {
    if !isFolder(at: path) { try takeFolder() }
    let isLocked = FileIdentity(descriptor: lock)?.isSameFile(
      as: FileIdentity(path: path + "/lock"))
    if isLocked != true { try takeLock() }
  }

  private func takeFolder() throws(StoreError) {
    try Self.makeFolder(path)
    let taken = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard taken >= 0 else { throw .folder(path, String(cString: strerror(errno))) }
    do throws(StoreError) {
      try take(taken)
      if lock < 0 { try takeLock() }
    } catch {
      close(taken)
      throw error
    }
    Self.release(folder)
    folder = taken
  }

  private func takeLock() throws(StoreError) {
    let taken = try Self.openLock(in: path)
    do throws(StoreError) { try take(taken) } catch {
      close(taken)
      throw error
    }
    Self.release(lock)
    lock = taken
    try writeHolder()
  }

  deinit {
    Self.release(lock)
    Self.release(folder)
  }

  private static func release(_ descriptor: Int32) {
    guard descriptor >= 0 else { return }
    // Unlock explicitly, because a child between fork and exec has a copy of the descriptor, and
    // with it the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Takes a lock. If a daemon was killed, the child process that watches the daemon may live a
  /// moment longer, and still has the lock. So if the owner of the lock does not exist any more,
  /// this waits up to a second. If the owner runs, it does not wait.
  private func take(_ descriptor: Int32) throws(StoreError) {
    for _ in 0..<200 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK else { throw .folder(path, String(cString: strerror(errno))) }
      guard let pid = holder, kill(pid, 0) != 0, errno == ESRCH else { break }
      usleep(5_000)
    }
    throw .locked(path, pid: holder)
  }

  private static func openLock(in folder: String) throws(StoreError) -> Int32 {
    let lock: Int32
    do throws(Distrust) {
      try TrustRule.stateFolder.check(folder)
      lock = try TrustRule.stateFile.open(folder + "/lock", O_RDWR | O_CREAT)
    } catch {
      throw .untrusted(error.description)
    }
    guard lock >= 0 else { throw .folder(folder, String(cString: strerror(-lock))) }
    return lock
  }

  /// Checks that the files of the last daemon belong to this user, and that no other user can write
  /// to them, because a database of another user may contain commands. Call this before any of the
  /// files is opened.
  func checkFiles() throws(StoreError) {
    do throws(Distrust) {
      for suffix in Self.suffixes { try TrustRule.stateFile.check(databasePath + suffix) }
      try TrustRule.stateFile.check(replacementPath)
      try TrustRule.stateFolder.check(path + "/children")
    } catch {
      throw .untrusted(error.description)
    }
  }

  /// The name of a database file that another user may write to; nil if there is none. O(1).
  var untrustedFile: String? {
    let suffix = Self.suffixes.first { suffix in
      do throws(Distrust) { try TrustRule.stateFile.check(databasePath + suffix) } catch {
        return true
      }
      return false
    }
    return suffix.map { "nightjar.db\($0)" }
  }

  private static func makeFolder(_ path: String) throws(StoreError) {
    guard path.hasPrefix("/") else { throw .folder(path, "it is not an absolute path") }
    var made = ""
    for part in path.split(separator: "/") {
      made += "/" + part
      if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EISDIR, errno != EROFS {
        throw .folder(path, "\(made): " + String(cString: strerror(errno)))
      }
    }
    var info = stat()
    guard stat(path, &info) == 0 else { throw .folder(path, String(cString: strerror(errno))) }
    guard info.st_mode & S_IFMT == S_IFDIR else { throw .folder(path, "it is not a folder") }
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      throw .folder(path, String(cString: strerror(errno)))
    }
  }

  /// The process ID in the lock file; nil if there is none.
  private var holder: Int32? {
    let lock = open(path + "/lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard lock >= 0 else { return nil }
    defer { close(lock) }
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = pread(lock, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: buffer[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
  }

  private func writeHolder() throws(StoreError) {
    let text = Array("\(getpid())\n".utf8)
    guard ftruncate(lock, 0) == 0, pwrite(lock, text, text.count, 0) == text.count else {
      throw .folder(path, String(cString: strerror(errno)))
    }
  }

  /// The suffixes of a database's files. The witness comes last, so that after a kill in the middle
  /// of `setDatabaseAside`, the next start learns from the witness that there was a database.
  /// `-journal` is in the list because SQLite copies that file into the database, even if another
  /// user created the file.
  private static let suffixes = ["-wal", "-shm", "-journal", "", "-witness"]

  /// A name that is not in use by an earlier copy or by a database that was set aside. Without this
  /// check, rename(2) would replace a database that was set aside in the same second.
  private func unusedName(stamp: Int64) -> String {
    var name = "nightjar.db.damaged-\(stamp)"
    var round = 1
    while Self.suffixes.contains(where: { access("\(path)/\(name)\($0)", F_OK) == 0 }) {
      round += 1
      name = "nightjar.db.damaged-\(stamp)-\(round)"
    }
    return name
  }

  /// Moves the database, its logs and its witness to unused names in the folder (sets them aside).
  /// They are never deleted.
  ///
  /// - Parameters:
  ///   - stamp: CLOCK_REALTIME in seconds, for the name.
  ///   - reason: what is wrong with the database, in a sentence.
  /// - Returns: the loss. Its missing events are all events that the witness has counted.
  @discardableResult
  public func setDatabaseAside(
    stamp: Int64, reason: String = "the database was damaged"
  ) throws(StoreError) -> StorageLoss {
    let name = unusedName(stamp: stamp)
    var loss = StorageLoss(reason: reason, missing: acknowledged)
    for suffix in Self.suffixes {
      let result = rename(databasePath + suffix, "\(path)/\(name)\(suffix)")
      guard result == 0 || errno == ENOENT else {
        throw .folder(path, String(cString: strerror(errno)))
      }
      if result == 0, suffix != "-witness" { loss.setAside = name }
    }
    setAside = loss.setAside ?? setAside
    return loss
  }

  /// The path of a complete database that takes the place of a lost one. If the daemon was killed
  /// before it could rename this database, the next start finds it and continues with it.
  var replacementPath: String { path + "/nightjar.db.replacement" }

  /// Sets the database aside, and renames the replacement into its place. Does nothing if there is
  /// no replacement.
  ///
  /// - Parameters: as for `setDatabaseAside`.
  /// - Returns: the loss, without missing events; nil if there is no replacement.
  func installReplacement(stamp: Int64, reason: String) throws(StoreError) -> StorageLoss? {
    guard FileIdentity(path: replacementPath) != nil else { return nil }
    var loss = try setDatabaseAside(stamp: stamp, reason: reason)
    loss.missing = nil
    guard rename(replacementPath, databasePath) == 0 else {
      throw .folder(path, String(cString: strerror(errno)))
    }
    try syncNames()
    return loss
  }

  /// Waits until the names of the folder's files are on disk.
  func syncNames() throws(StoreError) {
    let code = nj_sync_directory(path)
    guard code == 0 else { throw .folder(path, String(cString: strerror(-code))) }
  }

  /// Reads the database and its log completely. No connection may have them open.
  ///
  /// - Throws: the disk's read error.
  public func checkReadable() throws(StoreError) {
    for path in [databasePath, databasePath + "-wal"] where access(path, F_OK) == 0 {
      _ = try FileChecksum(of: path)
    }
  }

  /// Whether the disk returns all bytes of the database and its log. The bytes may be
  /// damaged. O(bytes).
  public var isReadable: Bool {
    do throws(StoreError) {
      try checkReadable()
      return true
    } catch { return false }
  }

  /// The events that were acknowledged, according to the witness; nil without a readable witness.
  private var acknowledged: ClosedRange<Int64>? {
    do throws(StoreError) {
      guard let witness = try Witness.read(Witness.path(of: databasePath)), witness.lastSeq > 0
      else {
        return nil
      }
      return 1...witness.lastSeq
    } catch { return nil }
  }

  /// Copies the database, its log and its witness to unused names. No connection may have them
  /// open.
  ///
  /// - Returns: the name of the copy of the database.
  func copyDatabase(stamp: Int64) throws(StoreError) -> String {
    let name = unusedName(stamp: stamp)
    for suffix in Self.suffixes where suffix != "-shm" {
      let source = open(databasePath + suffix, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      if source < 0, errno == ENOENT { continue }
      defer { if source >= 0 { close(source) } }
      let target = open("\(path)/\(name)\(suffix)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      defer { if target >= 0 { close(target) } }
      guard source >= 0, target >= 0, Self.copy(source, to: target) else {
        throw .folder(path, String(cString: strerror(errno)))
      }
    }
    return name
  }

  /// - Returns: false on failure, with errno set.
  private static func copy(_ source: Int32, to target: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count == 0 { return fsync(target) == 0 }
      guard count > 0 else { return false }
      var done = 0
      while done < count {
        let written = buffer.withUnsafeBytes { bytes in
          write(target, bytes.baseAddress?.advanced(by: done), count - done)
        }
        guard written > 0 else { return false }
        done += written
      }
    }
  }
}
