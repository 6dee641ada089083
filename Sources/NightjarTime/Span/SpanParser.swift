/// Reads time spans with systemd's own grammar, including its corners, and a clock's notation, which
/// cannot be mistaken for them: no span of systemd's has a colon.
///
/// A corner worth knowing: the space before a number may be any of C's, the space elsewhere only
/// blank, tab, newline and return; systemd reads numbers with strtoll(3), which brings its own.
struct SpanParser {
  private let text: String
  private let bytes: [UInt8]
  private var index = 0
  private var totalUsec: UInt64 = 0
  private var bareNumber: String?
  private var monthsTerm: String?

  /// The value that systemd keeps for infinity; no sum may reach it.
  private static let infinityUsec = UInt64.max

  init(_ text: String) {
    self.text = text
    self.bytes = Array(text.utf8)
  }

  mutating func parse() throws(TimeError) -> ParsedSpan {
    skipBlanks()
    if bytes[index...].starts(with: "infinity".utf8) { return try parseInfinity() }
    guard index < bytes.count else { throw diagnosis.empty() }
    if isAtClock { return try parseClock() }
    repeat {
      try parseTerm()
      skipBlanks()
    } while index < bytes.count
    return ParsedSpan(
      span: .usec(totalUsec), bareNumber: bareNumber, monthsTerm: monthsTerm)
  }

  private mutating func parseInfinity() throws(TimeError) -> ParsedSpan {
    index += "infinity".utf8.count
    skipBlanks()
    guard index == bytes.count else { throw diagnosis.afterInfinity(at: index) }
    return ParsedSpan(span: .infinity)
  }

  // MARK: A clock's notation

  /// Whether a colon comes next, or behind a number. The number may have a plus sign, as all of
  /// systemd's may.
  private var isAtClock: Bool {
    let unsigned = bytes[index] == UInt8(ascii: "+") ? bytes[(index + 1)...] : bytes[index...]
    return unsigned.drop(while: isDigit).first == UInt8(ascii: ":")
  }

  /// `M:SS` or `H:MM:SS`, and nothing else.
  private mutating func parseClock() throws(TimeError) -> ParsedSpan {
    let start = index
    let first = try parseWhole()
    guard first.hasDigits else { throw diagnosis.missingFirstField(at: index) }
    var fields = [first.value]
    while fields.count < 3, index < bytes.count, bytes[index] == UInt8(ascii: ":") {
      index += 1
      fields.append(try parseClockField())
    }
    let fraction = try parseFraction()
    let written = slice(start, index)
    skipBlanks()
    guard index == bytes.count else { throw diagnosis.afterClock(written, at: index) }

    let layout: ClockNotation.Layout = fields.count == 2 ? .minutesSeconds : .hoursMinutesSeconds
    let units: [SpanUnit] =
      switch layout {
      case .minutesSeconds: [.minute, .second]
      case .hoursMinutesSeconds: [.hour, .minute, .second]
      }
    for (value, unit) in zip(fields, units) {
      try add(
        whole: value, fraction: unit == .second ? fraction : [], unit: unit, termStart: start)
    }
    return ParsedSpan(
      span: .usec(totalUsec), clock: ClockNotation(text: written, layout: layout))
  }

  /// What stands behind a colon: two digits, so that nobody has to guess what `1:5` is.
  private mutating func parseClockField() throws(TimeError) -> UInt64 {
    let digits = bytes[index...].prefix(while: isDigit)
    let value = digits.reduce(0) { min($0 * 10 + UInt64($1 - UInt8(ascii: "0")), 60) }
    guard digits.count == 2, value < 60 else { throw diagnosis.clockField(at: index) }
    index += 2
    return value
  }

  // MARK: systemd's terms

  /// One number and its unit.
  private mutating func parseTerm() throws(TimeError) {
    let termStart = index
    let whole = try parseWhole()
    let fraction = try parseFraction()
    let numberEnd = index
    guard whole.hasDigits || !fraction.isEmpty else { throw diagnosis.missingNumber(at: termStart) }

    skipBlanks()
    let unit: SpanUnit
    if let (found, length) = SpanUnit.leading(bytes[index...]) {
      unit = found
      if monthsTerm == nil, bytes[index] == UInt8(ascii: "M") {
        monthsTerm = slice(termStart, index + 1)
      }
      index += length
    } else {
      // A number that is followed by nothing or by a space is seconds; by anything else, an error.
      guard index > numberEnd || index == bytes.count else {
        throw diagnosis.unexpected(at: index)
      }
      unit = .second
      if bareNumber == nil { bareNumber = slice(termStart, numberEnd) }
    }
    try add(whole: whole.value, fraction: fraction, unit: unit, termStart: termStart)
  }

  /// The digits before the point; there may be none. As strtoll(3) reads them: spaces of any kind
  /// and a sign may come first.
  private mutating func parseWhole() throws(TimeError) -> (value: UInt64, hasDigits: Bool) {
    let start = index
    if bytes[index] == UInt8(ascii: "-") { throw diagnosis.negative(at: index) }
    while index < bytes.count, isSpaceOfC(bytes[index]) { index += 1 }
    var isNegative = false
    if index < bytes.count,
      bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-")
    {
      isNegative = bytes[index] == UInt8(ascii: "-")
      index += 1
    }
    let digitsStart = index
    var value: Int64 = 0
    while index < bytes.count, isDigit(bytes[index]) {
      let (scaled, overflowed) = value.multipliedReportingOverflow(by: 10)
      let (sum, carried) = scaled.addingReportingOverflow(Int64(bytes[index] - UInt8(ascii: "0")))
      guard !overflowed, !carried else { throw diagnosis.outOfRange(at: digitsStart) }
      value = sum
      index += 1
    }
    guard index > digitsStart else {
      index = start
      return (0, false)
    }
    guard !isNegative || value == 0 else { throw diagnosis.negative(at: digitsStart - 1) }
    return (UInt64(value), true)
  }

  /// The digits behind the point, if there is a point.
  private mutating func parseFraction() throws(TimeError) -> ArraySlice<UInt8> {
    guard index < bytes.count, bytes[index] == UInt8(ascii: ".") else { return [] }
    let start = index + 1
    index = start
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    guard index > start else { throw diagnosis.missingFraction(at: start) }
    return bytes[start..<index]
  }

  /// Adds a term; systemd's order of multiplying and dividing, so that the last microsecond agrees.
  private mutating func add(
    whole: UInt64, fraction: ArraySlice<UInt8>, unit: SpanUnit, termStart: Int
  ) throws(TimeError) {
    guard whole < Self.infinityUsec / unit.usec else { throw diagnosis.outOfRange(at: termStart) }
    try add(whole * unit.usec, termStart: termStart)
    var digitUsec = unit.usec / 10
    for digit in fraction {
      try add(UInt64(digit - UInt8(ascii: "0")) * digitUsec, termStart: termStart)
      digitUsec /= 10
    }
  }

  private mutating func add(_ usec: UInt64, termStart: Int) throws(TimeError) {
    guard usec < Self.infinityUsec - totalUsec else { throw diagnosis.outOfRange(at: termStart) }
    totalUsec += usec
  }

  private mutating func skipBlanks() {
    while index < bytes.count, isBlank(bytes[index]) { index += 1 }
  }

  private var diagnosis: SpanDiagnosis { SpanDiagnosis(text: text, bytes: bytes) }

  private func slice(_ start: Int, _ end: Int) -> String {
    String(decoding: bytes[start..<end], as: UTF8.self)
  }
}

/// Blank, tab, newline, return: what systemd calls white space.
func isBlank(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}

/// The space that isspace(3) knows in the C locale.
func isSpaceOfC(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
