import NightjarTestSupport
import Testing
import Varlink

/// `nightjar WORDS`, without a verb.
@Suite(.blocking) struct FirstWordsTests {
  @Test func `Two readings are refused with both written out, and nothing is sent`() throws {
    let fixture = try Fixture()
    try fixture.check(
      """
      $ tea 17:30
      64! 'tea 17:30' has two readings: write nightjar alarm tea 17:30 (a time of day), or \
      nightjar start tea 17:30 (minutes:seconds, a time span)
      $ extnd 5min
      64! 'extnd 5min' has two readings: write nightjar extend 5min (a mistyped extend), or \
      nightjar start extnd 5min (a time span)
      """)
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
