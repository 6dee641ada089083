internal import NightjarModel

/// The persons at a broker, and the groups of each person: a TOML file that the broker's
/// administrator writes.
///
///     prefix = "nightjar"
///     persons = ["alex", "kim"]
///     [groups]
///     runners = ["alex", "kim"]
///     [home_assistant]
///     home = ["alex", "kim"]
public struct PersonsTable: Equatable, Sendable {
  /// Persons whose machines share the timers of a session.
  public struct Group: Equatable, Sendable {
    public var name: String
    /// The members of the group, who are among the persons.
    public var members: [String]
  }

  public private(set) var prefix = "nightjar"
  /// The persons. Each name is also the name of a user at the broker.
  public private(set) var persons: [String] = []
  /// The groups, in the order of the file.
  public private(set) var groups: [Group] = []
  /// The users of the broker that are Home Assistants, each with the persons whose machines that
  /// Home Assistant shows.
  public private(set) var homes: [Group] = []

  /// The persons who are in a group with a person, in the order of the file.
  func mates(of person: String) -> [String] {
    let groups = groups.filter { $0.members.contains(person) }
    return persons.filter { mate in
      mate != person && groups.contains { $0.members.contains(mate) }
    }
  }

  /// Reads the table.
  ///
  /// - Parameters:
  ///   - bytes: the content of the file.
  ///   - path: the file's name in errors.
  /// - Throws: the mistake, with its position.
  public init(_ bytes: [UInt8], path: String) throws(ConfigError) {
    guard bytes.count <= ConfigFile.maximumBytes else {
      throw ConfigError(path: path, reason: "this is longer than a table of persons may be, 1 MiB")
    }
    let nodes = try ConfigFile.nodes(bytes, path: path)
    var table = ConfigTable(path: path, title: "a table of persons", entries: nodes)
    if let node = table.node("prefix") {
      prefix = try BridgeSettings.prefix(of: node, table)
      // mosquitto ignores blanks before a topic, so a prefix must not begin with one.
      guard prefix.utf8.first != UInt8(ascii: " ") else {
        throw table.error(
          at: node,
          "'prefix' begins with a blank, which mosquitto would leave out; write it without")
      }
    }
    let personsNode = table.node("persons")
    let groupsTable = try table.table("groups")
    let homesTable = try table.table("home_assistant")
    try table.finish()
    guard let personsNode else {
      throw ConfigError(
        path: path, reason: "there is no 'persons'; write persons = [\"alex\", \"kim\"]")
    }
    persons = try Self.words(of: personsNode, table)
    guard !persons.isEmpty else {
      throw table.error(at: personsNode, "'persons' is empty; write the name of each person there")
    }
    groups = try members(in: groupsTable, "a group's", table)
    homes = try members(in: homesTable, "a user's", table)
    for node in homesTable?.entries ?? [] where persons.contains(node.key) {
      throw table.error(
        at: node,
        "\"\(node.key)\" is a person; Home Assistant is a user of its own, such as \"home\"")
    }
  }

  private func members(
    in part: ConfigTable?, _ whose: String, _ table: ConfigTable
  ) throws(ConfigError) -> [Group] {
    var groups: [Group] = []
    for node in part?.entries ?? [] {
      guard DeviceAddress.isWord(node.key) else {
        throw table.error(at: node, "\(whose) name must be \(Self.wordRule), not \"\(node.key)\"")
      }
      groups.append(Group(name: node.key, members: try members(of: node, table)))
    }
    return groups
  }

  private func members(
    of node: ConfigNode, _ table: ConfigTable
  ) throws(ConfigError) -> [String] {
    let members = try Self.words(of: node, table)
    guard let index = members.firstIndex(where: { !persons.contains($0) }) else { return members }
    let stranger = members[index]
    let near = NearName.nearest(to: stranger, among: persons)
    throw table.error(
      at: Self.element(index, of: node),
      "\"\(stranger)\" of '\(node.key)' is not in 'persons'; "
        + (near.map { "did you mean \"\($0)\"?" } ?? "add the name there, or remove it here"))
  }

  // MARK: - Words

  private static let wordRule =
    "1 to \(DeviceAddress.wordBytes) letters a-z and A-Z, digits, _ and -"

  /// The names in an array, without duplicates.
  private static func words(
    of node: ConfigNode, _ table: ConfigTable
  ) throws(ConfigError) -> [String] {
    guard case .array(let elements) = node.value else {
      throw table.error(at: node, expected: "an array of names such as [\"alex\", \"kim\"]")
    }
    var words: [String] = []
    var known: Set<String> = []
    for element in elements {
      guard case .string(let word) = element.value else {
        throw table.error(
          at: element, "a person's name must be a text such as \"alex\", not \(element.kind)")
      }
      guard DeviceAddress.isWord(word) else {
        throw table.error(
          at: element, "a person's name must be \(wordRule), not \"\(word)\"")
      }
      guard known.insert(word).inserted else {
        throw table.error(at: element, "\"\(word)\" is twice in '\(node.key)'; remove one of them")
      }
      words.append(word)
    }
    return words
  }

  private static func element(_ index: Int, of node: ConfigNode) -> ConfigNode {
    guard case .array(let elements) = node.value else { return node }
    return elements[index]
  }
}
