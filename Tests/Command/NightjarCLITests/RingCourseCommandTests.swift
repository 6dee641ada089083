import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// The length and volume of rings, and messages, as options.
@Suite(.blocking) struct RingCourseCommandTests {
  private func sent(_ words: [String]) throws -> JSONValue? {
    let fixture = try Fixture([.init(name: "tea")]) { request, _ in
      request.method == "Start" ? [.error("TimerNotFound", ["name": "tea"])] : nil
    }
    _ = try fixture.runner.run(words)
    return fixture.daemon.requests.first { $0.method == "Start" }?.parameters
  }

  @Test func `Only the given options of a ring are sent`() throws {
    let ring = try sent([
      "start", "tea", "4min", "--ring-for", "2min", "--volume", "40", "--rising", "0", "--insist",
      "5min", "--no-disturb", "--sound", "pulse",
    ])?["ring"]
    let expected: JSONValue = [
      "sound": "pulse", "ring_for_usec": 120_000_000, "volume": 40, "rising_usec": 0,
      "insist_usec": 300_000_000, "disturb": false,
    ]
    #expect(ring == expected)
    #expect(try sent(["start", "tea", "4min"])?["ring"] == nil)
    let alarm = try sent(["alarm", "wake", "7:00", "--disturb", "--message", "Bread"])
    #expect(alarm?["ring"] == ["disturb": true] && alarm?["message"] == "Bread")
  }

  @Test(arguments: [
    (["--volume", "0"], "--volume goes from 1 to 100, not 0; for no sound write --silent"),
    (["--volume", "50%"], "--volume takes a number from 1 to 100, such as 50, not '50%'"),
    (["--ring-for", "2h"], "--ring-for goes up to 1 h"),
    (["--rising", "soon"], "--rising takes a time span such as 20s or 5min, not 'soon'"),
    (["--insist", "2d"], "--insist goes up to 1 d"),
    (["--sound", "gong"], "sounds without a file are chime, marimba, pulse"),
  ])
  func `An invalid value is refused in a sentence`(words: [String], sentence: String) throws {
    let fixture = try Fixture([])
    let result = try fixture.runner.run(["start", "tea", "4min"] + words)
    #expect(result.status == 64 && result.errors.contains(sentence), "\(result)")
  }
}
