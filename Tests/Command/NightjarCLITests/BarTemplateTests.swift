import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// The text of a bar with a template, and the timer that it shows.
@Suite(.blocking) struct BarTemplateTests {
  private static let now = ClockReading(
    realtimeUsec: 1_767_442_830_000_000, boottimeUsec: 0, monotonicUsec: 0)
  private static let minute = 60 * second

  private func live(
    _ name: String, state: String = "running", usec: Int64 = 240 * second,
    left: Int64 = 192 * second, agoUsec: Int64? = nil
  ) throws -> LiveTimer {
    let json = FakeTimers(nowUsec: Self.now.realtimeUsec).json(
      .init(
        name: name, state: state, durationUsec: usec, remainingUsec: agoUsec == nil ? left : 0,
        rangAgoUsec: agoUsec, labels: ["project": "site"],
        more: [
          "bands": [["name": "soon", "remaining_usec": 240_000_000, "text": "<Hurry>"]],
          "message": "Take it out",
        ]))
    return LiveTimer(try Wire.Timer(json), asOf: Self.now)
  }

  @Test func `A bar shows a day and more in days`() throws {
    let rent = try live("rent", usec: 40 * 24 * hour, left: (31 * 24 + 2) * hour)
    let template = try BarTemplate("{remaining}, {elapsed}")
    let text = template.text(rent, more: "", unanswered: 0, at: Self.now) { $0 }
    #expect(text == "31 d 2 h, 8 d 22 h")
  }

  @Test(arguments: [
    ("{name} {remaining}", "tea 03:12"), ("{{{name}}}", "{tea}"), ("", ""),
    ("{elapsed} {percent}% {progress}", "00:48 20% 0.2"),
    ("{remaining_usec}/{duration_usec}", "192000000/240000000"),
    ("{state} {kind} {clock} {id}", "running countdown elapsed 1"),
    ("[{step}{calendar}{rang_usec}{color}]", "[]"), ("{band}: {text}", "soon: (Hurry)"),
    ("{labels.project}{labels.none} {more}", "site +2"), ("{ringing}{unanswered}", "1"),
    ("{name}: {message}", "tea: Take it out"),
  ])
  func `Fields are replaced by the timer's values, and by nothing if it has none`(
    template: String, expected: String
  ) throws {
    let text = try BarTemplate(template).text(
      live("tea"), more: "+2", unanswered: 1, at: Self.now
    ) { $0.replacing("<", with: "(").replacing(">", with: ")") }
    #expect(text == expected)
  }

  @Test(arguments: [
    ("{nam}", "--template has no field '{nam}'; did you mean '{name}'?"),
    ("{labels.}", "--template has no field '{labels.}'; there are name, kind, state, ringing, "),
    ("{name", "--template has a lone '{'; for the character itself write it twice"),
    ("name}", "--template has a lone '}'; for the character itself write it twice"),
  ])
  func `An unknown field gets one sentence, and so does a lone brace`(
    template: String, sentence: String
  ) throws {
    let fixture = try Fixture()
    let result = try fixture.run("watch", "--format", "plain", "--template", template)
    #expect(result.status == 64 && result.errors.hasPrefix("nightjar: \(sentence)"), "\(result)")
    #expect(fixture.methods.isEmpty)
  }

  @Test func `A template is for a bar`() throws {
    let remedy = "--template is for --format: nightjar watch --format plain"
    try Fixture().check("$ watch --template {name}\n64! \(remedy)")
  }

  @Test func `An unanswered ring gives the bar back to the next timer after 10 minutes`() throws {
    let tea = try live("tea")
    func choice(_ agoUsec: Int64, _ next: LiveTimer?) throws -> (first: String?, endsUsec: Int64?) {
      let rung = try live("egg", state: "over", agoUsec: agoUsec)
      let choice = BarLine.choice(ring: rung, next: next, at: Self.now)
      return (choice.first?.timer.name, choice.ringEndsUsec)
    }
    #expect(try choice(0, tea) == ("egg", 10 * Self.minute))
    #expect(try choice(10 * Self.minute - 1, tea) == ("egg", 1))
    #expect(try choice(10 * Self.minute, tea) == ("tea", nil))
    #expect(try choice(60 * Self.minute, live("nap", state: "paused")) == ("nap", nil))
    #expect(BarLine.choice(ring: nil, next: tea, at: Self.now).first?.timer == tea.timer)
  }
}
