import Testing

@testable import NightjarTime

/// Phrases for times and durations, compared with the tables beside this file. The tables were
/// written before the code.
@Suite struct PhraseTests {
  /// Monday, 23 November 2026, at 8:00 and 10:00, and the Tuesday at 12:00.
  private static let moments = ["2026-11-23 08:00", "2026-11-23 10:00", "2026-11-24 12:00"]

  private let berlin: ZoneRules

  init() throws { berlin = try #require(ZoneDatabase.zone(named: "Europe/Berlin")) }

  private func reader(_ moment: String, locale name: String = "en_US.UTF-8") throws -> PhraseReader
  {
    let now = try Timestamp(moment, now: 0, local: berlin).usec
    return PhraseReader(
      nowUsec: now, local: berlin, locale: WrittenLocale(numbers: name, dates: name))
  }

  /// `11-24 09:30`, with seconds if there are any, and with the year unless it is 2026.
  private func text(_ usec: Int64, in zone: ZoneRules) -> String {
    let civil = zone.civil(atUsec: usec)
    let clock = civil.second == 0 ? String(civil.clockText.prefix(5)) : civil.clockText
    let date = civil.dateText
    return "\(date.hasPrefix("2026-") ? String(date.dropFirst(5)) : date) \(clock)"
  }

  /// The reading, and when it comes next.
  private func reading(
    _ text: String, _ reader: PhraseReader, _ repetition: Repetition = .byRule,
    in zone: ZoneRules? = nil
  ) throws -> (kind: String, next: String) {
    switch try reader.time(text, repetition) {
    case .once(let usec): return ("once", self.text(usec, in: zone ?? berlin))
    case .repeating(let expression):
      let rules = try reader.rules(of: expression)
      let next = try #require(expression.next(afterUsec: reader.nowUsec, in: rules))
      return (expression.description, self.text(next, in: zone ?? berlin))
    }
  }

  /// What is read, or the sentence with which it is refused.
  private func said(_ read: () throws -> String) -> String {
    do { return try read() } catch { return "\(error)" }
  }

  /// The entries of a table: a line at the margin, and the indented lines after it, joined.
  private static func entries(_ table: String) -> [(head: String, body: String)] {
    var entries: [(head: String, body: String)] = []
    for line in table.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("  ") {
        let body = entries[entries.count - 1].body
        entries[entries.count - 1].body += (body.isEmpty ? "" : " ") + line.drop { $0 == " " }
      } else {
        entries.append((String(line), ""))
      }
    }
    return entries
  }

  private static func phrases(_ body: String) -> [String] {
    body.split(separator: ";").map { String($0.drop { $0 == " " }) }
  }

  private static func fields(_ head: String) -> [String] {
    head.split(separator: "|").map {
      String($0.drop { $0 == " " }).replacing(#/ +$/#, with: "")
    }
  }

  @Test func `The tables have more than 300 phrases, and more than 60 that are refused`() {
    let tables = [PhraseTable.times, PhraseTable.lengths]
    let phrases = tables.flatMap { Self.entries($0).flatMap { Self.phrases($0.body) } }
    #expect(phrases.count > 400)
    let refused = [
      PhraseTable.refusedTimes, PhraseTable.refusedLengths, PhraseTable.refusedDecisions,
    ]
    #expect(refused.flatMap(Self.entries).count > 80)
  }

  @Test(arguments: ["en_US.UTF-8", "de_DE.UTF-8"])
  func `Each phrase is read as in the table, at three moments and in two locales`(
    locale: String
  ) throws {
    for (head, body) in Self.entries(PhraseTable.times) {
      let fields = Self.fields(head)
      try #require(fields.count == 4, "\(head)")
      for phrase in Self.phrases(body) {
        for (moment, expected) in zip(Self.moments, fields[1...]) {
          let found = said {
            let (kind, next) = try reading(phrase, reader(moment, locale: locale))
            return "\(kind) | \(next)"
          }
          #expect(found == "\(fields[0]) | \(expected)", "\(phrase) at \(moment)")
        }
      }
    }
  }

  @Test func `A month ends on its last day, and before dawn tonight may be either night`() throws {
    for (moment, phrase, expected) in [
      ("2027-01-31 08:00", "in a month", "2027-02-28 08:00"),
      ("2028-01-31 08:00", "in a month", "2028-02-29 08:00"),
      ("2028-02-29 08:00", "in a year at 9:00", "2029-02-28 09:00"),
      ("2026-10-31 08:00", "in 4 months at 9:00", "2027-02-28 09:00"),
      ("2026-11-30 23:59:30.5", "in 3 months", "2027-02-28 23:59:30.500000"),
      // Berlin's clocks skip 2:30 on that day.
      ("2027-02-28 02:30", "in a month", "2027-03-28 03:00"),
      ("2026-11-24 00:15", "tonight at 12", "11-25 00:00"),
      ("2026-11-24 00:15", "tonight 8pm", "11-24 20:00"),
      ("2026-11-24 00:45", "tonight 12:30", "11-25 00:30"),
    ] {
      #expect(try reading(phrase, reader(moment)).next == expected, "\(phrase) at \(moment)")
    }
    #expect(try reader("2026-11-24 10:00").day("in 3 months").text == "2027-02-24")
    #expect(
      said { try "\(reader("2026-11-24 00:15").time("tonight 12:30"))" }
        == "'tonight 12:30' has two readings; write today 0:30 (this night), or tomorrow 0:30 (the next)"
    )
  }

  @Test(arguments: ["en_US.UTF-8", "de_DE.UTF-8"])
  func `Each duration is read as in the table`(locale: String) throws {
    let reader = try reader(Self.moments[0], locale: locale)
    for (head, body) in Self.entries(PhraseTable.lengths) {
      for phrase in Self.phrases(body) {
        #expect(said { SpanFormat.canonical(try reader.length(phrase).span) } == head, "\(phrase)")
      }
    }
  }

  @Test func `Notation that depends on the locale is read as people there write it`() throws {
    for (head, body) in Self.entries(PhraseTable.places) {
      let fields = Self.fields(head)
      for phrase in Self.phrases(body) {
        let locale = "\(fields[0]).UTF-8"
        guard fields[1] != "refused" else {
          let reader = try reader(Self.moments[0], locale: locale)
          let isTime = phrase.contains(":") || phrase.hasPrefix("in") || phrase.hasPrefix("+")
          #expect(throws: PhraseProblem.self, "\(phrase) in \(locale)") {
            if isTime { _ = try reader.time(phrase) } else { _ = try reader.length(phrase) }
          }
          continue
        }
        guard fields.count == 5 else {
          let length = try reader(Self.moments[0], locale: locale).length(phrase)
          #expect(SpanFormat.canonical(length.span) == fields[1], "\(phrase) in \(locale)")
          continue
        }
        for (moment, expected) in zip(Self.moments, fields[2...]) {
          let found = try reading(phrase, reader(moment, locale: locale))
          #expect(found == (fields[1], expected), "\(phrase) in \(locale) at \(moment)")
        }
      }
    }
  }

  @Test func `A phrase at a change of day, year or clocks is read as in the table`() throws {
    for (moment, body) in Self.entries(PhraseTable.edges) {
      for phrase in Self.phrases(body) {
        let parts = phrase.split(separator: "=").map {
          String($0.drop { $0 == " " }).replacing(#/ +$/#, with: "")
        }
        let next = said { try reading(parts[0], reader(moment), in: .utc).next }
        #expect(next == parts[1], "\(parts[0]) at \(moment)")
      }
    }
  }

  @Test func `A phrase that is no time or has two meanings is refused with its sentence`() throws {
    let reader = try reader(Self.moments[1])
    for (phrase, sentence) in Self.entries(PhraseTable.refusedTimes) {
      #expect(said { try reading(phrase, reader).next } == sentence, "\(phrase)")
    }
    for (phrase, sentence) in Self.entries(PhraseTable.refusedLengths) {
      #expect(said { try "\(reader.length(phrase))" } == sentence, "\(phrase)")
    }
  }

  @Test func `The alternatives in a refusal can be read`() throws {
    let reader = try reader(Self.moments[1])
    for (phrase, _) in Self.entries(PhraseTable.refusedTimes) {
      do { _ = try reader.time(phrase) } catch {
        for choice in error.choices where choice.command == .same {
          #expect(throws: Never.self, "\(phrase): \(choice.words)") {
            try reader.time(choice.words)
          }
        }
        for choice in error.choices where choice.command == .start {
          let span = choice.words.replacing(" --repeat", with: "")
          #expect(throws: Never.self, "\(phrase): \(span)") { try reader.length(span) }
        }
      }
    }
  }

  private func decision(_ head: String) -> (Repetition, phrase: String) {
    let option = head.prefix { $0 != " " }
    return (option == "--once" ? .once : .repeating, String(head.dropFirst(option.count + 1)))
  }

  @Test func `--once and --repeat decide, or are refused`() throws {
    let reader = try reader(Self.moments[1])
    for line in Self.entries(PhraseTable.decided).map(\.head) {
      let sides = line.split(separator: "=").map(String.init)
      let (repetition, phrase) = decision(sides[0].replacing(#/ +$/#, with: ""))
      let (kind, next) = try reading(phrase, reader, repetition)
      let found = kind == "once" ? "once \(next)" : kind
      #expect(" \(found)" == sides[1], "\(line)")
    }
    for (head, sentence) in Self.entries(PhraseTable.refusedDecisions) {
      let (repetition, phrase) = decision(head)
      #expect(said { try reading(phrase, reader, repetition).next } == sentence, "\(head)")
    }
  }

  @Test func `In a point in time, too, M may mean minutes or months`() throws {
    let reader = try reader(Self.moments[1])
    for (phrase, sentence) in [
      ("5M ago", "'5M ago' has two readings; write 5min ago (minutes), or 5month ago (months)"),
      ("-5M", "'-5M' has two readings; write -5min (minutes), or -5month (months)"),
      ("in 5M", "'in 5M' has two readings; write in 5min (minutes), or in 5month (months)"),
    ] {
      #expect(said { try "\(reader.point(phrase))" } == sentence)
    }
    #expect(try text(reader.point("5min ago"), in: berlin) == "11-23 09:55")
    #expect(try text(reader.point("2 1/2 hours from now"), in: berlin) == "11-23 12:30")
  }

  @Test
  func `Days without a time of day are recognised, and in systemd's grammar they have midnight`()
    throws
  {
    let reader = try reader(Self.moments[1])
    for (text, days) in [
      ("weekdays", "weekdays"), ("every monday", "every monday"), ("fridays", "fridays"),
      ("every day", "every day"), ("weekends Europe/London", "weekends"), ("24 Dec", "24 Dec"),
      ("weekdays 7:00", nil), ("friday", nil), ("Mon..Fri", nil), ("daily", nil), ("weekly", nil),
      ("*-12-24", nil), ("tomorrow", nil), ("next monday", nil), ("7:00", nil), ("tea", nil),
    ] as [(String, String?)] {
      #expect(reader.daysWithoutTime(text) == days, "\(text)")
    }
  }

  @Test func `A duration in place of a time is asked about if it stands alone`() throws {
    let reader = try reader(Self.moments[1])
    let problem = try #require(reader.bareLength("1H30", .byRule))
    #expect(
      problem.description
        == "'1H30' has two readings; write 1:30 (a time of day), or in 1H30 (from now)")
    for text in ["6h00", "01h30", "1h3", "1:30", "1h60"] {
      #expect(reader.bareLength(text, .byRule) == nil, "\(text)")
    }
    #expect(reader.bareLength("1h30", .repeating) == nil)
  }

  @Test func `A locale is found by its name, with the precedence of setlocale(3)`() {
    func locale(_ variables: [String: String]) -> WrittenLocale {
      WrittenLocale { variables[$0] }
    }
    #expect(locale([:]) == .neutral && locale(["LANG": "C.UTF-8"]) == .neutral)
    #expect(locale(["LANG": "POSIX"]) == .neutral)
    let german = locale(["LANG": "de_DE.UTF-8"])
    #expect(german.hasDecimalComma && german.dateOrder == .day)
    let mixed = locale(["LANG": "en_US", "LC_NUMERIC": "fr_FR@euro", "LC_TIME": "en_GB.utf8"])
    #expect(mixed.hasDecimalComma && mixed.dateOrder == .day)
    let all = locale(["LC_ALL": "en_US.UTF-8", "LC_NUMERIC": "de_DE", "LANG": "de_DE"])
    #expect(!all.hasDecimalComma && all.dateOrder == .month)
    #expect(locale(["LC_ALL": "", "LANG": "de_CH.UTF-8"]) == locale(["LANG": "de_LI"]))
    #expect(!locale(["LANG": "de_CH.UTF-8"]).hasDecimalComma)
    #expect(locale(["LANG": "sv_SE.UTF-8"]).dateOrder == .unknown)
  }
}
