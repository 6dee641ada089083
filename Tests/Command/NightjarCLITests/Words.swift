import Testing

/// The arguments of a command: a text with blanks between them, or an array where one of them has
/// blanks or is empty.
struct Words: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, Sendable {
  let list: [String]

  init(stringLiteral text: String) { list = text.split(separator: " ").map(String.init) }
  init(arrayLiteral words: String...) { list = words }
}

extension Words: CustomTestStringConvertible {
  var testDescription: String { "\(list)" }
}
