public import Varlink

extension VarlinkReply {
  /// The parameters; null if they are not JSON.
  public var parameters: JSONValue { (try? json.value) ?? .null }
}
