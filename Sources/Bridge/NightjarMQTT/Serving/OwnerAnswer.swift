internal import Varlink

/// The result of a call to this machine's daemon, or to another machine.
enum OwnerAnswer: Equatable {
  /// The daemon carried out the call; the parameters of its reply.
  case reply(JSONValue)
  /// The call failed: the full name of the error, and its parameters. If the owner did not answer,
  /// it is an error of the bridge.
  case error(String, JSONValue)

  /// The parameters of the reply; nil: the call failed.
  var parameters: JSONValue? {
    if case .reply(let parameters) = self { parameters } else { nil }
  }
}
