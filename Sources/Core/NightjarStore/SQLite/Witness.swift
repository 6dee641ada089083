internal import Glibc
internal import NightjarLedger

/// A file of 128 bytes beside the database with the number of the last acknowledged event. The
/// daemon reads it when it starts. If the last event of the ledger has a lower number, the ledger
/// has lost acknowledged events.
///
/// The file has two slots that are written in turn, so a write that was cut off leaves the other
/// slot intact. The daemon writes it after each commit, so it never has a higher number than an
/// intact database. The file is synced where this costs little: at checkpoints and at a clean stop.
/// At a clean stop it also gets the database's length and checksum. A slot has 64 bytes:
/// `"njwitns1", ledger's name (16 bytes), last number, how often it was written, the database's
/// length and sum or zeros, zeros, CRC-32`. Numbers have eight bytes, the least significant first.
final class Witness {
  /// The contents of a slot.
  struct Record: Equatable {
    var ledger: String
    /// The number of the last event that was acknowledged.
    var lastSeq: Int64
    /// How often the witness was written.
    var count: Int64 = 0
    /// The state of the database at a clean stop; nil if it may have changed since.
    var databaseChecksum: FileChecksum?
  }

  static let slotBytes = 64
  private static let magic = Array("njwitns1".utf8)
  private static let nameBytes = 16
  private static let numbers = magic.count + nameBytes

  static func path(of databasePath: String) -> String { databasePath + "-witness" }

  private let file: Int32
  private var slot: [UInt8]
  private var count: Int64
  private var lastSeq: Int64

  /// Opens the witness of the ledger `name`, and creates it if it does not exist. An existing one
  /// keeps its contents until the first write.
  init(path: String, ledger name: String) throws(StoreError) {
    let found = try Self.read(path)
    count = found?.count ?? 0
    lastSeq = found.map { $0.ledger == name ? $0.lastSeq : 0 } ?? 0
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw .file(path, String(cString: strerror(errno))) }
    slot = Self.emptySlot(of: name)
  }

  deinit { close(file) }

  /// The contents of the witness at a path; nil if it does not exist or has no valid slot.
  static func read(_ path: String) throws(StoreError) -> Record? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw .file(path, String(cString: strerror(errno)))
    }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 2 * slotBytes)
    let count = pread(file, &bytes, bytes.count, 0)
    guard count >= 0 else { throw .file(path, String(cString: strerror(errno))) }
    return [bytes[..<slotBytes], bytes[slotBytes...]].compactMap { record(Array($0)) }
      .max { $0.count < $1.count }
  }

  private static func record(_ slot: [UInt8]) -> Record? {
    let checked = slotBytes - 4
    let name = slot[magic.count..<magic.count + nameBytes]
    return slot.withUnsafeBytes { bytes -> Record? in
      func number(_ offset: Int) -> Int64 {
        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
      }
      let checksum = UInt32(
        littleEndian: bytes.loadUnaligned(fromByteOffset: checked, as: UInt32.self))
      guard slot.starts(with: magic),
        checksum == Checksum.crc32(UnsafeRawBufferPointer(rebasing: bytes[..<checked]))
      else { return nil }
      let databaseChecksum = FileChecksum(bytes: number(numbers + 16), sum: number(numbers + 24))
      return Record(
        ledger: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self),
        lastSeq: number(numbers), count: number(numbers + 8),
        databaseChecksum: databaseChecksum.bytes > 0 ? databaseChecksum : nil)
    }
  }

  private static func emptySlot(of ledger: String) -> [UInt8] {
    var slot = [UInt8](repeating: 0, count: slotBytes)
    slot.replaceSubrange(0..<magic.count, with: magic)
    let name = ledger.utf8.prefix(nameBytes)
    slot.replaceSubrange(magic.count..<magic.count + name.count, with: name)
    return slot
  }

  /// Removes the checksum, because the database changes from now on.
  func removeChecksum() throws(StoreError) { try write(lastSeq: lastSeq) }

  /// Writes the length and checksum of the closed database into the witness, and syncs the witness.
  func addChecksum(of databasePath: String) throws(StoreError) {
    try write(lastSeq: lastSeq, databaseChecksum: try FileChecksum(of: databasePath))
    try sync()
  }

  /// Records that event `lastSeq` was acknowledged. The record survives a crash of the daemon at
  /// once, and a power cut after the next sync.
  func write(lastSeq: Int64, databaseChecksum: FileChecksum? = nil) throws(StoreError) {
    count += 1
    self.lastSeq = lastSeq
    let (checked, numbers) = (Self.slotBytes - 4, Self.numbers)
    let written = slot.withUnsafeMutableBytes { bytes in
      for (index, number) in [
        lastSeq, count, databaseChecksum?.bytes ?? 0, databaseChecksum?.sum ?? 0,
      ].enumerated() {
        bytes.storeBytes(
          of: number.littleEndian, toByteOffset: numbers + 8 * index, as: Int64.self)
      }
      let checksum = Checksum.crc32(UnsafeRawBufferPointer(rebasing: bytes[..<checked]))
      bytes.storeBytes(of: checksum.littleEndian, toByteOffset: checked, as: UInt32.self)
      return pwrite(file, bytes.baseAddress, bytes.count, off_t(count & 1) * off_t(bytes.count))
    }
    guard written == Self.slotBytes else {
      throw .file(
        "the witness of the database", String(cString: strerror(written < 0 ? errno : ENOSPC)))
    }
  }

  /// Syncs the file. After this, its contents survive a power cut.
  func sync() throws(StoreError) {
    guard fdatasync(file) == 0 else {
      throw .file("the witness of the database", String(cString: strerror(errno)))
    }
  }
}
