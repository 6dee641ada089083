import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger

@Suite(.blocking) struct BytesTests {
  private static let numbers: [Int64] = [
    0, 1, -1, 63, 64, -64, -65, 127, 128, 16_383, 16_384, 1 << 32, -(1 << 32), most, -most,
  ]
  /// The largest accepted number.
  private static let most = EventSamples.most

  @Test func `Numbers are read back as they were written`() throws {
    var writer = ByteWriter()
    for number in Self.numbers {
      writer.signed(number)
      writer.natural(abs(number))
      writer.fixed64(UInt64(bitPattern: number))
    }
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      for number in Self.numbers {
        let read = (try reader.signed(), try reader.natural(), try reader.fixed64())
        #expect(read == (number, abs(number), UInt64(bitPattern: number)))
      }
      #expect(reader.isAtEnd)
    }
  }

  @Test func `A number of any length is read back, whatever follows it`() throws {
    for bits in 0..<60 {
      for number in [Int64(1) << bits - 1, Int64(1) << bits, Int64(3) << bits / 2] {
        for filler: UInt8 in [0, 0x7F, 0x80, 0xFF] {
          for count in 0..<12 {
            var writer = ByteWriter()
            writer.natural(number)
            let rest = [UInt8](repeating: filler, count: count)
            for byte in rest { writer.byte(byte) }
            try writer.bytes.withUnsafeBytes { bytes in
              var reader = ByteReader(bytes)
              let read = (try reader.natural(), try rest.map { _ in try reader.byte() })
              #expect(read == (number, rest))
            }
          }
        }
      }
    }
  }

  @Test func `Small numbers take few bytes`() {
    for (number, count) in [(63, 1), (-64, 1), (64, 2), (8191, 2), (.max, 10), (.min, 10)]
      as [(Int64, Int)]
    {
      var writer = ByteWriter()
      writer.signed(number)
      #expect(writer.count == count)
    }
  }

  @Test(
    arguments: [
      [], [0x80], [UInt8](repeating: 0x80, count: 10), [UInt8](repeating: 0xFF, count: 10),
      [UInt8](repeating: 0x80, count: 9) + [2], [UInt8](repeating: 0x80, count: 9) + [1],
    ] as [[UInt8]])
  func `Bytes that are not a number are damaged`(_ bytes: [UInt8]) {
    #expect(throws: StoreError.self) {
      try bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        _ = try reader.natural()
      }
    }
  }

  @Test(arguments: [most + 1, .max, .min, -most - 2])
  func `A number of 2^60 or more is refused as impossible`(_ number: Int64) {
    var writer = ByteWriter()
    writer.signed(number)
    #expect(throws: StoreError.self) {
      try writer.bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        _ = try reader.signed()
      }
    }
    var natural = ByteWriter()
    natural.natural(Int64(number.magnitude & UInt64(Int64.max)) | (1 << 60))
    #expect(throws: StoreError.self) {
      try natural.bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        _ = try reader.natural()
      }
    }
  }

  @Test
  func `Strings and blobs of every length are read back, and one that ends too soon is damaged`()
    throws
  {
    var writer = ByteWriter()
    let texts = ["", "tea", "Tee für zwei", "🫖", String(repeating: "x", count: 300)]
    for text in texts {
      writer.string(text)
      writer.blob(Array(text.utf8))
    }
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      for text in texts {
        let read = (try reader.string(), try reader.blob())
        #expect(read == (text, Array(text.utf8)))
      }
    }
    for bytes: [UInt8] in [[5, 0x61], [0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x61], [1]] {
      #expect(throws: StoreError.self) {
        try bytes.withUnsafeBytes { bytes in
          var reader = ByteReader(bytes)
          _ = try reader.string()
        }
      }
    }
  }
}

@Suite(.blocking) struct NameBytesTests {
  private func read(_ name: [UInt8]) throws(StoreError) -> String {
    var writer = ByteWriter()
    writer.blob(name)
    return try writer.bytes.withBytes { bytes throws(StoreError) in
      var reader = ByteReader(bytes)
      return try reader.name()
    }
  }

  @Test(arguments: ["t", "tea", "Tee für zwei", "🫖", String(repeating: "é", count: 127)])
  func `A name is read back`(_ name: String) throws {
    #expect(try read(Array(name.utf8)) == name)
  }

  @Test(
    arguments: [
      [], [UInt8](repeating: 0x61, count: Limits.nameBytes + 1), [0x74, 0xFF], [0xC3, 0x28],
      [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xC0, 0x80],
    ] as [[UInt8]])
  func `A name that is empty, too long or not UTF-8 is damaged`(_ name: [UInt8]) {
    #expect(throws: StoreError.self) { try read(name) }
  }
}

@Suite(.blocking) struct ChecksumTests {
  /// Known values: the check value of CRC-32, and those of formats such as gzip and PNG.
  @Test(
    arguments: [
      ("123456789", 0xCBF4_3926), ("", 0), ("a", 0xE8B7_BE43), ("abc", 0x3524_41C2),
      ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
    ] as [(String, UInt32)])
  func `The checksum is CRC-32`(_ text: String, _ expected: UInt32) {
    #expect(Array(text.utf8).withUnsafeBytes { Checksum.crc32($0) } == expected)
  }

  @Test func `The checksum of any slice is that of the bytes one at a time`() {
    let bytes = (0..<67).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
    for start in 0..<8 {
      for end in start...bytes.count {
        let fast = bytes[start..<end].withUnsafeBytes { Checksum.crc32($0) }
        #expect(fast == Self.slow(bytes[start..<end]))
      }
    }
  }

  private static func slow(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc: UInt32 = .max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
