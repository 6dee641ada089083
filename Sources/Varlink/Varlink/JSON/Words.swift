/// Integer arithmetic on eight bytes at a time.
///
/// The tests set the top bit of each byte for which they are true. A borrow may set wrong bits
/// above the first such byte, but not below it. So the lowest set bit is always right, and the
/// callers use only that bit. (The tests are those of Mycroft, 1987; see "Hacker's Delight",
/// section 6-1.)
@usableFromInline
enum Words {
  /// A word with `byte` in each of its eight bytes.
  @inlinable
  @inline(__always)
  static func filled(with byte: UInt8) -> UInt64 {
    0x0101_0101_0101_0101 &* UInt64(byte)
  }

  /// The eight bytes at `address` as a word. The first byte is the lowest byte of the word, on
  /// machines of either byte order.
  @inlinable
  @inline(__always)
  static func load(_ address: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(address).loadUnaligned(as: UInt64.self))
  }

  /// Sets the top bit of each byte that is zero.
  @inlinable
  @inline(__always)
  static func zeros(_ word: UInt64) -> UInt64 {
    (word &- filled(with: 0x01)) & ~word & filled(with: 0x80)
  }

  /// Sets the top bit of each byte that needs an escape in a string: quotes, backslashes, control
  /// characters.
  @inlinable
  @inline(__always)
  static func escapes(_ word: UInt64) -> UInt64 {
    let quotes = zeros(word ^ filled(with: 0x22))
    let backslashes = zeros(word ^ filled(with: 0x5c))
    let controls = (word &- filled(with: 0x20)) & ~word & filled(with: 0x80)
    return quotes | backslashes | controls
  }

  /// Sets the top bit of each byte that needs an escape in a string, and of each byte that is not
  /// ASCII.
  @inlinable
  @inline(__always)
  static func stops(_ word: UInt64) -> UInt64 {
    escapes(word) | (word & filled(with: 0x80))
  }

  /// The index of the first byte whose top bit is set, from 0 to 7; 8: there is none.
  @inlinable
  @inline(__always)
  static func first(_ marks: UInt64) -> Int {
    marks.trailingZeroBitCount &>> 3
  }

  /// The offset of the first zero byte between `start` and `end`; `end` if there is none. O(n).
  @usableFromInline
  static func firstZero(
    in base: UnsafePointer<UInt8>, from start: Int, to end: Int
  ) -> Int {
    var at = start
    while end &- at >= 32 {
      let address = base + at
      let first = zeros(load(address))
      let second = zeros(load(address + 8))
      let third = zeros(load(address + 16))
      let fourth = zeros(load(address + 24))
      if first | second | third | fourth != 0 { break }
      at &+= 32
    }
    while end &- at >= 8 {
      let marks = zeros(load(base + at))
      if marks != 0 { return at &+ Words.first(marks) }
      at &+= 8
    }
    while at < end, base[at] != 0 { at &+= 1 }
    return at
  }

  /// Loads `count` bytes at `address`, and fills the word with zeros. `count` is from 0 to 7.
  ///
  /// No byte after these bytes is read. The function combines smaller loads, which may overlap.
  @inlinable
  @inline(__always)
  static func loadShort(_ address: UnsafePointer<UInt8>, count: Int) -> UInt64 {
    if count >= 4 {
      let raw = UnsafeRawPointer(address)
      let low = UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self))
      let last = count &- 4
      let high = UInt32(littleEndian: (raw + last).loadUnaligned(as: UInt32.self))
      return UInt64(low) | UInt64(high) &<< UInt64(last &* 8)
    }
    guard count > 0 else { return 0 }
    let (middle, last) = (count &>> 1, count &- 1)
    return UInt64(address[0]) | UInt64(address[middle]) &<< UInt64(middle &* 8)
      | UInt64(address[last]) &<< UInt64(last &* 8)
  }

  /// Stores the eight bytes of a word, the lowest byte first.
  @inlinable
  @inline(__always)
  static func store(_ word: UInt64, to address: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(address).storeBytes(of: word.littleEndian, as: UInt64.self)
  }

  /// Whether `count` bytes at two addresses are equal. O(n).
  @inlinable
  @inline(__always)
  static func equal(
    _ left: UnsafePointer<UInt8>, _ right: UnsafePointer<UInt8>, count: Int
  ) -> Bool {
    guard count >= 8 else { return loadShort(left, count: count) == loadShort(right, count: count) }
    let last = count &- 8
    var at = 0
    while at < last {
      if load(left + at) != load(right + at) { return false }
      at &+= 8
    }
    return load(left + last) == load(right + last)
  }
}
