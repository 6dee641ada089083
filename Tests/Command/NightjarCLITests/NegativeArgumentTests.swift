import NightjarTestSupport
import Testing
import Varlink

/// Arguments that begin with a minus and are numbers: each gets an error that fits the command.
@Suite(.blocking) struct NegativeArgumentTests {
  @Test(
    arguments: [
      ("events --after -1", "--after takes no negative number: '-1'"),
      ("events --after=-1", "--after takes no negative number: '-1'"),
      ("rehearse x --limit -1", "--limit takes no negative number: '-1'"),
      ("sequence work=25min --loop -1", "--loop takes no negative number: '-1'"),
      ("start tea 4min --repeat --rounds -3", "--rounds takes no negative number: '-3'"),
      ("analyze calendar daily --iterations -2", "--iterations takes no negative number: '-2'"),
      (
        "history --label -5",
        "'-5' would be an option; if it is the KEY[=VALUE] of --label, write --label=-5"
      ),
      (
        "history --totals -7d",
        "'-7d' would be an option; if it is the KEY of --totals, write --totals=-7d"
      ),
      (
        "update x --data -5",
        "'-5' would be an option; if it is the JSON of --data, write --data=-5"
      ),
      ("wait tea --timeout -5s", "--timeout takes a time span, which cannot be negative: '-5s'"),
      ("watch tea --tick -5s", "--tick takes a time span, which cannot be negative: '-5s'"),
      (
        "alarm x -5min",
        "an alarm rings at a time to come, not '-5min'; write one such as 17:30 or +5min"
      ),
      (
        "alarm x 18:00 -0600",
        "'-0600' would be an offset from UTC, which follows a date and a time, as in 2026-12-24 "
          + "18:00 -0600"
      ),
      ("snooze x -5min", "a time span cannot be negative: '-5min'; write 5min"),
      ("shorten x -5min", "a time span cannot be negative: '-5min'; write 5min"),
      ("analyze timespan -5min", "a time span cannot be negative: '-5min'; write 5min"),
      (
        "analyze timestamp -5min",
        "nightjar analyze timestamp has no option '-5min'; write other arguments that begin with a "
          + "minus after --"
      ),
      (
        "pause -5",
        "nightjar pause has no option '-5'; write other arguments that begin with a minus after --"
      ),
      (
        "extend x -5min",
        "a time span cannot be negative: '-5min'; to take time away write nightjar shorten NAME 5min"
      ),
      (
        "--json -5min",
        "a time span cannot be negative: '-5min'; to take time away write nightjar shorten NAME 5min"
      ),
    ] as [(Words, String)])
  func `The error about a negative argument says what its option takes, or what its command does`(
    arguments: Words, sentence: String
  ) throws {
    let fixture = try Fixture(Fixture.four)
    #expect(try fixture.runner.run(arguments.list) == .sentence(64, sentence))
    #expect(fixture.daemon.requests.isEmpty)
  }

  @Test(arguments: [
    ["2099-12-24", "18:00", "-0600"], ["2099-12-24", "18:00", "-06:00"],
    ["2099-12-24T18:00", "-0600"],
    ["2099-12-24 18:00", "-0600", "--once"], ["2099-12-24", "18:00", "-06", "--", "true"],
    ["2099-12-24 18:00 -0600"], ["2099-12-25", "02:00", "+0200"],
  ])
  func `An offset after a date and a time needs no quotes`(words: [String]) throws {
    let fixture = try Fixture()
    let result = try fixture.runner.run(["alarm", "g6"] + words)
    #expect(result.status == 0, "\(result)")
    let sent = try #require(fixture.daemon.requests.first { $0.method == "Start" })
    #expect(sent.parameters["name"] == "g6")
    #expect(sent.parameters["alarm"] == ["at_usec": 4_101_840_000_000_000])
  }

  @Test func `An offset is analyzed without quotes, too`() throws {
    let runner = try CommandRunner()
    let quoted = try runner.run("analyze", "timestamp", "--json", "2026-12-24 18:00 -0600")
    #expect(quoted.status == 0)
    #expect(
      try runner.run("analyze", "timestamp", "--json", "2026-12-24 18:00", "-0600") == quoted)
    #expect(
      try runner.run(
        "analyze", "--base-time", "2026-11-23 10:00", "2026-12-24", "18:00", "-0600"
      ).output.hasPrefix("2026-12-24 18:00 -0600\n  once     Fri 2026-12-25 00:00:00 UTC"))
  }

  @Test func `The commands in the errors can be parsed`() throws {
    let runner = try CommandRunner()
    #expect(try runner.run("analyze", "timestamp", "--json", "--", "-5min").status == 0)
    let fixture = try Fixture([.init(name: "-5", state: "paused")])
    #expect(try fixture.run("remaining", "--", "-5") == .init(0, "04:00\n"))
    #expect(
      try fixture.run("history", "--since", "-7d", "--label=-5").errors.contains("option") == false)
  }
}
