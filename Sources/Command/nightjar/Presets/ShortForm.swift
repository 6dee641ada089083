import Glibc
import NightjarClient
import NightjarConfig
import NightjarModel
import NightjarParameters
import NightjarTime
import Varlink

/// A key of a preset that is no field of the interface, or is a field of another structure.
/// nightjar.toml(5) lists all of these keys.
struct ShortForm {
  /// The notation of the key's value.
  enum Value {
    /// The notation of the field's type.
    case plain
    case span
    /// The words of a command, as one text or as an array.
    case command
    case shell
    case events
    /// A time span, which may be zero.
    case spanOrNothing
    /// Days on which an alarm does not ring.
    case days
    /// Paths of files with such days, which may begin with ~/.
    case filesOfDays
    case day
    /// The name of a built-in sound, or the path of a file, which may begin with ~/.
    case sound
  }

  let key: String
  /// The path of the field that the key sets, in the structure to which the key belongs.
  let path: [String]
  let value: Value

  private init(_ key: String, for path: String..., as value: Value = .plain) {
    self.key = key
    self.path = path
    self.value = value
  }

  static func all(of structure: Shape.Structure) -> [ShortForm] {
    switch structure.name {
    case "Start":
      [
        ShortForm("duration", for: "duration_usec", as: .span),
        ShortForm("zone", for: "alarm", "zone"),
        ShortForm("except", for: "alarm", "except", as: .days),
        ShortForm("except_file", for: "alarm", "except", as: .filesOfDays),
        ShortForm("until", for: "alarm", "until", as: .day),
        ShortForm("steps", for: "sequence", "steps"),
        ShortForm("rounds", for: "sequence", "rounds"),
        ShortForm("long_every", for: "sequence", "long_every"),
        ShortForm("after_sleep", for: "sequence", "after_sleep"),
        ShortForm("exec", for: "ring", "exec", as: .command),
        ShortForm("shell", for: "ring", "exec", as: .shell),
        ShortForm("exec_on", for: "ring", "on", as: .events),
        ShortForm("exec_timeout", for: "ring", "timeout_usec", as: .span),
        ShortForm("env", for: "ring", "environment"),
        ShortForm("sound", for: "ring", "sound", as: .sound),
        ShortForm("silent", for: "ring", "silent"),
        ShortForm("ring_for", for: "ring", "ring_for_usec", as: .spanOrNothing),
        ShortForm("volume", for: "ring", "volume"),
        ShortForm("rising", for: "ring", "rising_usec", as: .spanOrNothing),
        ShortForm("insist", for: "ring", "insist_usec", as: .spanOrNothing),
        ShortForm("disturb", for: "ring", "disturb"),
      ]
    case "Step":
      [
        ShortForm("duration", for: "duration_usec", as: .span),
        ShortForm("long", for: "long_usec", as: .span),
      ]
    case "Band": [ShortForm("remaining", for: "remaining_usec", as: .span)]
    default: []
    }
  }
}

// MARK: - Values

extension ShortForm {
  /// The value for the field; nil if the value has the notation of the field's type.
  ///
  /// - Parameter wall: the time and zone for relative days such as today.
  func value(
    of node: ConfigNode, in table: ConfigTable, at wall: WallClock
  ) throws(ConfigError) -> JSONValue? {
    var table = table
    switch value {
    case .plain: return nil
    case .span: return .integer(try table.usec(of: node))
    case .spanOrNothing: return .integer(try table.usec(of: node, from: 0))
    case .command: return .strings(try Self.command(node, in: table))
    case .shell:
      guard let command = RingWords.shell(try table.string(key) ?? "") else {
        throw table.error(at: node, "'\(node.key)' has no command in it")
      }
      return .strings(command)
    case .events:
      let lists = try Self.texts(node, in: table, or: "\"rang\"")
      do throws(CommandError) { return .strings(try RingWords.events(lists).map(\.rawValue)) } catch
      {
        throw table.error(at: node, "'\(node.key)': \(error.message)")
      }
    case .days:
      let texts = try Self.texts(node, in: table, or: "\"2026-12-24..2027-01-01\"")
      return .strings(
        try Self.said(node, in: table) { () throws(CommandError) in
          var days: [DayRange] = []
          for text in texts { days += try ExceptDays.ranges(text, at: wall, option: nil) }
          return days.map(\.text)
        })
    case .filesOfDays:
      let paths = try Self.texts(node, in: table, or: "\"~/holidays.ics\"")
      return .strings(
        try Self.said(node, in: table) { () throws(CommandError) in
          var days: [DayRange] = []
          for path in paths { days += try ExceptDays.file(Self.fromHome(path) ?? path, at: wall) }
          return days.map(\.text)
        })
    case .day:
      let text = try table.string(key) ?? ""
      return .string(
        try Self.said(node, in: table) { () throws(CommandError) in
          try ExceptDays.day(text, at: wall, option: nil).text
        })
    case .sound:
      let path = try table.string(key) ?? ""
      let isName = RingPlan.builtInSounds.contains(path)
      if isName || path.hasPrefix("/") { return .string(path) }
      guard let whole = Self.fromHome(path) else {
        throw table.error(
          at: node,
          "'\(node.key)' must be \(RingPlan.builtInSounds.joined(separator: ", ")), or a path "
            + "that begins with / or ~/, not \"\(path)\"")
      }
      return .string(whole)
    }
  }

  /// Runs `body`. If `body` throws, throws its error with the position of the value.
  private static func said<Value>(
    _ node: ConfigNode, in table: ConfigTable, _ body: () throws(CommandError) -> Value
  ) throws(ConfigError) -> Value {
    do throws(CommandError) { return try body() } catch {
      throw table.error(at: node, "'\(node.key)': \(error.message)")
    }
  }

  /// The full path for a path that begins with `~/`; nil for any other path.
  private static func fromHome(_ path: String) -> String? {
    guard path.hasPrefix("~/"), let home = Environment.valueOrHome("HOME") else { return nil }
    return home + path.dropFirst()
  }

  private static func command(
    _ node: ConfigNode, in table: ConfigTable
  ) throws(ConfigError) -> [String] {
    guard case .string(let text) = node.value else {
      let words = try texts(node, in: table, or: "\"paplay bell.oga\"")
      guard words.first?.isEmpty == false else {
        throw table.error(at: node, "'\(node.key)' has no program in it")
      }
      return words
    }
    do throws(CommandWords.Problem) { return try CommandWords.split(text) } catch {
      let remedy = error.isForShell ? "; use 'shell', or quote it" : ""
      throw table.error(at: node, "'\(node.key)' \(error.sentence)\(remedy)")
    }
  }

  /// The texts of a value that is one text or an array of texts.
  private static func texts(
    _ node: ConfigNode, in table: ConfigTable, or example: String
  ) throws(ConfigError) -> [String] {
    if case .string(let text) = node.value { return [text] }
    guard case .array(let elements) = node.value else {
      throw table.error(at: node, expected: "a text such as \(example), or an array of texts")
    }
    return try elements.map { (element) throws(ConfigError) in
      guard case .string(let text) = element.value else {
        throw table.error(at: element, expected: "an array of texts")
      }
      return text
    }
  }
}

extension JSONValue {
  static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
