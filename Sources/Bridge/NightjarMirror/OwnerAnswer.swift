internal import NightjarInterface
package import Varlink

/// The result of a call to this machine's daemon, or to another machine.
package enum OwnerAnswer: Equatable {
  /// The daemon carried out the call; the parameters of its reply.
  case reply(JSONValue)
  /// The call failed: the full name of the error, and its parameters. If the owner did not answer,
  /// it is an error of the bridge.
  case error(String, JSONValue)

  /// The answer of an owner that refuses a call.
  package init(_ refusal: CallRefusal) { self = .error(refusal.name, refusal.parameters) }

  /// Parses an answer from a message: `{parameters}` or `{error, parameters}`, as in Varlink; nil
  /// if the payload is not an answer. O(bytes).
  package init?(payload: [UInt8]) {
    guard let json = try? JSONValue.parse(payload), json.objectValue != nil else { return nil }
    let parameters = json["parameters"] ?? .object([])
    self = json["error"]?.stringValue.map { .error($0, parameters) } ?? .reply(parameters)
  }

  /// The parameters of the reply; nil: the call failed.
  package var parameters: JSONValue? {
    if case .reply(let parameters) = self { parameters } else { nil }
  }

  /// The answer as a message, without data that must not leave the machine. O(n).
  ///
  /// - Parameter method: the full name of the method that was called.
  package func payload(of method: String) -> [UInt8] {
    let members: JSONValue =
      switch self {
      // An error keeps all its parameters, because the caller needs its `reason`.
      case .error(let name, let parameters):
        ["error": .string(name), "parameters": parameters]
      case .reply(let parameters) where method == "\(TimersInterface.name).Status":
        ["parameters": Withheld.pathsRemoved(fromStatus: parameters)]
      case .reply(let parameters): ["parameters": Withheld.removed(from: parameters)]
      }
    return members.bytes
  }
}
