import NightjarTestSupport
import Testing

/// What a sleep means for a sequence: ordinary time, a reason to pause, or the break.
@Suite struct SequenceSleepTests {
  /// Work of a minute and a rest of 20 s, in every second round 50 s; four rounds.
  private static let pomodoro =
    "sequence pom rounds=4 longEvery=2 steps=work:60s+rest:20s/50s:break"

  static let rules = Rule.table(
    """
    With continue, a sequence continues by its clock
      \(pomodoro) afterSleep=continue, wait 30s, sleep 40s, wait 10s
      -> 70 rang to rest, late 10 sleep; 80 rang to work
    With pause, a sequence pauses in a break as well
      \(pomodoro) afterSleep=pause, wait 65s, sleep 1h, show pom
      -> 60 rang to rest; 3665 paused_after_span 15; pom paused, 15 left
    # The second rest is from second 140 to 190.
    With restart, the rest of a long break remains if not all of it was slept
      \(pomodoro) afterSleep=restart, wait 145s, sleep 25s, show pom
      -> 60 rang to rest; 80 rang to work; 140 rang to rest; pom running, 20 left
    # The fourth round's rest is from second 330 to 380.
    The last step ends the sequence, however long the sleep
      \(pomodoro) afterSleep=restart, wait 355s, sleep 1h, show pom
      -> 60 rang to rest; 80 rang to work; 140 rang to rest; 190 rang to work; 250 rang to rest
      -> 270 rang to work; 330 rang to rest; 3955 rang late 3575 sleep; pom over
    With restart, a break that waits for Advance waits at its end, however long the sleep
      sequence pom rounds=4 afterSleep=restart steps=work:60s+rest:20s:break:waits, wait 65s,
      sleep 1h, show pom
      -> 60 rang to rest; 3665 rang late 3585 sleep; pom waiting
    Without breaks, the shortest step decides
      sequence pom afterSleep=pause steps=long:60s+short:5s, sleep 5s-1us, show pom, sleep 5s
      -> pom running, 55.000001 left; 9.999999 paused_after_span 55.000001
    With {continue|pause|restart|break}, a sleep shorter than the shortest break is ordinary time
      \(pomodoro) afterSleep={}, wait 30s, sleep 20s-1us, wait 10s+1us
      -> 60 rang to rest
    With continue on awake, a sequence continues where it was with {once|each|skip}
      \(pomodoro) awake missed={}, wait 30s, sleep 1h, wait 30s
      -> 3660 rang to rest
    With pause, a sequence on {elapsed|awake} keeps its time over a short sleep
      \(pomodoro) {} afterSleep=pause, wait 30s, sleep 20s, run 1h, show pom, resume pom, wait 30s
      -> 50 paused_after_span 30; pom paused, 30 left; 3650 resumed; 3680 rang to rest
    With pause, a sequence on {elapsed|awake} keeps its time over a long sleep
      \(pomodoro) {} afterSleep=pause, wait 30s, sleep 1h, run 1h, show pom, resume pom, wait 30s
      -> 3630 paused_after_span 30; pom paused, 30 left; 7230 resumed; 7260 rang to rest
    With restart, the step on {elapsed|awake} starts again after a short sleep
      \(pomodoro) {} afterSleep=restart, wait 30s, sleep 20s, show pom, progress pom
      -> 50 restarted_after_span work 60; pom running, 60 left; pom at 0.0
    With restart, the step on {elapsed|awake} starts again after a long sleep
      \(pomodoro) {} afterSleep=restart, wait 30s, sleep 1h, show pom, progress pom
      -> 3630 restarted_after_span work 60; pom running, 60 left; pom at 0.0
    With restart on {elapsed|awake}, a break whose remaining time was slept has ended
      \(pomodoro) {} afterSleep=restart, wait 65s, sleep 20s, wait 60s
      -> 60 rang to rest; 85 restarted_after_span work 60; 145 rang to rest
    With {pause|restart}, a sequence started during the span is not affected by it
      enter sleep, sequence pom afterSleep={} steps=work:1h+rest:1min:break, doze 30min,
      leave sleep, show pom
      -> pom running, 1800 left
    With {pause|restart}, a sequence that is paused is left as it is
      sequence pom afterSleep={} steps=work:1min:waits, pause pom, keep pom, sleep 1h, same pom
      -> 0 paused 60; pom is as it was
    With {pause|restart}, a sequence that waits is left as it is
      sequence pom afterSleep={} steps=work:1min:waits, wait 2min, keep pom, sleep 1h, same pom
      -> 60 rang; pom is as it was
    With {pause|restart}, a sequence that was cancelled is left as it is
      sequence pom afterSleep={} steps=work:1min:waits, cancel pom, keep pom, sleep 1h, same pom
      -> 0 cancelled; pom is as it was
    """)

  @Test(arguments: rules)
  func `A sleep means for a sequence what its policy says`(_ rule: Rule) { rule.check() }
}
