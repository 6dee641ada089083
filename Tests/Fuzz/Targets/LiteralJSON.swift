@testable import Varlink

/// The grammar of RFC 8259 once more, written down as the document has it and not with an eye to
/// speed: whether some bytes are JSON.
struct LiteralJSON {
  private var rest: Substring.UnicodeScalarView

  static func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    var reader = LiteralJSON(rest: text[...].unicodeScalars)
    return reader.blanks() && reader.value(depth: 0) && reader.blanks() && reader.rest.isEmpty
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func take(in ranges: ClosedRange<Unicode.Scalar>...) -> Bool {
    guard let first = rest.first, ranges.contains(where: { $0.contains(first) }) else {
      return false
    }
    rest.removeFirst()
    return true
  }

  /// Always true, for the chain.
  private mutating func blanks() -> Bool {
    while take(" ") || take("\t") || take("\n") || take("\r") {}
    return true
  }

  private mutating func value(depth: Int) -> Bool {
    switch rest.first {
    case "{": return list("{", "}", depth) { $0.member(depth: depth + 1) }
    case "[": return list("[", "]", depth) { $0.value(depth: depth + 1) }
    case "\"": return string()
    case "t": return word("true")
    case "f": return word("false")
    case "n": return word("null")
    default: return number()
    }
  }

  private mutating func list(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ depth: Int,
    _ element: (inout LiteralJSON) -> Bool
  ) -> Bool {
    guard depth < WireLimits.nestingDepth, take(open), blanks() else { return false }
    if take(close) { return true }
    repeat {
      guard blanks(), element(&self), blanks() else { return false }
    } while take(",")
    return take(close)
  }

  private mutating func member(depth: Int) -> Bool {
    string() && blanks() && take(":") && blanks() && value(depth: depth)
  }

  private mutating func word(_ word: String) -> Bool { word.unicodeScalars.allSatisfy { take($0) } }

  private mutating func digits() -> Bool {
    guard take(in: "0"..."9") else { return false }
    while take(in: "0"..."9") {}
    return true
  }

  private mutating func number() -> Bool {
    _ = take("-")
    guard take("0") || (rest.first != "0" && digits()) else { return false }
    if take("."), !digits() { return false }
    if take("e") || take("E") {
      _ = take("+") || take("-")
      return digits()
    }
    return true
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while !take("\"") {
      if take("\\") {
        guard escape() else { return false }
      } else if !take(in: "\u{20}"..."\u{D7FF}", "\u{E000}"..."\u{10FFFF}") {
        return false
      }
    }
    return true
  }

  private mutating func escape() -> Bool {
    if take("u") {
      guard let unit = codeUnit() else { return false }
      // Half of a pair of surrogates stands for nothing.
      guard (0xD800...0xDFFF).contains(unit) else { return true }
      guard unit < 0xDC00, take("\\"), take("u"), let low = codeUnit() else { return false }
      return (0xDC00...0xDFFF).contains(low)
    }
    guard let first = rest.first, "\"\\/bfnrt".unicodeScalars.contains(first) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func codeUnit() -> Int? {
    let digits = rest.prefix(4)
    guard digits.count == 4, digits.allSatisfy({ $0.properties.isASCIIHexDigit }) else {
      return nil
    }
    rest = rest.dropFirst(4)
    return Int(String(digits), radix: 16)
  }
}
