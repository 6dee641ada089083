import ArgumentParser
import NightjarTime
import Varlink

struct AnalyzePhrase: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phrase",
    abstract:
      "Show how a phrase is read: as a time that occurs once, as a time that repeats, or as a "
      + "length.",
    discussion: """
      A time is read as by nightjar alarm, a length as by nightjar start. nightjar analyze without \
      a subcommand is the same as nightjar analyze phrase. All words are one phrase if that makes \
      sense; otherwise each is a phrase of its own.
      """)

  @Argument(
    help: ArgumentHelp(
      "Times as people say them, such as 'next monday 9am' or 'half an hour'.",
      valueName: "phrase"))
  var phrases: [String]

  @OptionGroup var base: BaseTimeOption
  @OptionGroup var format: AnalyzeFormatOption

  func run() throws {
    let local = ZoneDatabase.local
    let reader = PhraseReader(nowUsec: try base.usec(local: local), local: local)
    try Analyze.each(Self.phrases(phrases, reader)) { (text) throws(PhraseProblem) in
      let length = try? reader.length(text)
      let time: TimeReading?
      var problem: PhraseProblem?
      do throws(PhraseProblem) {
        time = try reader.time(text)
      } catch {
        guard length != nil else { throw reader.decimalComma(in: text) ?? error }
        (time, problem) = (nil, error)
      }
      guard !format.isJSON else { return Output.ready(Self.json(time, length, reader).text) }
      var lines = [text]
      if let time {
        lines += Self.lines(time, reader)
      } else if let problem, length?.monthsTerm == nil,
        problem.choices.allSatisfy({ $0.command == .same })
      {
        lines.append("  is open  \(problem)")
      }
      if let length {
        lines.append("  lasts    \(Self.words(length)), as a length")
        if let remark = TypedSpan.remark(aboutMonthsIn: length) {
          lines.append("  is open  \(remark)")
        }
      }
      Output.lines(lines)
    }
  }

  /// The phrases of the words. If all words together can be read as a time, they are one phrase, as
  /// for `alarm` and `start`. Otherwise each word is a phrase.
  private static func phrases(_ words: [String], _ reader: PhraseReader) -> [String] {
    let all = words.phrase
    guard words.count > 1, (try? reader.length(all)) == nil else { return [all] }
    do throws(PhraseProblem) {
      _ = try reader.time(all)
      return [all]
    } catch {
      return error.isPast || !error.choices.isEmpty ? [all] : words
    }
  }

  private static func words(_ length: ParsedSpan) -> String {
    guard case .usec(let usec) = length.span, let usec = Int64(exactly: usec) else {
      return SpanFormat.canonical(length.span)
    }
    return SpanFormat.text(usec: usec)
  }

  private static func lines(_ time: TimeReading, _ reader: PhraseReader) -> [String] {
    func point(_ usec: Int64) -> String {
      let length = SpanFormat.text(usec: usec - reader.nowUsec, units: 2)
      return "\(reader.local.text(usec: usec)), in \(length)"
    }
    switch time {
    case .once(let usec): return ["  once     \(point(usec))"]
    case .repeating(let expression):
      let next = reader.next(of: expression).map { "  next     \(point($0))" }
      return ["  repeats  \(expression)"] + [next].compactMap { $0 }
    }
  }

  private static func json(
    _ time: TimeReading?, _ length: ParsedSpan?, _ reader: PhraseReader
  ) -> JSONValue {
    var members: [JSONValue.Member] = []
    switch time {
    case .once(let usec): members.append(.init("once_usec", .integer(usec)))
    case .repeating(let expression):
      members.append(.init("calendar", .string(expression.description)))
      if let next = reader.next(of: expression) {
        members.append(.init("next_usec", .integer(next)))
      }
    case nil: break
    }
    if case .usec(let usec)? = length?.span, let usec = Int64(exactly: usec) {
      members.append(.init("length_usec", .integer(usec)))
    }
    return .object(members)
  }
}
