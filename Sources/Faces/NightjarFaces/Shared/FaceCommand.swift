internal import NightjarClient
internal import NightjarInterface
internal import NightjarSystem
internal import Varlink

/// What a person asks of the daemon with a click or a key.
struct FaceCommand: Equatable {
  /// The full name of the method.
  let method: String
  private(set) var parameters: JSONValue

  /// - Parameters:
  ///   - method: the name of the method, without the interface.
  ///   - name: the name of the timer; nil: the method takes none.
  init(_ method: String, _ name: String? = nil, _ more: [JSONValue.Member] = []) {
    self.method = "\(TimersInterface.name).\(method)"
    parameters = .object((name.map { [JSONValue.Member("name", .string($0))] } ?? []) + more)
  }

  init(_ start: Wire.Start) {
    self.method = "\(Wire.Start.method)"
    parameters = JSONValue(start)
  }

  /// An answer to the ring that the person sees.
  init(_ method: String, toRingOf shown: ShownTimer, _ more: [JSONValue.Member] = []) {
    let expiry = shown.timer.openRing.map { JSONValue.Member("expiry", .integer($0.expiry)) }
    self.init(method, shown.name, more + [expiry].compactMap(\.self))
  }

  /// The command with an undo ID, if the method takes one: a person asks for it.
  var undoable: JSONValue {
    guard method != "\(Wire.Undo.method)", case .object(let members) = parameters else {
      return parameters
    }
    let id = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    return .object(members + [JSONValue.Member("undo_id", .string(id))])
  }
}
