import NightjarInterface
import Testing

@testable import nightjar

/// Commands that can be typed on the screen to start a timer.
@Suite struct StartLineTests {
  @Test(arguments: [
    ("tea 4min --label kind=green --exec 'paplay /bell oga'", "Start"),
    ("nightjar start tea 4min", "Start"), ("alarm up 7:00 --wake", "Alarm"),
    ("alarm x *-*-* 9:00", "Alarm"), ("stopwatch run", "Stopwatch"),
    ("sequence p work=25min rest=5min", "SequenceCommand"),
  ])
  func `A command that starts a timer can be typed with its options, and start is left out`(
    text: String, command: String
  ) throws {
    let parsed = try StartLine.command(text)
    #expect("\(Swift.type(of: parsed))" == command)
    if text.hasPrefix("tea") { #expect((parsed as? Start)?.words == ["tea", "4min"]) }
  }

  @Test(arguments: [
    ("tea 4min --bogus", "unknown option '--bogus'"),
    ("tea 'open", "the line has a quote (') that does not end"),
    ("tea 4min --json", "the screen does not accept --json, --socket and --queue; leave them out"),
    ("tea 4min --help", "type a command that starts a timer; its options are in nightjar-start(1)"),
  ])
  func `A line that makes no sense gets a sentence`(text: String, sentence: String) {
    let error = #expect(throws: CommandError.self) { try StartLine.command(text) }
    #expect(error?.message.description.hasPrefix(sentence) == true, "\(String(describing: error))")
  }
}
