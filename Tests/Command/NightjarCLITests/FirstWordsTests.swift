import NightjarConfig
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// `nightjar WORDS`, without a verb.
@Suite(.blocking) struct FirstWordsTests {
  // Wednesday, 2026-11-25, 12:00.
  private let wall = WallClock(nowUsec: 1_795_608_000_000_000, zone: .utc)

  @Test(
    arguments: [
      ("4min", ["start 4min"]), ("tea 4min", ["start tea 4min"]), ("4min tea", ["start 4min tea"]),
      ("1h 30min", ["start 1h 30min"]), ("tea half an hour", ["start tea half an hour"]),
      ("tea for 5 minutes", ["start tea 5 minutes"]), ("in 5 minutes", ["start 5 minutes"]),
      ("every 2 hours", ["start 2 hours --repeat"]),
      ("drink each 45min", ["start drink 45min --repeat"]),
      ("7am", ["alarm 7am"]), ("wake 7am", ["alarm wake 7am"]), ("7am wake", ["alarm 7am wake"]),
      ("gym friday 6pm", ["alarm gym friday 6pm"]), ("rent 2027-01-03", ["alarm rent 2027-01-03"]),
      ("mon 9:30", ["alarm mon 9:30"]), ("wake weekdays 7:00", ["alarm wake weekdays 7:00"]),
      ("17:30", ["alarm 17:30", "start 17:30"]),
      ("tea 17:30", ["alarm tea 17:30", "start tea 17:30"]),
      ("90:00", ["start 90:00"]), ("5", ["start 5s", "start 5min"]),
      ("tea 5", ["start tea 5s", "start tea 5min"]), ("5 tea", ["start 5s tea", "start 5min tea"]),
      ("tea", ["start tea"]), ("pomodoro", ["start pomodoro"]),
      (["parking", "2h", "Mill Street 3"], ["start parking 2h 'Mill Street 3'"]),
      (["wake", "7am", "get up now"], ["alarm wake 7am 'get up now'"]),
      (["1h", "30min", "my tea"], ["start 1h 30min 'my tea'"]),
      // Mistyped verbs.
      ("strat", []), ("pasue tea", []), ("strat tea 5min", []), ("a//b", []), ("green tea", []),
      ("strat 5min", ["start 5min", "start strat 5min"]),
      ("extnd 5min", ["extend 5min", "start extnd 5min"]),
      ("alram 7am", ["alarm 7am", "alarm alram 7am"]), ("s 5min", ["start s 5min"]),
      // `start` says what is wrong with these.
      ("1:30 5s", ["start '1:30 5s'"]), ("10 1:30", ["start '10 1:30'"]),
      ("-1:30", ["start -1:30"]),
      ("for 5 minutes", ["start for 5 minutes"]), ("green tea 4min", ["start green tea 4min"]),
      ("tea 25:70", ["start tea 25:70"]), ("5 minuts", ["start 5 minuts"]),
    ] as [(Words, [String])])
  func `A span starts a countdown, a time an alarm, and what is left open is asked`(
    words: Words, commands: [String]
  ) {
    let readings = FirstWords(words.list, at: wall).readings
    #expect(
      readings.map { $0.arguments.map(Quoting.quoted).joined(separator: " ") } == commands)
  }

  @Test func `Two readings are refused with both written out, and nothing is sent`() throws {
    let fixture = try Fixture()
    #expect(
      try fixture.run("tea", "17:30")
        == .sentence(
          64,
          "'tea 17:30' has two readings: write nightjar alarm tea 17:30 (a time of day), or "
            + "nightjar start tea 17:30 (minutes:seconds, a time span)"))
    #expect(
      try fixture.run("extnd", "5min")
        == .sentence(
          64,
          "'extnd 5min' has two readings: write nightjar extend 5min (a mistyped extend), or "
            + "nightjar start extnd 5min (a time span)"))
    #expect(fixture.methods.isEmpty)
  }

  @Test func `On a terminal the user is asked which reading is meant`() throws {
    let fixture = try Fixture()
    let result = try fixture.runner.runOnTerminal(["tea", "5"], typing: "2\n")
    #expect(result.output.contains("'tea 5' has two readings; which?"), "\(result.output)")
    let sent = fixture.daemon.requests.first { $0.method == "Start" }?.parameters
    #expect(sent?["duration_usec"] == 300_000_000)
  }

  @Test func `Options and a command after -- belong to what the words mean`() throws {
    let fixture = try Fixture()
    let words = ["job", "1s", "--silent", "--", "touch", "a b"]
    #expect(try fixture.runner.run(words).status == 0)
    #expect(fixture.daemon.requests.last?.parameters["ring"]?["exec"] == ["touch", "a b"])
    #expect(try fixture.run("parking", "2h", "Mill Street 3").status == 0)
    #expect(fixture.daemon.requests.last?.parameters["message"] == "Mill Street 3")
  }
}
