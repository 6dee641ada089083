internal import NightjarInterface
internal import NightjarVarlink

/// The methods of every Varlink service, for a socket with one other interface.
struct ServiceMethods {
  /// The interface's name.
  let interface: String
  /// The interface's text.
  let description: String

  /// Answers a call of `org.varlink.service`.
  ///
  /// - Returns: whether the call was one of these.
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
