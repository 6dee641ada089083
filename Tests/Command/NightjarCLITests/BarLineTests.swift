import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// The line of each bar.
@Suite struct BarLineTests {
  private static let now = ClockReading(
    realtimeUsec: 1_767_442_830_000_000, boottimeUsec: 0, monotonicUsec: 0)

  /// Timers that stand still; the first is in a band.
  private static let still: [FakeTimers.Entry] = [
    .init(
      name: "tea & <milk>", state: "paused", durationUsec: hour, remainingUsec: hour,
      more: ["band": soon, "bands": [soon]]),
    .init(name: "egg", state: "paused", durationUsec: hour / 2, remainingUsec: hour / 2, id: 2),
  ]
  private static let soon: JSONValue = [
    "name": "soon", "remaining_usec": 7_200_000_000, "color": "orange",
  ]
  private static let rung = [FakeTimers.Entry(name: "egg & co", state: "over", remainingUsec: 0)]
  private static let hostile = [
    FakeTimers.Entry(
      name: "#[fg=red]%{F#f00}", durationUsec: hour, remainingUsec: hour,
      more: ["bands": [["name": "soon", "remaining_usec": 7_200_000_000, "text": "50% #1 %{F}"]]])
  ]
  private static let unanswered = [
    FakeTimers.Entry(name: "r", durationUsec: hour, remainingUsec: hour, ringing: "unanswered"),
    still[1],
  ]
  private static let missed = [
    FakeTimers.Entry(
      name: "egg", state: "over", remainingUsec: 0,
      more: ["miss": ["number": 1, "due_usec": 0, "late_usec": 1, "outcome": "did_not_ring"]])
  ]

  private func line(
    _ format: BarLine.Format, _ entries: [FakeTimers.Entry], template: String? = nil
  ) throws -> String {
    var board = Board(Board.Subject(nil))
    let timers = FakeTimers(nowUsec: Self.now.realtimeUsec)
    board.replace(with: try entries.map { try Wire.Timer(timers.json($0)) }, at: Self.now)
    let line = BarLine(
      &board, for: format, template: try template.map { try BarTemplate($0) }, at: Self.now)
    return line.text(in: format)
  }

  @Test(
    arguments: [
      (.plain, still, "egg 30:00 paused (+1)"), (.plain, [], ""), (.tmux, [], ""),
      (.polybar, [still[0]], "%{F#ffa500}tea & <milk> 01:00:00 paused%{F-}"),
      (.tmux, [still[0]], "#[fg=#ffa500]tea & <milk> 01:00:00 paused#[default]"),
      (.polybar, rung, "%{F#ff5f5f}egg & co rang%{F-}"),
      (.tmux, rung, "#[fg=#ff5f5f]egg & co rang#[default]"),
      // What a bar would take for markup is no markup.
      (.tmux, hostile, "##[fg=red]%{F##f00} 01:00:00 50% ##1 %{F}"),
      (.polybar, hostile, "#[fg=red]% {F#f00} 01:00:00 50% #1 % {F}"),
    ] as [(BarLine.Format, [FakeTimers.Entry], String)])
  func `A bar of text has its own colours and escapes`(
    format: BarLine.Format, timers: [FakeTimers.Entry], expected: String
  ) throws {
    #expect(try line(format, timers) == expected)
  }

  @Test(
    arguments: [
      (
        .waybar, [still[0]],
        #""text":"tea &amp; &lt;milk&gt; 01:00:00 paused","alt":"paused","class":["paused","soon"],"#
          + #""tooltip":"tea &amp; &lt;milk&gt; 01:00:00 paused","percentage":0"#
      ),
      (
        .i3blocks, [still[0]],
        ##""full_text":"tea & <milk> 01:00:00 paused","short_text":"01:00:00","color":"#ffa500""##
      ),
      (
        .i3statusRs, [still[0]],
        #""text":"tea &amp; &lt;milk&gt; 01:00:00 paused","short_text":"01:00:00","state":"Info""#
      ),
      // i3blocks 1.4 ignores a boolean.
      (
        .i3blocks, rung,
        ##""full_text":"egg & co rang","short_text":"00:00","color":"#ff5f5f","urgent":"true""##
      ),
      (.i3statusRs, rung, #""text":"egg &amp; co rang","short_text":"00:00","state":"Critical""#),
      (
        .waybar, rung,
        ##""text":"<span color=\"#ff5f5f\">egg &amp; co rang</span>","class":["unanswered"]"##
      ),
      // A timer that expired without a ring does not look like one that rings.
      (.waybar, missed, #""text":"egg did not ring","alt":"over","class":["over"]"#),
      // A ring that the line does not show is in the tooltip, at its timer.
      (.waybar, unanswered, #""tooltip":"r 01:00:00, a ring is unanswered\negg 30:00 paused""#),
      (.json, still, #""text":"egg 30:00 paused (+1)""#),
    ] as [(BarLine.Format, [FakeTimers.Entry], String)])
  func `A bar of objects has the members of its program`(
    format: BarLine.Format, timers: [FakeTimers.Entry], members: String
  ) throws {
    let (object, expected) = try (
      JSONValue.parse(line(format, timers)), JSONValue.parse("{\(members)}")
    )
    for member in expected.objectValue ?? [] {
      #expect(object[member.key] == member.value, "\(member.key)")
    }
    if format == .json {
      let all = object["timers"]?.arrayValue
      #expect(
        all?.map { $0["name"] } == ["egg", "tea & <milk>"] && all?.last?["color"] == "orange")
    } else if format != .waybar {
      #expect(object == expected)
    }
  }

  @Test(
    arguments: [
      (.plain, "{name}: {remaining}", "tea & <milk>: 01:00:00"),
      (.tmux, "#[bold]{name}", "#[fg=#ffa500]#[bold]tea & <milk>#[default]"),
    ] as [(BarLine.Format, String, String)])
  func `A template may have markup, and a timer's texts are none in it`(
    format: BarLine.Format, template: String, expected: String
  ) throws {
    #expect(try line(format, [Self.still[0]], template: template) == expected)
    let waybar = try line(.waybar, [Self.still[0]], template: "<b>{name}</b> {state}")
    #expect(try JSONValue.parse(waybar)["text"] == "<b>tea &amp; &lt;milk&gt;</b> paused")
  }
}
