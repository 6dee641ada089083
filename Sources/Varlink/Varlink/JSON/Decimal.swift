/// Converts numbers to decimal digits, eight at a time.
enum Decimal {
  /// The eight digits of a number below 10^8, each as a value from 0 to 9 in one byte. The first
  /// digit is in the lowest byte.
  ///
  /// This is the inverse of `Words.eightDigits`. Each step splits all parts of the word at once:
  /// first into numbers of four digits, then of two digits, then of one digit. The division uses
  /// factors that are exact for the values of the parts: 10486 / 2^20 for 1/100 below 10^4, and 103
  /// / 2^10 for 1/10 below 100.
  @inline(__always)
  static func eightDigits(of value: UInt64) -> UInt64 {
    let fours = value / 10_000 | (value % 10_000) &<< 32
    let hundreds = (fours &* 10_486) &>> 20 & 0x0000_007f_0000_007f
    let pairs = hundreds | (fours &- hundreds &* 100) &<< 16
    let tens = (pairs &* 103) &>> 10 & 0x000f_000f_000f_000f
    return tens | (pairs &- tens &* 10) &<< 8
  }

  /// Whether a number is the double nearest to a decimal with at most six decimal places and at
  /// most 15 digits in all. False for minus zero.
  ///
  /// If so, that decimal without zeros at its end is the shortest decimal that is parsed as the
  /// same double. Reason: two different decimals of up to 15 digits never have the same nearest
  /// double.
  @inline(__always)
  static func isShort(_ value: Double) -> Bool {
    let scaled = (value * 1_000_000).rounded()
    return scaled.magnitude < 1e15 && scaled / 1_000_000 == value
      && !(value == 0 && value.sign == .minus)
  }
}

extension JSONWriter.Target {
  /// Writes a whole number. May overwrite up to eight bytes after the number.
  @inline(__always)
  mutating func digits(_ value: UInt64) {
    guard value >= 100_000_000 else { return leadingDigits(value) }
    let (high, low) = (value / 100_000_000, value % 100_000_000)
    if high >= 100_000_000 {
      leadingDigits(high / 100_000_000)
      allDigits(high % 100_000_000)
    } else {
      leadingDigits(high)
    }
    allDigits(low)
  }

  /// Writes a number below 10^8.
  @inline(__always)
  private mutating func leadingDigits(_ value: UInt64) {
    let digits = Decimal.eightDigits(of: value)
    // Without the added bit in the last byte, the number 0 would have no digit.
    let zeros = (digits | 1 &<< 56).trailingZeroBitCount & ~7
    Words.store((digits &+ Words.filled(with: UInt8(ascii: "0"))) &>> UInt64(zeros), to: next)
    next += 8 &- zeros &>> 3
  }

  /// Writes a number below 10^8 with all eight digits.
  @inline(__always)
  private mutating func allDigits(_ value: UInt64) {
    let digits = Decimal.eightDigits(of: value)
    Words.store(digits &+ Words.filled(with: UInt8(ascii: "0")), to: next)
    next += 8
  }

  /// Writes a number that is given in millionths, with a decimal point and at least one digit after
  /// the point.
  mutating func millionths(_ value: Int64) {
    if value < 0 { byte(UInt8(ascii: "-")) }
    let (whole, part) = value.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    digits(whole)
    // The added million puts a 1 before the fraction, so that the leading zeros of the fraction are
    // written. The point then overwrites the 1.
    let point = next
    digits(1_000_000 &+ part)
    point.pointee = UInt8(ascii: ".")
    while next - point > 2, next[-1] == UInt8(ascii: "0") { next -= 1 }
  }
}
