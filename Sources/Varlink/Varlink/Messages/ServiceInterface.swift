// The implementations of a protocol have the protocol's documentation.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The interface that every Varlink service must have (UAPI.20, "The org.varlink.service
/// Interface").
public enum ServiceInterface {
  /// The interface's name.
  public static let name = "org.varlink.service"

  /// The text of the interface. The declarations are those of the specification, and the comments
  /// are ours.
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
  /// The parameters of `GetInfo`: there are none.
  public struct GetInfo: WireMethod {
    public static let method: StaticString = "org.varlink.service.GetInfo"

    /// Asks what the service is.
    public init() {}
    public static var blank: GetInfo { GetInfo() }
    public mutating func read(_ reader: inout WireReader) throws(WireError) {}
    public func writeMembers(to writer: inout JSONWriter) {}

    /// What a service is.
    public struct Reply: WireStructure {
      /// Who made the service.
      public var vendor: String
      /// The name of the service.
      public var product: String
      /// The version of the service.
      public var version: String
      /// Where to read about the service.
      public var url: String
      /// The names of its interfaces.
      public var interfaces: [String]

      /// Makes a reply.
      public init(
        vendor: String, product: String, version: String, url: String, interfaces: [String] = []
      ) {
        (self.vendor, self.product, self.version) = (vendor, product, version)
        (self.url, self.interfaces) = (url, interfaces)
      }

      public static var blank: Self { Self(vendor: "", product: "", version: "", url: "") }
      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("vendor", &vendor)
        try reader.field("product", &product)
        try reader.field("version", &version)
        try reader.field("url", &url)
        try reader.field("interfaces", &interfaces)
      }
      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("vendor", vendor)
        writer.field("product", product)
        writer.field("version", version)
        writer.field("url", url)
        writer.field("interfaces", interfaces)
      }
    }
  }

  /// The parameters of `GetInterfaceDescription`.
  public struct GetInterfaceDescription: WireMethod {
    public static let method: StaticString = "org.varlink.service.GetInterfaceDescription"

    /// The name of the interface.
    public var interface: String

    /// Asks for an interface.
    public init(interface: String) { self.interface = interface }
    public static var blank: Self { Self(interface: .blank) }
    public mutating func read(_ reader: inout WireReader) throws(WireError) {
      try reader.field("interface", &interface)
    }
    public func writeMembers(to writer: inout JSONWriter) { writer.field("interface", interface) }

    /// The text of an interface.
    public struct Reply: WireStructure {
      /// The interface file.
      public var description: String

      /// Makes a reply.
      public init(description: String) { self.description = description }
      public static var blank: Self { Self(description: .blank) }
      public mutating func read(_ reader: inout WireReader) throws(WireError) {
        try reader.field("description", &description)
      }
      public func writeMembers(to writer: inout JSONWriter) {
        writer.field("description", description)
      }
    }
  }

  /// Answers a call of a method of this interface, or says why there is no such method.
  ///
  /// - Parameters:
  ///   - info: what the service is. Its interfaces are left out.
  ///   - others: the other interfaces of the service.
  ///   - writer: the reply is appended to it.
  public static func answer(
    _ call: VarlinkCall, _ info: GetInfo.Reply, _ others: [(name: String, description: String)],
    to writer: inout JSONWriter
  ) throws(VarlinkError) {
    let interfaces = [(name: name, description: description)] + others
    if call.method.equals(GetInfo.method) {
      _ = try read(call) as GetInfo
      var reply = info
      reply.interfaces = interfaces.map(\.name)
      writer.reply(reply)
    } else if call.method.equals(GetInterfaceDescription.method) {
      let name = (try read(call) as GetInterfaceDescription).interface
      guard let interface = interfaces.first(where: { $0.name == name }) else {
        throw .interfaceNotFound(interface: name)
      }
      writer.reply(GetInterfaceDescription.Reply(description: interface.description))
    } else {
      let name = call.interfaceName
      guard name.isEmpty || interfaces.contains(where: { $0.name == name }) else {
        throw .interfaceNotFound(interface: name)
      }
      throw .methodNotFound(method: call.method.string)
    }
  }

  private static func read<Call: WireStructure>(
    _ call: VarlinkCall
  ) throws(VarlinkError) -> Call {
    do throws(WireError) {
      return try Call(call.parameterBytes, isStrict: true)
    } catch {
      throw .invalidParameter(parameter: error.field)
    }
  }
}
