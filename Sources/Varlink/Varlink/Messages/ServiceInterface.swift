// The implementations of a protocol have the protocol's documentation.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The interface that every Varlink service must have (UAPI.20, "The org.varlink.service
/// Interface").
public enum ServiceInterface {
  /// The interface's name.
  public static let name = "org.varlink.service"

  /// The text of the interface. The declarations are those of the specification, and the comments
  /// are Nightjar's.
  public static let description = """
    # Says what a service is and which interfaces it has; every Varlink service has this one.
    interface org.varlink.service

    # Who made the service, what it is, and the names of its interfaces, this one among them.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # An interface in the language that this is written in, comments included.
    method GetInterfaceDescription(interface: string) -> (description: string)

    # The service has no such interface.
    error InterfaceNotFound (interface: string)

    # The interface has no such method.
    error MethodNotFound (method: string)

    # The interface has the method, this service does not.
    error MethodNotImplemented (method: string)

    # A parameter is missing, of the wrong type, unknown or out of range.
    error InvalidParameter (parameter: string)

    # The client may not do this.
    error PermissionDenied ()

    # The method makes sense only with more.
    error ExpectedMore ()

    # The method makes sense only with upgrade.
    error ExpectedUpgrade ()
    """
}

extension ServiceInterface {
  /// The parameters of `GetInfo`.
  public struct GetInfo: WireStructure {
    /// There are none.
    public init() {}
    public static var blank: GetInfo { GetInfo() }
    public mutating func read(_ reader: inout WireReader) throws(WireError) {}
    public func writeMembers(to writer: inout JSONWriter) {}
  }

  /// The parameters of `GetInterfaceDescription`.
  public struct GetInterfaceDescription: WireStructure {
    /// The name of the interface.
    public var interface: String

    /// Asks for an interface.
    public init(interface: String) { self.interface = interface }
    public static var blank: Self { Self(interface: .blank) }
    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("interface", &interface)
    }
    public func writeMembers(to writer: inout JSONWriter) { writer.field("interface", interface) }
  }
}
