import NightjarTestSupport
import NightjarTime
import Testing

@Suite struct SpanParserTests {
  @Test(
    arguments: [
      ("4min", 240_000_000), ("1h 30min", 5_400_000_000), ("1.5h", 5_400_000_000), (".5s", 500_000),
      ("+5s", 5_000_000), ("90", 90_000_000), ("10 10", 20_000_000), ("1M", 2_629_800_000_000),
      ("1y", 31_557_600_000_000), ("5µs", 5), ("0", 0), ("1h30", 3_630_000_000),
      ("25m30s", 1_530_000_000),
    ] as [(String, UInt64)])
  func `Terms add up to microseconds`(text: String, usec: UInt64) throws {
    #expect(try ParsedSpan(text).span == .usec(usec))
  }

  @Test func `Infinity is a span that must stand alone`() throws {
    #expect(try ParsedSpan(" infinity ").span == .infinity)
    #expect(throws: TimeError.self) { try ParsedSpan("infinity 5s") }
  }

  @Test func `The first number without a unit is reported`() throws {
    #expect(try ParsedSpan("120").bareNumber == "120")
    #expect(try ParsedSpan("1h 30 10").bareNumber == "30")
    #expect(try ParsedSpan("1h 30min").bareNumber == nil)
  }

  @Test func `M for months is reported, and month written out is not`() throws {
    #expect(try ParsedSpan("25M").monthsTerm == "25M")
    #expect(try ParsedSpan("1h 25 M").monthsTerm == "25 M")
    for text in ["25M", "1h 25 M", "1h 25M 3s"] {
      let readings = try ParsedSpan(text).monthsReadings
      #expect(readings?.minutes == "25min" && readings?.months == "25month", "\(text)")
    }
    #expect(try ParsedSpan("25month").monthsReadings == nil)
    #expect(try ParsedSpan("25month").monthsTerm == nil)
    #expect(try ParsedSpan("25m").monthsTerm == nil)
  }

  @Test(
    arguments: [
      ("1:30", 90_000_000, .minutesSeconds), ("0:20", 20_000_000, .minutesSeconds),
      ("00:00", 0, .minutesSeconds), ("90:00", 5_400_000_000, .minutesSeconds),
      ("007:05", 425_000_000, .minutesSeconds), ("1:30.5", 90_500_000, .minutesSeconds),
      ("0:00.0000019", 1, .minutesSeconds), ("0:59.999999", 59_999_999, .minutesSeconds),
      ("+1:30", 90_000_000, .minutesSeconds), ("1:30:00", 5_400_000_000, .hoursMinutesSeconds),
      ("0:00:59.25", 59_250_000, .hoursMinutesSeconds),
      ("100:59:01", 363_541_000_000, .hoursMinutesSeconds),
      ("5124095575:59:59.999999", 18_446_744_073_599_999_999, .hoursMinutesSeconds),
    ] as [(String, UInt64, ClockNotation.Layout)])
  func `A clock's notation is minutes and seconds, or hours, minutes and seconds with two colons`(
    text: String, usec: UInt64, layout: ClockNotation.Layout
  ) throws {
    for written in [text, " \t\(text)\r\n"] {
      let parsed = try ParsedSpan(written)
      #expect(parsed.span == .usec(usec))
      #expect(parsed.clock?.text == text && parsed.clock?.layout == layout)
      #expect(parsed.bareNumber == nil && parsed.monthsTerm == nil)
    }
  }

  @Test func `A span without a colon is not in a clock's notation`() throws {
    for text in ["90", "25m30s", "1h 30", "infinity"] {
      #expect(try ParsedSpan(text).clock == nil)
    }
  }

  private static let refusals = Row.table(
    #"""
    5Min => unknownUnit => 2 => unknown unit 'Min' at 2; did you mean 'min'?
    5mins => unknownUnit => 2 => unknown unit 'mins' at 2; did you mean 'min'?
    1h 5 hrs => unknownUnit => 6 => unknown unit 'hrs' at 6; did you mean 'hr'?
    5 H => unknownUnit => 3 => unknown unit 'H' at 3; did you mean 'h'?
    5ns => unknownUnit => 2 => unknown unit 'ns' at 2; the smallest unit is us
    5qx => unknownUnit => 2 => unknown unit 'qx' at 2; the units are us ms s min h d w month y
    1,5h => decimalComma => 2 => ',' at 2 is no decimal point; use 1.5h
    1h,30min => unexpected => 3 => unexpected ',' at 3; put a space between the terms, such as 1h \#
    30min
    -5s => negative => 1 => a time span cannot be negative ('-' at 1)
    1h -5s => negative => 4 => a time span cannot be negative ('-' at 4)
    1. => missingFraction => 3 => expected a digit after the point at 3; write 1 or 1.0
    . => missingFraction => 2 => expected a digit after the point at 2; write 0.5
    1.2.3s => unexpected => 4 => a second decimal point at 4
    1e3s => exponent => 2 => no exponents ('e' at 2); write the number out, such as 1000s
    PT5M => iso8601 => 1 => 'PT5M' is in ISO 8601, which is not taken; write 5min
    P1DT1H30M => iso8601 => 1 => 'P1DT1H30M' is in ISO 8601, which is not taken; write 1d 1h 30min
    P1 => iso8601 => 1 => 'P1' is in ISO 8601, which is not taken; write it as 1h 30min
    PX1 => iso8601 => 1 => 'PX1' is in ISO 8601, which is not taken; write it as 1h 30min
    tea => missingNumber => 1 => expected a number at 1, not 'tea'; write a span such as 4min or \#
    1h 30min
    5s % => missingNumber => 4 => expected a number at 4, not '%'; write a span such as 4min or \#
    1h 30min
    5% => unexpected => 2 => unexpected '%' at 2; expected a unit such as s, min or h
    9223372036854775808 => outOfRange => 1 => '9223372036854775808' at 1 is too long; the longest \#
    span is about 584542 years
    1s 584543y => outOfRange => 4 => '584543y' at 4 is too long; the longest span is about 584542 \#
    years
    5é => unknownUnit => 2 => unknown unit 'é' at 2; the units are us ms s min h d w month y
    infinity 1 => unexpected => 10 => unexpected '1' at 10; infinity stands alone
    infinitys => unexpected => 9 => unexpected 's' at 9; infinity stands alone
    """#)

  private static let clockRefusals = Row.table(
    #"""
    :30 => clockNotation => 1 => expected a number before ':' at 1, such as 0:30
    +:30 => clockNotation => 2 => expected a number before ':' at 2, such as 0:30
    : => clockNotation => 1 => expected a number before ':' at 1, such as 0:30
    1: => clockNotation => 3 => expected two digits from 00 to 59 at 3
    1:30: => clockNotation => 6 => expected two digits from 00 to 59 at 6
    1:5 => clockNotation => 3 => expected two digits from 00 to 59 at 3, not '5'
    1:005 => clockNotation => 3 => expected two digits from 00 to 59 at 3, not '005'
    1:60 => clockNotation => 3 => expected two digits from 00 to 59 at 3, not '60'
    1:60:00 => clockNotation => 3 => expected two digits from 00 to 59 at 3, not '60'
    1:2:3 => clockNotation => 3 => expected two digits from 00 to 59 at 3, not '2'
    01:02:3s => clockNotation => 7 => expected two digits from 00 to 59 at 7, not '3'
    1:x => clockNotation => 3 => expected two digits from 00 to 59 at 3, not 'x'
    1: 30 => clockNotation => 3 => expected two digits from 00 to 59 at 3, not ' '
    1:-30 => clockNotation => 3 => expected two digits from 00 to 59 at 3, not '-'
    1:٣٠ => clockNotation => 3 => expected two digits from 00 to 59 at 3, not '٣'
    1:30 5s => clockNotation => 6 => unexpected '5' at 6; 1:30 stands alone, without units and \#
    other terms
    1:30min => clockNotation => 5 => unexpected 'm' at 5; 1:30 stands alone, without units and \#
    other terms
    1:30:00 0:20 => clockNotation => 9 => unexpected '0' at 9; 1:30:00 stands alone, without \#
    units and other terms
    1:30, => clockNotation => 5 => unexpected ',' at 5; 1:30 stands alone, without units and \#
    other terms
    1:02:03:04 => clockNotation => 8 => unexpected ':' at 8; a clock's notation is \#
    minutes:seconds or hours:minutes:seconds
    1:30.5:00 => clockNotation => 7 => unexpected ':' at 7; a clock's notation is minutes:seconds \#
    or hours:minutes:seconds
    1h 1:30 => clockNotation => 5 => unexpected ':' at 5; a clock's notation stands alone and \#
    begins with a whole number, such as 1:30 or 1:30:00
    1.5:00 => clockNotation => 4 => unexpected ':' at 4; a clock's notation stands alone and \#
    begins with a whole number, such as 1:30 or 1:30:00
    5min:30 => clockNotation => 5 => unexpected ':' at 5; a clock's notation stands alone and \#
    begins with a whole number, such as 1:30 or 1:30:00
    1:30,5 => decimalComma => 5 => ',' at 5 is no decimal point; use 1:30.5
    1:30. => missingFraction => 6 => expected a digit after the point at 6; write 30 or 30.0
    -1:30 => negative => 1 => a time span cannot be negative ('-' at 1)
    -0:00 => negative => 1 => a time span cannot be negative ('-' at 1)
    ١:30 => missingNumber => 1 => expected a number at 1, not '١:30'; write a span such as 4min \#
    or 1h 30min
    5124095576:00:00 => outOfRange => 1 => '5124095576:00:00' at 1 is too long; the longest span \#
    is about 584542 years
    9223372036854775808:00 => outOfRange => 1 => '9223372036854775808:00' at 1 is too long; the \#
    longest span is about 584542 years
    """#)

  @Test(arguments: refusals + clockRefusals)
  func `A refusal has the mistake, its position and the remedy`(row: Row) throws {
    let error = try #require(throws: TimeError.self) { try ParsedSpan(row[0]) }
    #expect("\(error.kind)" == row[1] && "\(error.position)" == row[2])
    #expect(error.description == row[3])
  }

  @Test(arguments: ["", "   "]) func `An empty span is refused at its beginning`(text: String)
    throws
  {
    let error = try #require(throws: TimeError.self) { try ParsedSpan(text) }
    #expect(error.kind == .empty && error.position == 1)
    #expect(error.description == "the time span is empty; write one such as 4min or 1h 30min")
  }
}
