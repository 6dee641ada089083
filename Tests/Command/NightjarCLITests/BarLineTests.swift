import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// The line of each bar.
@Suite struct BarLineTests {
  private static let now = ClockReading(
    realtimeUsec: 1_767_442_830_000_000, boottimeUsec: 0, monotonicUsec: 0)

  private static let soon: JSONValue = [
    "name": "soon", "remaining_usec": 7_200_000_000, "color": "orange",
  ]
  /// Timers that stand still; the first is in a band.
  private static let still: [FakeTimers.Entry] = [
    .init(
      name: "tea & <milk>", state: "paused", durationUsec: hour, remainingUsec: hour,
      more: ["band": soon, "bands": [soon]]),
    .init(name: "egg", state: "paused", durationUsec: hour / 2, remainingUsec: hour / 2, id: 2),
  ]
  private static let hostile = FakeTimers.Entry(
    name: "#[fg=red]%{F#f00}", durationUsec: hour, remainingUsec: hour,
    more: ["bands": [["name": "soon", "remaining_usec": 7_200_000_000, "text": "50% #1 %{F}"]]])
  private static let missed = FakeTimers.Entry(
    name: "egg", state: "over", remainingUsec: 0,
    more: ["miss": ["number": 1, "due_usec": 0, "late_usec": 1, "outcome": "did_not_ring"]])
  private static let unanswered = FakeTimers.Entry(
    name: "r", durationUsec: hour, remainingUsec: hour, ringing: "unanswered")

  private static let timers: [String: [FakeTimers.Entry]] = [
    "none": [], "still": still, "tea": [still[0]], "hostile": [hostile], "missed": [missed],
    "unanswered": [unanswered, still[1]],
    "rung": [.init(name: "egg & co", state: "over", remainingUsec: 0)],
  ]

  private func line(_ name: String, of timers: String, template: String? = nil) throws -> String {
    let format = try #require(BarLine.Format(rawValue: name))
    let fake = FakeTimers(nowUsec: Self.now.realtimeUsec)
    let entries = try #require(Self.timers[timers])
    var board = Board(Board.Subject(nil))
    board.replace(with: try entries.map { try Wire.Timer(fake.json($0)) }, at: Self.now)
    let line = BarLine(
      &board, for: format, template: try template.map { try BarTemplate($0) }, at: Self.now)
    return line.text(in: format)
  }

  @Test(
    arguments: Row.table(
      """
      plain => still => egg 30:00 paused (+1)
      plain => none =>
      tmux => none =>
      polybar => tea => %{F#ffa500}tea & <milk> 01:00:00 paused%{F-}
      tmux => tea => #[fg=#ffa500]tea & <milk> 01:00:00 paused#[default]
      polybar => rung => %{F#ff5f5f}egg & co rang%{F-}
      tmux => rung => #[fg=#ff5f5f]egg & co rang#[default]
      // What a bar would take for markup is no markup.
      tmux => hostile => ##[fg=red]%{F##f00} 01:00:00 50% ##1 %{F}
      polybar => hostile => #[fg=red]% {F#f00} 01:00:00 50% #1 % {F}
      """))
  func `A bar of text has its own colours and escapes`(row: Row) throws {
    #expect(try line(row[0], of: row[1]) == row[2])
  }

  @Test(
    arguments: Row.table(
      #"""
      waybar => tea => "text":"tea &amp; &lt;milk&gt; 01:00:00 paused","alt":"paused","class":\#
      ["paused","soon"],"tooltip":"tea &amp; &lt;milk&gt; 01:00:00 paused","percentage":0
      i3blocks => tea => "full_text":"tea & <milk> 01:00:00 paused","short_text":"01:00:00",\#
      "color":"#ffa500"
      i3status-rs => tea => "text":"tea &amp; &lt;milk&gt; 01:00:00 paused",\#
      "short_text":"01:00:00","state":"Info"
      // i3blocks 1.4 ignores a boolean.
      i3blocks => rung => "full_text":"egg & co rang","short_text":"00:00","color":"#ff5f5f",\#
      "urgent":"true"
      i3status-rs => rung => "text":"egg &amp; co rang","short_text":"00:00","state":"Critical"
      waybar => rung => "text":"<span color=\"#ff5f5f\">egg &amp; co rang</span>",\#
      "class":["unanswered"]
      // A timer that expired without a ring does not look like one that rings.
      waybar => missed => "text":"egg did not ring","alt":"over","class":["over"]
      // A ring that the line does not show is in the tooltip, at its timer.
      waybar => unanswered => "tooltip":"r 01:00:00, a ring is unanswered\negg 30:00 paused"
      json => still => "text":"egg 30:00 paused (+1)"
      """#))
  func `A bar of objects has the members of its program`(row: Row) throws {
    let object = try JSONValue.parse(line(row[0], of: row[1]))
    let expected = try JSONValue.parse("{\(row[2])}")
    for member in expected.objectValue ?? [] {
      #expect(object[member.key] == member.value, "\(member.key)")
    }
    if row[0] == "json" {
      let all = object["timers"]?.arrayValue
      #expect(
        all?.map { $0["name"] } == ["egg", "tea & <milk>"] && all?.last?["color"] == "orange")
    } else if row[0] != "waybar" {
      #expect(object == expected)
    }
  }

  @Test func `A template may have markup, and a timer's texts are none in it`() throws {
    let plain = try line("plain", of: "tea", template: "{name}: {remaining}")
    let tmux = try line("tmux", of: "tea", template: "#[bold]{name}")
    let waybar = try JSONValue.parse(line("waybar", of: "tea", template: "<b>{name}</b> {state}"))
    #expect(plain == "tea & <milk>: 01:00:00")
    #expect(tmux == "#[fg=#ffa500]#[bold]tea & <milk>#[default]")
    #expect(waybar["text"] == "<b>tea &amp; &lt;milk&gt;</b> paused")
  }
}
