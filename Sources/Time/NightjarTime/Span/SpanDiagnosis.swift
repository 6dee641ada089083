/// Explains why a time span was refused. It finds the most helpful sentence for the position at
/// which the parser stopped.
///
/// This code runs only for refused text, so it may scan the whole text again.
struct SpanDiagnosis {
  let text: String
  let bytes: [UInt8]

  func empty() -> TimeError {
    TimeError(.empty, at: 1, "the time span is empty; write one such as 4min or 1h 30min")
  }

  func negative(at index: Int) -> TimeError {
    TimeError(
      .negative, at: position(index), "a time span cannot be negative ('-' at \(position(index)))")
  }

  func outOfRange(at index: Int) -> TimeError {
    TimeError(
      .outOfRange, at: position(index),
      "'\(chunk(at: index))' at \(position(index)) is too long; the longest span is about 584542 years"
    )
  }

  func afterInfinity(at index: Int) -> TimeError {
    TimeError(
      .unexpected, at: position(index),
      "unexpected '\(character(at: index))' at \(position(index)); infinity stands alone")
  }

  func missingFirstField(at index: Int) -> TimeError {
    let colon = bytes[index...].firstIndex(of: UInt8(ascii: ":")) ?? index
    return TimeError(
      .clockNotation, at: position(colon),
      "expected a number before ':' at \(position(colon)), such as 0:30")
  }

  func clockField(at index: Int) -> TimeError {
    let rule = "expected two digits from 00 to 59 at \(position(index))"
    guard index < bytes.count else { return TimeError(.clockNotation, at: position(index), rule) }
    let digits = String(decoding: bytes[index...].prefix(while: isDigit), as: UTF8.self)
    let found = digits.isEmpty ? String(character(at: index)) : digits
    return TimeError(.clockNotation, at: position(index), "\(rule), not '\(found)'")
  }

  func afterClock(_ clock: String, at index: Int) -> TimeError {
    if isDecimalComma(at: index) { return comma(at: index) }
    let rule =
      bytes[index] == UInt8(ascii: ":")
      ? "a clock's notation is minutes:seconds or hours:minutes:seconds"
      : "\(clock) stands alone, without units and other terms"
    return TimeError(
      .clockNotation, at: position(index),
      "unexpected '\(character(at: index))' at \(position(index)); \(rule)")
  }

  func missingFraction(at index: Int) -> TimeError {
    let number = String(
      decoding: bytes[numberStart(before: index - 1)..<(index - 1)], as: UTF8.self)
    let remedy = number.isEmpty ? "write 0.5" : "write \(number) or \(number).0"
    return TimeError(
      .missingFraction, at: position(index),
      "expected a digit after the point at \(position(index)); \(remedy)")
  }

  func missingNumber(at index: Int) -> TimeError {
    if index == firstCharacter, let iso = iso8601() { return iso }
    // The parser took the beginning of a longer word for a unit: `5mins` stops at the `s`.
    if index > 0, isLetter(bytes[index - 1]), isLetter(bytes[index]) {
      return unknownWord(at: index)
    }
    if isLetter(bytes[index]), let before = lastCharacter(before: index), isDigit(bytes[before]) {
      return unknownWord(at: index)
    }
    if bytes[index] == UInt8(ascii: ",") || bytes[index] == UInt8(ascii: ":") {
      return unexpected(at: index)
    }
    return TimeError(
      .missingNumber, at: position(index),
      "expected a number at \(position(index)), not '\(chunk(at: index))'; write a span such as 4min or 1h 30min"
    )
  }

  func unexpected(at index: Int) -> TimeError {
    switch bytes[index] {
    case UInt8(ascii: ","): return comma(at: index)
    case UInt8(ascii: ":"): return colon(at: index)
    case UInt8(ascii: "."):
      return TimeError(
        .unexpected, at: position(index), "a second decimal point at \(position(index))")
    case let byte where isLetter(byte): return unknownWord(at: index)
    default:
      return TimeError(
        .unexpected, at: position(index),
        "unexpected '\(character(at: index))' at \(position(index)); expected a unit such as s, min or h"
      )
    }
  }

  // MARK: The particular mistakes

  private func unknownWord(at index: Int) -> TimeError {
    let start = wordStart(at: index)
    let word = String(decoding: bytes[start..<wordEnd(at: index)], as: UTF8.self)
    let place = position(start)
    if let exponent = exponent(wordStart: start, word: word) { return exponent }
    let head = "unknown unit '\(word)' at \(place)"
    if let suggestion = SpanUnit.suggestion(for: word) {
      return TimeError(.unknownUnit, at: place, "\(head); did you mean '\(suggestion)'?")
    }
    let remedy =
      word == "ns" || word.hasPrefix("nano")
      ? "the smallest unit is us" : "the units are us ms s min h d w month y"
    return TimeError(.unknownUnit, at: place, "\(head); \(remedy)")
  }

  private func exponent(wordStart: Int, word: String) -> TimeError? {
    let end = wordEnd(at: wordStart)
    guard word == "e" || word == "E", wordStart > 0, isDigit(bytes[wordStart - 1]),
      end < bytes.count, isDigit(bytes[end]) || bytes[end] == UInt8(ascii: "-")
    else { return nil }
    return TimeError(
      .exponent, at: position(wordStart),
      "no exponents ('e' at \(position(wordStart))); write the number out, such as 1000s")
  }

  private func isDecimalComma(at index: Int) -> Bool {
    bytes[index] == UInt8(ascii: ",") && index > 0 && isDigit(bytes[index - 1])
      && index + 1 < bytes.count && isDigit(bytes[index + 1])
  }

  private func comma(at index: Int) -> TimeError {
    guard isDecimalComma(at: index) else {
      return TimeError(
        .unexpected, at: position(index),
        "unexpected ',' at \(position(index)); put a space between the terms, such as 1h 30min")
    }
    var repaired = bytes
    repaired[index] = UInt8(ascii: ".")
    let meant = String(decoding: repaired[firstCharacter...], as: UTF8.self)
    return TimeError(
      .decimalComma, at: position(index),
      "',' at \(position(index)) is no decimal point; use \(meant)")
  }

  /// The error for a colon between systemd's terms, or after a number with a decimal point.
  private func colon(at index: Int) -> TimeError {
    TimeError(
      .clockNotation, at: position(index),
      "unexpected ':' at \(position(index)); a clock's notation stands alone and begins with a whole "
        + "number, such as 1:30 or 1:30:00")
  }

  private func iso8601() -> TimeError? {
    let isIso =
      bytes[firstCharacter] == UInt8(ascii: "P") && bytes.contains(where: isDigit)
    guard isIso else { return nil }
    let remedy = spanFromISO8601().map { "write \($0)" } ?? "write it as 1h 30min"
    let start = firstCharacter
    let written = String(decoding: bytes[start...], as: UTF8.self)
    return TimeError(
      .iso8601, at: position(start),
      "'\(written)' is in ISO 8601, which is not taken; \(remedy)")
  }

  /// The translation of ISO 8601 such as `PT1H30M` into `1h 30min`; nil: the text is not ISO 8601.
  private func spanFromISO8601() -> String? {
    var inTime = false
    var span = ""
    for byte in bytes[(firstCharacter + 1)...] {
      switch byte {
      case UInt8(ascii: "T"): inTime = true
      case UInt8(ascii: "M"): span += inTime ? "min " : "month "
      case UInt8(ascii: "H"), UInt8(ascii: "S"), UInt8(ascii: "D"), UInt8(ascii: "W"),
        UInt8(ascii: "Y"):
        span += "\(Character(UnicodeScalar(byte)).lowercased()) "
      case UInt8(ascii: "."),
        _ where isDigit(byte):
        span.unicodeScalars.append(UnicodeScalar(byte))
      default: return nil
      }
    }
    guard span.last == " " else { return nil }
    span.removeLast()
    do {
      _ = try ParsedSpan(span)
      return span
    } catch {
      return nil
    }
  }

  // MARK: Scanning the text

  private var firstCharacter: Int { bytes.firstIndex { !isSpaceOfC($0) } ?? 0 }

  private func lastCharacter(before index: Int) -> Int? {
    bytes[..<index].lastIndex { !isBlank($0) }
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || byte >= 0x80
  }

  private func wordStart(at index: Int) -> Int {
    var start = index
    while start > 0, isLetter(bytes[start - 1]) { start -= 1 }
    return start
  }

  private func wordEnd(at index: Int) -> Int {
    var end = index
    while end < bytes.count, isLetter(bytes[end]) { end += 1 }
    return end
  }

  private func numberStart(before index: Int) -> Int {
    var start = index
    while start > 0, isDigit(bytes[start - 1]) { start -= 1 }
    return start
  }

  /// The text from `index` up to the next space.
  private func chunk(at index: Int) -> String {
    let rest = bytes[index...].drop(while: isSpaceOfC)
    return String(decoding: rest.prefix { !isSpaceOfC($0) }, as: UTF8.self)
  }

  private func character(at index: Int) -> Character {
    String(decoding: bytes[index...], as: UTF8.self).first ?? " "
  }

  /// The number of the character at byte `index`, counted from 1.
  private func position(_ index: Int) -> Int {
    String(decoding: bytes[..<min(index, bytes.count)], as: UTF8.self).unicodeScalars.count + 1
  }
}
