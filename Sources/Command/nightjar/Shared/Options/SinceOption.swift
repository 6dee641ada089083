import ArgumentParser
import NightjarTime

/// The option for the beginning of the time that the command shows.
struct SinceOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Leave out everything that ended before this time: yesterday, -7d, 2026-03-01 9:00.",
      valueName: "time"))
  var since: String?

  /// The instant, in microseconds since the epoch; nil: the command shows everything.
  ///
  /// - Throws: `CommandError`: the text cannot be read, or is in the future.
  func usec(zone: ZoneRules, nowUsec: Int64) throws(CommandError) -> Int64? {
    try PastPoint.since(since, zone: zone, nowUsec: nowUsec)
  }
}

/// Reads an instant in the past that is the value of an option.
enum PastPoint {
  /// - Parameter text: the value of the option; nil: the user did not give the option.
  static func read(
    _ text: String?, behind option: String, zone: ZoneRules, nowUsec: Int64
  ) throws(CommandError) -> Int64? {
    guard let text = text.map(Sign.typed) else { return nil }
    do throws(PhraseProblem) {
      return try PhraseReader(nowUsec: nowUsec, local: zone).point(text)
    } catch {
      // The parser's sentence suggests times in the future, because it is for alarms. This sentence
      // suggests times in the past.
      guard let word = error.unknownWord else {
        throw .usage("cannot read \(option): \(error)", see: .time)
      }
      throw .usage(
        "cannot read \(option): '\(word)' is not understood; write one such as yesterday, -7d or "
          + "'2026-03-01 9:00'", see: .time)
    }
  }

  /// The instant of `--since`, which must be in the past.
  static func since(
    _ text: String?, zone: ZoneRules, nowUsec: Int64
  ) throws(CommandError) -> Int64? {
    let since = try read(text, behind: "--since", zone: zone, nowUsec: nowUsec)
    if let since, since >= nowUsec {
      throw .usage("--since is in the future, \(zone.text(usec: since)); write a time in the past")
    }
    return since
  }
}
