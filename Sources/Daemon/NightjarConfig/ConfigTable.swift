internal import NightjarModel
internal import NightjarTime

/// A table of the configuration file, read key by key. `finish` reports keys that the program did
/// not read.
public struct ConfigTable: Sendable {
  public let path: String
  /// The table's name in errors: `[presets.tea]`.
  public let title: String
  /// The table's keys and values, in the order of the lines.
  public let entries: [ConfigNode]
  private var readKeys: [String] = []

  init(path: String, title: String, entries: [ConfigNode]) {
    self.path = path
    self.title = title
    self.entries = entries
  }

  /// The value of a key, of any type; nil if the key is missing.
  public mutating func node(_ key: String) -> ConfigNode? {
    readKeys.append(key)
    return entries.first { $0.key == key }
  }

  public func has(_ key: String) -> Bool { entries.contains { $0.key == key } }

  /// Throws if the table has a key that was not read. Call this after all allowed keys have been
  /// read.
  ///
  /// - Throws: `ConfigError` about the first key that was not read.
  public func finish() throws(ConfigError) { try check(keys: readKeys) }

  /// Throws `ConfigError` about the first key of the table that is not in `keys`.
  public func check(keys: [String]) throws(ConfigError) {
    guard let node = entries.first(where: { !keys.contains($0.key) }) else { return }
    let near = NearName.nearest(to: node.key, among: keys)
    throw error(
      at: node,
      "\(title) has no key '\(node.key)'; "
        + (near.map { "did you mean '\($0)'?" } ?? "it can have \(Self.list(keys, "and"))"))
  }

  public func error(at node: ConfigNode, _ reason: String) -> ConfigError {
    ConfigError(path: path, line: node.line, reason: reason)
  }

  /// An error about a value that should be `what` but has another type.
  public func error(at node: ConfigNode, expected what: String) -> ConfigError {
    error(at: node, "'\(node.key)' must be \(what), not \(node.kind)")
  }

  /// The words with commas and a conjunction: `a, b and c`.
  static func list(_ words: [String], _ conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}

// MARK: - By type

extension ConfigTable {
  /// The text at a key; nil if the key is missing.
  public mutating func string(_ key: String) throws(ConfigError) -> String? {
    guard let node = node(key) else { return nil }
    guard case .string(let text) = node.value else { throw error(at: node, expected: "a text") }
    return text
  }

  /// The yes or no at a key; nil if the key is missing.
  public mutating func boolean(_ key: String) throws(ConfigError) -> Bool? {
    guard let node = node(key) else { return nil }
    guard case .boolean(let value) = node.value else {
      throw error(at: node, expected: "true or false")
    }
    return value
  }

  /// The whole number at a key, which must be in `range`; nil if the key is missing.
  public mutating func integer(
    _ key: String, in range: ClosedRange<Int64>
  ) throws(ConfigError) -> Int64? {
    guard let node = node(key) else { return nil }
    let what = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    guard case .integer(let value) = node.value else { throw error(at: node, expected: what) }
    guard range.contains(value) else {
      throw error(at: node, "'\(key)' must be \(what), not \(value)")
    }
    return value
  }

  /// The word at a key, which must be one of the raw values of `type`; nil if the key is missing.
  public mutating func word<Word>(
    _ key: String, _ type: Word.Type = Word.self
  ) throws(ConfigError) -> Word? where Word: RawRepresentable<String> & CaseIterable {
    guard let node = node(key) else { return nil }
    return Word(rawValue: try word(of: node, among: Word.allCases.map(\.rawValue)))
  }

  /// The word at a key, as in `word`, or a time span in microseconds, of at least `lowest`; nil if
  /// the key is missing.
  public mutating func wordOrUsec<Word>(
    _ key: String, _ type: Word.Type = Word.self, from lowest: Int64
  ) throws(ConfigError) -> (word: Word?, usec: Int64)?
  where Word: RawRepresentable<String> & CaseIterable {
    guard let node = node(key) else { return nil }
    let words = Word.allCases.map(\.rawValue)
    let (word, usec) = try wordOrUsec(of: node, among: words, from: lowest)
    return (word.flatMap(Word.init(rawValue:)), usec)
  }

  private func unknownWord(
    _ text: String, at node: ConfigNode, words: [String], else other: String? = nil
  ) -> ConfigError {
    let choices = Self.list(words.map { "\"\($0)\"" } + (other.map { [$0] } ?? []), "or")
    let near = NearName.nearest(to: text, among: words).map { "; did you mean \"\($0)\"?" } ?? ""
    return error(at: node, "'\(node.key)' must be \(choices), not \"\(text)\"\(near)")
  }

  /// The time span at a key, in microseconds; nil if the key is missing. The text is in the
  /// notation of systemd.time(7), or a number of seconds. The time span is at least `lowest` and at
  /// most 100 years.
  public mutating func usec(
    _ key: String, from lowest: Int64 = 1
  ) throws(ConfigError) -> Int64? {
    guard let node = node(key) else { return nil }
    return try usec(of: node, from: lowest)
  }

  /// The table at a key; nil if the key is missing.
  public mutating func table(_ key: String) throws(ConfigError) -> ConfigTable? {
    guard let node = node(key) else { return nil }
    return try table(of: node, title: "'\(key)' of \(title)")
  }
}

// MARK: - Of a value

extension ConfigTable {
  public func table(of node: ConfigNode, title: String) throws(ConfigError) -> ConfigTable {
    guard case .table(let entries) = node.value else {
      throw error(at: node, expected: "a table")
    }
    return ConfigTable(path: path, title: title, entries: entries)
  }

  public func word(of node: ConfigNode, among words: [String]) throws(ConfigError) -> String {
    guard case .string(let text) = node.value else {
      throw error(at: node, expected: Self.list(words.map { "\"\($0)\"" }, "or"))
    }
    guard words.contains(text) else { throw unknownWord(text, at: node, words: words) }
    return text
  }

  /// The value as one of a few words, or as a time span in microseconds, of at least `lowest`.
  public func wordOrUsec(
    of node: ConfigNode, among words: [String], from lowest: Int64
  ) throws(ConfigError) -> (word: String?, usec: Int64) {
    if case .string(let text) = node.value {
      if words.contains(text) { return (text, 0) }
      // If a text does not begin with a number, the user did not mean a time span.
      if text.first.map({ !"0123456789.+:".contains($0) }) ?? true {
        throw unknownWord(text, at: node, words: words, else: "a time span such as \"10min\"")
      }
    }
    return (nil, try usec(of: node, from: lowest))
  }

  /// The value as a time span; see `usec(_:from:)`.
  public func usec(of node: ConfigNode, from lowest: Int64 = 1) throws(ConfigError) -> Int64 {
    switch node.value {
    case .string(let text): return try usec(of: text, at: node, from: lowest)
    case .integer(let seconds):
      let usec = seconds.multipliedReportingOverflow(by: 1_000_000)
      return try checked(
        usec.overflow ? nil : usec.partialValue, written: "\(seconds)", at: node, from: lowest)
    case .float, .boolean, .date, .array, .table:
      throw error(at: node, expected: "a time span such as \"4min\", or a whole number of seconds")
    }
  }

  /// The time span in a text that is a part of `node`; see `usec(_:from:)`.
  public func usec(
    of text: String, at node: ConfigNode, from lowest: Int64 = 1
  ) throws(ConfigError) -> Int64 {
    let parsed: ParsedSpan
    do {
      parsed = try ParsedSpan(phrase: text)
    } catch {
      throw self.error(
        at: node, "'\(node.key)' has no time span in \"\(text)\": \(error.description)")
    }
    // The command line asks the user whether M means minutes or months. A file cannot ask, so M is
    // an error in it.
    if let term = parsed.monthsTerm, let (minutes, months) = parsed.monthsReadings {
      throw error(
        at: node,
        "'\(node.key)' says \(term), which is months; for minutes write \(minutes), for months "
          + months)
    }
    let length: Int64? =
      if case .usec(let usec) = parsed.span { Int64(exactly: usec) } else { nil }
    return try checked(length, written: "\"\(text)\"", at: node, from: lowest)
  }

  private func checked(
    _ usec: Int64?, written: String, at node: ConfigNode, from lowest: Int64
  ) throws(ConfigError) -> Int64 {
    if let usec, (lowest...Limits.durationUsec).contains(usec) { return usec }
    let range =
      switch lowest {
      case ...0: "from 0 to"
      case 1: "more than 0, up to"
      default: "from \(SpanFormat.text(usec: lowest)) to"
      }
    throw error(
      at: node, "'\(node.key)' must be \(range) \(Limits.durationWords), not \(written)")
  }
}
