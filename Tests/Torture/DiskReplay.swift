import CDiskRecord
import NightjarTestSupport

/// A disk to which a log's records are applied one by one, and what a power cut may leave of it.
///
/// What a file got since its last sync may be there or not, each sector of 512 bytes by itself, in
/// any of the versions it has had since then. After a sync that failed, the kernel holds its pages
/// for clean: a later sync does not write them unless they were written again
/// (https://lwn.net/Articles/752063/). Creations, renames and removals come to the disk in their
/// order, at the latest when the folder or the file is synced, as on ext4, XFS and btrfs.
struct DiskReplay {
  private enum NameChange {
    case created(String, Int)
    case renamed(String, String)
    case unlinked(String)
  }

  private var files: [ReplayedFile] = []
  /// Which file an inode is at present.
  private var fileOfInode: [UInt64: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var pendingNames: [NameChange] = []
  /// The names as the process sees them.
  private var names: [String: Int] = [:]
}

// MARK: - What the process did

extension DiskReplay {
  /// Applies one record of `log`.
  mutating func apply(_ record: DiskLog.Record, of log: DiskLog) {
    switch record.kind {
    case Int(NJ_DISK_CREATED):
      files.append(ReplayedFile())
      fileOfInode[record.inode] = files.count - 1
      change(.created(record.name, files.count - 1))
    case Int(NJ_DISK_WRITTEN):
      guard let file = fileOfInode[record.inode] else { return }
      files[file].write(log.bytes[record.payload], at: record.offset)
    case Int(NJ_DISK_TRUNCATED):
      guard let file = fileOfInode[record.inode] else { return }
      files[file].truncate(to: record.offset)
    case Int(NJ_DISK_SYNCED): sync(record.inode, succeeded: record.result == 0)
    case Int(NJ_DISK_RENAMED):
      change(.renamed(record.name, String(decoding: log.bytes[record.payload], as: UTF8.self)))
    case Int(NJ_DISK_UNLINKED): change(.unlinked(record.name))
    default: break
    }
  }

  private mutating func change(_ change: NameChange) {
    pendingNames.append(change)
    Self.apply(change, to: &names)
  }

  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .created(let name, let file): names[name] = file
    case .renamed(let from, let to): names[to] = names.removeValue(forKey: from)
    case .unlinked(let name): names[name] = nil
    }
  }

  private mutating func sync(_ inode: UInt64, succeeded: Bool) {
    guard inode != 0 else {
      if succeeded { makeNamesDurable(pendingNames.count) }
      return
    }
    guard let file = fileOfInode[inode] else { return }
    guard succeeded else {
      files[file].syncFailed()
      return
    }
    files[file].synced()
    let last = pendingNames.lastIndex { change in
      switch change {
      case .created(_, file): true
      case .created: false
      case .renamed(_, let name): names[name] == file
      case .unlinked: false
      }
    }
    if let last { makeNamesDurable(last + 1) }
  }

  private mutating func makeNamesDurable(_ count: Int) {
    for change in pendingNames.prefix(count) { Self.apply(change, to: &durableNames) }
    pendingNames.removeFirst(count)
  }
}

// MARK: - What a power cut leaves

extension DiskReplay {
  /// The files as a power cut now may leave them.
  func image(_ survival: Survival, _ random: inout SplitMix) -> [String: [UInt8]] {
    var left = durableNames
    let count =
      switch survival {
      case .nothing: 0
      case .everything: pendingNames.count
      case .oneTorn, .some: random.below(pendingNames.count + 1)
      }
    for change in pendingNames.prefix(count) { Self.apply(change, to: &left) }
    var image: [String: [UInt8]] = [:]
    for (name, file) in left.sorted(by: { $0.key < $1.key }) where !name.hasSuffix("-shm") {
      image[name] = files[file].image(survival, &random)
    }
    return image
  }
}
