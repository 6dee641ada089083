import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger

@Suite(.blocking) struct CoderTests {
  /// The examples of RFC 8949, appendix A, and the largest numbers that are stored.
  @Test(
    arguments: [
      (0, "00"), (23, "17"), (24, "1818"), (100, "1864"), (1000, "1903e8"),
      (1_000_000, "1a000f4240"), (1_000_000_000_000, "1b000000e8d4a51000"), (-1, "20"),
      (-10, "29"), (-100, "3863"), (-1000, "3903e7"), (EventSamples.most, "1b0fffffffffffffff"),
      (-EventSamples.most - 1, "3b0fffffffffffffff"),
    ] as [(Int64, String)])
  func `A number is written as in the standard, and read back`(_ number: Int64, _ hex: String)
    throws
  {
    #expect(try bytes(number) == Self.bytes(hex))
    #expect(try value(of: Self.bytes(hex)) == number)
  }

  @Test(arguments: ["1b1000000000000000", "3b1000000000000000", "1bffffffffffffffff"])
  func `A number of 2^60 or more is refused as impossible`(_ hex: String) {
    #expect(throws: StoreError.self) { try value(of: Self.bytes(hex)) as Int64 }
  }

  @Test(
    arguments: [
      ("", "60"), ("a", "6161"), ("IETF", "6449455446"), ("\u{fc}", "62c3bc"),
      ("\u{6c34}", "63e6b0b4"), ("\u{10151}", "64f0908591"),
      (String(repeating: "x", count: 300), "79012c" + String(repeating: "78", count: 300)),
    ])
  func `A text is written as in the standard, and read back`(_ text: String, _ hex: String) throws {
    #expect(try bytes(text) == Self.bytes(hex))
    #expect(try value(of: Self.bytes(hex)) == text)
  }

  @Test(
    arguments: [
      "", "61", "62c328", "61ff", "63eda080", "62c080", "62e282", "7bffffffffffffffff61",
      "7f6161ff",
      "00", "4161", "9f",
    ])
  func `Bytes that are no text are damaged`(_ hex: String) {
    #expect(throws: StoreError.self) { try value(of: Self.bytes(hex)) as String }
  }

  @Test func `A field with its default value is absent`() throws {
    #expect(try bytes(Label(key: "", value: "")) == Self.bytes("bfff"))
    #expect(try bytes(Label(key: "", value: "b")) == Self.bytes("bf026162ff"))
    #expect(try value(of: Self.bytes("bfff")) == Label(key: "", value: ""))
  }

  /// Fields that a later version may write: numbers, strings, lists, objects, words, at any place.
  @Test(
    arguments: [
      "bf00f5016161026162ff", "bf00bf0102ff016161026162ff", "bf016161026162038201bf0102ffff",
      "bf016161026162033b00000000000000ff0480ff", "bf01616102616217bf0044010203041818bfffffff",
      "bf0161610261621818f6ff",
    ])
  func `A field that is not known is skipped`(_ hex: String) throws {
    let label: Label = try value(of: Self.bytes(hex))
    #expect(label == Label(key: "a", value: "b"))
  }

  @Test func `Values that are nested without end are damaged`() {
    let deep = Self.bytes("bf03") + [UInt8](repeating: 0x81, count: 100_000) + Self.bytes("00ff")
    #expect(throws: StoreError.self) { try value(of: deep) as Label }
    #expect(throws: StoreError.self) { try value(of: Self.bytes("bf039affffffff00ff")) as Label }
  }

  @Test(arguments: ["82182aff", "8263616263bfff", "8118", "820a", "831a00bfff"])
  func `A case that is not known, or has another form, is damaged`(_ hex: String) {
    #expect(throws: StoreError.self) { try value(of: Self.bytes(hex)) as ActionOutcome }
  }

  @Test func `An unknown word is damaged`() {
    #expect(throws: StoreError.self) { try value(of: [17]) as Timeline }
  }

  /// A number has a meaning for ever: what a field or a case is called, and which number it has.
  @Test func `Stored values keep their bytes`() throws {
    #expect(
      try bytes(
        ActionNote(
          owner: .former(name: "a", id: 7), key: .init(seq: 8, number: 9),
          attempt: 1, command: "x"))
        == Self.bytes("bf018202bf0161610207ff02bf01080209ff030104 6178ff"))
    #expect(
      try bytes(
        Passing(
          number: 1, missed: 2, position: 3,
          next: Recurrence(
            position: 4, handledInstant: 5, step: "s", .runs(deadline: 6, durationUsec: 7))))
        == Self.bytes("bf010102020303 04bf0104020503617304 8202bf01060207ffffff"))
    #expect(
      try bytes(
        JoinedExpiry(
          number: 1, late: Lateness(usec: 2, cause: .step, span: 3, isEstimated: true),
          position: 4)) == Self.bytes("bf0101 02bf01020206030304 01ff0304ff"))
    #expect(
      try bytes(Sounding(expiry: 1, expiries: 2, firstDueUsec: 3, forUsec: 4, insistUsec: 5))
        == Self.bytes("bf01010202030304040505ff"))
    let estimate = Estimate(
      seq: 1, countedFrom: 2, interruption: Interruption(pausedSeq: 3, resumedSeq: 4),
      isOnWall: true)
    let expiry = Expiry(
      number: 5, Reached(atUsec: 6, lateUsec: 7, cause: .step, span: 8, estimate: estimate),
      missed: 9, outcome: .didNotRing, position: 10, handledBefore: 11)
    var ring = Ring()
    (ring.state, ring.countedFrom, ring.joined) = (.snoozed(until: 1), 2, [Expiry(number: 3)])
    (ring.expiries, ring.firstDueUsec, ring.insistUsec, ring.insisted) = (4, 5, 6, 7)
    (ring.sinceElapsed, ring.sinceEvent) = (8, 9)
    var expiries = Expiries.none
    (expiries.lastNumber, expiries.last, expiries.misses) = (1, expiry, 2)
    (expiries.miss, expiries.ring) = (Expiry(number: 3), ring)
    #expect(
      try bytes(expiries)
        == Self.bytes(
          """
          bf0101 02bf010502bf01060207030604 0805bf0101020203bf01030204ff0401ffff
          030904020 50a060bff 03bf010302bfffff 0402
          05bf018204bf0101ff0202 03bf02bfffff 0481bf010302bfffff
          05040605 07bfff 080609070a080b09ffff
          """))
    #expect(
      try bytes(
        TimerSpec.Shared(
          kind: .sequence, repeats: true, rounds: 2,
          schedule: Schedule(
            expression: "e", zone: "z",
            except: [DayRange(first: 1, last: 2)], until: 3),
          steps: [Step(name: "s", durationUsec: 4, waits: true, isBreak: true, longUsec: 5)],
          longEvery: 6, afterSleep: .restart,
          bands: [
            Band(
              name: "b", remainingUsec: 7, color: "c", text: "t",
              progress: ProgressRange(from: 8, to: 9))
          ],
          late: .fireWithin(usec: 10), missed: .skip, afterAway: .break))
        == Self.bytes(
          """
          bf0103020103020 4bf016165026 17a0381bf01010202ff0403ff
          0581bf01617302040301040105 05ff
          060607020881bf016162020703616304617405bf01080209ffff
          098202bf010aff0a020b03ff
          """))
  }

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = Array(hex.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<min($0 + 2, digits.count)], as: UTF8.self), radix: 16)
    }
  }

  private func bytes(_ value: some Stored) throws -> [UInt8] {
    var (coder, value) = (Coder(), value)
    try value.code(&coder)
    return coder.bytes
  }

  private func value<Value: Stored>(of bytes: [UInt8]) throws -> Value {
    try bytes.withBytes { bytes throws(StoreError) in
      var (coder, value) = (Coder(reading: bytes), Value())
      try value.code(&coder)
      guard coder.isAtEnd else { throw .damaged("more follows") }
      return value
    }
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
