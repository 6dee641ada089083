import ArgumentParser
import NightjarWire

/// What a command takes, as the argument parser describes it.
struct CommandHelp {
  let type: any ParsableCommand.Type
  /// Its words: `nightjar`, `analyze`, `calendar`.
  let words: [String]
  let abstract: String
  let discussion: String
  /// Without those that nobody is to see.
  let arguments: [Argument]
  let subcommands: [CommandHelp]

  struct Argument {
    enum Kind: String {
      case positional
      case option
      case flag
    }

    let kind: Kind
    /// As they are typed, with their dashes; the short one first.
    let names: [String]
    /// What stands for its value.
    let valueName: String
    /// It is the option's default then.
    let mayStandWithoutValue: Bool
    let abstract: String
    let defaultValue: String?
    /// Those it may have; empty where there are more.
    let values: [String]
    let isOptional: Bool
    let isRepeating: Bool
    /// Of the group that it stands in; nil: it is in none.
    let title: String?
  }

  /// The commands of nightjar that are to be seen.
  static var visible: [CommandHelp] {
    do throws(JSONError) {
      let dump = try JSONValue.parse(Nightjar._dumpHelp())
      return CommandHelp(Nightjar.self, dump["command"] ?? .null, below: []).subcommands
    } catch {
      preconditionFailure("what the argument parser says of the commands is no JSON: \(error)")
    }
  }

  private init(_ type: any ParsableCommand.Type, _ json: JSONValue, below: [String]) {
    self.type = type
    let words = below + [json["commandName"]?.stringValue ?? ""]
    self.words = words
    abstract = json["abstract"]?.stringValue ?? ""
    discussion = json["discussion"]?.stringValue ?? ""
    // Only this says that an option may stand without its value.
    let help = Nightjar.helpMessage(for: type, columns: 1_000)
    arguments = (json["arguments"]?.arrayValue ?? []).compactMap { Argument($0, help: help) }
    let described = json["subcommands"]?.arrayValue ?? []
    subcommands = type.configuration.subcommands.compactMap { type in
      guard type.configuration.shouldDisplay else { return nil }
      let name = type.configuration.commandName
      let json = described.first { $0["commandName"]?.stringValue == name }
      return json.map { CommandHelp(type, $0, below: words) }
    }
  }

  /// How it is called, a line each.
  var usage: [String] {
    if let usage = type.configuration.usage {
      return usage.split(separator: "\n").map(String.init)
    }
    guard subcommands.isEmpty else { return subcommands.flatMap(\.usage) }
    // These are every command's, and those who know one know them.
    let taken = arguments.filter { !$0.isEveryCommands }
    return [(words + taken.map(\.usage)).joined(separator: " ")]
  }
}

extension CommandHelp.Argument {
  fileprivate init?(_ json: JSONValue, help: String) {
    guard json["shouldDisplay"]?.boolValue == true,
      let kind = json["kind"]?.stringValue.flatMap(Kind.init)
    else { return nil }
    self.kind = kind
    names = (json["names"]?.arrayValue ?? []).map { name in
      let dashes = name["kind"]?.stringValue == "long" ? "--" : "-"
      return dashes + (name["name"]?.stringValue ?? "")
    }
    valueName = json["valueName"]?.stringValue?.uppercased() ?? ""
    mayStandWithoutValue = names.contains { help.contains("\($0) [<") }
    abstract = json["abstract"]?.stringValue ?? ""
    defaultValue = json["defaultValue"]?.stringValue
    values = (json["allValues"]?.arrayValue ?? []).compactMap(\.stringValue)
    isOptional = json["isOptional"]?.boolValue ?? false
    isRepeating = json["isRepeating"]?.boolValue ?? false
    title = json["sectionTitle"]?.stringValue
  }

  /// The parser's own, and the socket.
  var isEveryCommands: Bool {
    !Set(names).isDisjoint(with: ["--help", "--version", "--socket"])
  }

  /// Its names, as a list of options has them: `--state STATE`.
  var term: String { names.map(written).joined(separator: ", ") }

  private func written(_ name: String) -> String {
    switch kind {
    case .positional: valueName
    case .option: "\(name) \(mayStandWithoutValue ? "[\(valueName)]" : valueName)"
    case .flag: name
    }
  }

  /// As a usage line has it: `[--state STATE ...]`.
  var usage: String {
    let word = written(names.last ?? "")
    let words = isRepeating && !valueName.hasSuffix("...") ? "\(word) ..." : word
    return isOptional ? "[\(words)]" : words
  }
}
