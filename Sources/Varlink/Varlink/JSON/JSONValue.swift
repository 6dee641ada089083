/// A whole JSON value in memory, for JSON whose structure is not known. Structures of an interface
/// are read from bytes and written as bytes without it.
public enum JSONValue: Equatable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without fraction and exponent that fits into `Int64`.
  case integer(Int64)
  /// Any other number. It is always finite.
  case double(Double)
  /// A string.
  case string(String)
  /// An array, with its elements.
  case array([JSONValue])
  /// An object, with its members in their order. The order matters for `==`. A name may occur
  /// twice.
  case object([Member])

  /// One member of an object.
  public struct Member: Equatable, Sendable {
    /// The name.
    public var key: String
    /// The value.
    public var value: JSONValue

    /// - Parameters:
    ///   - key: the name.
    ///   - value: the value.
    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }
}

// MARK: - Reading

extension JSONValue {
  /// Parses one value. Only white space may follow the value. O(n).
  public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    var scanner = JSONScanner(bytes)
    let value = try read(from: &scanner)
    try scanner.finish()
    return value
  }

  /// Parses one value. Only white space may follow the value. O(n).
  public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) -> JSONValue in
      try parse(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Parses one value. Only white space may follow the value. O(n).
  public static func parse(_ text: String) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8))
  }

  /// Reads the next value of a scanner. O(n).
  public static func read(from scanner: inout JSONScanner) throws(JSONError) -> JSONValue {
    switch try scanner.peek() {
    case .null:
      try scanner.readNull()
      return .null
    case .bool: return .bool(try scanner.readBool())
    case .string: return .string(try scanner.readString().string)
    case .number: return try number(from: &scanner)
    case .array:
      var elements: [JSONValue] = []
      var state = try scanner.beginArray()
      while try scanner.nextElement(&state) { elements.append(try read(from: &scanner)) }
      return .array(elements)
    case .object:
      var members: [Member] = []
      var state = try scanner.beginObject()
      while let key = try scanner.nextMember(&state) {
        members.append(Member(key.string, try read(from: &scanner)))
      }
      return .object(members)
    }
  }

  private static func number(from scanner: inout JSONScanner) throws(JSONError) -> JSONValue {
    var ahead = scanner
    if let integer = try? ahead.readInteger() {
      scanner = ahead
      return .integer(integer)
    }
    return .double(try scanner.readDouble())
  }
}

// MARK: - Access

extension JSONValue {
  /// The value of the member with this name; nil: there is no such member, or this is not an
  /// object. If the name occurs twice, the last value counts, as in most JSON libraries. O(n).
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == key }?.value
  }

  /// The text if this is a string; nil otherwise.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The number if this is an integer; nil otherwise.
  public var integerValue: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number if this is an integer or a double; nil otherwise. An integer above 2^53 may be
  /// rounded.
  public var doubleValue: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(value)
    case .null, .bool, .string, .array, .object: nil
    }
  }

  /// The boolean if this is one; nil otherwise.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The elements if this is an array; nil otherwise.
  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members if this is an object; nil otherwise.
  public var objectValue: [Member]? {
    if case .object(let value) = self { value } else { nil }
  }

  /// Whether this is `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

// MARK: - Literals

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object with its members in this order.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
