internal import NightjarModel

/// Appends numbers and strings in the packed form of the database. A whole number is LEB128: seven
/// bits in each byte, the least significant first. A number that may be negative is first converted
/// to zigzag order.
///
/// The writer has memory of its own, because each timer and each event has about twenty numbers. An
/// array would check at each byte whether it has room and whether it is shared.
struct ByteWriter: ~Copyable {
  /// The length of the longest number in bytes: 64 bits, with seven bits in each byte.
  private static let longestNumber = 10

  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(reserving capacity: Int = 64) {
    start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { start.deallocate() }

  /// A copy of the bytes that were written. O(n).
  var bytes: [UInt8] { Array(written) }

  /// The bytes that were written; valid until the next write or the end of the writer.
  var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// The address for the next bytes, with room for `more` bytes. Amortised O(1).
  @inline(__always)
  private mutating func room(_ more: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity &- count < more { grow(more) }
    return start + count
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.initialize(from: start, count: count)
    start.deallocate()
    start = larger
  }

  @inline(__always)
  mutating func byte(_ value: UInt8) {
    room(1).pointee = value
    count &+= 1
  }

  /// Replaces a byte that was written.
  mutating func replace(at index: Int, by value: UInt8) {
    precondition(index < count)
    start[index] = value
  }

  mutating func unsigned(_ value: UInt64) {
    let target = room(Self.longestNumber)
    var rest = value
    var length = 0
    while rest > 0x7F {
      target[length] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
      length &+= 1
    }
    target[length] = UInt8(truncatingIfNeeded: rest)
    count &+= length &+ 1
  }

  /// Appends a number that must not be negative.
  mutating func natural(_ value: Int64) {
    precondition(value >= 0)
    unsigned(UInt64(bitPattern: value))
  }

  mutating func natural(_ value: Int) {
    natural(Int64(value))
  }

  mutating func signed(_ value: Int64) {
    unsigned(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func string(_ value: String) {
    var value = value
    value.withUTF8 { blob(UnsafeRawBufferPointer($0)) }
  }

  mutating func blob(_ value: [UInt8]) {
    value.withUnsafeBytes { blob($0) }
  }

  /// Appends the number of bytes, and the bytes.
  mutating func blob(_ value: UnsafeRawBufferPointer) {
    natural(value.count)
    raw(value)
  }

  mutating func raw(_ value: UnsafeRawBufferPointer) {
    guard let bytes = value.baseAddress else { return }
    UnsafeMutableRawPointer(room(value.count)).copyMemory(from: bytes, byteCount: value.count)
    count &+= value.count
  }

  mutating func fixed32(_ value: UInt32) {
    withUnsafeBytes(of: value.littleEndian) { raw($0) }
  }

  mutating func fixed64(_ value: UInt64) {
    withUnsafeBytes(of: value.littleEndian) { raw($0) }
  }
}

/// Reads the bytes that `ByteWriter` wrote. For other bytes, it throws `StoreError.damaged` and
/// never traps.
struct ByteReader {
  /// All numbers are below this, so that a few of them can be added without overflow. As
  /// microseconds, 2^60 is 36,000 years.
  static let limit: UInt64 = 1 << 60

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  /// The version of the packed form.
  let version: UInt8

  init(_ bytes: UnsafeRawBufferPointer, version: UInt8 = Frame.version) {
    self.bytes = bytes
    self.version = version
  }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func byte() throws(StoreError) -> UInt8 {
    guard offset < bytes.count else { throw .damaged("it ends in the middle of an entry") }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func unsigned() throws(StoreError) -> UInt64 {
    // Most numbers have one byte.
    if offset < bytes.count, bytes[offset] < 0x80 {
      defer { offset &+= 1 }
      return UInt64(bytes[offset])
    }
    guard offset &+ 8 <= bytes.count else { return try unsignedAtEnd() }
    let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    // The first byte without the bit 0x80 is the last one of the number.
    let ends = ~word & 0x8080_8080_8080_8080
    guard ends != 0 else { return try unsignedAtEnd() }
    offset &+= (ends.trailingZeroBitCount &>> 3) &+ 1
    // Clear the bytes after it, and then join eight groups of 7 bits, pair by pair.
    var value = word & (ends ^ (ends &- 1)) & 0x7F7F_7F7F_7F7F_7F7F
    value = value & 0x007F_007F_007F_007F | (value & 0x7F00_7F00_7F00_7F00) &>> 1
    value = value & 0x0000_3FFF_0000_3FFF | (value & 0x3FFF_0000_3FFF_0000) &>> 2
    return value & 0x0FFF_FFFF | (value & 0x0FFF_FFFF_0000_0000) &>> 4
  }

  /// Reads a number that is longer than eight bytes, or is among the last bytes.
  private mutating func unsignedAtEnd() throws(StoreError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      if shift == 63, next > 1 { throw .damaged("a number is too long") }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
      if shift > 63 { throw .damaged("a number is too long") }
    }
  }

  mutating func natural() throws(StoreError) -> Int64 {
    let value = try unsigned()
    guard value < Self.limit else { throw .damaged("a number is out of range") }
    return Int64(value)
  }

  /// Reads a count or an index, at most `limit`.
  mutating func natural(upTo limit: Int) throws(StoreError) -> Int {
    let value = try natural()
    guard value <= Int64(limit) else { throw .damaged("a number is out of range") }
    return Int(value)
  }

  mutating func signed() throws(StoreError) -> Int64 {
    let value = try unsigned()
    guard value >> 1 < Self.limit else { throw .damaged("a number is out of range") }
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func raw(_ count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
    guard count <= bytes.count - offset else {
      throw .damaged("it ends in the middle of an entry")
    }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  mutating func string() throws(StoreError) -> String {
    let count = try natural(upTo: bytes.count)
    return String(decoding: try raw(count), as: UTF8.self)
  }

  /// Reads a timer's name. Checks that it is UTF-8, not empty and not too long.
  mutating func name() throws(StoreError) -> String {
    let count = try natural(upTo: bytes.count)
    guard (1...Limits.nameBytes).contains(count) else {
      throw .damaged("a name has \(count) bytes")
    }
    guard let name = String(validating: try raw(count), as: UTF8.self) else {
      throw .damaged("a name is no UTF-8")
    }
    return name
  }

  mutating func blob() throws(StoreError) -> [UInt8] {
    let count = try natural(upTo: bytes.count)
    return Array(try raw(count))
  }

  mutating func fixed64() throws(StoreError) -> UInt64 {
    UInt64(littleEndian: try raw(8).loadUnaligned(as: UInt64.self))
  }
}

/// The frame of every packed value: a version before it and a checksum after it.
enum Frame {
  /// The version that this program writes. It can also read older ones.
  static let version: UInt8 = 5
  /// The first version with rings.
  static let versionWithRings: UInt8 = 2
  /// The first version that stores which rings were computed from a wall clock that was not
  /// synchronised (estimated rings), and when alarms were started and rang.
  static let versionWithEstimates: UInt8 = 3
  /// The first version whose events have the counters.
  static let versionWithCounters: UInt8 = 4
  /// The first version with messages, and with rings without an answer.
  static let versionWithMessages: UInt8 = 5
  /// A flag in the byte for the cause of a late ring. It says that the ring is estimated.
  static let estimated: UInt8 = 0x80
  /// In the byte of a timer's cause of lateness: the timer is snoozed.
  static let snoozed: UInt8 = 0x40

  static func withChecksum(_ writer: consuming ByteWriter) -> [UInt8] {
    writer.fixed32(Checksum.crc32(UnsafeRawBufferPointer(writer.written)))
    return writer.bytes
  }

  /// Checks the version and the checksum, and returns a reader for the bytes between them.
  static func open(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> ByteReader {
    guard bytes.count >= 5 else { throw .damaged("a packed value is too short") }
    let body = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    let stored = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: body.count, as: UInt32.self))
    guard Checksum.crc32(body) == stored else {
      throw .damaged("the checksum of a packed value is wrong")
    }
    let version = body[0]
    guard (1...Self.version).contains(version) else {
      throw .damaged("a packed value has version \(version), this Nightjar knows \(Self.version)")
    }
    return ByteReader(UnsafeRawBufferPointer(rebasing: body[1...]), version: version)
  }
}
