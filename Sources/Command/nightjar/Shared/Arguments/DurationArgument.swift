import NightjarTime

/// A duration, parsed from the text that the user typed.
package struct DurationArgument {
  private let typed: TypedSpan

  package var usec: Int64 { typed.usec }
  /// A text for the line that the command prints, if the user may have meant another duration;
  /// otherwise empty.
  var note: String { typed.note }

  /// Parses a duration. If it contains `M`, the user is asked on the terminal whether that means
  /// months.
  package init(_ text: String) throws(CommandError) {
    let typed = try CommandError.understanding { () throws(WordsProblem) in
      let typed = try TypedSpan(text, at: .here)
      return try Terminal.canAsk ? typed : typed.withoutMonths()
    }
    self.typed = typed
    guard let remark = TypedSpan.remark(aboutMonthsIn: typed.parsed),
      !Output.confirm("\(remark). Is \(SpanFormat.text(usec: typed.usec)) right?")
    else { return }
    throw .usage("then write \(typed.parsed.monthsReadings?.minutes ?? "")", see: .time)
  }

  /// Parses a duration in a part of a command for which the command does not print the length. If
  /// the unit is missing, this prints a remark.
  ///
  /// - Parameter place: the argument that contains the duration, such as `--late` or `work=25`.
  init(_ text: String, in place: String) throws(CommandError) {
    try self.init(text)
    Self.remark(onBareNumberIn: typed.parsed, place)
  }

  /// Prints a remark if the duration is a number without a unit, which means seconds. There is no
  /// remark for 0, because 0 is the same in every unit.
  static func remark(onBareNumberIn parsed: ParsedSpan, _ place: String) {
    guard let number = parsed.bareNumber, parsed.span != .usec(0), !Terminal.hasScreen else {
      return
    }
    Output.complain("\(place): \(number) is seconds; for minutes write \(number)min")
  }
}
