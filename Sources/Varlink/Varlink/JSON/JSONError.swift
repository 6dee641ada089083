/// The six kinds of values of RFC 8259 section 3.
public enum JSONKind: Equatable, Sendable, CustomStringConvertible {
  /// An object: members in braces.
  case object
  /// An array: elements in brackets.
  case array
  /// A string: text in quotes.
  case string
  /// A number, with or without a fraction or an exponent.
  case number
  /// `true` or `false`.
  case bool
  /// `null`.
  case null

  /// The name of the kind with its article, for use in a sentence.
  public var description: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "a boolean"
    case .null: "null"
    }
  }
}

/// Why bytes are not the expected JSON, and the offset of the error.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public enum Problem: Equatable, Sendable {
    /// The bytes end before the value, or within the value.
    case unexpectedEnd
    /// A byte that the grammar does not allow at this offset.
    case unexpectedByte
    /// An escape that is unknown, that has too few hexadecimal digits, or that is half of a
    /// surrogate pair.
    case badEscape
    /// Bytes that are not UTF-8 by RFC 3629: an overlong form, a surrogate, a code point above
    /// U+10FFFF, a sequence that is cut off, or a stray byte.
    case badUTF8
    /// Text that is not a number by the grammar, or a number that is not an integer where an
    /// integer is expected.
    case badNumber
    /// A number that does not fit into the expected type.
    case numberOutOfRange
    /// Objects and arrays that nest deeper than `WireLimits.nestingDepth`.
    case tooDeep
    /// More values than the caller allows to be skipped.
    case tooManyValues
    /// A byte below 0x20 in a string, which must be escaped.
    case controlCharacter
    /// Something other than blanks follows the value.
    case trailingBytes
    /// A value of another kind than the expected one.
    case wrongKind(expected: JSONKind, found: JSONKind)
  }

  /// What is wrong.
  public let problem: Problem
  /// The offset of the error in bytes, counted from the start of the text.
  public let offset: Int

  /// - Parameters:
  ///   - problem: what is wrong.
  ///   - offset: the offset of the error in bytes, counted from the start of the text.
  public init(_ problem: Problem, at offset: Int) {
    self.problem = problem
    self.offset = offset
  }

  /// One sentence for a person: what is wrong, and at which byte.
  public var description: String {
    "at byte \(offset): \(sentence)"
  }

  private var sentence: String {
    switch problem {
    case .unexpectedEnd: "the text ends too early"
    case .unexpectedByte: "a byte that JSON does not allow here"
    case .badEscape: "an escape that JSON does not know, or half of a surrogate pair"
    case .badUTF8: "not UTF-8"
    case .badNumber: "not a number of the form expected here"
    case .numberOutOfRange: "a number too large to be represented"
    case .tooDeep: "more than \(WireLimits.nestingDepth) objects and arrays inside one another"
    case .tooManyValues: "more values than are allowed"
    case .controlCharacter: "a control character that is not escaped"
    case .trailingBytes: "something follows the value"
    case .wrongKind(let expected, let found): "expected \(expected), found \(found)"
    }
  }
}
