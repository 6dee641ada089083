// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit: run `make generate`.

extension TimersInterface {
  /// What a timer does.
  public enum Kind: String, CaseIterable, BitwiseCopyable, Sendable {
    /// Counts down a duration, once or again and again.
    case countdown
    /// Rings at a point in time, or whenever the calendar comes round.
    case alarm
    /// Counts up.
    case stopwatch
    /// Goes from step to step.
    case sequence
  }
}

extension TimersInterface {
  /// What a timer is doing.
  public enum State: String, CaseIterable, BitwiseCopyable, Sendable {
    /// Its time passes.
    case running
    /// It is held.
    case paused
    /// It rang, and waits to be dismissed.
    case fired
    /// It was ended before its time.
    case cancelled
    /// A step of a sequence is over, and the next begins with Advance.
    case waiting
  }
}

extension TimersInterface {
  /// Which time counts.
  public enum Clock: String, CaseIterable, BitwiseCopyable, Sendable {
    /// Real time, awake or not, whatever the wall clock says.
    case elapsed
    /// Time in which the machine and the daemon were up.
    case awake
    /// The calendar, which follows steps of the wall clock.
    case wall
  }
}

extension TimersInterface {
  /// What becomes of a timer that expired in the background.
  public enum Late: String, CaseIterable, BitwiseCopyable, Sendable {
    /// It rings, however late.
    case fire
    /// It does not ring; an event says so.
    case skip
  }
}

extension TimersInterface {
  /// What becomes of a timer that expired several times in the background.
  public enum Missed: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The last expiry rings, and counts the others.
    case once
    /// Each expiry rings. At most 1000 do: older ones are one ring then, and beyond 10000 points of
    /// an alarm all are.
    case each
    /// None rings.
    case skip
  }
}

extension TimersInterface {
  /// What becomes of a sequence after a background span, of whatever cause, in which its shortest
  /// break would have had room.
  public enum AfterSleep: String, CaseIterable, BitwiseCopyable, Sendable {
    /// It goes on as the clock says.
    case `continue`
    /// It is paused with what remained when the span was entered.
    case pause
    /// Its step begins anew. A break that is over by then is followed by the next step.
    case restart
  }
}

extension TimersInterface {
  /// What hid time from the daemon.
  public enum SpanCause: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The machine slept.
    case sleep
    /// The daemon was stopped by SIGTSTP.
    case stop
    /// The daemon was not running.
    case down
    /// The machine was booted again.
    case reboot
    /// Nobody said so, but nothing ran.
    case freeze
  }
}

extension TimersInterface {
  /// What makes a timer late beside the causes of spans.
  public enum LateCause: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The wall clock was set.
    case step
    /// The timer was paused.
    case paused
    /// The daemon had other things to do.
    case busy
  }
}

extension TimersInterface {
  /// What happens to a timer, and may call for a command.
  public enum TimerEvent: String, CaseIterable, BitwiseCopyable, Sendable {
    /// It was started, or anew over one of its name.
    case started
    /// It was paused.
    case paused
    /// It goes on.
    case resumed
    /// It was given more time, or less.
    case extended
    /// It begins anew.
    case restarted
    /// It rang, and is to ring again.
    case snoozed
    /// Its labels, data, bands, command or sound are others.
    case updated
    /// It rang.
    case fired
    /// It expired in the background, and its policy is not to ring.
    case skipped
    /// A step of a sequence is over: it rang, and the next has begun.
    case stepped
    /// A step of a sequence is over: it rang, and waits for Advance.
    case stepEnded = "step_ended"
    /// It was told to go on with the next step.
    case advanced
    /// The ring of one that goes on was dismissed.
    case acknowledged
    /// It came into another band, or into none.
    case bandCrossed = "band_crossed"
    /// A lap was taken down.
    case lapped
    /// It rings at another time, since the clock or the zone was set; a countdown that repeats or a
    /// sequence goes back to an earlier round or step that a clock that was ahead had counted on
    /// from.
    case rescheduled
    /// A sequence is paused because of a sleep, a stop or a reboot, as after_sleep says.
    case pausedAfterSleep = "paused_after_sleep"
    /// A step begins anew because of a sleep, a stop or a reboot, as after_sleep says.
    case restartedAfterSleep = "restarted_after_sleep"
    /// It was cancelled.
    case cancelled
    /// It was over, and somebody has dismissed it.
    case dismissed
    /// Somebody has removed it, in whatever state it was.
    case removed
    /// It was over for a day, and was removed by itself.
    case expired
  }
}

extension TimersInterface {
  /// What happens to the machine.
  public enum MachineEvent: String, CaseIterable, BitwiseCopyable, Sendable {
    /// A background span begins, in which time is hidden.
    case didEnterBackground = "did_enter_background"
    /// The span is over; the event says how long it was.
    case willEnterForeground = "will_enter_foreground"
    /// What expired in such a span, all in one; an event of each timer follows.
    case cameDue = "came_due"
    /// A span had another length: the clock was wrong after a reboot. One for each such reboot.
    case spanCorrected = "span_corrected"
    /// Somebody has set the wall clock.
    case clockStepped = "clock_stepped"
    /// The machine has another time zone, or its rules have changed.
    case zoneChanged = "zone_changed"
  }
}

extension TimersInterface {
  /// What becomes of commands. These events call for no command, or there would be no end of them.
  public enum ActionEvent: String, CaseIterable, BitwiseCopyable, Sendable {
    /// A command is about to be started.
    case actionStarted = "action_started"
    /// A command has ended, or was not started at all.
    case actionEnded = "action_ended"
  }
}

extension TimersInterface {
  /// How a command ended.
  public enum Outcome: String, CaseIterable, BitwiseCopyable, Sendable {
    /// By itself, with exit_status.
    case exited
    /// By a signal.
    case signalled
    /// It took longer than it may, and was ended.
    case timedOut = "timed_out"
    /// It could not be started, for a reason.
    case notStarted = "not_started"
    /// It was started several times, and nobody saw its end.
    case givenUp = "given_up"
    /// Too many were waiting.
    case dropped
    /// It ran on when the daemon ended.
    case unseen
  }
}
