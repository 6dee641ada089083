import Foundation
import NightjarEngine
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing

/// The engine compared with the simplest possible algorithm.
///
/// NIGHTJAR_SEED repeats one run. NIGHTJAR_RUNS sets the number of runs, and NIGHTJAR_FIRST the
/// first seed.
@Suite(.long) struct DifferentialTests {
  static let environment = ProcessInfo.processInfo.environment
  static let seed = environment["NIGHTJAR_SEED"].flatMap { UInt64($0) }
  static let first = environment["NIGHTJAR_FIRST"].flatMap { Int($0) } ?? 0
  static let runs = environment["NIGHTJAR_RUNS"].flatMap { Int($0) } ?? 10_000

  @Test func `The engine does the same as the literal model, for 10,000 seeds`() async throws {
    if let seed = Self.seed {
      try DifferentialRun(seed: seed, options: Self.options(seed)).play()
      return
    }
    let outcome = await Self.play(Self.first..<Self.first + Self.runs)
    for failure in outcome.failures.prefix(3) { Issue.record("\(failure)") }
    print("\(Self.runs) differential runs, \(outcome.passedSec / 31_557_600) machine-years")
    // Runs without these events would prove nothing.
    if Self.runs >= 2000 { #expect(Self.everything.subtracting(outcome.met) == []) }
  }

  /// 4,055,788 and 4,056,687: an alarm waits for the clock when the zone changes; its next instant
  /// is then another one, which is certainly due. 10,531,865: a sequence waits for the clock, and a
  /// sleep makes it undecided. 30,566,533: a full disk loses a change, and the timer is late
  /// because of its span, as before. 216,268 and 233,361: in a span, one
  /// undo makes the end of a snooze late, and the next puts an earlier ring back. 20,283,896 and
  /// 20,385,150: more than 10,000 instants at once, some of which join a ring or are judged first.
  @Test(arguments: [
    (4_055_788, false), (4_056_687, false), (10_531_865, false), (30_566_533, false),
    (216_268, true), (233_361, true), (20_283_896, true), (20_385_150, true),
  ])
  func `Seeds that once showed a fault pass`(seed: UInt64, undoes: Bool) throws {
    var options = DifferentialRun.Options()
    options.undoes = undoes
    try DifferentialRun(seed: seed, options: options).play()
  }

  /// What 2,000 runs must have covered.
  static let everything: Set<String> = [
    "started", "paused", "resumed", "extended", "restarted", "snoozed", "updated", "rang",
    "cancelled", "dismissed", "stopped", "removed", "forgotten", "did_enter_background",
    "will_enter_foreground", "span_corrected", "clock_stepped", "rang undurably",
    "will_enter_foreground undurably", "on time", "late by sleep", "late by stop", "late by down",
    "late by reboot", "late by freeze", "late by step", "late by busy", "late by a span",
    "span with cause 1", "span with cause 2", "span with cause 3", "span with cause 4",
    "span with cause 5", "span with cause 6", "span with several causes", "span estimated",
    "span exact", "requests undone", "correction with cause", "several iterations to fire",
    "several chunks", "did_not_ring", "advanced", "band_crossed", "lapped", "rescheduled",
    "paused_after_span", "restarted_after_span", "came_due", "zone_changed", "late by paused",
    "undone", "renamed_to", "renamed_from", "something taken back", "late by undone",
    "rang for itself", "rang for several", "did_not_ring for itself", "did_not_ring for several",
    "skipped", "unskipped", "a skip before another zone",
    // Rings.
    "joined", "joined by one", "joined by several", "left_ring", "stayed_quiet snooze",
    "stayed_quiet insist", "rang at the end of a snooze", "rang_again", "unanswered",
    "a miss beside a ring", "a ring of a paused timer", "undone with a ring", "a snooze on time",
    "a snooze late by sleep", "a snooze late by stop", "a snooze late by down",
    "a snooze late by reboot", "a snooze late by freeze", "a snooze over clock_stepped",
    "a snooze over zone_changed", "a snoozed countdown", "a snoozed alarm", "a snoozed sequence",
    "a snooze with missed once", "a snooze with missed each", "a snooze with missed skip",
    "a snooze that rings late", "a snooze with a late policy",
  ]

  /// Every 500th run has many timers, which fill several rows and chunks.
  static func options(_ seed: UInt64) -> DifferentialRun.Options {
    var options = DifferentialRun.Options()
    if seed % 500 == 250 { options.extraTimers = seed % 1000 == 250 ? 600 : 1400 }
    return options
  }

  struct Outcome {
    var failures: [Mismatch] = []
    var met: Set<String> = []
    /// The simulated time of all runs, in seconds.
    var passedSec: Int64 = 0

    static func += (a: inout Outcome, b: Outcome) {
      a.failures += b.failures
      a.met.formUnion(b.met)
      a.passedSec += b.passedSec
    }
  }

  /// Plays all seeds, on as many threads as there are cores.
  static func play(
    _ seeds: Range<Int>, options: @escaping @Sendable (UInt64) -> DifferentialRun.Options = options
  ) async -> Outcome {
    let workers = max(1, ProcessInfo.processInfo.activeProcessorCount)
    return await withTaskGroup(of: Outcome.self) { group in
      for worker in 0..<workers {
        group.addTask {
          var outcome = Outcome()
          for seed in seeds where seed % workers == worker && outcome.failures.count < 3 {
            outcome += play(UInt64(seed), options(UInt64(seed)))
          }
          return outcome
        }
      }
      return await group.reduce(into: Outcome()) { $0 += $1 }
    }
  }

  private static func play(_ seed: UInt64, _ options: DifferentialRun.Options) -> Outcome {
    let run = DifferentialRun(seed: seed, options: options)
    var outcome = Outcome()
    do {
      try run.play()
    } catch let mismatch as Mismatch {
      outcome.failures = [mismatch]
    } catch {
      outcome.failures = [Mismatch(seed: seed, actions: run.actions, what: "\(error)")]
    }
    outcome.met = run.met
    outcome.passedSec = run.machine.clocks.passedUsec / 1_000_000
    return outcome
  }
}
