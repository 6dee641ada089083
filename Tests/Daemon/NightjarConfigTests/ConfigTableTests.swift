import Testing

@testable import NightjarConfig

/// A table's values by type, and one sentence for each mistake.
@Suite struct ConfigTableTests {
  private enum Word: String, CaseIterable {
    case fire
    case skip
  }

  private func table(_ lines: String) throws -> ConfigTable {
    try ConfigFile(path: "c", bytes: Array("[daemon]\n\(lines)".utf8)).table(.daemon)
  }

  /// The error of `body` for a table that begins in line 2.
  private func refusal(
    _ lines: String, _ body: (inout ConfigTable) throws(ConfigError) -> Void
  ) throws -> String? {
    var table = try table(lines)
    do throws(ConfigError) {
      try body(&table)
      return nil
    } catch { return error.description }
  }

  @Test func `Each type is read as such, and a missing key is nil`() throws {
    var table = try table(
      """
      text = 'a "b"'
      count = 1_000
      yes = true
      span = "1h 30min"
      seconds = 90
      clock = "1:30"
      word = "skip"
      inner = { b = 1, a = 2 }
      """)
    #expect(try table.string("text") == "a \"b\"")
    #expect(try table.integer("count", in: 0...1000) == 1000)
    #expect(try table.boolean("yes") == true)
    #expect(try table.usec("span") == 5_400_000_000)
    #expect(try table.usec("seconds") == 90_000_000)
    #expect(try table.usec("clock") == 90_000_000)
    #expect(try table.word("word", Word.self) == .skip)
    #expect(try table.table("inner")?.entries.map(\.key) == ["b", "a"])
    try table.finish()
    #expect(try table.string("none") == nil)
    #expect(try table.integer("none", in: 0...1) == nil)
    #expect(try table.boolean("none") == nil)
    #expect(try table.usec("none") == nil)
    #expect(try table.word("none", Word.self) == nil)
    #expect(try table.table("none") == nil)
  }

  @Test func `A value may be a word or a span`() throws {
    var table = try table("a = \"fire\"\nb = \"10min\"\nc = 0\nd = \".5s\"")
    #expect(try table.wordOrUsec("a", Word.self, from: 0)?.word == .fire)
    let b = try #require(try table.wordOrUsec("b", Word.self, from: 0))
    #expect(b.word == nil && b.usec == 600_000_000)
    #expect(try table.wordOrUsec("c", Word.self, from: 0)?.usec == 0)
    #expect(try table.wordOrUsec("d", Word.self, from: 0)?.usec == 500_000)
    #expect(try table.wordOrUsec("e", Word.self, from: 0) == nil)
  }

  /// A way to ask for the key `x`.
  enum Reading {
    case string
    case boolean
    case integer
    case usec
    case word
    case wordOrUsec

    func read(_ table: inout ConfigTable) throws(ConfigError) {
      switch self {
      case .string: _ = try table.string("x")
      case .boolean: _ = try table.boolean("x")
      case .integer: _ = try table.integer("x", in: 1...10)
      case .usec: _ = try table.usec("x")
      case .word: _ = try table.word("x", Word.self)
      case .wordOrUsec: _ = try table.wordOrUsec("x", Word.self, from: 0)
      }
    }
  }

  @Test(arguments: [
    ("1", "a whole number"), ("1.5", "a number with a fraction"), ("[]", "an array"),
    ("{}", "a table"), ("1979-05-27", "a date or a time"), ("07:32:00", "a date or a time"),
  ])
  func `A value of another type is reported with the expected type and its own`(
    value: String, kind: String
  ) throws {
    #expect(
      try refusal("\nx = \(value)", Reading.string.read)
        == "c, line 3: 'x' must be a text, not \(kind)")
    #expect(
      try refusal("x = \(value)", Reading.boolean.read)
        == "c, line 2: 'x' must be true or false, not \(kind)")
  }

  private static let units = "the units are us ms s min h d w month y"

  @Test(
    arguments: [
      (Reading.integer, "0", "must be a whole number from 1 to 10, not 0"),
      (.integer, "11", "must be a whole number from 1 to 10, not 11"),
      (.integer, "\"3\"", "must be a whole number from 1 to 10, not a text"),
      (.integer, "true", "must be a whole number from 1 to 10, not true or false"),
      (.usec, "\"4mim\"", "has no time span in \"4mim\": unknown unit 'mim' at 2; \(units)"),
      (.usec, "\"25M\"", "says 25M, which is months; for minutes write 25min, for months 25month"),
      (.usec, "\"0\"", "must be more than 0, up to 100 years, not \"0\""),
      (.usec, "0", "must be more than 0, up to 100 years, not 0"),
      (.usec, "-1", "must be more than 0, up to 100 years, not -1"),
      (.usec, "\"101y\"", "must be more than 0, up to 100 years, not \"101y\""),
      (.usec, "\"infinity\"", "must be more than 0, up to 100 years, not \"infinity\""),
      (
        .usec, "9223372036854775807",
        "must be more than 0, up to 100 years, not 9223372036854775807"
      ),
      (
        .usec, "1.5",
        "must be a time span such as \"4min\", or a whole number of seconds, not a number with a "
          + "fraction"
      ),
      (.word, "\"fier\"", "must be \"fire\" or \"skip\", not \"fier\"; did you mean \"fire\"?"),
      (.word, "3", "must be \"fire\" or \"skip\", not a whole number"),
      (
        .wordOrUsec, "\"never\"",
        "must be \"fire\", \"skip\" or a time span such as \"10min\", not \"never\""
      ),
      (
        .wordOrUsec, "\"10mim\"", "has no time span in \"10mim\": unknown unit 'mim' at 3; \(units)"
      ),
    ] as [(Reading, String, String)])
  func `A value that does not fit is reported with what fits, or with the parser's sentence`(
    reading: Reading, value: String, sentence: String
  ) throws {
    #expect(try refusal("x = \(value)", reading.read) == "c, line 2: 'x' \(sentence)")
  }

  @Test func `A key that was not read is reported at the end, with a near one or all`() throws {
    let body: (inout ConfigTable) throws(ConfigError) -> Void = { table throws(ConfigError) in
      _ = try table.integer("retention_days", in: 1...10)
      _ = try table.boolean("late")
      try table.finish()
    }
    #expect(try refusal("late = true", body) == nil)
    #expect(
      try refusal("late = true\nretention_day = 3", body)
        == "c, line 3: [daemon] has no key 'retention_day'; did you mean 'retention_days'?")
    #expect(
      try refusal("zzz = 1\nretention_day = 3", body)
        == "c, line 2: [daemon] has no key 'zzz'; it can have retention_days and late")
  }
}
