/// The types of events, as the interface has them.
public enum EventWords {
  /// What happens to a timer, and may call for a command.
  public static let ofTimers = [
    "started", "paused", "resumed", "extended", "restarted", "snoozed", "updated", "fired",
    "skipped", "stepped", "step_ended", "advanced", "acknowledged", "band_crossed", "lapped",
    "rescheduled", "paused_after_sleep", "restarted_after_sleep", "cancelled", "dismissed",
    "removed", "expired",
  ]

  /// What happens to the machine.
  public static let ofMachine = [
    "did_enter_background", "will_enter_foreground", "came_due", "span_corrected",
    "clock_stepped", "zone_changed",
  ]

  /// What becomes of commands. These call for none, or there would be no end of them.
  public static let ofActions = ["action_started", "action_ended"]
}
