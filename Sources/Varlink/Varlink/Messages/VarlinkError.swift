/// The errors of `org.varlink.service`. Any method may reply with them (UAPI.20, "Errors").
public enum VarlinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The service has no such interface.
  case interfaceNotFound(interface: String)
  /// The interface has no such method.
  case methodNotFound(method: String)
  /// The interface has the method, but this service does not implement it.
  case methodNotImplemented(method: String)
  /// A parameter is missing, of the wrong type, unknown or out of range.
  case invalidParameter(parameter: String)
  /// The client does not have the permission for this call.
  case permissionDenied
  /// The method has several replies, and the call lacks the flag `more`.
  case expectedMore
  /// The method changes the protocol, and the call lacks the flag `upgrade`.
  case expectedUpgrade

  /// The full name of the error, as in the member `error` of a reply.
  public var name: StaticString {
    switch self {
    case .interfaceNotFound: "org.varlink.service.InterfaceNotFound"
    case .methodNotFound: "org.varlink.service.MethodNotFound"
    case .methodNotImplemented: "org.varlink.service.MethodNotImplemented"
    case .invalidParameter: "org.varlink.service.InvalidParameter"
    case .permissionDenied: "org.varlink.service.PermissionDenied"
    case .expectedMore: "org.varlink.service.ExpectedMore"
    case .expectedUpgrade: "org.varlink.service.ExpectedUpgrade"
    }
  }

  /// The parameter of the error: its member and its value; nil: the error has no parameter.
  var parameter: (member: StaticString, value: String)? {
    switch self {
    case .interfaceNotFound(let interface): ("interface", interface)
    case .methodNotFound(let method), .methodNotImplemented(let method): ("method", method)
    case .invalidParameter(let parameter): ("parameter", parameter)
    case .permissionDenied, .expectedMore, .expectedUpgrade: nil
    }
  }

  /// Makes the error from a reply; nil: the reply's error is none of these.
  ///
  /// - Parameters:
  ///   - name: the full name of the error.
  ///   - parameters: the parameters, an object. A missing parameter becomes an empty string.
  public init?(name: String, parameters: JSONValue) {
    func text(_ member: String) -> String { parameters[member]?.stringValue ?? "" }
    switch name {
    case "org.varlink.service.InterfaceNotFound":
      self = .interfaceNotFound(interface: text("interface"))
    case "org.varlink.service.MethodNotFound": self = .methodNotFound(method: text("method"))
    case "org.varlink.service.MethodNotImplemented":
      self = .methodNotImplemented(method: text("method"))
    case "org.varlink.service.InvalidParameter":
      self = .invalidParameter(parameter: text("parameter"))
    case "org.varlink.service.PermissionDenied": self = .permissionDenied
    case "org.varlink.service.ExpectedMore": self = .expectedMore
    case "org.varlink.service.ExpectedUpgrade": self = .expectedUpgrade
    default: return nil
    }
  }

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .interfaceNotFound(let interface): "the service has no interface '\(interface)'"
    case .methodNotFound(let method): "the interface has no method '\(method)'"
    case .methodNotImplemented(let method): "the service does not implement '\(method)'"
    case .invalidParameter(let parameter): "the parameter '\(parameter)' is invalid"
    case .permissionDenied: "permission denied"
    case .expectedMore: "the method must be called with 'more'"
    case .expectedUpgrade: "the method must be called with 'upgrade'"
    }
  }
}
