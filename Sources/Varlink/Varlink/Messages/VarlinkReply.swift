/// A reply as a client receives it (UAPI.20, "Reply").
public struct VarlinkReply: Equatable, Sendable {
  /// The parameters of the reply or of the error, as they were sent.
  public let json: RawJSON
  /// Whether more replies to the same call follow.
  public let continues: Bool
  /// The full name of the error; nil: the call succeeded.
  public let error: String?

  /// - Parameters:
  ///   - json: the parameters, an object.
  ///   - continues: whether more replies follow.
  ///   - error: the full name of the error.
  public init(json: RawJSON = RawJSON(), continues: Bool = false, error: String? = nil) {
    self.json = json
    self.continues = continues
    self.error = error
  }

  /// The error as one of `org.varlink.service`; nil: it is another error, or the call succeeded.
  public var varlinkError: VarlinkError? {
    guard let error, let parameters = try? json.value else { return nil }
    return VarlinkError(name: error, parameters: parameters)
  }

  /// Parses a reply. The rules for the envelope are those for a call. O(n).
  ///
  /// - Parameter frame: the message without its NUL.
  /// - Throws: why the message is not a valid reply. The caller must then close the connection.
  public static func parse(
    _ frame: UnsafeRawBufferPointer
  ) throws(VarlinkProtocolError) -> VarlinkReply {
    var reader = EnvelopeReader(frame)
    var members = try reader.begin()
    var parameters: UnsafeRawBufferPointer?
    var continues = false
    var error: JSONText?
    while let name = try reader.next(&members) {
      if name.equals("parameters") {
        parameters = try reader.parameters()
      } else if name.equals("continues") {
        continues = try reader.flag(.continues, named: "continues")
      } else if name.equals("error") {
        error = try reader.textOrNull(.error, named: "error")
      } else {
        try reader.foreign(name)
      }
    }
    try reader.finish()
    guard error == nil || !continues else { throw .errorContinues }
    return VarlinkReply(
      json: RawJSON(parameters.map(Array.init) ?? []), continues: continues, error: error?.string)
  }
}
