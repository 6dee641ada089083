/// Why a structure of an interface cannot be read.
public struct WireError: Error, Equatable, Sendable {
  /// What is wrong with a field.
  public enum Problem: Equatable, Sendable {
    /// A required field is absent.
    case missing
    /// The value has another type, or is not JSON.
    case mistyped
    /// The structure has no such field.
    case unknown
  }

  /// The name of the field, as on the wire; `parameters` for the structure as a whole.
  public var field: String
  /// What is wrong with the field.
  public var problem: Problem

  /// Makes an error.
  public init(field: String, problem: Problem) { (self.field, self.problem) = (field, problem) }
}

/// Reads the structures of an interface from JSON, member by member. A member that is null counts
/// as absent.
public struct WireReader {
  @usableFromInline var scanner: JSONScanner
  @usableFromInline let isStrict: Bool
  /// The member whose value comes next. Nil when all members were read: then each required field
  /// checks whether it was there.
  @usableFromInline var key: JSONText?
  /// Whether a field has read the value of the member.
  @usableFromInline var isTaken = true
  /// The bit of the next required field, and the bits of the fields that were read.
  @usableFromInline var bit: UInt64 = 1
  @usableFromInline var found: UInt64 = 0

  /// - Parameters:
  ///   - bytes: a JSON object. It must stay in place while the reader is in use.
  ///   - isStrict: whether a member is refused if the structure has no such field. A service
  ///     refuses it; a client skips what only a newer service sends.
  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer, isStrict: Bool) {
    scanner = JSONScanner(bytes)
    self.isStrict = isStrict
  }

  /// Reads the present member, if it has the name of this required field.
  @inlinable
  public mutating func field<Value: WireValue>(
    _ name: StaticString, _ value: inout Value
  ) throws(WireError) {
    let own = bit
    bit &<<= 1
    guard let key else {
      guard found & own != 0 else { throw missing(name) }
      return
    }
    guard !isTaken, key.equals(name) else { return }
    value = try element()
    found |= own
  }

  @usableFromInline
  func missing(_ name: StaticString) -> WireError { WireError(field: "\(name)", problem: .missing) }

  @usableFromInline
  func mistyped() -> WireError { WireError(field: key?.string ?? "parameters", problem: .mistyped) }

  @usableFromInline
  func unknown(_ name: JSONText) -> WireError { WireError(field: name.string, problem: .unknown) }

  /// Reads the present member, if it has the name of this optional field.
  @inlinable
  public mutating func field<Value: WireValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(WireError) {
    guard !isTaken, let key, key.equals(name) else { return }
    value = try element()
  }

  /// Reads the present member, if it has the name of this field, which is false or empty if it is
  /// absent.
  @inlinable
  public mutating func blankable<Value: WireValue>(
    _ name: StaticString, _ value: inout Value
  ) throws(WireError) {
    guard !isTaken, let key, key.equals(name) else { return }
    value = try element()
  }

  /// Reads a value within the present member.
  @inlinable
  mutating func element<Value: WireValue>() throws(WireError) -> Value {
    let outer = (key, bit, found)
    let value = try Value(from: &self)
    (key, bit, found) = outer
    isTaken = true
    return value
  }

  /// Calls the scanner. Anything but JSON of the right type is a problem of the present member.
  @inlinable
  mutating func scan<Value>(
    _ read: (inout JSONScanner) throws(JSONError) -> Value
  ) throws(WireError) -> Value {
    do { return try read(&scanner) } catch { throw mistyped() }
  }

  /// Reads the next value if it is null.
  @inlinable
  mutating func takeNull() throws(WireError) -> Bool {
    try scan { (scanner) throws(JSONError) in
      guard try scanner.peek() == .null else { return false }
      try scanner.readNull()
      return true
    }
  }

  /// Reads the members of the next value, which is an object, into a structure. O(members ×
  /// fields).
  @inlinable
  public mutating func members<Structure: WireStructure>(
    of structure: inout Structure
  ) throws(WireError) {
    found = 0
    var state = try scan { (scanner) throws(JSONError) in try scanner.beginObject() }
    while let name = try scan({ (scanner) throws(JSONError) in try scanner.nextMember(&state) }) {
      key = name
      guard try !takeNull() else { continue }
      (isTaken, bit) = (false, 1)
      try structure.read(&self)
      guard !isTaken else { continue }
      guard !isStrict else { throw unknown(name) }
      _ = try scan { (scanner) throws(JSONError) in try scanner.skipValue() }
    }
    (key, bit) = (nil, 1)
    try structure.read(&self)
  }
}
