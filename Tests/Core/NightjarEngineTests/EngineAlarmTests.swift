import NightjarTestSupport
import Testing

/// Deadlines that wake the machine.
@Suite struct EngineAlarmTests {
  static let rules = Rule.table(
    """
    The earliest timer with wake counts, on each of the kernel's clocks
      start quiet 1s, start late 30s wakes, start early 20s wakes, start calendar 40s wall wakes,
      alarms
      -> alarms boottime 20, realtime 40
    The alarm stays armed in the background, when nothing else is
      start early 20s wakes, enter sleep, armed, alarms
      -> armed for nothing; alarms boottime 20
    The end of a snooze wakes the machine if its timer does
      start quiet 20s wall, start loud 20s wall wakes, run 20s, snooze quiet 10s, snooze loud 30s,
      enter sleep, alarms, dismiss loud, alarms
      -> 20 quiet rang; 20 loud rang; 20 quiet snoozed; 20 loud snoozed; alarms boottime 30
      -> 20 loud dismissed; no alarm
    A timer that is paused, over or removed does not wake the machine, until it runs again
      start tea 20s wakes, pause tea, alarms, resume tea, alarms, cancel tea, alarms, restart tea,
      alarms, remove tea, alarms
      -> 0 paused 20; no alarm; 0 resumed; alarms boottime 20; 0 cancelled; no alarm; 0 restarted
      -> alarms boottime 20; 0 removed; no alarm
    """)

  @Test(arguments: rules)
  func `The earliest deadline with wake wakes the machine`(_ rule: Rule) { rule.check() }
}
