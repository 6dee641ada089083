/// A call as a client sent it (UAPI.20, "Call").
///
/// The call refers to the frame from which it was parsed, and is valid only as long as the frame
/// exists.
public struct VarlinkCall {
  /// The full name of the method: interface, dot, method. The name was not checked, so it may be
  /// any string.
  public let method: JSONText
  /// The parameters, a valid object; nil: they were absent or null. Absent, null and `{}` mean the
  /// same.
  public let parameters: UnsafeRawBufferPointer?
  /// Whether the client accepts any number of replies.
  public let more: Bool
  /// Whether the client expects no reply, not even an error.
  public let oneway: Bool
  /// Whether the client wants to use the connection for another protocol after the call.
  public let upgrade: Bool

  /// Parses a call, and validates all its bytes. O(n); allocates nothing.
  ///
  /// Unknown members of the envelope are refused. The exception is an object with a dot in its
  /// name: it is a vendor extension, which is skipped (UAPI.20, "Vendor Extensions"). A flag that
  /// is null counts as absent, as in UAPI.20 for every nullable field. If a known member occurs
  /// twice, the call is refused, because RFC 8259 section 4 does not define which of the two
  /// counts.
  ///
  /// - Parameter frame: the message without its NUL.
  /// - Throws: why the message is not a valid call. The caller must then close the connection.
  public static func parse(
    _ frame: UnsafeRawBufferPointer
  ) throws(VarlinkProtocolError) -> VarlinkCall {
    var reader = EnvelopeReader(frame, values: WireLimits.callValues)
    var members = try reader.begin()
    var method: JSONText?
    var parameters: UnsafeRawBufferPointer?
    var flags: (more: Bool, oneway: Bool, upgrade: Bool) = (false, false, false)
    while let name = try reader.next(&members) {
      if name.equals("method") {
        method = try reader.text(.method, named: "method")
      } else if name.equals("parameters") {
        parameters = try reader.parameters()
      } else if name.equals("more") {
        flags.more = try reader.flag(.more, named: "more")
      } else if name.equals("oneway") {
        flags.oneway = try reader.flag(.oneway, named: "oneway")
      } else if name.equals("upgrade") {
        flags.upgrade = try reader.flag(.upgrade, named: "upgrade")
      } else {
        try reader.foreign(name)
      }
    }
    try reader.finish()
    guard let method else { throw .methodMissing }
    guard !(flags.more && flags.oneway), !(flags.upgrade && (flags.more || flags.oneway)) else {
      throw .conflictingFlags
    }
    return VarlinkCall(
      method: method, parameters: parameters, more: flags.more, oneway: flags.oneway,
      upgrade: flags.upgrade)
  }

  /// The parameters, an object; no bytes are an empty object.
  @inlinable public var parameterBytes: UnsafeRawBufferPointer {
    parameters ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The name of the method within an interface: the part after `interface` and a dot; nil: the
  /// method belongs to another interface. O(n) in the length of `interface`.
  @inlinable
  public func method(in interface: StaticString) -> JSONText? {
    method.dropping(prefix: interface)?.dropping(prefix: ".")
  }

  /// The name of the interface: the part of the method's name before its last dot; empty: the name
  /// has no dot. O(n).
  public var interfaceName: String {
    method.withUTF8 { text in
      let dot = text.lastIndex(of: UInt8(ascii: ".")) ?? 0
      return String(decoding: text[..<dot], as: UTF8.self)
    }
  }

  /// Appends a call and its NUL to `bytes`. O(n).
  ///
  /// - Parameters:
  ///   - method: the full name of the method.
  ///   - parameters: the parameters, an object; nil: no parameters are sent.
  ///   - more: whether to ask for any number of replies.
  ///   - oneway: whether to ask for no reply. Must not be true if `more` is true.
  ///   - bytes: the output to append to.
  public static func write(
    method: String, parameters: JSONValue?, more: Bool = false, oneway: Bool = false,
    into bytes: inout [UInt8]
  ) {
    write(method, more: more, oneway: oneway, into: &bytes) { writer in
      guard let parameters else { return }
      writer.key("parameters")
      parameters.write(to: &writer)
    }
  }

  /// Appends a call and its NUL to `bytes`. O(n).
  ///
  /// - Parameters:
  ///   - call: the parameters, whose type says which method is called.
  ///   - more: whether to ask for any number of replies.
  ///   - oneway: whether to ask for no reply. Must not be true if `more` is true.
  ///   - bytes: the output to append to.
  public static func write<Method: WireMethod>(
    _ call: Method, more: Bool = false, oneway: Bool = false, into bytes: inout [UInt8]
  ) {
    write("\(Method.method)", more: more, oneway: oneway, into: &bytes) {
      $0.field("parameters", call)
    }
  }

  private static func write(
    _ method: String, more: Bool, oneway: Bool, into bytes: inout [UInt8],
    parameters: (inout JSONWriter) -> Void
  ) {
    precondition(!(more && oneway), "a call is either more or oneway")
    JSONWriter.append(to: &bytes) { writer in
      writer.beginObject()
      writer.key("method")
      writer.string(method)
      parameters(&writer)
      if more { writer.member("more", true) }
      if oneway { writer.member("oneway", true) }
      writer.endObject()
      writer.endMessage()
    }
  }
}
