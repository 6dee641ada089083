import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarEngine

/// Expiries that a client skips.
@Suite struct SkipTests {
  private static let alarm = "alarm wake every=10min, skip wake"

  static let rules =
    Rule.table(
      """
      A skipped ring of an alarm does not ring, and the next one does
        \(alarm), show wake, passed wake, run 10min, run 10min, passed wake
        -> 0 skipped; wake running, 1200 left; wake passes over 600; 1200 rang
        -> wake passes over nothing
      Two skips concern the next two rings, and each can be taken back
        \(alarm), skip wake, show wake, unskip wake, show wake, unskip wake, show wake, unskip wake
        -> 0 skipped; 0 skipped; wake running, 1800 left; 0 unskipped; wake running, 1200 left
        -> 0 unskipped; wake running, 600 left; refused: unskip while running
      A skipped instant stays skipped when the clock shows it again
        \(alarm), run 15min, step -20min, show wake, run 5min, show wake
        -> 0 skipped; -300 rescheduled to 0; wake running, 300 left; 0 rang; wake running, 1200 left
      A skipped instant is not counted as missed in a sleep
        \(alarm), doze 45min, look, show wake
        -> 0 skipped; 2700 rang late 300 sleep, missed 2; wake running, 300 left
      A skipped ring stays skipped in another zone, at its local time there
        \(alarm), run 5min, zone 3min, show wake, passed wake, unskip wake, show wake
        -> 0 skipped; 300 rescheduled to 1380; wake running, 1080 left; wake passes over 780
        -> 300 unskipped; wake running, 480 left
      # In the other zone, the instant before the skipped one is still to come.
      A skip is for a local time, which a zone that is behind shows later
        \(alarm), zone 3min, show wake, run 4min, show wake, passed wake
        -> 0 skipped; 0 rescheduled to 180; wake running, 180 left; 240 rang late 60 freeze
        -> wake running, 1140 left; wake passes over 780
      A skipped ring counts as a round, and the last round cannot be skipped
        start tick 10s repeat rounds=3, skip tick, run 20s, skip tick, run 10s, show tick
        -> 0 skipped; 20 rang; refused: skip while running; 30 rang; tick over
      A countdown on \(eachClock) keeps its period after a skip
        start tick 10s repeat {}, skip tick, show tick, wait 35s, show tick
        -> 0 skipped; tick running, 20 left; 20 rang; 30 rang; tick running, 5 left
      A skipped instant is listed while the calendar has it
        \(alarm), run 2min, change wake every=10min, run 4min, passed wake
        -> 0 skipped; 120 updated; wake passes over 600
      A skipped instant of a calendar with more instants is listed
        \(alarm), run 2min, change wake every=5min, run 4min, passed wake
        -> 0 skipped; 120 updated; 120 rescheduled to 300; 360 rang late 60 freeze
        -> wake passes over 600
      A skipped instant of another calendar is not listed
        \(alarm), run 2min, change wake every=15min, run 4min, passed wake
        -> 0 skipped; 120 updated; 120 rescheduled to 900; wake passes over nothing
      """) + [
      Rule(
        "At most 64 coming rings can be skipped",
        "alarm wake every=10min" + String(repeating: ", skip wake", count: Limits.skips + 1),
        said: Array(repeating: "0 skipped", count: Limits.skips) + ["refused: tooManySkips(64)"])
    ]

  @Test(arguments: rules)
  func `A skipped expiry does not ring, and the others do`(_ rule: Rule) {
    rule.check(after: "synchronized")
  }
}
