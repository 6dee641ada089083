import NightjarTestSupport
import Testing
import Varlink

@Suite struct JSONScannerTests {
  @Test func `A caller walks through a document and gets the values that it asks for`() throws {
    let text = #" { "name" : "tea" , "n" : [ 1 , -2 ] , "on" : true, "off":false, "x" : null } "#
    try scan(text) { (scanner) throws(JSONError) in
      var names: [String] = []
      var numbers: [Int64] = []
      var members = try scanner.beginObject()
      while let key = try scanner.nextMember(&members) {
        names.append(key.string)
        switch try scanner.peek() {
        case .string: #expect(try scanner.readString().string == "tea")
        case .array:
          var elements = try scanner.beginArray()
          while try scanner.nextElement(&elements) { numbers.append(try scanner.readInteger()) }
        case .bool: #expect(try scanner.readBool() == key.equals("on"))
        case .null: try scanner.readNull()
        case .object, .number: Issue.record("unexpected kind")
        }
      }
      try scanner.finish()
      #expect(names == ["name", "n", "on", "off", "x"])
      #expect(numbers == [1, -2])
      #expect(scanner.offset == text.utf8.count)
    }
  }

  @Test func `An object or array that has ended stays ended`() throws {
    try scan("[[],1]") { (scanner) throws(JSONError) in
      var outer = try scanner.beginArray()
      #expect(try scanner.nextElement(&outer))
      var inner = try scanner.beginArray()
      #expect(try !scanner.nextElement(&inner))
      #expect(try !scanner.nextElement(&inner))
      #expect(try scanner.nextElement(&outer))
      #expect(try scanner.readInteger() == 1)
      #expect(try !scanner.nextElement(&outer))
      #expect(try !scanner.nextElement(&outer))
      try scanner.finish()
    }
    try scan("{}") { (scanner) throws(JSONError) in
      var members = try scanner.beginObject()
      #expect(try scanner.nextMember(&members) == nil)
      #expect(try scanner.nextMember(&members) == nil)
    }
  }

  @Test func `A value that is neither read nor skipped causes an error at the next step`() {
    let error = problem(#"{"a":1,"b":2}"#) { (scanner) throws(JSONError) in
      var members = try scanner.beginObject()
      _ = try scanner.nextMember(&members)
      _ = try scanner.nextMember(&members)
    }
    #expect(error?.problem == .unexpectedByte)
  }

  @Test(arguments: ["{ \"a\" : [ 1 ] }", "[ ]", "\"x y\"", "-1.5e3", "true", "null"])
  func `A skipped value is returned as it was sent, without white space around it`(value: String)
    throws
  {
    try scan("[ \(value) , 2 ]") { (scanner) throws(JSONError) in
      var elements = try scanner.beginArray()
      _ = try scanner.nextElement(&elements)
      #expect(Array(try scanner.skipValue()) == Array(value.utf8))
      #expect(try scanner.nextElement(&elements))
      #expect(try scanner.readInteger() == 2)
    }
  }

  @Test func `A value of another kind is refused with both kinds`() {
    let values: [(JSONKind, String)] = [
      (.object, "{}"), (.array, "[]"), (.string, "\"\""), (.number, "-1"), (.bool, "false"),
      (.null, "null"),
    ]
    let readers: [(JSONKind, (inout JSONScanner) throws(JSONError) -> Void)] = [
      (.object, { (scanner) throws(JSONError) in _ = try scanner.beginObject() }),
      (.array, { (scanner) throws(JSONError) in _ = try scanner.beginArray() }),
      (.string, { (scanner) throws(JSONError) in _ = try scanner.readString() }),
      (.number, { (scanner) throws(JSONError) in _ = try scanner.readInteger() }),
      (.number, { (scanner) throws(JSONError) in _ = try scanner.readDouble() }),
      (.bool, { (scanner) throws(JSONError) in _ = try scanner.readBool() }),
      (.null, { (scanner) throws(JSONError) in try scanner.readNull() }),
    ]
    for (expected, read) in readers {
      for (found, text) in values {
        let error = problem(" " + text, read)
        if expected == found {
          #expect(error == nil)
        } else {
          #expect(error == JSONError(.wrongKind(expected: expected, found: found), at: 1))
        }
      }
      #expect(problem("", read)?.problem == .unexpectedEnd)
      #expect(problem("?", read)?.problem == .unexpectedByte)
    }
  }

  // MARK: Depth

  @Test
  func `The deepest nesting is accepted and one more level refused, however it is read`() throws {
    func nested(_ depth: Int, _ open: String, _ close: String) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
      let levels = open.hasPrefix("[{") ? 2 : 1
      let deepest = nested(WireLimits.nestingDepth / levels, open, close)
      #expect(refusal(of: Array(deepest.utf8)) == nil)
      #expect(throws: Never.self) { try JSONValue.parse(deepest) }
      for tooDeep in ["[" + deepest + "]", #"{"a":"# + deepest + "}"] {
        #expect(refusal(of: Array(tooDeep.utf8))?.problem == .tooDeep)
        #expect { try JSONValue.parse(tooDeep) } throws: {
          ($0 as? JSONError)?.problem == .tooDeep
        }
      }
    }
  }

  @Test func `A million brackets cause an error and no stack overflow`() {
    #expect(refusal(of: [UInt8](repeating: 0x5b, count: 1_000_000))?.problem == .tooDeep)
  }

  @Test func `Objects and arrays that have ended do not count for the depth`() {
    let wide = "[" + Array(repeating: "[{}]", count: 1000).joined(separator: ",") + "]"
    #expect(refusal(of: Array(wide.utf8)) == nil)
    #expect(throws: Never.self) { try JSONValue.parse(wide) }
  }

  // MARK: Numbers

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("12345678", 12_345_678),
    ("123456789", 123_456_789), ("-1234567890123456", -1_234_567_890_123_456),
    ("999999999999999999", 999_999_999_999_999_999),
    ("1000000000000000000", 1_000_000_000_000_000_000),
    ("9223372036854775806", Int64.max - 1), ("9223372036854775807", Int64.max),
    ("-9223372036854775807", Int64.min + 1), ("-9223372036854775808", Int64.min),
  ])
  func `Integers are read exactly, up to the ends of Int64`(text: String, value: Int64) throws {
    for padding in ["", " ", "         "] {
      #expect(
        try scan(padding + text + padding) { (scanner) throws(JSONError) in
          try scanner.readInteger()
        } == value)
    }
  }

  @Test(arguments: [
    ("9223372036854775808", JSONError.Problem.numberOutOfRange),
    ("-9223372036854775809", .numberOutOfRange), ("10000000000000000000", .numberOutOfRange),
    ("18446744073709551615", .numberOutOfRange), ("18446744073709551616", .numberOutOfRange),
    ("18446744073709551617", .numberOutOfRange), ("99999999999999999999", .numberOutOfRange),
    ("340282366920938463463374607431768211456", .numberOutOfRange),
    ("1.5", .badNumber), ("1.0", .badNumber), ("1e3", .badNumber), ("1E0", .badNumber),
    ("12345678901.5", .badNumber), ("01", .badNumber), ("-01", .badNumber), ("00", .badNumber),
    ("-", .unexpectedEnd), ("-x", .badNumber), ("1.", .unexpectedEnd), ("1e", .unexpectedEnd),
    ("99999999999999999999.5", .badNumber), ("00000000000000000000000000001", .badNumber),
  ])
  func `A number that is no integer or too large is refused for that reason`(
    text: String, expected: JSONError.Problem
  ) {
    #expect(
      problem(text) { (scanner) throws(JSONError) in try scanner.readInteger() }?.problem
        == expected)
  }

  @Test func `Any integer can be written and read back`() throws {
    var random = SplitMix()
    for _ in 0..<20_000 {
      let value =
        Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...63, using: &random)
      let text = written { $0.integer(value) }
      #expect(text == String(value), "seed \(random.seed)")
      #expect(
        try scan(text) { (scanner) throws(JSONError) in try scanner.readInteger() } == value,
        "seed \(random.seed)")
    }
  }

  @Test(arguments: [
    ("0", 0.0), ("-0", -0.0), ("1", 1), ("0.1", 0.1), ("1e3", 1000), ("-2.5E-3", -0.0025),
    ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
    ("2.2250738585072014e-308", .leastNormalMagnitude), ("5e-324", .leastNonzeroMagnitude),
    ("2e-324", 0), ("1e-99999999999999999999", 0), ("0e99999999999999999999", 0),
    ("9007199254740993", 9_007_199_254_740_992),
    ("18446744073709551616", 18_446_744_073_709_551_616),
    ("1.00000000000000011102230246251565404", 1),
    ("1.00000000000000011102230246251565405", 1.0000000000000002220446049250313),
  ])
  func `Numbers are read as the nearest double`(text: String, value: Double) throws {
    let read = try scan(text) { (scanner) throws(JSONError) in try scanner.readDouble() }
    #expect(read.bitPattern == value.bitPattern)
  }

  @Test(arguments: [
    "1e309", "-1e309", "1.7976931348623159e308", "1e99999999999999999999",
    String(repeating: "1", count: 400),
    "0." + String(repeating: "0", count: WireLimits.numberBytes),
  ])
  func `A double that would be infinite or is too long is refused`(text: String) {
    let error = problem(text) { (scanner) throws(JSONError) in try scanner.readDouble() }
    #expect(error?.problem == .numberOutOfRange)
  }

  @Test func `The exact decimal expansion of the smallest double is within the limit`() throws {
    // 5e-324 is 2^-1074, which is 5^1074 / 10^1074: 1074 digits after the point.
    var digits: [UInt8] = [1]
    for _ in 0..<1074 {
      var carry = 0
      for index in digits.indices {
        carry += Int(digits[index]) * 5
        digits[index] = UInt8(carry % 10)
        carry /= 10
      }
      while carry > 0 {
        digits.append(UInt8(carry % 10))
        carry /= 10
      }
    }
    let significant = digits.reversed().map { String($0) }.joined()
    let zeros = String(repeating: "0", count: 1074 - significant.count)
    let text = "-0." + zeros + significant
    #expect(text.utf8.count <= WireLimits.numberBytes)
    #expect(
      try scan(text) { (scanner) throws(JSONError) in try scanner.readDouble() }
        == -Double.leastNonzeroMagnitude)
  }
}
