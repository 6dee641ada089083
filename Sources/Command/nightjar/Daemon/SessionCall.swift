import NightjarClient
import NightjarInterface
import NightjarModel
import Varlink

/// Asks the bridge to share, join or leave a session.
struct SessionCall {
  private let path: String

  /// - Throws: `CommandError` if the path is no valid name of a session.
  init(_ path: String) throws(CommandError) {
    // A pattern such as `run/4711/…` is accepted, too. It means the session `run/4711`.
    switch NamePattern(path) {
    case .name(let name): self.path = name
    case .prefix(let prefix): self.path = prefix
    }
    if let problem = Array(self.path.utf8).withUnsafeBytes({ TimerName.problem($0) }) {
      throw .usage("'\(path)' cannot be a session: \(problem)")
    }
    guard SessionAddress.isPath(self.path) else {
      throw .usage(
        "'\(path)' is too long for a session: at most \(SessionAddress.wordBytes) letters, digits, _ and "
          + "-; each other character counts for three or more")
    }
  }

  /// Shares or joins the session.
  ///
  /// - Parameters:
  ///   - part: `Share` or `Join`.
  ///   - group: the group; nil: that of the configuration.
  func take(part: String, group: String?) throws(CommandError) -> JSONValue {
    var parameters: [JSONValue.Member] = [.init("session", .string(path))]
    if let group { parameters.append(.init("group", .string(group))) }
    return try call(part, .object(parameters))
  }

  func leave() throws(CommandError) -> JSONValue {
    try call("Leave", ["session": .string(path)])
  }

  private func call(_ method: String, _ parameters: JSONValue) throws(CommandError) -> JSONValue {
    guard let bridge = try BridgeSession.openIfRunning() else { throw BridgeSession.notRunning }
    switch try bridge.answer(
      to: Call(method: "\(BridgeInterface.name).\(method)", parameters: parameters))
    {
    case .success(let reply): return reply
    case .failure(let refusal): throw CommandError(.refused, sentence(of: refusal))
    }
  }

  private func sentence(of refusal: TimersError) -> String {
    let word = Quoting.quoted(path)
    guard case .other(let name, let parameters) = refusal else {
      guard case .varlink(.invalidParameter("group")) = refusal else { return refusal.description }
      return "a group's name has 1 to \(DeviceAddress.wordBytes) letters, digits, _ and -"
    }
    func text(_ key: String) -> String { parameters[key]?.stringValue ?? "" }
    switch name {
    case "\(BridgeInterface.name).NoGroup":
      return
        "say which group is meant with --group GROUP, or write group = \"GROUP\" under [mqtt], see "
        + "nightjar.toml(5)"
    case "\(BridgeInterface.name).OtherGroup":
      return
        "this machine takes part in \(word) with \(text("group")) already, or still leaves it; end that "
        + "with nightjar mqtt leave \(word), which takes a connection to the broker"
    case "\(BridgeInterface.name).MachineName":
      return "\(word) is the name of a machine; share a path with a / in it, such as \(path)/time"
    case "\(BridgeInterface.name).NoSession":
      return
        "this machine does not take part in \(word); nightjar mqtt status lists the sessions in which it "
        + "does"
    case "\(BridgeInterface.name).SessionLimit":
      return
        "this machine takes part in \(parameters["limit"]?.integerValue ?? 0) sessions, which is the most; "
        + "end one with nightjar mqtt leave SESSION"
    case "\(BridgeInterface.name).SessionRefused":
      return "the broker does not let this person take part in the group \(text("group")) "
        + "(\(text("reason"))); the broker's administrator can change that, see nightjar-mqtt(1)"
    case "\(BridgeInterface.name).NotSaved":
      return "nothing was changed, because it could not be written to disk: \(text("reason"))"
    default: return refusal.description
    }
  }

  /// Prints the reply to a call: as JSON, or as the text that `text` makes of it.
  static func show(
    _ reply: JSONValue, _ format: FormatOption, _ text: (BridgeWire.Session) -> String
  ) throws(CommandError) {
    guard !format.isJSON else { return Output.ready(reply.text) }
    let session = try CommandError.explaining { () throws(ClientError) in
      try BridgeWire.Session(reply["session"] ?? .null)
    }
    Output.ready(text(session))
  }
}
