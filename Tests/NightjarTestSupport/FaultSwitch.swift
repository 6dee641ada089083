internal import CDiskRecord
import Glibc

/// Switches faults of a daemon's disk on and off while the daemon runs. The test and the daemon
/// have mapped the same file; the daemon has `Tests/C/FaultyDisk.c` preloaded.
package final class FaultSwitch {
  /// The path of the file, for the variable `NIGHTJAR_TEST_DISK_FAULT`.
  package let path: String
  private let fault: UnsafeMutablePointer<nj_disk_fault>

  package init(path: String) throws {
    self.path = path
    let size = MemoryLayout<nj_disk_fault>.size
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0, ftruncate(file, off_t(size)) == 0 else {
      throw Unmet(description: "cannot make \(path)")
    }
    defer { close(file) }
    let bytes = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let bytes, bytes != MAP_FAILED else { throw Unmet(description: "cannot map \(path)") }
    fault = bytes.bindMemory(to: nj_disk_fault.self, capacity: 1)
  }

  deinit { munmap(fault, MemoryLayout<nj_disk_fault>.size) }

  package var failed: Int { Int(fault.pointee.failed) }

  /// Makes calls fail from now on. The first `skip` calls succeed, and the next `count` calls fail.
  package func arm(_ kind: Kind, skip: Int32, count: Int32) {
    fault.pointee.count = 0
    fault.pointee.calls = kind.calls
    fault.pointee.error = kind.error
    fault.pointee.skip = skip
    fault.pointee.count = count
  }

  package func disarm() { fault.pointee.count = 0 }

  /// Lets the next `count` syncs succeed, and makes all later ones wait until `releaseSyncs()`.
  package func stallSyncs(behind count: UInt32 = 0) { nj_disk_hold_syncs(fault, count) }

  /// Lets the waiting syncs and all later ones succeed.
  package func releaseSyncs() { nj_disk_release_syncs(fault) }

  package var isSyncWaiting: Bool { nj_disk_waiting_syncs(fault) > 0 }

  /// The kind of a fault: the calls that fail, and their error.
  package struct Kind {
    package let name: String
    package let calls: UInt32
    fileprivate let error: Int32

    private init(_ name: String, _ calls: Int, _ error: Int32) {
      (self.name, self.calls, self.error) = (name, UInt32(calls), error)
    }

    package static let syncFails = Kind("sync EIO", NJ_DISK_SYNC, EIO)
    package static let readFails = Kind("read EIO", NJ_DISK_READ, EIO)

    /// Kinds of faults. Each has an error from the manual page of its calls.
    package static let all = [
      syncFails, Kind("sync ENOSPC", NJ_DISK_SYNC, ENOSPC),
      Kind("write EIO", NJ_DISK_WRITE, EIO), Kind("write ENOSPC", NJ_DISK_WRITE, ENOSPC),
      readFails, Kind("truncate EIO", NJ_DISK_TRUNCATE, EIO),
      Kind("open EMFILE", NJ_DISK_OPEN, EMFILE), Kind("open ENOMEM", NJ_DISK_OPEN, ENOMEM),
      Kind("open EIO", NJ_DISK_OPEN, EIO), Kind("open ENOSPC", NJ_DISK_OPEN, ENOSPC),
      Kind("rename EIO", NJ_DISK_RENAME, EIO), Kind("unlink EIO", NJ_DISK_UNLINK, EIO),
      Kind("map ENOMEM", NJ_DISK_MAP, ENOMEM),
    ]
  }
}
