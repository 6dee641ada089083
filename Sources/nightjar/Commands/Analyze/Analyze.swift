import ArgumentParser
import NightjarTime

struct Analyze: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "analyze",
    abstract: "Say how times are understood, as systemd-analyze does; asks no daemon.",
    subcommands: [AnalyzeTimespan.self, AnalyzeTimestamp.self, AnalyzeCalendar.self])

  /// Goes through several texts: each refusal is told, and the exit code says that there was one.
  static func each(
    _ texts: [String], _ body: (String) throws(TimeError) -> Void
  ) throws(CommandError) {
    var isRefused = false
    for text in texts {
      do throws(TimeError) {
        try body(text)
      } catch {
        Output.complain("cannot read '\(text)': \(error)")
        isRefused = true
      }
    }
    if isRefused { throw CommandError(.refused, "") }
  }
}

struct AnalyzeFormatOption: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Print one JSON object a line.")
  var isJSON = false
}
