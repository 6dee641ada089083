// The implementations of a protocol have the protocol's documentation.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A value of an interface: it is read from JSON and written as JSON.
public protocol WireValue: Equatable, Sendable {
  /// The value of a required field until the field is read.
  static var blank: Self { get }
  /// Reads the next value.
  init(from reader: inout WireReader) throws(WireError)
  /// Writes the value.
  func write(to writer: inout JSONWriter)
}

/// A structure of an interface, the parameters of a method, or its reply. `varlink-swift types`
/// writes these types.
public protocol WireStructure: WireValue {
  /// Offers the present member of the reader to each field.
  mutating func read(_ reader: inout WireReader) throws(WireError)
  /// Writes the members of the object, in the order of the interface.
  func writeMembers(to writer: inout JSONWriter)
}

/// The parameters of a method.
public protocol WireMethod: WireStructure {
  associatedtype Reply: WireStructure
  /// The full name of the method: interface, dot, method.
  static var method: StaticString { get }
}

extension WireStructure {
  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    self = .blank
    try reader.members(of: &self)
  }

  /// Reads a structure from its JSON; no bytes are an empty object.
  ///
  /// - Parameter isStrict: whether a member is refused if the structure has no such field.
  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer, isStrict: Bool) throws(WireError) {
    let empty: StaticString = "{}"
    let bytes =
      bytes.isEmpty
      ? UnsafeRawBufferPointer(start: empty.utf8Start, count: empty.utf8CodeUnitCount) : bytes
    var reader = WireReader(bytes, isStrict: isStrict)
    try self.init(from: &reader)
  }

  /// Reads a structure from its JSON; no bytes are an empty object.
  ///
  /// - Parameter isStrict: whether a member is refused if the structure has no such field.
  @inlinable
  public init(_ bytes: [UInt8], isStrict: Bool) throws(WireError) {
    self = try bytes.withUnsafeBufferPointer { (bytes) throws(WireError) in
      try Self(UnsafeRawBufferPointer(bytes), isStrict: isStrict)
    }
  }

  @inlinable
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writeMembers(to: &writer)
    writer.endObject()
  }

  /// The structure as JSON.
  @inlinable
  public var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }
}

extension JSONWriter {
  /// Writes a member.
  @inlinable
  public mutating func field(_ name: StaticString, _ value: some WireValue) {
    key(name)
    value.write(to: &self)
  }

  /// Writes a member; nothing if it is nil.
  @inlinable
  public mutating func field(_ name: StaticString, _ value: (some WireValue)?) {
    if let value { field(name, value) }
  }

  /// Writes a member unless it is false or empty.
  @inlinable
  public mutating func blankable(_ name: StaticString, _ value: some WireValue) {
    if value != .blank { field(name, value) }
  }
}

// MARK: - The plain types

extension String: WireValue {
  @inlinable
  public static var blank: String { "" }

  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    self = try reader.scan { (scanner) throws(JSONError) in try scanner.readString().string }
  }

  @inlinable
  public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Int64: WireValue {
  @inlinable
  public static var blank: Int64 { 0 }

  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    self = try reader.scan { (scanner) throws(JSONError) in try scanner.readInteger() }
  }

  @inlinable
  public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Double: WireValue {
  @inlinable
  public static var blank: Double { 0 }

  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    self = try reader.scan { (scanner) throws(JSONError) in try scanner.readDouble() }
  }

  @inlinable
  public func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension Bool: WireValue {
  @inlinable
  public static var blank: Bool { false }

  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    self = try reader.scan { (scanner) throws(JSONError) in try scanner.readBool() }
  }

  @inlinable
  public func write(to writer: inout JSONWriter) { writer.bool(self) }
}

/// An optional value in an array or a map is null if it is nil. As a field, it is absent.
extension Optional: WireValue where Wrapped: WireValue {
  @inlinable
  public static var blank: Wrapped? { nil }

  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    self = try reader.takeNull() ? nil : Wrapped(from: &reader)
  }

  @inlinable
  public func write(to writer: inout JSONWriter) {
    if let self { self.write(to: &writer) } else { writer.null() }
  }
}

extension Array: WireValue where Element: WireValue {
  @inlinable
  public static var blank: [Element] { [] }

  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    self = []
    var state = try reader.scan { (scanner) throws(JSONError) in try scanner.beginArray() }
    while try reader.scan({ (scanner) throws(JSONError) in try scanner.nextElement(&state) }) {
      append(try reader.element())
    }
  }

  @inlinable
  public func write(to writer: inout JSONWriter) {
    writer.beginArray()
    for element in self { element.write(to: &writer) }
    writer.endArray()
  }
}

/// An object whose values are all of one type, in the order of its members. A set of strings,
/// `[string]()`, is a map whose values are `Empty`.
public struct WireMap<Value: WireValue>: WireValue {
  /// A member of the object.
  public struct Member: Equatable, Sendable {
    /// The name of the member.
    public var key: String
    /// The value of the member.
    public var value: Value

    /// Makes a member.
    public init(key: String, value: Value) { (self.key, self.value) = (key, value) }
  }

  /// The members in order.
  public var members: [Member]

  /// Makes an object.
  public init(_ members: [Member] = []) { self.members = members }

  /// The value of the first member of this name; nil: there is none. O(n).
  public subscript(key: String) -> Value? {
    get { members.first { $0.key == key }?.value }
    set {
      let index = members.firstIndex { $0.key == key } ?? members.endIndex
      let range = index..<Swift.min(index + 1, members.endIndex)
      members.replaceSubrange(range, with: newValue.map { [Member(key: key, value: $0)] } ?? [])
    }
  }

  @inlinable
  public static var blank: WireMap { WireMap() }

  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    members = []
    var state = try reader.scan { (scanner) throws(JSONError) in try scanner.beginObject() }
    while let key = try reader.scan({ (scanner) throws(JSONError) in
      try scanner.nextMember(&state)
    }) {
      members.append(Member(key: key.string, value: try reader.element()))
    }
  }

  @inlinable
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    for member in members {
      writer.key(member.key)
      member.value.write(to: &writer)
    }
    writer.endObject()
  }
}

extension WireMap: RandomAccessCollection {
  public var startIndex: Int { members.startIndex }
  public var endIndex: Int { members.endIndex }
  public subscript(position: Int) -> Member { members[position] }
}

extension WireMap: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, Value)...) {
    members = elements.map { Member(key: $0.0, value: $0.1) }
  }
}

/// A JSON object that is passed on as it was written.
public struct RawJSON: WireValue {
  /// The JSON of one object; no bytes are an empty object.
  public var bytes: [UInt8]

  /// - Parameter bytes: the JSON of one object, which is not checked.
  public init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  /// - Parameter value: an object.
  public init(_ value: JSONValue) { bytes = value.bytes }

  /// The object. O(n).
  ///
  /// - Throws: a number is out of the range of a double, or the bytes are not JSON.
  public var value: JSONValue {
    get throws(JSONError) { bytes.isEmpty ? .object([]) : try JSONValue.parse(bytes) }
  }

  /// Whether both have the same bytes; white space counts.
  public static func == (left: RawJSON, right: RawJSON) -> Bool {
    left.bytes == right.bytes || left.isEmptyObject && right.isEmptyObject
  }

  private var isEmptyObject: Bool { bytes.isEmpty || bytes == Array("{}".utf8) }

  @inlinable
  public static var blank: RawJSON { RawJSON() }

  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    bytes = try reader.scan { (scanner) throws(JSONError) in
      var members = scanner
      _ = try members.beginObject()
      return Array(try scanner.skipValue())
    }
  }

  @inlinable
  public func write(to writer: inout JSONWriter) {
    guard bytes.isEmpty else { return writer.raw(bytes) }
    writer.beginObject()
    writer.endObject()
  }
}

extension RawJSON: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(.object(elements.map { JSONValue.Member($0.0, $0.1) }))
  }
}

extension JSONValue {
  /// A value of an interface as JSON. O(n).
  public init(_ value: some WireValue) {
    var writer = JSONWriter()
    value.write(to: &writer)
    do { self = try JSONValue.parse(writer.bytes) } catch {
      preconditionFailure("a value was written that is not JSON: \(error)")
    }
  }
}

/// A word of an enumeration of an interface. Every word is accepted, because a newer service may
/// have more.
public protocol WireWord: WireValue, RawRepresentable, Hashable, CaseIterable,
  CustomStringConvertible
where RawValue == String, AllCases == [Self] {
  /// From the word on the wire.
  init(rawValue: String)
}

extension WireWord {
  @inlinable
  public static var blank: Self { Self(rawValue: "") }

  /// Whether the interface has this word.
  public var isKnown: Bool { Self.allCases.contains(self) }

  /// The word on the wire.
  public var description: String { rawValue }

  @inlinable
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(rawValue: try String(from: &reader))
  }

  @inlinable
  public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}

/// A word as a structure with a constant for each word, so that it can get more words.
public protocol OpenWireWord: WireWord, ExpressibleByStringLiteral
where StringLiteralType == String {}

extension OpenWireWord {
  public init(stringLiteral value: String) { self.init(rawValue: value) }
}
