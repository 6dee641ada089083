internal import NightjarModel

/// Appends numbers and strings in the packed form of the database: whole numbers as LEB128 (seven
/// bits a byte, the least significant first), those that may be negative in zigzag order before.
///
/// Each timer and each event is some twenty numbers. So it has memory of its own: an array would be
/// asked for room, and whether it is shared, with each byte.
struct ByteWriter: ~Copyable {
  /// The longest number: seven bits a byte of 64.
  private static let longestNumber = 10

  private var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init(reserving capacity: Int = 64) {
    start = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit { start.deallocate() }

  /// What has been written. O(n).
  var bytes: [UInt8] { Array(written) }

  /// What has been written; good until more is, and no longer than the writer.
  var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// Where the next bytes go; there is room for `more`. Amortised O(1).
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

  /// Puts another byte where one was written.
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

  /// A number that is never below zero.
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

  /// How many bytes there are, and the bytes.
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

/// Reads what `ByteWriter` wrote; anything else is `StoreError.damaged`, never a trap.
struct ByteReader {
  /// Numbers are below this: a few of them add up without overflow, and 2^60 µs are 36,000 years.
  static let limit: UInt64 = 1 << 60

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  /// Of the packed form that it reads.
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
    // Most are short.
    if offset < bytes.count, bytes[offset] < 0x80 {
      defer { offset &+= 1 }
      return UInt64(bytes[offset])
    }
    guard offset &+ 8 <= bytes.count else { return try unsignedAtEnd() }
    let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    // The byte that has no bit of 0x80 is the last.
    let ends = ~word & 0x8080_8080_8080_8080
    guard ends != 0 else { return try unsignedAtEnd() }
    offset &+= (ends.trailingZeroBitCount &>> 3) &+ 1
    // What stands behind it goes, and eight times 7 bits move together, pair by pair.
    var value = word & (ends ^ (ends &- 1)) & 0x7F7F_7F7F_7F7F_7F7F
    value = value & 0x007F_007F_007F_007F | (value & 0x7F00_7F00_7F00_7F00) &>> 1
    value = value & 0x0000_3FFF_0000_3FFF | (value & 0x3FFF_0000_3FFF_0000) &>> 2
    return value & 0x0FFF_FFFF | (value & 0x0FFF_FFFF_0000_0000) &>> 4
  }

  /// One that is longer than eight bytes, or stands among the last.
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

  /// A count or an index, at most `limit`.
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

  /// A timer's name.
  mutating func name() throws(StoreError) -> String {
    String(decoding: try nameBytes(), as: UTF8.self)
  }

  /// The bytes of a timer's name. The table of timers relies on what is looked at: they are UTF-8, and
  /// neither none nor too many.
  mutating func nameBytes() throws(StoreError) -> UnsafeRawBufferPointer {
    let count = try natural(upTo: bytes.count)
    guard (1...Limits.nameBytes).contains(count) else {
      throw .damaged("a name has \(count) bytes")
    }
    let name = try raw(count)
    guard name.allSatisfy({ $0 < 0x80 }) || String(validating: name, as: UTF8.self) != nil else {
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

/// What stands around every packed value: a version in front, a checksum behind.
enum Frame {
  /// Of the packed form of events and timers; older ones are read as well.
  static let version: UInt8 = 5
  /// The first that has rings.
  static let versionWithRings: UInt8 = 2
  /// The first that says which rings are estimated, and when alarms were started and rang.
  static let versionWithEstimates: UInt8 = 3
  /// The first whose events say where the counters stood.
  static let versionWithCounters: UInt8 = 4
  /// The first that has messages, and rings that nobody answers.
  static let versionWithMessages: UInt8 = 5
  /// Beside the cause of a late ring: it is estimated.
  static let estimated: UInt8 = 0x80

  static func seal(_ writer: consuming ByteWriter) -> [UInt8] {
    writer.fixed32(Checksum.crc32(UnsafeRawBufferPointer(writer.written)))
    return writer.bytes
  }

  /// A reader behind the version, before the checksum, both of which were found right.
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
