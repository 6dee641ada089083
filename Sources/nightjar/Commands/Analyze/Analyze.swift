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

// MARK: - Manual

extension Analyze: Documented {
  static let manual = """
    How spans, points in time and calendar expressions are written is in nightjar.time(7). Several \
    may be given, each an argument of its own; quotes keep one together.

    # EXIT STATUS
    0  All were understood.
    1  One was not; standard error says where it stops making sense.
    64  Wrong usage.

    # EXAMPLES
      $ nightjar analyze timespan 1:30 '1h 30'
      1:30    90000000 µs     1min 30s
      1h 30   3630000000 µs   1h 30s

    When it is by the clocks here, and in UTC:

      $ nightjar analyze timestamp --base-time '2026-12-24 12:00 UTC' \\
          '9:30pm UTC'
      9:30pm UTC
        means  Thu 2026-12-24 21:30:00 UTC, in 9 h 30 min
        in UTC 2026-12-24T21:30:00Z

    The next three times, one of them in the night in which clocks are put forward:

      $ nightjar analyze calendar --base-time '2026-03-27 12:00 UTC' \\
          --iterations 3 '2:30 Europe/Berlin'
      2:30 Europe/Berlin
        means  *-*-* 02:30:00 Europe/Berlin
        comes  Sat 2026-03-28 01:30:00 UTC, in 13 h 30 min
        comes  Sun 2026-03-29 01:00:00 UTC, in 1 d 13 h
        comes  Mon 2026-03-30 00:30:00 UTC, in 2 d 12 h

    # SEE ALSO
    nightjar(1), nightjar-alarm(1), nightjar.time(7), systemd-analyze(1), systemd.time(7)
    """
}
