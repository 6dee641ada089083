import ArgumentParser
import NightjarTime

struct Analyze: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Show how Nightjar reads times, like systemd-analyze; needs no daemon.",
    shouldDisplay: false,
    subcommands: [
      AnalyzePhrase.self, AnalyzeTimespan.self, AnalyzeTimestamp.self, AnalyzeCalendar.self,
    ],
    defaultSubcommand: AnalyzePhrase.self)

  /// Calls `body` for each of several texts, and prints the error of each text that has one. If
  /// there was an error, throws one without a message at the end.
  static func each(
    _ texts: [String], _ body: (String) throws(PhraseProblem) -> Void
  ) throws(CommandError) {
    var isRefused = false
    for text in texts.map(Sign.typed) {
      do throws(PhraseProblem) {
        try body(text)
      } catch {
        let sentence = error.description
        Output.complain(
          sentence.hasPrefix("'\(text)' ") ? sentence : "cannot read '\(text)': \(sentence)")
        isRefused = true
      }
    }
    if isRefused { throw CommandError(.refused, "", see: .time) }
  }
}

struct AnalyzeFormatOption: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print one JSON object per line.")
  var isJSON = false
}
