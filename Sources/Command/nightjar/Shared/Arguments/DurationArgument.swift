import NightjarModel
import NightjarTime
import Varlink

/// A duration, parsed from the text that the user typed.
package struct DurationArgument {
  package let usec: Int64
  /// A text for the line that the command prints, if the user may have meant another duration;
  /// otherwise empty.
  let note: String
  private let parsed: ParsedSpan

  /// Parses a duration. If it contains `M`, the user is asked on the terminal whether that means
  /// months.
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
      note = " (\(clock.text) means \(clock.layout.rawValue): \(SpanFormat.text(usec: usec)))"
    } else if let number = parsed.bareNumber {
      note = " (\(number) means seconds: \(SpanFormat.text(usec: usec)))"
    } else {
      note = ""
    }
  }

  /// Parses a duration in a part of a command for which the command does not print the length. If
  /// the unit is missing, this prints a remark.
  ///
  /// - Parameter place: the argument that contains the duration, such as `--late` or `work=25`.
  init(_ text: String, in place: String) throws(CommandError) {
    try self.init(text)
    Self.remark(onBareNumberIn: parsed, place)
  }

  /// Prints a remark if the duration is a number without a unit, which means seconds. There is no
  /// remark for 0, because 0 is the same in every unit.
  static func remark(onBareNumberIn parsed: ParsedSpan, _ place: String) {
    guard let number = parsed.bareNumber, parsed.span != .usec(0), !Terminal.hasScreen else {
      return
    }
    Output.complain("\(place): \(number) is seconds; for minutes write \(number)min")
  }

  /// - Throws: `CommandError` with the sentence of the parser.
  static func parsed(_ text: String) throws(CommandError) -> ParsedSpan {
    do throws(TimeError) {
      return try ParsedSpan(phrase: text, locale: .here)
    } catch {
      if let problem = WallClock.here.reader.timeInsteadOfLength(text) {
        throw .usage("\(problem.reason); write a time span such as 5min", see: .time)
      }
      throw .usage(sentence(error, text: text), see: .time)
    }
  }

  /// The remark that a duration contains months, where the user may mean minutes; nil: it contains
  /// no months.
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
    guard Output.confirm("\(remark). Is \(SpanFormat.text(usec: usec)) right?") else {
      throw .usage("then write \(minutes)", see: .time)
    }
  }

  /// The parser's sentence about a text. If the sentence lacks the text, the text is added.
  private static func sentence(_ error: TimeError, text: String) -> String {
    switch error.kind {
    case .negative:
      "a time span cannot be negative: '\(text)'; to take time away write \(Typed.nightjar) extend "
        + "NAME \(Quoting.quoted(text))"
    case .empty, .iso8601, .unknownWeekday, .otherWeekday, .unknownZone: error.description
    case .missingNumber, .missingFraction, .unknownUnit, .decimalComma, .clockNotation,
      .exponent, .outOfRange, .unexpected:
      error.position == 1 ? error.description : "in '\(text)': \(error.description)"
    }
  }
}
