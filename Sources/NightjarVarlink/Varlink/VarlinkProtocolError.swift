/// Why a message is no message of the protocol (UAPI.20, "Call", "Reply", "Vendor Extensions").
///
/// There is no well-defined reply to any of these: the connection is to be closed.
public enum VarlinkProtocolError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The message is not JSON.
  case malformed(JSONError)
  /// The message is a value of another kind than an object.
  case notAnObject(JSONKind)
  /// A call without a method.
  case methodMissing
  /// `method`, or a reply's `error`, is not a string.
  case notAString(member: String)
  /// `parameters` is neither an object nor null.
  case parametersNotAnObject
  /// A flag is neither a boolean nor null.
  case flagNotABoolean(member: String)
  /// More than one of `more`, `oneway` and `upgrade` is true.
  case conflictingFlags
  /// An error that says it goes on: an error ends the call.
  case errorContinues
  /// One of the protocol's own members comes twice.
  case duplicateMember(String)
  /// A member that the protocol does not know and that is no vendor's. At most 64 bytes are kept.
  case unknownMember(String)
  /// A vendor's member that is not an object. At most 64 bytes of its name are kept.
  case vendorMemberNotAnObject(String)

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .malformed(let error): "the message is not valid JSON \(error)"
    case .notAnObject(let kind): "the message is \(kind) instead of an object"
    case .methodMissing: "the call names no method"
    case .notAString(let member): "the member '\(member)' is not a string"
    case .parametersNotAnObject: "the member 'parameters' is neither an object nor null"
    case .flagNotABoolean(let member): "the member '\(member)' is not a boolean"
    case .conflictingFlags: "more than one of 'more', 'oneway' and 'upgrade' is set"
    case .errorContinues: "an error claims that more replies follow"
    case .duplicateMember(let member): "the member '\(member)' comes twice"
    case .unknownMember(let member): "the protocol has no member '\(member)'"
    case .vendorMemberNotAnObject(let member): "the vendor's member '\(member)' is not an object"
    }
  }
}
