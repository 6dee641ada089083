/// CRC-32 as IEEE 802.3, gzip and PNG have it (polynomial 0xEDB88320, reflected), eight bytes at a
/// time: M. Kounavis and F. Berry, "A Systematic Approach to Building High Performance Software-based
/// CRC Generators", 2005.
enum Checksum {
  /// `table[256 * k + b]`: the checksum of the byte `b` with `k` zero bytes behind it.
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
  static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var crc: UInt32 = 0xFFFF_FFFF
      var offset = 0
      while offset + 8 <= bytes.count {
        let word = UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        var rest = word ^ UInt64(crc)
        crc = 0
        for place in stride(from: 7 * 256, through: 0, by: -256) {
          crc ^= table[place &+ Int(rest & 0xFF)]
          rest >>= 8
        }
        offset += 8
      }
      while offset < bytes.count {
        crc = crc >> 8 ^ table[Int((crc ^ UInt32(bytes[offset])) & 0xFF)]
        offset += 1
      }
      return ~crc
    }
  }
}
