import NightjarModel
package import NightjarTime

/// A duration, parsed from the text that the user typed.
package struct TypedSpan {
  package let usec: Int64
  /// A text for the line about the timer, if the user may have meant another duration; otherwise
  /// empty.
  package let note: String
  package let parsed: ParsedSpan

  /// - Throws: `WordsProblem`: the text is no time span, or no timer can be so short or so long. A
  ///   duration that contains `M` is not refused.
  package init(_ text: String, at wall: WallClock) throws(WordsProblem) {
    parsed = try Self.parsed(text, at: wall)
    guard case .usec(let length) = parsed.span else {
      throw .usage("a timer cannot run forever; write a time span such as 5min", see: .time)
    }
    usec = Int64(clamping: length)
    if let problem = TimerSpec.problem(durationUsec: usec) {
      throw .usage(
        problem.limit == nil
          ? "'\(text)' is no time at all; write one such as 4min"
          : "'\(text)' is too long; the longest is \(Limits.durationWords)", see: .time)
    }
    if let clock = parsed.clock {
      note = " (\(clock.text) means \(clock.layout.rawValue): \(SpanFormat.text(usec: usec)))"
    } else if let number = parsed.bareNumber {
      note = " (\(number) means seconds: \(SpanFormat.text(usec: usec)))"
    } else {
      note = ""
    }
  }

  /// - Throws: `WordsProblem` with the sentence of the parser.
  package static func parsed(
    _ text: String, at wall: WallClock
  ) throws(WordsProblem) -> ParsedSpan {
    do throws(TimeError) {
      return try ParsedSpan(phrase: text, locale: wall.locale)
    } catch {
      if let problem = wall.reader.timeInsteadOfLength(text) {
        throw .usage("\(problem.reason); write a time span such as 5min", see: .time)
      }
      throw .usage(sentence(error, text: text, wall), see: .time)
    }
  }

  /// The remark that a duration contains months, where the user may mean minutes; nil: it contains
  /// no months.
  package static func remark(aboutMonthsIn parsed: ParsedSpan) -> String? {
    guard let term = parsed.monthsTerm, let readings = parsed.monthsReadings else { return nil }
    return "\(term) is months; for minutes write \(readings.minutes)"
  }

  /// - Throws: `WordsProblem` if the duration contains `M`, which has two readings.
  package func withoutMonths() throws(WordsProblem) -> TypedSpan {
    guard let remark = Self.remark(aboutMonthsIn: parsed), let readings = parsed.monthsReadings
    else { return self }
    throw .usage("\(remark), for months \(readings.months)", see: .time)
  }

  /// The parser's sentence about a text. If the sentence lacks the text, the text is added.
  private static func sentence(_ error: TimeError, text: String, _ wall: WallClock) -> String {
    switch error.kind {
    case .negative:
      "a time span cannot be negative: '\(text)'; to take time away write \(wall.program) extend "
        + "NAME \(Quoting.quoted(text))"
    case .empty, .iso8601, .unknownWeekday, .otherWeekday, .unknownZone: error.description
    case .missingNumber, .missingFraction, .unknownUnit, .decimalComma, .clockNotation,
      .exponent, .outOfRange, .unexpected:
      error.position == 1 ? error.description : "in '\(text)': \(error.description)"
    }
  }
}
