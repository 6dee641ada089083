internal import NightjarInterface
internal import Varlink

/// The methods that every Varlink service has, for a socket that serves one other interface.
struct ServiceMethods {
  /// The name of the other interface.
  let interface: String
  /// The text of the other interface.
  let description: String

  /// Answers a call of `org.varlink.service`.
  ///
  /// - Returns: whether the call was a call of `org.varlink.service`.
  func answer(_ call: ReceivedCall, of peer: VarlinkPeer) -> Bool {
    guard let method = call.method(in: ServiceInterface.name) else { return false }
    switch method {
    case "GetInfo":
      peer.reply([
        "vendor": "Nightjar", "product": "nightjar-mqtt",
        "version": .string(NightjarVersion.current), "url": "man:nightjar-mqtt(1)",
        "interfaces": [.string(ServiceInterface.name), .string(interface)],
      ])
    case "GetInterfaceDescription":
      switch call.parameters["interface"]?.stringValue {
      case interface: peer.reply(["description": .string(description)])
      case ServiceInterface.name:
        peer.reply(["description": .string(ServiceInterface.description)])
      case let other?: peer.fail(.interfaceNotFound(interface: other))
      case nil: peer.fail(.invalidParameter(parameter: "interface"))
      }
    default: peer.fail(.methodNotFound(method: call.method))
    }
    return true
  }
}
