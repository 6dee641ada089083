internal import NightjarInterface
internal import NightjarModel
internal import Varlink

/// The address of a session, and how this machine takes part in the session.
struct SessionEntry: StateEntry {
  static let listName = "sessions"
  static let loss = "Share or join anew"

  let address: SessionAddress
  let part: BridgeWire.Part
}

extension SessionEntry {
  init?(_ json: JSONValue) {
    guard let group = json["group"]?.stringValue, let session = json["session"]?.stringValue,
      let address = SessionAddress(group: group, path: session),
      let part = json["part"]?.stringValue.map(BridgeWire.Part.init(rawValue:)),
      [.shared, .joined, .leaving].contains(part)
    else { return nil }
    self.init(address: address, part: part)
  }

  var json: JSONValue {
    [
      "group": .string(address.group), "session": .string(address.path),
      "part": .string(part.rawValue),
    ]
  }
}
