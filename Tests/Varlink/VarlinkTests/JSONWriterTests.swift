import Foundation
import NightjarTestSupport
import Testing
import Varlink

@Suite(.blocking) struct JSONWriterTests {
  @Test func `Commas and colons stand where they belong`() {
    let text = written { writer in
      writer.beginObject()
      writer.key("a")
      writer.beginArray()
      writer.integer(Int64(1))
      writer.string("x")
      writer.bool(true)
      writer.bool(false)
      writer.null()
      writer.beginArray()
      writer.endArray()
      writer.beginObject()
      writer.endObject()
      writer.double(0.5)
      writer.endArray()
      writer.key("b" as String)
      writer.beginObject()
      writer.key("c")
      writer.raw(Array("[1, 2]".utf8))
      writer.key("d")
      writer.string("y" as String)
      writer.endObject()
      writer.key("e")
      writer.integer(UInt64.max)
      writer.endObject()
    }
    #expect(
      text
        == #"{"a":[1,"x",true,false,null,[],{},0.5],"b":{"c":[1, 2],"d":"y"},"e":18446744073709551615}"#
    )
    #expect(refusal(of: Array(text.utf8)) == nil)
  }

  @Test func `Values at the outermost level are separated by commas until the bytes are taken`() {
    var writer = JSONWriter()
    writer.integer(Int64(1))
    #expect(writer.bytes == Array("1".utf8))
    writer.null()
    #expect(writer.bytes == Array("1,null".utf8))
  }

  // MARK: Text

  @Test
  func `Every ASCII character is written so that an independent parser reads it back`() throws {
    for value in UInt8(0)...0x7f {
      for padding in ["", "0123456", "01234567", "€"] {
        let string = padding + String(Unicode.Scalar(value)) + padding
        let text = written { $0.string(string) }
        let read = try JSONSerialization.jsonObject(
          with: Data(text.utf8), options: .fragmentsAllowed)
        #expect(read as? String == string, "\(value) \(text)")
      }
    }
  }

  @Test(arguments: [
    ("\"\\\u{08}\u{09}\u{0a}\u{0c}\u{0d}", #""\"\\\b\t\n\f\r""#),
    ("\u{00}\u{01}\u{0b}\u{1f}\u{0e}", #""\u0000\u0001\u000b\u001f\u000e""#),
    ("/'\u{7f}é\u{2028}😀", "\"/'\u{7f}é\u{2028}😀\""), ("", "\"\""),
  ])
  func `Only necessary escapes are written, in the shortest form`(string: String, text: String) {
    #expect(written { $0.string(string) } == text)
    #expect(
      written {
        $0.beginObject()
        $0.key(string)
        $0.null()
        $0.endObject()
      } == "{" + text + ":null}")
  }

  @Test func `Text of every length around the size of the stage is written completely`() throws {
    for count in Array(0...300) + [511, 512, 1000, 5000] {
      let plain = String(String(repeating: "abcdefghij", count: count / 10 + 1).prefix(count))
      #expect(written { $0.string(plain) } == "\"" + plain + "\"", "\(count)")
      let quotes = String(repeating: "\"", count: count)
      let escaped = String(repeating: #"\""#, count: count)
      #expect(written { $0.string(quotes) } == "\"" + escaped + "\"", "\(count)")
      #expect(written { $0.string(plain + "\n" + plain) } == "\"" + plain + #"\n"# + plain + "\"")
      let fill: String = written { writer in
        writer.beginArray()
        writer.string(plain)
        for _ in 0..<20 { writer.string("0123456789abcdef") }
        writer.integer(Int64.min)
        writer.endArray()
      }
      let rest = String(repeating: #","0123456789abcdef""#, count: 20)
      #expect(fill == "[\"" + plain + "\"" + rest + ",-9223372036854775808]", "\(count)")
    }
  }

  @Test func `Text is not read beyond its end`() {
    let memory = GuardedMemory()
    for count in 0...40 {
      for value in [UInt8(ascii: "a"), UInt8(ascii: "\\")] {
        memory.withCopies(of: [UInt8](repeating: value, count: count)) { bytes in
          let text = written { $0.string(utf8: bytes) }
          #expect(text.utf8.count == 2 + count * (value == UInt8(ascii: "a") ? 1 : 2))
        }
      }
    }
  }

  @Test func `A text that was read is written with its original escapes`() throws {
    for literal in [#""plain""#, #""a\u00e9\"\n😀""#, #""""#] {
      try scan(literal) { (scanner) throws(JSONError) in
        let text = try scanner.readString()
        #expect(written { $0.string(text) } == literal)
      }
    }
  }

  // MARK: Numbers

  @Test func `Integers of every length are written exactly`() {
    var power: UInt64 = 1
    for _ in 0..<20 {
      for near in [power &- 1, power, power &+ 1] {
        #expect(written { $0.integer(near) } == String(near))
        let signed = Int64(truncatingIfNeeded: near)
        #expect(written { $0.integer(signed) } == String(signed))
      }
      power = power &* 10
    }
    for value in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
      #expect(written { $0.integer(value) } == String(value))
    }
    #expect(written { $0.integer(UInt64.max) } == String(UInt64.max))
  }

  @Test func `Any group of eight digits is written exactly, inside a longer number and alone`() {
    var random = SplitMix()
    for step in stride(from: UInt64(0), to: 100_000_000, by: 4_999) {
      #expect(written { $0.integer(step) } == String(step))
      let long = step &+ 100_000_000 &* UInt64.random(in: 1..<100_000_000_000, using: &random)
      #expect(written { $0.integer(long) } == String(long), "seed \(random.seed)")
    }
  }

  @Test(
    arguments: [
      (0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-1, "-1.0"), (0.5, "0.5"), (0.1, "0.1"),
      (-0.25, "-0.25"), (1.000001, "1.000001"), (0.000001, "0.000001"), (0.0000001, "1e-07"),
      (123456.789, "123456.789"), (999_999_999.999999, "999999999.999999"),
      (100, "100.0"), (1e15, "1000000000000000.0"), (1e16, "1e+16"),
      (1.0 / 3, "0.3333333333333333"),
      (0.30000000000000004, "0.30000000000000004"), (.leastNonzeroMagnitude, "5e-324"),
      (1.7976931348623157e308, "1.7976931348623157e+308"),
      (-2.2250738585072014e-308, "-2.2250738585072014e-308"),
    ] as [(Double, String)])
  func `A double is written as by the standard library, if that writes no exponent`(
    value: Double, text: String
  ) {
    #expect(written { $0.double(value) } == text)
  }

  @Test
  func
    `Any double is read back exactly, by us and another parser, and written as short as possible`()
    throws
  {
    var random = SplitMix()
    for round in 0..<30_000 {
      let value: Double
      switch round % 4 {
      case 0: value = Double(bitPattern: random.next())
      case 1: value = Double.random(in: 0...1, using: &random)
      case 2: value = Double(Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)) / 1e6
      default: value = (Double.random(in: -1e9...1e9, using: &random) * 1e6).rounded() / 1e6
      }
      guard value.isFinite else { continue }
      let text = written { $0.double(value) }
      #expect(Double(text) == value, "\(value) seed \(random.seed)")
      let read = try scan(text) { (scanner) throws(JSONError) in try scanner.readDouble() }
      #expect(read.bitPattern == value.bitPattern, "\(value) seed \(random.seed)")
      #expect(refusal(of: Array(text.utf8)) == nil, "\(text) seed \(random.seed)")
      #expect(significant(text) == significant(value.description), "\(text) seed \(random.seed)")
    }
  }

  /// The significant digits: without sign, point, exponent, and zeros at either end.
  private func significant(_ text: String) -> String {
    var digits = text.prefix { $0 != "e" }.filter(\.isNumber).drop { $0 == "0" }
    while digits.last == "0" { digits.removeLast() }
    return String(digits)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func `A number that is not finite is null, and does not end the program`(value: Double) {
    #expect(written { $0.double(value) } == "null")
  }

  // MARK: Storage

  @Test func `A writer appends to the given array in the same memory`() {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1000)
    bytes.append(contentsOf: Array("x".utf8))
    let address = bytes.withUnsafeBytes { $0.baseAddress }
    JSONWriter.append(to: &bytes) { writer in
      writer.beginArray()
      writer.integer(Int64(1))
      writer.endArray()
    }
    #expect(bytes == Array("x[1]".utf8))
    #expect(bytes.withUnsafeBytes { $0.baseAddress } == address)
    let writer = JSONWriter(appendingTo: bytes)
    #expect(writer.bytes == bytes)
    #expect(JSONWriter(reserving: 4096).bytes.capacity >= 4096)
  }

  @Test func `An error thrown while writing returns the array to the caller`() {
    struct Stop: Error {}
    var bytes = Array("x".utf8)
    #expect(throws: Stop.self) {
      try JSONWriter.append(to: &bytes) { (writer) throws(Stop) in
        writer.null()
        throw Stop()
      }
    }
    #expect(bytes == Array("xnull".utf8))
  }

  @Test func `The count includes staged bytes`() {
    var writer = JSONWriter()
    writer.beginArray()
    for index in 0..<100 {
      #expect(writer.count == 1 + max(0, 5 * index - 1))
      writer.integer(Int64(1000))
    }
    writer.endArray()
    #expect(writer.count == 501)
    #expect(writer.bytes.count == 501)
  }
}
