import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// The timer of a card: eight bands of a second each, with a colour, a text and a range of
/// progress. The test looks at it every 10 ms and pauses it at any moment.
@Suite struct CardTimerTests {
  private static let colors = [
    "green", "lime", "yellow", "amber", "orange", "coral", "red", "crimson",
  ]
  private static let length = 8 * second

  /// The progress of each band runs from 0 to 1; the last band's range ends half a second before
  /// the end.
  private static func spec() throws -> SharedSpec {
    var bands = colors.enumerated().map { index, color in
      Band(
        name: "card\(index)", remainingUsec: length - Int64(index) * second, color: color,
        text: "\(8 - index) left", progress: ProgressRange(from: 0, to: 1_000_000))
    }
    bands.append(
      Band(
        name: "full", remainingUsec: second / 2, color: "crimson", text: "1 left",
        progress: ProgressRange(from: 1_000_000, to: 1_000_000)))
    return try SharedSpec(kind: .countdown, bands: bands)
  }

  /// The right values at `moment`, in hundredths of a second after the start.
  private static func expected(_ moment: Int) -> (color: String, text: String, progress: Double) {
    let index = moment / 100
    let into = Double(moment % 100) / 100
    let progress = index < 7 ? into : min(1, into * 2)
    return (colors[index], "\(8 - index) left", progress)
  }

  private func check(_ moment: Int, _ slot: Int, _ stage: Stage) {
    let view = stage.engine.view(slot, at: stage.now)
    let right = Self.expected(moment)
    #expect(view.remainingUsec == Self.length - Int64(moment) * second / 100)
    #expect(view.band?.color == right.color, "at moment \(moment)")
    #expect(view.band?.text == right.text, "at moment \(moment)")
    #expect(abs(view.progress - right.progress) < 1e-9, "at moment \(moment)")
  }

  @Test func `The card is right when paused at any moment, for any time, on any clock`() throws {
    for clock in Timeline.allCases {
      let stage = Stage()
      let slot = try stage.start("card", Self.spec(), usec: Self.length, clock)
      for moment in 0..<800 {
        check(moment, slot, stage)
        try stage.runIteration { try $0.pause(slot, at: stage.now) }
        check(moment, slot, stage)
        if moment % 3 == 0 { stage.sleep(hour) } else { stage.advance(Int64(moment) * 12_345) }
        check(moment, slot, stage)
        try stage.runIteration { try $0.resume(slot, at: stage.now) }
        check(moment, slot, stage)
        stage.advance(second / 100)
      }
      #expect(stage.state(slot) == .over)
      // Each band is announced once, however often the timer was paused in it.
      let crossed = stage.ledger.filter { $0.contains("band_crossed") }
      #expect(crossed.map { $0.split(separator: " ")[2] } == (1..<8).map { "card\($0)" } + ["full"])
      #expect(stage.rings == [Rung(name: "card")])
    }
  }
}
