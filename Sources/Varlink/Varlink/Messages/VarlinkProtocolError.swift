/// Why a message violates the protocol (UAPI.20, "Call", "Reply", "Vendor Extensions").
///
/// The protocol defines no error reply for these violations, so the service must close the
/// connection.
public enum VarlinkProtocolError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The message is longer than this number of bytes.
  case tooLong(bytes: Int)
  /// The message is not JSON.
  case malformed(JSONError)
  /// The message is not an object but another kind of value.
  case notAnObject(JSONKind)
  /// A call has no method.
  case methodMissing
  /// The member `method` of a call, or the member `error` of a reply, is not a string.
  case notAString(member: String)
  /// The member `parameters` is neither an object nor null.
  case parametersNotAnObject
  /// One of the flags `more`, `oneway`, `upgrade` and `continues` is neither a boolean nor null.
  case flagNotABoolean(member: String)
  /// More than one of the flags `more`, `oneway` and `upgrade` is true.
  case conflictingFlags
  /// A reply has an error and the flag `continues`, but an error must end the call.
  case errorContinues
  /// A member that the protocol defines occurs twice.
  case duplicateMember(String)
  /// A member is unknown, and is not a vendor extension. The value is its name, cut to 64 bytes.
  case unknownMember(String)
  /// A vendor extension is not an object. The value is its name, cut to 64 bytes.
  case vendorMemberNotAnObject(String)

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .tooLong(let bytes): "the message has over \(bytes) bytes"
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
