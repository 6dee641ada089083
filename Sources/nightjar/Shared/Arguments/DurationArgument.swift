import NightjarModel
import NightjarTime
import NightjarVarlink

/// A duration that the user typed, parsed.
package struct DurationArgument {
  package let usec: Int64
  /// Text that the command's echo adds if the notation is easily misread; otherwise empty.
  let note: String
  private let parsed: ParsedSpan

  /// Parses a duration; asks on the terminal whether `M` means months.
  package init(_ text: String) throws(CommandError) {
    parsed = try Self.parsed(text)
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
    try Self.ask(aboutMonthsIn: parsed, usec: usec)
    if let clock = parsed.clock {
      note = " (\(clock.text) means \(clock.layout.rawValue): \(SpanFormat.people(usec: usec)))"
    } else if let number = parsed.bareNumber {
      note = " (\(number) means seconds: \(SpanFormat.people(usec: usec)))"
    } else {
      note = ""
    }
  }

  /// The same, for a part of a command whose answer does not show the length.
  ///
  /// - Parameter place: the argument that contains the duration, such as `--late` or `work=25`.
  init(_ text: String, in place: String) throws(CommandError) {
    try self.init(text)
    Self.remark(onBareNumberIn: parsed, place)
  }

  /// Remarks that a number without a unit is seconds. 0 needs no remark: it is the same in every
  /// unit.
  static func remark(onBareNumberIn parsed: ParsedSpan, _ place: String) {
    guard let number = parsed.bareNumber, parsed.span != .usec(0), !Terminal.hasScreen else {
      return
    }
    Output.complain("\(place): \(number) is seconds; for minutes write \(number)min")
  }

  /// - Throws: `CommandError` with the parser's sentence.
  static func parsed(_ text: String) throws(CommandError) -> ParsedSpan {
    do throws(TimeError) {
      return try ParsedSpan(said: text, locale: .here)
    } catch {
      if let problem = Wall.here.reader.timeInsteadOfLength(text) {
        throw .usage("\(problem.reason); write a time span such as 5min", see: .time)
      }
      throw .usage(sentence(error, text: text), see: .time)
    }
  }

  /// A remark that a length contains months where the user may mean minutes; nil: it contains none.
  static func remark(aboutMonthsIn parsed: ParsedSpan) -> String? {
    guard let term = parsed.monthsTerm, let readings = parsed.monthsReadings else { return nil }
    return "\(term) is months; for minutes write \(readings.minutes)"
  }

  private static func ask(aboutMonthsIn parsed: ParsedSpan, usec: Int64) throws(CommandError) {
    guard let remark = remark(aboutMonthsIn: parsed), let readings = parsed.monthsReadings else {
      return
    }
    let (minutes, months) = readings
    guard Terminal.canAsk else { throw .usage("\(remark), for months \(months)", see: .time) }
    guard Output.asks("\(remark). Is \(SpanFormat.people(usec: usec)) right?") else {
      throw .usage("then write \(minutes)", see: .time)
    }
  }

  /// The parser's sentence, with the text added if the sentence lacks it.
  private static func sentence(_ error: TimeError, text: String) -> String {
    switch error.kind {
    case .empty, .iso8601, .unknownWeekday, .otherWeekday, .unknownZone: error.description
    case .missingNumber, .missingFraction, .unknownUnit, .negative, .decimalComma, .clockNotation,
      .exponent, .outOfRange, .unexpected:
      error.position == 1 ? error.description : "in '\(text)': \(error.description)"
    }
  }
}
