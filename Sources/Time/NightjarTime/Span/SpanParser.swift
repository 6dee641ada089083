/// Parses time spans with systemd's grammar, including its special cases, and a clock's notation
/// such as `1:30`. A text cannot be both, because systemd's time spans never contain a colon.
///
/// One special case is white space. Before a number, all white space of isspace(3) is allowed,
/// because systemd uses strtoll(3). In other places, only blank, tab, newline and carriage return
/// are allowed.
struct SpanParser {
  private let text: String
  private let bytes: [UInt8]
  private var index = 0
  private var totalUsec: UInt64 = 0
  private var bareNumber: String?
  private var monthsTerm: String?

  /// systemd's value for infinity. Every sum must be below it.
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

  /// Whether a clock's notation begins here: a colon, or a number and a colon. As in systemd, the
  /// number may have a plus sign.
  private var isAtClock: Bool {
    let unsigned = bytes[index] == UInt8(ascii: "+") ? bytes[(index + 1)...] : bytes[index...]
    return unsigned.drop(while: isDigit).first == UInt8(ascii: ":")
  }

  /// Parses `M:SS` or `H:MM:SS`.
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

  /// Parses two digits after a colon. A single digit is refused, because the meaning of `1:5` is
  /// not clear.
  private mutating func parseClockField() throws(TimeError) -> UInt64 {
    let digits = bytes[index...].prefix(while: isDigit)
    let value = digits.reduce(0) { min($0 * 10 + UInt64($1 - UInt8(ascii: "0")), 60) }
    guard digits.count == 2, value < 60 else { throw diagnosis.clockField(at: index) }
    index += 2
    return value
  }

  // MARK: systemd's terms

  /// Parses a number and its unit.
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
      // A number without a unit is in seconds, but only at the end or before a space.
      guard index > numberEnd || index == bytes.count else {
        throw diagnosis.unexpected(at: index)
      }
      unit = .second
      if bareNumber == nil { bareNumber = slice(termStart, numberEnd) }
    }
    try add(whole: whole.value, fraction: fraction, unit: unit, termStart: termStart)
  }

  /// Parses the digits before the decimal point; there may be none. White space and a sign may come
  /// before them, as in strtoll(3).
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

  /// Parses the digits after a decimal point, if there is one.
  private mutating func parseFraction() throws(TimeError) -> ArraySlice<UInt8> {
    guard index < bytes.count, bytes[index] == UInt8(ascii: ".") else { return [] }
    let start = index + 1
    index = start
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    guard index > start else { throw diagnosis.missingFraction(at: start) }
    return bytes[start..<index]
  }

  /// Adds a term. Multiplies and divides in systemd's order, so that the result is the same to the
  /// last microsecond.
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

/// Whether a byte is white space for systemd: a blank, tab, newline or carriage return.
func isBlank(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}

/// Whether isspace(3) accepts the byte in the C locale.
func isSpaceOfC(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
