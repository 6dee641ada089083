import NightjarTime
import Testing

/// The parser against the systemd that is installed: `systemd-analyze` is the oracle.
@Suite struct SpanDifferentialTests {
  @Test("Spans are accepted, refused and valued exactly as systemd does")
  func agreesWithSystemd() throws {
    let seed = SeededGenerator.seed
    var generator = SpanGenerator(seed: seed)
    let expressions = (0..<6_000).map { _ in generator.expression() }
    let comment = Comment(rawValue: "seed \(seed)")

    let refused = try SpanOracle.refused(among: expressions)
    var accepted: [(text: String, parsed: ParsedSpan)] = []
    for (index, text) in expressions.enumerated() {
      do throws(TimeError) {
        let parsed = try ParsedSpan(text)
        #expect(!refused.contains(index), "systemd refuses \(text.debugDescription), \(comment)")
        if !refused.contains(index) { accepted.append((text, parsed)) }
      } catch {
        #expect(
          refused.contains(index),
          "systemd takes \(text.debugDescription), we say: \(error), \(comment)")
        #expect(error.position >= 1 && error.position <= text.unicodeScalars.count + 1)
      }
    }
    // The generator must try both sides, or agreement would mean little.
    #expect(accepted.count > 2_000 && refused.count > 1_000)

    let values = try SpanOracle.values(of: accepted.map(\.text))
    for ((text, parsed), value) in zip(accepted, values) {
      let expected: TimeSpan = value.usec == .max ? .infinity : .usec(value.usec)
      #expect(parsed.span == expected, "\(text.debugDescription), \(comment)")
      #expect(
        SpanFormat.canonical(parsed.span) == value.canonical, "\(text.debugDescription), \(comment)"
      )
    }
  }

  @Test("Space around a span, which a unit file would strip, is taken as systemd takes it")
  func spaceAround() throws {
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

  @Test("What canonical writes is read back as the same span")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let usec =
        UInt64.random(in: 0...TimeSpan.longestUsec, using: &random)
        >> UInt64.random(in: 0...63, using: &random)
      let written = SpanFormat.canonical(.usec(usec))
      #expect(try ParsedSpan(written).span == .usec(usec), "\(written)")
    }
  }
}
