// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit: run `make generate`.

extension TimersInterface {
  /// What a timer does.
  public enum Kind: String, CaseIterable, BitwiseCopyable, Sendable {
    /// Counts down a duration, once or again and again.
    case countdown
    /// Rings at a point in time, or at each time of a calendar expression.
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
    /// Its time stands still, and its remaining time does not change.
    case paused
    /// It rang, and waits to be dismissed.
    case fired
    /// A client cancelled it before its deadline.
    case cancelled
    /// A step of a sequence has ended, and the next one starts with Advance.
    case waiting
  }
}

extension TimersInterface {
  /// Which time it counts.
  public enum Clock: String, CaseIterable, BitwiseCopyable, Sendable {
    /// Real time, awake or not, whatever the wall clock says.
    case elapsed
    /// Time in which the machine is awake, without the time in which the daemon is stopped by a
    /// signal or frozen.
    case awake
    /// The calendar, which follows steps of the wall clock.
    case wall
    /// As awake, but only while the user is there: it stands still while the user's graphical
    /// session is locked or idle.
    case present
  }
}

extension TimersInterface {
  /// What happens to a timer that expired in the background.
  public enum Late: String, CaseIterable, BitwiseCopyable, Sendable {
    /// It rings, however late.
    case fire
    /// It does not ring; an event says so.
    case skip
  }
}

extension TimersInterface {
  /// What happens to a timer that expired several times in the background.
  public enum Missed: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The last expiry rings, with the number of the others.
    case once
    /// Each expiry rings, but at most 1000 do. Older ones are one ring. If an alarm has more than
    /// 10000, all of them are one ring.
    case each
    /// No expiry rings.
    case skip
  }
}

extension TimersInterface {
  /// What a sequence does after a background span that was at least as long as its shortest break.
  /// The cause of the span does not matter.
  public enum AfterSleep: String, CaseIterable, BitwiseCopyable, Sendable {
    /// It continues as its clock says.
    case `continue`
    /// It is paused with the time that remained at the start of the span.
    case pause
    /// Its step starts again. If the step was a break that has ended by then, the next step starts.
    case restart
  }
}

extension TimersInterface {
  /// Why the daemon was in the background.
  public enum SpanCause: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The machine slept.
    case sleep
    /// The daemon was stopped by SIGTSTP.
    case stop
    /// The daemon was not running.
    case down
    /// The machine was rebooted.
    case reboot
    /// Nothing ran, without any announcement.
    case freeze
    /// The session was locked or idle. It hides time only from timers on the clock present, and is
    /// a span of its own beside the others.
    case away
  }
}

extension TimersInterface {
  /// Causes of lateness, beside the causes of spans.
  public enum LateCause: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The wall clock was set.
    case step
    /// The timer was paused.
    case paused
    /// The daemon was busy.
    case busy
    /// It was due before an undo took back the change that would have prevented its ring.
    case undone
  }
}

extension TimersInterface {
  /// Whether the machine of a session's member can be reached.
  public enum OwnerState: String, CaseIterable, BitwiseCopyable, Sendable {
    /// It is connected to the broker.
    case online
    /// It announced that it goes to sleep.
    case asleep
    /// The broker lost the connection to it.
    case offline
    /// Its daemon does not answer.
    case noDaemon = "no_daemon"
    /// This machine has no connection to the broker.
    case unknown
  }
}

extension TimersInterface {
  /// The state of a ring on a machine other than the timer's own, which is away. Dismiss and Snooze
  /// answer the first two. The timer's machine learns of that when it is back.
  public enum RingHere: String, CaseIterable, BitwiseCopyable, Sendable {
    /// This machine rings.
    case on
    /// It is due, but this machine does not ring: another one may.
    case due
    /// It was dismissed, but the timer's machine does not know it yet.
    case dismissed
  }
}

extension TimersInterface {
  /// The events of a timer. Each can start a command.
  public enum TimerEvent: String, CaseIterable, BitwiseCopyable, Sendable {
    /// It was started, perhaps in place of a timer of the same name.
    case started
    /// It was paused.
    case paused
    /// It was resumed after a pause.
    case resumed
    /// Time was added to it, or taken from it.
    case extended
    /// It was started again from the beginning.
    case restarted
    /// It rang, and will ring again after the snooze.
    case snoozed
    /// Its labels, data, bands, message, command, sound or days were changed.
    case updated
    /// It rang.
    case fired
    /// It expired in the background, and did not ring, as its policy says.
    case skipped
    /// A step of a sequence ended. It rang, and the next step has begun.
    case stepped
    /// A step of a sequence ended. It rang, and waits for Advance.
    case stepEnded = "step_ended"
    /// A client called Advance, and the next step has begun.
    case advanced
    /// A user dismissed its ring, or the failure of its command, and the timer continues.
    case acknowledged
    /// Its ring ended, and no user answered it.
    case unanswered
    /// It rings again for the same expiry, because no user answered.
    case rangAgain = "rang_again"
    /// It is in another band now, or in none.
    case bandCrossed = "band_crossed"
    /// A lap was recorded.
    case lapped
    /// A client called Skip: it will not ring at its next expiry.
    case passedOver = "passed_over"
    /// A client called Unskip: it will ring at an expiry that was skipped.
    case reinstated
    /// Its deadline moved, because the clock or the zone was set. A countdown that repeats, or a
    /// sequence, returns to an earlier round or step, because a clock that was ahead had counted it
    /// too far.
    case rescheduled
    /// A sequence is paused because of a sleep, a stop or a reboot, as after_sleep says.
    case pausedAfterSleep = "paused_after_sleep"
    /// A step starts again because of a sleep, a stop or a reboot, as after_sleep says.
    case restartedAfterSleep = "restarted_after_sleep"
    /// It was cancelled.
    case cancelled
    /// It had fired, and a client dismissed it.
    case dismissed
    /// A client removed it. It may have been in any state.
    case removed
    /// A change of it was undone with Undo.
    case undone
    /// A client gave it another name: the last event under this name.
    case renamedTo = "renamed_to"
    /// The same change: the first event under the new name.
    case renamedFrom = "renamed_from"
    /// It had ended a day ago, and the daemon removed it.
    case expired
  }
}

extension TimersInterface {
  /// What happens to the machine.
  public enum MachineEvent: String, CaseIterable, BitwiseCopyable, Sendable {
    /// A background span begins.
    case didEnterBackground = "did_enter_background"
    /// The span has ended; the event has its length.
    case willEnterForeground = "will_enter_foreground"
    /// Timers expired in the span. This event lists them; an event for each timer follows.
    case cameDue = "came_due"
    /// The length of a span was corrected, because the clock was wrong after a reboot. Each such
    /// reboot has one event.
    case spanCorrected = "span_corrected"
    /// The wall clock was set.
    case clockStepped = "clock_stepped"
    /// The machine has another time zone, or its rules have changed.
    case zoneChanged = "zone_changed"
  }
}

extension TimersInterface {
  /// What happens to commands. These events run no command, because each command would cause the
  /// next.
  public enum ActionEvent: String, CaseIterable, BitwiseCopyable, Sendable {
    /// A command is about to start.
    case actionStarted = "action_started"
    /// A command has ended, or was not started at all.
    case actionEnded = "action_ended"
  }
}

extension TimersInterface {
  /// How a command ended.
  public enum Outcome: String, CaseIterable, BitwiseCopyable, Sendable {
    /// It exited, with exit_status.
    case exited
    /// A signal ended it.
    case signalled
    /// It ran longer than allowed, and the daemon ended it.
    case timedOut = "timed_out"
    /// It could not be started, for a reason.
    case notStarted = "not_started"
    /// It was started several times, and the daemon never saw its end.
    case givenUp = "given_up"
    /// Too many commands were waiting.
    case dropped
    /// It was still running when the daemon ended.
    case unseen
  }
}

extension TimersInterface {
  /// Why the daemon of another machine cannot be reached.
  public enum AwayState: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The machine announced that it goes to sleep.
    case asleep
    /// The machine is not connected to the broker, as the machine or the broker reported.
    case offline
    /// The machine did not answer in time.
    case silent
    /// The daemon of the machine does not answer its bridge.
    case noDaemon = "no_daemon"
    /// This machine is not connected to the broker.
    case noBroker = "no_broker"
    /// The broker does not know the machine.
    case unknown
  }
}
