import ArgumentParser
import NightjarConfig
import NightjarTime
import NightjarWire

/// Turns what people type into what the argument parser expects.
enum Invocation {
  /// Options of every command, which may also stand before the command's name.
  private static let leadingOptions = ["--socket"]
  private static let leadingFlags = ["--json"]

  /// The arguments with the command's name in front: options that came before it are moved behind
  /// it, and `nightjar 4min` becomes `nightjar start 4min`.
  static func rewritten(_ arguments: [String]) throws(CommandError) -> [String] {
    var index = 0
    while index < arguments.count, arguments[index].hasPrefix("-") {
      let argument = arguments[index]
      let isOurs =
        (leadingOptions + leadingFlags).contains(argument)
        || leadingOptions.contains { argument.hasPrefix("\($0)=") }
      guard isOurs else {
        try NegativeArgument.refuse(in: arguments[index...index], of: [])
        // Help, version and other mistakes are the parser's.
        return arguments
      }
      index += leadingOptions.contains(argument) ? 2 : 1
    }
    guard index < arguments.count else { return arguments }
    let moved = arguments[..<index]
    let name = arguments[index]
    let rest = arguments[(index + 1)...]
    if Nightjar.commandNames.contains(name) {
      try NegativeArgument.refuse(in: rest, of: [name])
      guard rest.count > ManyNames.mostWords, ManyNames.areTaken(by: name) else {
        return [name] + moved + rest
      }
      return [name] + moved + ManyNames.folded(rest)
    }
    if let words = spanWords(arguments[index...]) {
      return ["start"] + moved + [words.joined(separator: " ")]
        + arguments[(index + words.count)...]
    }
    throw unknown(name, rest: rest)
  }

  /// The words that make up a time span: all up to the first option, if they make up one.
  private static func spanWords(_ arguments: ArraySlice<String>) -> ArraySlice<String>? {
    let words = arguments.prefix { !$0.hasPrefix("-") }
    if isSpan(words.joined(separator: " ")) { return words }
    // Something near to one deserves the sentence that says what is wrong with it.
    guard let first = words.first, isMeantAsSpan(first) else { return nil }
    return words.allSatisfy(isMeantAsSpan) ? words : words.prefix(1)
  }

  private static func unknown(_ name: String, rest: ArraySlice<String>) -> CommandError {
    if let span = rest.first, isSpan(span) {
      return .usage(
        "no command is called '\(name)'; to start a timer write nightjar start "
          + "\(Quoting.quoted(name)) \(Quoting.quoted(span))")
    }
    if let near = NearName.nearest(to: name, among: Nightjar.commandNames) {
      return .usage("no command is called '\(name)'; did you mean '\(near)'?")
    }
    return .usage("no command is called '\(name)'; see nightjar --help")
  }

  /// Whether somebody who wrote `word` meant a time span, be it a wrong one: a digit comes first, or
  /// behind a point, a colon or a plus sign.
  static func isMeantAsSpan(_ word: String) -> Bool {
    guard let first = word.first else { return false }
    return first.isNumber || ".:+".contains(first) && word.dropFirst().first?.isNumber == true
  }

  static func isSpan(_ text: String) -> Bool {
    do {
      _ = try ParsedSpan(text)
      return true
    } catch {
      return false
    }
  }
}

extension Nightjar {
  /// The names of all commands, and of the parser's own.
  static let commandNames: [String] =
    configuration.subcommands.compactMap { $0.configuration.commandName }
    + ["help", "---completion"]
}

/// Words as a shell needs them.
enum Quoting {
  static func quoted(_ word: String) -> String {
    !word.isEmpty && word.utf8.allSatisfy(isPlain) ? word : inQuotes(word)
  }

  /// A letter, a digit or a sign that no shell looks at.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "_-./:=+,@%".utf8.contains(byte)
    }
  }

  /// In quotes that let nothing through, whether it needs them or not.
  static func inQuotes(_ word: String) -> String {
    "'" + word.replacingScalars("'", with: "'\\''") + "'"
  }

  /// In double quotes. The history of an interactive shell still sees a `!`.
  static func inDoubleQuotes(_ word: String) -> String {
    let escaped = ["\\", "\"", "$", "`"].reduce(word) { $0.replacingScalars($1, with: "\\" + $1) }
    return "\"\(escaped)\""
  }

  /// As bash and zsh have it, `$'…'`, with what could steer a terminal as bytes: they mean the same in every
  /// locale. So is what ends the quotation, or is for the history of an interactive shell.
  static func inDollarQuotes(_ word: String) -> String {
    let body = word.unicodeScalars.map { scalar -> String in
      guard VisibleText.isUnsafe(scalar) || "\\'!".unicodeScalars.contains(scalar) else {
        return String(scalar)
      }
      return String(scalar).utf8.map { byte in
        "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined()
    }
    return "$'\(body.joined())'"
  }
}
