public import NightjarModel
internal import NightjarTime

/// The table `[mqtt]` of the configuration: the broker that connects the user's machines, and the
/// name of this machine at the broker.
public struct BridgeSettings: Equatable, Sendable {
  /// The address of the broker.
  public enum Broker: Equatable, Sendable, CustomStringConvertible {
    /// A TCP port of a host.
    case tcp(host: String, port: Int)
    /// A TCP port of a host, with TLS.
    case tls(host: String, port: Int)
    /// A UNIX socket, by its path.
    case unix(path: String)

    /// The notation in the configuration: `mqtt://HOST:PORT`, `mqtts://HOST:PORT` or `unix:PATH`.
    public var description: String {
      switch self {
      case .tcp(let host, let port): "mqtt://\(Self.bracketed(host)):\(port)"
      case .tls(let host, let port): "mqtts://\(Self.bracketed(host)):\(port)"
      case .unix(let path): "unix:\(path)"
      }
    }

    private static func bracketed(_ host: String) -> String {
      host.contains(":") ? "[\(host)]" : host
    }

    /// Parses an address; nil if it has none of the three forms.
    init?(_ text: String) {
      if text.hasPrefix("unix:/") {
        self = .unix(path: String(text.dropFirst("unix:".count)))
        return
      }
      let isTLS = text.hasPrefix("mqtts://")
      guard isTLS || text.hasPrefix("mqtt://") else { return nil }
      var rest = text.dropFirst(isTLS ? "mqtts://".count : "mqtt://".count)
      if rest.hasSuffix("/") { rest = rest.dropLast() }
      var host = rest
      var port = isTLS ? 8883 : 1883
      // An IPv6 address contains colons, so it is in brackets (RFC 3986 section 3.2.2).
      if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
        host = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
        guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      } else {
        let colon = rest.firstIndex(of: ":") ?? rest.endIndex
        host = rest[..<colon]
        rest = rest[colon...]
      }
      if rest.hasPrefix(":") {
        guard let number = Int(rest.dropFirst()), (1...65_535).contains(number) else { return nil }
        port = number
      }
      guard !host.isEmpty, !host.contains("/"), !host.contains("@"), !host.contains(" ") else {
        return nil
      }
      self = isTLS ? .tls(host: String(host), port: port) : .tcp(host: String(host), port: port)
    }
  }

  public var broker: Broker
  /// The name of this machine at the broker.
  public var address: DeviceAddress
  public var prefix = "nightjar"
  /// The group of a session if a command names none; nil: each command must name one.
  public private(set) var group: String?
  /// A file with the certificates of authorities, which must have signed the broker's certificate;
  /// nil: the authorities of the system.
  public var authorityPath: String?
  /// The path of this machine's client certificate. This and `keyPath` are both set, or neither.
  public private(set) var certificatePath: String?
  /// The path of the key of that certificate.
  public private(set) var keyPath: String?
  public var user: String?
  /// The path of the file whose first line is the password.
  public var passwordPath: String?
  /// The configuration key that names the password's file: `password_file` or
  /// `password_credential`.
  public private(set) var passwordKey = "password_file"
  /// The keepalive of the connection, in seconds.
  public var keepaliveSeconds: Int = 30
  /// The names of the timers that have entities of their own in Home Assistant; nil: Home Assistant
  /// does not show this machine.
  public private(set) var homeAssistant: [String]?
  /// What the user's other machines may do with the timers of this machine.
  public var others = RemotePermission.change

  /// Reads the table `[mqtt]` of a file.
  ///
  /// - Parameters:
  ///   - hostName: the machine's name, which is the default of `device`.
  ///   - credentials: the folder of systemd's credentials (`CREDENTIALS_DIRECTORY`,
  ///     systemd.exec(5)); nil: none.
  /// - Returns: nil if the file has no such table, or an empty one.
  /// - Throws: the mistake, with its position.
  public static func read(
    _ file: ConfigFile, hostName: String, credentials: String?
  ) throws(ConfigError) -> BridgeSettings? {
    var table = file.table(.mqtt)
    guard !table.entries.isEmpty else { return nil }
    let settings = try BridgeSettings(&table, hostName: hostName, credentials: credentials)
    try table.finish()
    return settings
  }

  private init(
    _ table: inout ConfigTable, hostName: String, credentials: String?
  ) throws(ConfigError) {
    broker = try Self.broker(&table)
    address = try Self.address(&table, hostName: hostName)
    if let node = table.node("prefix") { prefix = try Self.prefix(of: node, table) }
    if let node = table.node("group") { group = try Self.word(of: node, table) }
    authorityPath = try Self.path("ca", &table)
    (certificatePath, keyPath) = (
      try Self.path("certificate", &table), try Self.path("key", &table)
    )
    if certificatePath == nil, let node = table.entries.first(where: { $0.key == "key" }) {
      throw table.error(at: node, "there is a 'key' and no 'certificate'; give both, or neither")
    }
    if keyPath == nil, let node = table.entries.first(where: { $0.key == "certificate" }) {
      throw table.error(at: node, "there is a 'certificate' and no 'key'; give both, or neither")
    }
    try Self.checkTLS(of: table, broker: broker)
    user = try table.string("user")
    passwordPath = try Self.password(&table, credentials: credentials)
    if table.has("password_credential") { passwordKey = "password_credential" }
    if passwordPath != nil, user == nil, let node = table.entries.first(where: Self.isPassword) {
      throw table.error(at: node, "there is '\(node.key)' and no 'user'; give both, or neither")
    }
    // The broker waits one and a half times this long (MQTT 5, section 3.1.2.10).
    if let node = table.node("keepalive") {
      let usec = try table.usec(of: node, from: .min)
      guard (5_000_000...3_600_000_000).contains(usec) else {
        throw table.error(
          at: node, "'keepalive' must be from 5 s to 1 h, not \(SpanFormat.text(usec: usec))")
      }
      keepaliveSeconds = Int(usec / 1_000_000)
    }
    if let word = try table.word("others", RemotePermission.self) { others = word }
    if let node = table.node("home_assistant") {
      homeAssistant = try Self.timerNames(of: node, table)
    }
  }
}

// MARK: - Reading the keys

extension BridgeSettings {
  private static func broker(_ table: inout ConfigTable) throws(ConfigError) -> Broker {
    guard let node = table.node("broker") else {
      throw ConfigError(
        path: table.path, line: table.entries.first?.line,
        reason: "[mqtt] has no 'broker'; write broker = \"mqtt://HOST\"")
    }
    let text = try text(of: node, table)
    if let broker = Broker(text) { return broker }
    // A text with @ may contain a password, which must not appear in a log.
    guard !text.contains("@") else {
      throw table.error(
        at: node,
        "give the user and the password in 'user' and 'password_file', not in 'broker'")
    }
    throw table.error(
      at: node,
      "'broker' must be \"mqtt://HOST:PORT\", \"mqtts://HOST:PORT\" (with TLS) or \"unix:/PATH\", "
        + "not \"\(text)\"")
  }

  static func prefix(of node: ConfigNode, _ table: ConfigTable) throws(ConfigError) -> String {
    let prefix = try text(of: node, table)
    guard isPrefix(prefix) else {
      throw table.error(
        at: node,
        "'prefix' must be a word such as \"nightjar\", or several such as \"home/nightjar\", "
          + "without + and # and without $ in front, not \"\(prefix)\"")
    }
    return prefix
  }

  /// Whether topics can begin with this text. `$` is reserved for the broker, and `+` and `#` for
  /// filters (MQTT 5, section 4.7).
  private static func isPrefix(_ text: String) -> Bool {
    guard !text.hasPrefix("$"), !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
      return false
    }
    return text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && !$0.contains("+") && !$0.contains("#")
    }
  }

  /// Names of timers in an array.
  private static func timerNames(
    of node: ConfigNode, _ table: ConfigTable
  ) throws(ConfigError) -> [String] {
    guard case .array(let elements) = node.value else {
      throw table.error(
        at: node, expected: "an array of timers' names such as [\"tea\"], or [] for none of them")
    }
    guard elements.count <= maximumHomeTimers else {
      throw table.error(
        at: node,
        "'\(node.key)' has \(elements.count) names, and at most \(maximumHomeTimers) are allowed")
    }
    var names: [String] = []
    for element in elements {
      let name = try text(of: element, table)
      if let problem = Array(name.utf8).withUnsafeBytes({ TimerName.problem($0) }) {
        throw table.error(at: element, "\"\(name)\" is no timer's name: \(problem)")
      }
      guard homeLength(name) <= maximumHomeLength else {
        throw table.error(
          at: element,
          "\"\(name)\" is too long for Home Assistant, which makes ids of names; in '\(node.key)' a "
            + "name has at most \(maximumHomeLength) letters a-z, and a letter of another script "
            + "counts as 8")
      }
      guard !names.contains(name) else {
        throw table.error(at: element, "\"\(name)\" is twice in '\(node.key)'; remove one of them")
      }
      names.append(name)
    }
    return names
  }

  /// The most timers with entities of their own. Each has ten entities, and one message describes
  /// all of them.
  private static let maximumHomeTimers = 50

  /// The longest timer name, in characters of an entity's ID. Home Assistant allows IDs of 255
  /// ASCII characters. The machine's name and the words for the entity's purpose take at most 66 of
  /// these.
  private static let maximumHomeLength = 180

  /// The most characters that a name can have in an entity's ID. Home Assistant replaces a
  /// character that is not ASCII with up to eight letters.
  private static func homeLength(_ name: String) -> Int {
    name.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 8) }
  }

  private static func word(
    of node: ConfigNode, _ table: ConfigTable
  ) throws(ConfigError) -> String {
    let word = try text(of: node, table)
    guard DeviceAddress.isWord(word) else {
      throw table.error(
        at: node,
        "'\(node.key)' must be 1 to \(DeviceAddress.wordBytes) letters a-z and A-Z, digits, _ and "
          + "-, not \"\(word)\"")
    }
    return word
  }

  private static func address(
    _ table: inout ConfigTable, hostName: String
  ) throws(ConfigError) -> DeviceAddress {
    guard let node = table.node("person") else {
      throw ConfigError(
        path: table.path, line: table.entries.first?.line,
        reason: "[mqtt] has no 'person'; give all your machines the same, such as person = \"alex\""
      )
    }
    let person = try Self.word(of: node, table)
    if let node = table.node("device") {
      guard let address = DeviceAddress(person: person, device: try Self.word(of: node, table))
      else {
        throw table.error(
          at: node,
          "'device' cannot be \"\(DeviceAddress.ringWord)\", which is the topic of all rings; give "
            + "the machine another name")
      }
      return address
    }
    guard let address = DeviceAddress(person: person, device: Self.device(hostName)) else {
      throw ConfigError(
        path: table.path, line: table.entries.first?.line,
        reason: "[mqtt] has no 'device', and the machine's name '\(hostName)' cannot be one; write "
          + "device = \"laptop\"")
    }
    return address
  }

  /// The default of `device` for a machine's name: the part before its first dot.
  private static func device(_ hostName: String) -> String {
    String(hostName.prefix { $0 != "." }.prefix(DeviceAddress.wordBytes))
  }

  private static func checkTLS(
    of table: ConfigTable, broker: Broker
  ) throws(ConfigError) {
    if case .tls = broker { return }
    guard let node = table.entries.first(where: { ["ca", "certificate", "key"].contains($0.key) })
    else { return }
    throw table.error(
      at: node,
      "'\(node.key)' is only for TLS; write broker = \"mqtts://HOST\", or leave out '\(node.key)'")
  }

  private static func isPassword(_ node: ConfigNode) -> Bool {
    ["password_file", "password_credential"].contains(node.key)
  }

  /// The path of the file with the password. The configuration cannot contain the password itself,
  /// because other users may be able to read it.
  private static func password(
    _ table: inout ConfigTable, credentials: String?
  ) throws(ConfigError) -> String? {
    let file = try path("password_file", &table)
    guard let node = table.node("password_credential") else { return file }
    guard file == nil else {
      throw table.error(
        at: node, "there are 'password_file' and 'password_credential'; leave out one of them")
    }
    let name = try text(of: node, table)
    guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
      throw table.error(at: node, "'password_credential' is the name of a credential, not a path")
    }
    guard let credentials else {
      throw table.error(
        at: node,
        "'password_credential' names a credential of systemd, and systemd passed none; write "
          + "LoadCredential=\(name):PATH in the unit of nightjar-mqtt, or give 'password_file'")
    }
    return "\(credentials)/\(name)"
  }

  private static func text(
    of node: ConfigNode, _ table: ConfigTable
  ) throws(ConfigError) -> String {
    guard case .string(let text) = node.value else {
      throw table.error(at: node, expected: "a text")
    }
    return text
  }

  /// The absolute path that a key contains; `~/` stands for the home directory.
  private static func path(
    _ key: String, _ table: inout ConfigTable
  ) throws(ConfigError) -> String? {
    guard let node = table.node(key) else { return nil }
    let text = try text(of: node, table)
    if let path = HomePath.absolute(text) { return path }
    throw table.error(at: node, "'\(key)' must be a path from / or ~/, not \"\(text)\"")
  }
}
