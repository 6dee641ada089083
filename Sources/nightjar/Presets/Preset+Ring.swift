import Glibc
import NightjarClient
import NightjarConfig
import NightjarCore
import NightjarWire

extension Preset {
  /// What a preset says of commands and sounds; nil: nothing.
  static func ring(_ table: inout ConfigTable) throws(ConfigError) -> RingWords? {
    var words = RingWords()
    words.command = try command(&table)
    if let node = table.node("exec_on") {
      let names = try texts(node, in: table, or: "\"fired\"")
      words.events = try checked(node, in: table) { () throws(CommandError) in
        try RingWords.events(names)
      }
    }
    if let usec = try table.usec("exec_timeout"), let node = table.node("exec_timeout") {
      guard usec <= Limits.execLongestUsec else {
        throw table.error(at: node, "'exec_timeout' is at most a day")
      }
      words.timeoutUsec = usec
    }
    if let own = try table.table("env") {
      for node in own.entries {
        guard case .string(let value) = node.value else {
          throw own.error(at: node, expected: "a text, as every variable")
        }
        words.environment.append(.init(name: node.key, value: value))
      }
    }
    words.sound = try sound(&table)
    words.isSilent = try table.boolean("silent")
    try check(words, table)
    return words == RingWords() ? nil : words
  }

  private static func command(_ table: inout ConfigTable) throws(ConfigError) -> [String]? {
    let shell = try table.string("shell")
    guard let node = table.node("exec") else {
      guard let shell, let own = table.node("shell") else { return nil }
      guard let command = RingWords.shell(shell) else {
        throw table.error(at: own, "'shell' has no command in it")
      }
      return command
    }
    guard shell == nil else { throw table.error(at: node, "give 'exec' or 'shell', not both") }
    guard case .string(let text) = node.value else {
      let words = try texts(node, in: table, or: "\"paplay bell.oga\"")
      guard words.first?.isEmpty == false else {
        throw table.error(at: node, "'exec' has no program in it")
      }
      return words
    }
    do throws(CommandWords.Problem) {
      return try CommandWords.split(text)
    } catch {
      let remedy = error.isForShell ? "; use 'shell', or quote it" : ""
      throw table.error(at: node, "'exec' \(error.sentence)\(remedy)")
    }
  }

  private static func sound(_ table: inout ConfigTable) throws(ConfigError) -> String? {
    guard let path = try table.string("sound"), let node = table.node("sound") else { return nil }
    if path.hasPrefix("/") { return path }
    guard path.hasPrefix("~/"), let home = Environment.valueOrHome("HOME") else {
      throw table.error(at: node, "'sound' is a path that begins with / or ~/, not \"\(path)\"")
    }
    return home + path.dropFirst()
  }

  private static func check(_ words: RingWords, _ table: ConfigTable) throws(ConfigError) {
    if words.command == nil,
      let node = table.entries.first(where: {
        ["exec_on", "exec_timeout", "env"].contains($0.key)
      })
    {
      throw table.error(
        at: node, "'\(node.key)' belongs to 'exec' or 'shell', which is not there")
    }
    if words.sound != nil, words.isSilent == true,
      let node = table.entries.first(where: { $0.key == "silent" })
    {
      throw table.error(at: node, "give 'sound' or 'silent', not both")
    }
  }

  /// A text, or an array of them.
  private static func texts(
    _ node: ConfigNode, in table: ConfigTable, or example: String
  ) throws(ConfigError) -> [String] {
    if case .string(let text) = node.value { return [text] }
    guard case .array(let elements) = node.value else {
      throw table.error(at: node, expected: "a text such as \(example), or an array of texts")
    }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element.value else {
        throw table.error(at: element, expected: "an array of texts")
      }
      texts.append(text)
    }
    return texts
  }

  /// What the command line would refuse, with its line.
  private static func checked<Value>(
    _ node: ConfigNode, in table: ConfigTable, _ body: () throws(CommandError) -> Value
  ) throws(ConfigError) -> Value {
    do throws(CommandError) { return try body() } catch {
      throw table.error(at: node, "'\(node.key)': \(error.message)")
    }
  }
}
