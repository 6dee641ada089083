/// CRC-32 as IEEE 802.3, gzip and PNG have it (polynomial 0xEDB88320, reflected), four bytes at a
/// time.
enum Checksum {
  /// `tables[k][b]`: the checksum of the byte `b` with `k` zero bytes behind it.
  private static let tables: [[UInt32]] = {
    var tables = [[UInt32]](repeating: [UInt32](repeating: 0, count: 256), count: 4)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
      tables[0][byte] = value
    }
    for byte in 0..<256 {
      for k in 1..<4 {
        let before = tables[k - 1][byte]
        tables[k][byte] = before >> 8 ^ tables[0][Int(before & 0xFF)]
      }
    }
    return tables
  }()

  /// The checksum of `bytes`. O(bytes).
  static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let (t0, t1, t2, t3) = (tables[0], tables[1], tables[2], tables[3])
    var crc: UInt32 = 0xFFFF_FFFF
    var offset = 0
    while offset + 4 <= bytes.count {
      let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      let x = crc ^ word
      crc =
        t3[Int(x & 0xFF)] ^ t2[Int(x >> 8 & 0xFF)] ^ t1[Int(x >> 16 & 0xFF)] ^ t0[Int(x >> 24)]
      offset += 4
    }
    while offset < bytes.count {
      crc = crc >> 8 ^ t0[Int((crc ^ UInt32(bytes[offset])) & 0xFF)]
      offset += 1
    }
    return ~crc
  }
}
