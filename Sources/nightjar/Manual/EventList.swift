import NightjarWire

/// What each type of event means, in a sentence. That all are here, a test sees.
enum EventList {
  /// As a list of a manual page, in the interface's order.
  static func text(_ types: [String]) -> String {
    types.map { "`\($0)`  \(meanings[$0] ?? "")" }.joined(separator: "\n")
  }

  static let meanings = [
    "started": "It was started, or anew over one of its name.",
    "paused": "It was paused.",
    "resumed": "It goes on.",
    "extended": "It was given more time, or less.",
    "restarted": "It begins anew.",
    "snoozed": "It rang, and is to ring again.",
    "updated": "Its labels, data, bands, command or sound are others.",
    "fired": "It rang.",
    "skipped": "It came due unseen, and its policy is not to ring.",
    "stepped": "A step of a sequence is over: it rang, and the next has begun.",
    "step_ended": "A step of a sequence is over: it rang, and waits to be told to go on.",
    "advanced": "It was told to go on with the next step.",
    "acknowledged": "The ring of one that goes on was dismissed.",
    "band_crossed": "It came into another band, or into none.",
    "lapped": "A lap was taken down.",
    "rescheduled":
      "It rings at another time, since the clock or the zone was set; a countdown that repeats or a "
      + "sequence goes back to an earlier round or step that a clock that was ahead had counted on "
      + "from.",
    "paused_after_sleep":
      "A sequence is paused because of a sleep, a stop or a reboot, as --after-sleep says.",
    "restarted_after_sleep":
      "A step begins anew because of a sleep, a stop or a reboot, as --after-sleep says.",
    "cancelled": "It was cancelled.",
    "dismissed": "It was over, and somebody has put it away.",
    "removed": "Somebody has put it away, in whatever state it was.",
    "expired": "It was over for a day, and was put away by itself.",
    "did_enter_background": "A span begins in which time is hidden; see nightjard(1).",
    "will_enter_foreground": "It is over, and says how long it was.",
    "came_due": "What came due in such a span, all in one; an event of each timer follows.",
    "span_corrected":
      "A span had another length: the clock was wrong after a reboot. One for each such reboot.",
    "clock_stepped": "Somebody has set the wall clock.",
    "zone_changed": "The machine has another time zone.",
    "action_started": "A command is about to be started.",
    "action_ended": "A command has ended, or was not started at all.",
  ]
}
