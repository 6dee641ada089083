/// The methods of an interface, for a service. `varlink-swift methods` writes a protocol with a
/// function for each method; it refines this one.
public protocol WireService<Exchange, Answer> {
  /// What a method gets beside its parameters; for a `VarlinkServer`, a `VarlinkExchange`.
  associatedtype Exchange
  /// What a method returns; for a `VarlinkServer`, a `VarlinkAnswer`.
  associatedtype Answer
  /// The errors of the interface.
  associatedtype Failure: WireFailure

  /// The name of the interface.
  static var interfaceName: StaticString { get }
  /// The interface file: the answer to `org.varlink.service.GetInterfaceDescription`.
  static var interfaceDescription: String { get }

  /// Reads the parameters of a method and calls it. Nil: the interface has no such method.
  ///
  /// - Parameters:
  ///   - method: the name of the method, without that of the interface.
  ///   - parameters: the parameters, an object; no bytes are an empty object.
  ///   - exchange: the call with the reply that is written for it.
  func perform(
    _ method: JSONText, _ parameters: UnsafeRawBufferPointer, _ exchange: inout Exchange
  ) throws(Failure) -> Answer?
}

extension WireService {
  /// Reads the parameters of a method. A parameter that it does not have is refused.
  @inlinable
  public func read<Call: WireStructure>(
    _ parameters: UnsafeRawBufferPointer
  ) throws(Failure) -> Call {
    do { return try Call(parameters, isStrict: true) } catch {
      throw .varlink(.invalidParameter(parameter: error.field))
    }
  }
}

/// The errors of an interface. `varlink-swift errors` writes them.
public protocol WireFailure: Error {
  /// Reads an error from a reply; nil: it is none of these.
  ///
  /// - Parameters:
  ///   - name: the full name: interface, dot, error.
  ///   - parameters: the error's parameters, an object.
  init?(name: String, parameters: JSONValue)
  /// An error of `org.varlink.service`.
  static func varlink(_ error: VarlinkError) -> Self
  /// Appends the error as a reply.
  func write(to writer: inout JSONWriter)
}

extension WireFailure {
  /// Reads an error from a reply; nil: the reply is no error, or none of these.
  public init?(_ reply: VarlinkReply) {
    guard let name = reply.error, let parameters = try? reply.json.value else { return nil }
    self.init(name: name, parameters: parameters)
  }
}

extension JSONValue {
  /// Reads a parameter of an error. It is blank if it is missing or of another type, because an
  /// error is of use without it. O(n) in the length of the value.
  public func field<Value: WireValue>(_ name: String) -> Value {
    guard let bytes = self[name]?.bytes else { return .blank }
    return bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes, isStrict: false)
      do { return try Value(from: &reader) } catch { return .blank }
    }
  }
}

extension VarlinkError: WireFailure {
  /// The error itself.
  public static func varlink(_ error: VarlinkError) -> VarlinkError { error }
  /// Appends the error as a reply.
  public func write(to writer: inout JSONWriter) { writer.writeError(self) }
}
