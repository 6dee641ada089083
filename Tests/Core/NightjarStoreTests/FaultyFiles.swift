import CSQLite
import Foundation
import NightjarLedger
import Synchronization
import Testing

@testable import NightjarStore

/// Files below SQLite that fail on demand and record the operations on them.
///
/// A VFS of SQLite (https://sqlite.org/vfs.html) that opens files with the default VFS and
/// intercepts their writes and syncs.
final class FaultyFiles: Sendable {
  /// An operation on a file: `wal`, or `db` for the database itself.
  enum Operation: Equatable, Sendable {
    case write(String)
    case sync(String)
  }

  private struct State {
    var operations: [Operation] = []
    /// SQLite's code with which a sync of the log fails, and how many syncs succeed before.
    var syncFailure: (code: Int32, after: Int)?
    /// The code with which the next write to the log fails.
    var writeFailure: Int32?
  }

  private let state = Mutex(State())
  private let folder: String

  /// Observes the files in a folder that are opened with the VFS `name`.
  init(folder: String) {
    self.folder = folder
    Registry.lock.withLock { Registry.watched[folder] = WeakFiles(files: self) }
  }

  deinit { Registry.lock.withLock { Registry.watched[folder] = nil } }

  static let name: String = {
    Registry.register()
    return Registry.name
  }()

  /// Makes the next sync of the log fail, as with EIO, or the one after `count` others.
  func failNextSync(after count: Int = 0) {
    state.withLock { $0.syncFailure = (SQLITE_IOERR | 4 << 8, count) }
  }

  func failNextWrite(_ code: Int32) { state.withLock { $0.writeFailure = code } }

  /// The operations since the last call.
  func takeOperations() -> [Operation] {
    state.withLock { state in
      defer { state.operations = [] }
      return state.operations
    }
  }

  /// Records an operation, and returns the code with which it is to fail.
  fileprivate func note(_ operation: Operation) -> Int32 {
    state.withLock { state in
      state.operations.append(operation)
      switch operation {
      case .sync("wal"):
        guard let failure = state.syncFailure else { return SQLITE_OK }
        state.syncFailure = failure.after == 0 ? nil : (failure.code, failure.after - 1)
        return failure.after == 0 ? failure.code : SQLITE_OK
      case .write("wal"):
        defer { state.writeFailure = nil }
        return state.writeFailure ?? SQLITE_OK
      case .sync, .write: return SQLITE_OK
      }
    }
  }
}

private struct WeakFiles {
  weak var files: FaultyFiles?
}

/// The open files and their owners.
private enum Registry {
  static let name = "nightjar-faulty"

  struct File {
    var methods: UnsafePointer<sqlite3_io_methods>
    var own: UnsafeMutablePointer<sqlite3_io_methods>
    var owner: FaultyFiles?
    var kind: String
  }

  static let lock = NSLock()
  // Both are used only with the lock held.
  nonisolated(unsafe) static var watched: [String: WeakFiles] = [:]
  nonisolated(unsafe) static var files: [UInt: File] = [:]

  static func file(_ file: UnsafeMutablePointer<sqlite3_file>?) -> File? {
    lock.withLock { files[UInt(bitPattern: file)] }
  }

  static func register() {
    guard let base = sqlite3_vfs_find(nil) else { preconditionFailure("SQLite has no files") }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: base.pointee)
    let label = "\(name)\0".utf8CString
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: label.count)
    for (index, character) in label.enumerated() { text[index] = character }
    vfs.pointee.zName = UnsafePointer(text)
    vfs.pointee.pNext = nil
    vfs.pointee.xOpen = { _, path, file, flags, outFlags in
      guard let base = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
      let code = base.pointee.xOpen(base, path, file, flags, outFlags)
      guard code == SQLITE_OK, let path, let file, let methods = file.pointee.pMethods else {
        return code
      }
      Registry.wrap(file, methods, path: String(cString: path))
      return code
    }
    precondition(sqlite3_vfs_register(vfs, 0) == SQLITE_OK)
  }

  private static func wrap(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafePointer<sqlite3_io_methods>,
    path: String
  ) {
    let own = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    own.initialize(to: methods.pointee)
    own.pointee.xWrite = { file, bytes, count, offset in
      guard let known = Registry.file(file) else { return SQLITE_ERROR }
      let code = known.owner?.note(.write(known.kind)) ?? SQLITE_OK
      return code == SQLITE_OK ? known.methods.pointee.xWrite(file, bytes, count, offset) : code
    }
    own.pointee.xSync = { file, flags in
      guard let known = Registry.file(file) else { return SQLITE_ERROR }
      let code = known.owner?.note(.sync(known.kind)) ?? SQLITE_OK
      return code == SQLITE_OK ? known.methods.pointee.xSync(file, flags) : code
    }
    own.pointee.xClose = { file in
      let known = Registry.lock.withLock {
        Registry.files.removeValue(forKey: UInt(bitPattern: file))
      }
      guard let known else { return SQLITE_ERROR }
      file?.pointee.pMethods = known.methods
      known.own.deallocate()
      return known.methods.pointee.xClose(file)
    }
    let kind = path.hasSuffix("-wal") ? "wal" : "db"
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    lock.withLock {
      files[UInt(bitPattern: file)] = File(
        methods: methods, own: own, owner: watched[folder]?.files, kind: kind)
    }
    file.pointee.pMethods = UnsafePointer(own)
  }
}
