/// Reads the envelope of a call or a reply: an object with a few known members, each at most once.
struct EnvelopeReader {
  /// The members that the protocol defines.
  struct Member: OptionSet {
    let rawValue: UInt8
    static let method = Member(rawValue: 1)
    static let parameters = Member(rawValue: 2)
    static let more = Member(rawValue: 4)
    static let oneway = Member(rawValue: 8)
    static let upgrade = Member(rawValue: 16)
    static let error = Member(rawValue: 32)
    static let continues = Member(rawValue: 64)
  }

  /// An error quotes at most this many bytes of the name of an unknown member.
  private static let nameBytes = 64

  private var scanner: JSONScanner
  private var seen: Member = []

  /// - Parameter values: how many values the parameters and the vendors' objects may have in all.
  init(_ frame: UnsafeRawBufferPointer, values: Int = .max) {
    scanner = JSONScanner(frame, values: values)
  }

  mutating func begin() throws(VarlinkProtocolError) -> JSONScanner.Members {
    do {
      return try scanner.beginObject()
    } catch {
      if case .wrongKind(_, let found) = error.problem { throw .notAnObject(found) }
      throw .malformed(error)
    }
  }

  mutating func next(
    _ members: inout JSONScanner.Members
  ) throws(VarlinkProtocolError) -> JSONText? {
    do { return try scanner.nextMember(&members) } catch { throw .malformed(error) }
  }

  mutating func finish() throws(VarlinkProtocolError) {
    do { try scanner.finish() } catch { throw .malformed(error) }
  }

  mutating func text(
    _ member: Member, named name: StaticString
  ) throws(VarlinkProtocolError) -> JSONText {
    try once(member, name)
    do {
      return try scanner.readString()
    } catch {
      if case .wrongKind = error.problem { throw .notAString(member: "\(name)") }
      throw .malformed(error)
    }
  }

  /// Reads the member `error` of a reply, which may be null.
  mutating func textOrNull(
    _ member: Member, named name: StaticString
  ) throws(VarlinkProtocolError) -> JSONText? {
    if try kind() == .null {
      try once(member, name)
      try null()
      return nil
    }
    return try text(member, named: name)
  }

  mutating func flag(
    _ member: Member, named name: StaticString
  ) throws(VarlinkProtocolError) -> Bool {
    try once(member, name)
    switch try kind() {
    case .bool:
      do { return try scanner.readBool() } catch { throw .malformed(error) }
    case .null:
      try null()
      return false
    case .object, .array, .string, .number: throw .flagNotABoolean(member: "\(name)")
    }
  }

  mutating func parameters() throws(VarlinkProtocolError) -> UnsafeRawBufferPointer? {
    try once(.parameters, "parameters")
    switch try kind() {
    case .object: return try skip()
    case .null:
      try null()
      return nil
    case .array, .string, .number, .bool: throw .parametersNotAnObject
    }
  }

  /// Handles a member that the protocol does not define: skips an object of a vendor, and refuses
  /// any other member.
  mutating func foreign(_ name: JSONText) throws(VarlinkProtocolError) {
    let isVendors = name.withUTF8 { $0.contains(UInt8(ascii: ".")) }
    guard isVendors else { throw .unknownMember(Self.excerpt(name)) }
    guard try kind() == .object else { throw .vendorMemberNotAnObject(Self.excerpt(name)) }
    _ = try skip()
  }

  private mutating func kind() throws(VarlinkProtocolError) -> JSONKind {
    do { return try scanner.peek() } catch { throw .malformed(error) }
  }

  private mutating func null() throws(VarlinkProtocolError) {
    do { try scanner.readNull() } catch { throw .malformed(error) }
  }

  private mutating func skip() throws(VarlinkProtocolError) -> UnsafeRawBufferPointer {
    do { return try scanner.skipValue() } catch { throw .malformed(error) }
  }

  private mutating func once(
    _ member: Member, _ name: StaticString
  ) throws(VarlinkProtocolError) {
    guard seen.insert(member).inserted else { throw .duplicateMember("\(name)") }
  }

  private static func excerpt(_ name: JSONText) -> String {
    name.withUTF8 { String(decoding: $0.prefix(nameBytes), as: UTF8.self) }
  }
}
