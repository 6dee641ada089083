import NightjarTestSupport
import Testing
import Varlink

/// Arguments that begin with a minus and are numbers. The argument parser would read them as
/// options.
@Suite(.blocking) struct SignTests {
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
    let sent = try fixture.sent("Start")
    #expect(sent["name"] == "g6" && sent["alarm"] == ["at_usec": 4_101_840_000_000_000])
  }

  @Test func `An offset is analyzed without quotes, too`() throws {
    #expect(
      try CommandRunner().run(
        "analyze", "--base-time", "2026-11-23 10:00", "2026-12-24", "18:00", "-0600"
      ).output.hasPrefix("2026-12-24 18:00 -0600\n  once     Fri 2026-12-25 00:00:00 UTC"))
  }

  @Test(arguments: [
    (["pause", "-5"], "-5: paused, 04:00 left"), (["pause", "--", "-5"], "-5: paused, 04:00 left"),
    (["extend", "-5", "-1min"], "-5: 1 min less, "),
    (["shorten", "-5", "1min"], "-5: 1 min less, "),
    (["extend", "-1min"], "-5: 1 min less, "), (["extend", "-5", "1min"], "-5: 1 min more, "),
  ])
  func `A name and a time span may begin with a minus`(words: [String], output: String) throws {
    let fixture = try Fixture([.init(name: "-5")])
    let result = try fixture.runner.run(words)
    #expect(result.status == 0 && result.output.hasPrefix(output), "\(result)")
  }

  @Test(arguments: [
    "start tea -5s", "snooze x -5min", "wait tea --timeout -5s", "shorten x -5min", "alarm x -5min",
    "events --after -1", "sequence work=25min --loop -1", "analyze timespan -5min",
  ])
  func `Elsewhere a negative number is refused`(command: String) throws {
    let fixture = try Fixture(Fixture.four)
    let result = try fixture.runner.run(command.split(separator: " ").map(String.init))
    #expect([1, 64].contains(result.status) && result.output.isEmpty, "\(result)")
    #expect(fixture.daemon.requests.isEmpty)
  }
}
