import NightjarTime
import Testing

@Suite struct SpanParserTests {
  @Test(
    "Terms add up to microseconds",
    arguments: [
      ("4min", 240_000_000), ("1h 30min", 5_400_000_000), ("1.5h", 5_400_000_000), (".5s", 500_000),
      ("+5s", 5_000_000), ("90", 90_000_000), ("10 10", 20_000_000), ("1M", 2_629_800_000_000),
      ("1y", 31_557_600_000_000), ("5µs", 5), ("0", 0), ("1h30", 3_630_000_000),
    ] as [(String, UInt64)])
  func values(text: String, usec: UInt64) throws {
    #expect(try ParsedSpan(text).span == .usec(usec))
  }

  @Test("Infinity is a span of its own and stands alone")
  func infinity() throws {
    #expect(try ParsedSpan(" infinity ").span == .infinity)
    #expect(throws: TimeError.self) { try ParsedSpan("infinity 5s") }
  }

  @Test("A bare number is reported, the first one")
  func bareNumber() throws {
    #expect(try ParsedSpan("120").bareNumber == "120")
    #expect(try ParsedSpan("1h 30 10").bareNumber == "30")
    #expect(try ParsedSpan("1h 30min").bareNumber == nil)
  }

  @Test("M for months is reported, month written out is not")
  func months() throws {
    #expect(try ParsedSpan("25M").monthsTerm == "25M")
    #expect(try ParsedSpan("1h 25 M").monthsTerm == "25 M")
    #expect(try ParsedSpan("25month").monthsTerm == nil)
    #expect(try ParsedSpan("25m").monthsTerm == nil)
  }

  @Test(
    "A refusal names what was wrong, where, and what would be right",
    arguments: [
      ("", .empty, 1, "the time span is empty; write one such as 4min or 1h 30min"),
      ("   ", .empty, 1, "the time span is empty; write one such as 4min or 1h 30min"),
      ("5Min", .unknownUnit, 2, "unknown unit 'Min' at 2; did you mean 'min'?"),
      ("5mins", .unknownUnit, 2, "unknown unit 'mins' at 2; did you mean 'min'?"),
      ("1h 5 hrs", .unknownUnit, 6, "unknown unit 'hrs' at 6; did you mean 'hr'?"),
      ("5 H", .unknownUnit, 3, "unknown unit 'H' at 3; did you mean 'h'?"),
      ("5ns", .unknownUnit, 2, "unknown unit 'ns' at 2; the smallest unit is us"),
      ("5qx", .unknownUnit, 2, "unknown unit 'qx' at 2; the units are us ms s min h d w month y"),
      ("1,5h", .decimalComma, 2, "',' at 2 is no decimal point; use 1.5h"),
      (
        "1h,30min", .unexpected, 3,
        "unexpected ',' at 3; put a space between the terms, such as 1h 30min"
      ),
      ("-5s", .negative, 1, "a time span cannot be negative ('-' at 1)"),
      ("1h -5s", .negative, 4, "a time span cannot be negative ('-' at 4)"),
      (
        "1:30", .clockNotation, 2,
        "'1:30' is a clock's notation (':' at 2); write 1min 30s or 1h 30min"
      ),
      (
        "01:02:03", .clockNotation, 3,
        "'01:02:03' is a clock's notation (':' at 3); write 1h 2min 3s"
      ),
      (
        "1:x", .clockNotation, 2,
        "'1:x' is a clock's notation (':' at 2); write it with units, such as 1min 30s"
      ),
      ("1.", .missingFraction, 3, "expected a digit after the point at 3; write 1 or 1.0"),
      (".", .missingFraction, 2, "expected a digit after the point at 2; write 0.5"),
      ("1.2.3s", .unexpected, 4, "a second decimal point at 4"),
      ("1e3s", .exponent, 2, "no exponents ('e' at 2); write the number out, such as 1000s"),
      ("PT5M", .iso8601, 1, "'PT5M' is in ISO 8601, which is not taken; write 5min"),
      (
        "P1DT1H30M", .iso8601, 1,
        "'P1DT1H30M' is in ISO 8601, which is not taken; write 1d 1h 30min"
      ),
      ("P1", .iso8601, 1, "'P1' is in ISO 8601, which is not taken; write it as 1h 30min"),
      ("PX1", .iso8601, 1, "'PX1' is in ISO 8601, which is not taken; write it as 1h 30min"),
      (
        "tea", .missingNumber, 1,
        "expected a number at 1, not 'tea'; write a span such as 4min or 1h 30min"
      ),
      (
        "5s %", .missingNumber, 4,
        "expected a number at 4, not '%'; write a span such as 4min or 1h 30min"
      ),
      ("5%", .unexpected, 2, "unexpected '%' at 2; expected a unit such as s, min or h"),
      (
        "9223372036854775808", .outOfRange, 1,
        "'9223372036854775808' at 1 is too long; the longest span is about 584542 years"
      ),
      (
        "1s 584543y", .outOfRange, 4,
        "'584543y' at 4 is too long; the longest span is about 584542 years"
      ),
      ("5é", .unknownUnit, 2, "unknown unit 'é' at 2; the units are us ms s min h d w month y"),
      ("infinity 1", .unexpected, 10, "unexpected '1' at 10; infinity stands alone"),
      ("infinitys", .unexpected, 9, "unexpected 's' at 9; infinity stands alone"),
    ] as [(String, TimeError.Kind, Int, String)])
  func refusals(text: String, kind: TimeError.Kind, position: Int, message: String) throws {
    let error = try #require(throws: TimeError.self) { try ParsedSpan(text) }
    #expect(error.kind == kind)
    #expect(error.position == position)
    #expect(error.description == message)
  }
}
