import NightjarTestSupport
import NightjarTime
import Testing

/// The parser compared with the installed systemd: `systemd-analyze` is the oracle.
@Suite(.blocking) struct SpanDifferentialTests {
  /// Where we intentionally differ from systemd 252, and how. There is no other difference.
  enum Intended: String, CaseIterable {
    /// `1:30` is one minute and thirty seconds; systemd refuses it.
    case minutesSeconds
    /// `1:30:00` is one hour and thirty minutes; systemd refuses it.
    case hoursMinutesSeconds

    /// The difference under which `text` falls, and how to write its meaning for systemd; nil:
    /// there is no difference.
    static func reading(of text: String) -> (difference: Intended, meaning: String)? {
      let clock = /[ \t\n\r]*\+?([0-9]+):(?:([0-5][0-9]):)?([0-5][0-9](?:\.[0-9]+)?)[ \t\n\r]*/
        .matchingSemantics(.unicodeScalar)
      guard let match = text.wholeMatch(of: clock) else { return nil }
      let (_, first, middle, seconds) = match.output
      return middle.map { (.hoursMinutesSeconds, "\(first)h \($0)min \(seconds)s") }
        ?? (.minutesSeconds, "\(first)min \(seconds)s")
    }
  }

  @Test
  func `Spans are accepted, refused and valued as by systemd, except for intended differences`()
    throws
  {
    let seed = SplitMix.usualSeed
    var generator = SpanGenerator(seed: seed)
    let expressions = (0..<6_000).map { _ in generator.expression() }
    let readings = expressions.map(Intended.reading)
    let meanings = zip(expressions, readings).map { $1?.meaning ?? $0 }

    let refusedAsWritten = try SpanOracle.refused(among: expressions)
    let refused = try SpanOracle.refused(among: meanings)
    var accepted: [(text: String, meaning: String, parsed: ParsedSpan)] = []
    var differences: [Intended: Int] = [:]
    for (index, text) in expressions.enumerated() {
      let comment = Comment(rawValue: "\(text.debugDescription), seed \(seed)")
      let isRefused = refused.contains(index)
      do throws(TimeError) {
        let parsed = try ParsedSpan(text)
        #expect(!isRefused, "systemd refuses \(comment)")
        #expect((parsed.clock != nil) == (readings[index] != nil), comment)
        if !isRefused { accepted.append((text, meanings[index], parsed)) }
        if let difference = readings[index]?.difference {
          differences[difference, default: 0] += 1
          let isDifferent = refusedAsWritten.contains(index)
          #expect(isDifferent, "systemd takes \(comment), which is no difference any more")
        }
      } catch {
        #expect(isRefused, "systemd takes \(comment), we say: \(error)")
        #expect(error.position >= 1 && error.position <= text.unicodeScalars.count + 1, comment)
      }
    }
    // The generator must produce enough of both; otherwise agreement would mean little.
    #expect(accepted.count > 2_000 && refused.count > 1_000)
    #expect(Intended.allCases.allSatisfy { differences[$0, default: 0] > 50 })
    print(
      "\(accepted.count) accepted, \(refused.count) refused; intended differences: \(differences)")

    let values = try SpanOracle.values(of: accepted.map(\.meaning))
    for ((text, _, parsed), value) in zip(accepted, values) {
      let comment = Comment(rawValue: "\(text.debugDescription), seed \(seed)")
      let expected: TimeSpan = value.usec == .max ? .infinity : .usec(value.usec)
      #expect(parsed.span == expected, comment)
      #expect(SpanFormat.canonical(parsed.span) == value.canonical, comment)
    }
  }

  @Test
  func `White space around a span, which a unit file would strip, is handled as by systemd`() throws
  {
    let spaced = [
      " 5s", "5s ", "\t5s\n", "\u{0B}5s", "\r\n1h\n 30", "\u{0C}5", "5 ", "5\n6", "\u{0B}-0",
    ]
    let values = try SpanOracle.values(of: spaced)
    for (text, value) in zip(spaced, values) {
      #expect(try ParsedSpan(text).span == .usec(value.usec), "\(text.debugDescription)")
    }
    for text in ["5s\u{0B}", "\u{0B}", "\n", "5\u{0B}", "\u{0B}-1"] {
      #expect(throws: TimeError.self) { try ParsedSpan(text) }
      #expect(try Oracle.run(["timespan", "--", text]).errors.contains("Failed to parse"))
    }
  }

  @Test func `The canonical form is parsed as the same span`() throws {
    var random = SplitMix(seed: 7)
    for _ in 0..<2_000 {
      let usec =
        UInt64.random(in: 0...TimeSpan.longestUsec, using: &random)
        >> UInt64.random(in: 0...63, using: &random)
      let written = SpanFormat.canonical(.usec(usec))
      #expect(try ParsedSpan(written).span == .usec(usec), "\(written)")
    }
  }
}
