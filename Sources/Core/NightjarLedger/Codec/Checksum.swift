/// CRC-32 as in IEEE 802.3, gzip and PNG (polynomial 0xEDB88320, reflected), eight bytes at a time:
/// M. Kounavis and F. Berry, "A Systematic Approach to Building High Performance Software-based CRC
/// Generators", 2005.
public enum Checksum {
  /// `table[256 * k + b]`: the checksum of the byte `b` followed by `k` zero bytes.
  private static let table: [UInt32] = {
    var table = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
      table[byte] = value
    }
    for place in 256..<table.count {
      let before = table[place - 256]
      table[place] = before >> 8 ^ table[Int(before & 0xFF)]
    }
    return table
  }()

  /// The checksum of `bytes`. O(bytes).
  public static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      guard let table = table.baseAddress, let start = bytes.baseAddress else { return 0 }
      /// One byte's part of the checksum: the byte of `word` that is `place` bytes before the last
      /// byte of `word`.
      @inline(__always) func part(_ word: UInt64, _ place: Int) -> UInt32 {
        table[place &<< 8 | Int(truncatingIfNeeded: word &>> UInt64(56 &- place &<< 3) & 0xFF)]
      }
      var crc: UInt32 = 0xFFFF_FFFF
      var next = start
      let end = start + bytes.count
      while end - next >= 8 {
        let word = UInt64(littleEndian: next.loadUnaligned(as: UInt64.self)) ^ UInt64(crc)
        // The loop is written out by hand, because the compiler would make one with three times as
        // many instructions.
        crc =
          part(word, 7) ^ part(word, 6) ^ part(word, 5) ^ part(word, 4)
          ^ part(word, 3) ^ part(word, 2) ^ part(word, 1) ^ part(word, 0)
        next += 8
      }
      while next < end {
        let byte = next.load(as: UInt8.self)
        crc = crc >> 8 ^ table[Int((crc ^ UInt32(byte)) & 0xFF)]
        next += 1
      }
      return ~crc
    }
  }
}
