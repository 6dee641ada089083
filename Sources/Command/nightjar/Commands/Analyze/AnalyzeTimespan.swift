import ArgumentParser
import NightjarTime
import Varlink

struct AnalyzeTimespan: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timespan", abstract: "Show the length of a time span, such as 1h 30min.",
    discussion: """
      In addition to the notation of systemd, 1:30 means minutes and seconds, and 1:30:00 means \
      hours, minutes and seconds. 1h30 means an hour and a half, and words such as half an hour \
      are accepted.
      """)

  @Argument(
    help: ArgumentHelp(
      "Time spans in the notation of systemd.time(7), and 1:30, 1h30, half an hour.",
      valueName: "span"))
  var spans: [String]

  @OptionGroup var format: AnalyzeFormatOption

  func run() throws {
    try Analyze.each(spans) { (text) throws(PhraseProblem) in
      let length = try WallClock.here.reader.length(text)
      if let remark = TypedSpan.remark(aboutMonthsIn: length) { Output.complain(remark) }
      let span = length.span
      guard format.isJSON else {
        let words = SpanFormat.canonical(span)
        guard case .usec(let usec) = span else { return Output.line("\(text)\t\(words)") }
        return Output.line("\(text)\t\(usec) µs\t\(words)")
      }
      // The longest spans are larger than the integers that JSON expresses exactly. Such a
      // length is written as a text, as infinity is.
      let value: JSONValue =
        switch span {
        case .usec(let usec): Int64(exactly: usec).map { .integer($0) } ?? .string("\(usec)")
        case .infinity: .string("infinity")
        }
      Output.ready(JSONValue.object([.init("usec", value)]).text)
    }
  }
}
