/// One call, as a client sent it (UAPI.20, "Call").
///
/// It points into the frame that it was read from, and is good for as long as that is.
public struct VarlinkCall {
  /// The method's full name: interface, dot, method. Not looked into: it may be any string.
  public let method: JSONText
  /// The parameters, an object, validated; nil if they were absent or null. All three of absent,
  /// null and `{}` mean the same.
  public let parameters: UnsafeRawBufferPointer?
  /// The client takes any number of replies.
  public let more: Bool
  /// The client wants no reply, not even an error.
  public let oneway: Bool
  /// The client wants the connection for another protocol.
  public let upgrade: Bool

  /// Reads a call and validates all of it. O(n); allocates nothing.
  ///
  /// A member of the envelope that the protocol does not know is refused, and one with a dot in its
  /// name, a vendor's object, is passed over: both as UAPI.20 asks ("Vendor Extensions"). A flag
  /// that is null counts as absent, like every nullable field there. One of the protocol's own
  /// members coming twice is refused, for RFC 8259 section 4 leaves open which of the two would
  /// count.
  ///
  /// - Parameter frame: the message without its NUL.
  /// - Throws: what is wrong; the connection is to be closed then.
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

  /// The method's name within an interface: what follows `interface` and a dot; nil if the method
  /// is of another interface. O(n) in the length of `interface`.
  @inlinable
  public func method(in interface: StaticString) -> JSONText? {
    method.dropping(prefix: interface)?.dropping(prefix: ".")
  }

  /// The interface's name: what comes before the method's last dot; empty if there is none. O(n).
  public var interfaceName: String {
    method.withUTF8 { text in
      let dot = text.lastIndex(of: UInt8(ascii: ".")) ?? 0
      return String(decoding: text[..<dot], as: UTF8.self)
    }
  }

  /// Appends a call and its NUL to `bytes`. O(n).
  ///
  /// - Parameters:
  ///   - method: the full name.
  ///   - parameters: an object; nil leaves them out.
  ///   - more: ask for any number of replies.
  ///   - oneway: ask for no reply. Not together with `more`.
  ///   - bytes: what is to be sent.
  public static func write(
    method: String, parameters: JSONValue?, more: Bool = false, oneway: Bool = false,
    into bytes: inout [UInt8]
  ) {
    precondition(!(more && oneway), "a call is either more or oneway")
    JSONWriter.append(to: &bytes) { writer in
      writer.beginObject()
      writer.key("method")
      writer.string(method)
      if let parameters {
        writer.key("parameters")
        parameters.write(to: &writer)
      }
      if more {
        writer.key("more")
        writer.bool(true)
      }
      if oneway {
        writer.key("oneway")
        writer.bool(true)
      }
      writer.endObject()
      writer.endMessage()
    }
  }
}
