// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit.

/// The interface `org.nightjar.Timers`, in Varlink's interface language
/// (https://varlink.org/Interface-Definition).
public enum TimersInterface {
  /// The name.
  public static let name = "org.nightjar.Timers"

  /// The interface file, byte for byte: the answer to
  /// `org.varlink.service.GetInterfaceDescription`.
  public static let description = """
    # Timers that stay correct through sleep, reboots, crashes and clock changes. Durations and points in time are
    # integers in microseconds. A point in time is on CLOCK_REALTIME, counted from the epoch. If its name contains
    # boottime, it is on CLOCK_BOOTTIME of this boot. The fields kind, type, causes, late_cause, ring_here, obstacle,
    # unseen, unheard and outcome, and state of OwnerAway, are strings, because later versions may have more words for
    # them. The types Kind, TimerEvent, MachineEvent, ActionEvent, SpanCause, LateCause, RingHere, WakeObstacle,
    # RingLack, Outcome and AwayState list the words of this version.
    interface org.nightjar.Timers

    # What a timer does.
    type Kind (
      # Counts down a duration, once or again and again.
      countdown,
      # Rings at a point in time, or at each time of a calendar
      # expression.
      alarm,
      # Counts up.
      stopwatch,
      # Goes from step to step.
      sequence
    )

    # What a timer is doing.
    type State (
      # Its time passes.
      running,
      # Its time stands still, and its remaining time does not change.
      paused,
      # It has expired for the last time.
      over,
      # A client cancelled it before its deadline.
      cancelled,
      # A step of a sequence has ended, and the next one starts with
      # Advance.
      waiting
    )

    # What an open ring does.
    type Ringing (
      # The time for which it sounds has not passed.
      ringing,
      # A user moved it: it is silent, and rings again then.
      snoozed,
      # Its sound has ended, and no user answered.
      unanswered
    )

    # What became of an expiry.
    type ExpiryOutcome (
      # It rang.
      rang,
      # The ring was snoozed, and it joined the ring in silence.
      joined,
      # It did not ring, as the policies of the timer say.
      did_not_ring
    )

    # Which time it counts.
    type Clock (
      # Real time, awake or not, whatever the wall clock says.
      elapsed,
      # Time in which the machine is awake, without the time in which the
      # daemon is stopped by a signal or frozen.
      awake,
      # The calendar, which follows steps of the wall clock.
      wall,
      # As awake, but only while the user is there: it stands still while
      # the user's graphical session is locked or idle.
      present
    )

    # What happens to a timer that expired in the background.
    type Late (
      # It rings, however late.
      fire,
      # It does not ring; an event says so.
      skip
    )

    # What happens to a timer that expired several times in the background.
    type Missed (
      # The last expiry rings, with the number of the others.
      once,
      # Each expiry rings, but at most 1000 do. Older ones are one ring.
      # If an alarm has more than 10000, all of them are one ring.
      each,
      # No expiry rings.
      skip
    )

    # What a sequence does after a background span (after_sleep), or after an absence of the user (after_away), that was
    # at least as long as its shortest break. The cause of the span does not matter. After an absence that was as long as
    # a long break, the rounds up to the next long break are counted anew.
    type AfterSpan (
      # It continues as its clock says.
      continue,
      # It is paused with the time that remained at the start of the
      # span.
      pause,
      # Its step starts again. If the step was a break that has ended by
      # then, the next step starts.
      restart,
      # The span is the break: if it was as long as the break that
      # follows, the step after that break starts. If the step was a
      # break that has ended by then, the next step starts.
      break
    )

    # Why the daemon was in the background.
    type SpanCause (
      # The machine slept.
      sleep,
      # The daemon was stopped by SIGTSTP.
      stop,
      # The daemon was not running.
      down,
      # The machine was rebooted.
      reboot,
      # Nothing ran, without any announcement.
      freeze,
      # The session was locked or idle. It hides time only from timers on
      # the clock present, and is a span of its own beside the others.
      away
    )

    # Causes of lateness, beside the causes of spans.
    type LateCause (
      # The wall clock was set.
      step,
      # The timer was paused.
      paused,
      # The daemon was busy.
      busy,
      # It was due before an undo took back the change that would have
      # prevented its ring.
      undone
    )

    # Whether the machine of a session's member can be reached.
    type OwnerState (
      # It is connected to the broker.
      online,
      # It announced that it goes to sleep.
      asleep,
      # The broker lost the connection to it.
      offline,
      # Its daemon does not answer.
      no_daemon,
      # This machine has no connection to the broker.
      unknown
    )

    # The state of a ring on a machine other than the timer's own, which is away. Dismiss and Snooze answer the first two.
    # The timer's machine learns of that when it is back.
    type RingHere (
      # This machine rings.
      on,
      # It is due, but this machine does not ring: another one may.
      due,
      # It was dismissed, but the timer's machine does not know it yet.
      dismissed
    )

    # The events of a timer. Each can start a command.
    type TimerEvent (
      # It was started, perhaps in place of a timer of the same name.
      started,
      # It was paused.
      paused,
      # It was resumed after a pause.
      resumed,
      # Time was added to it, or taken from it.
      extended,
      # It was started again from the beginning.
      restarted,
      # Its ring is moved: it rings again after the snooze.
      snoozed,
      # Its labels, data, bands, message, command, sound or days were
      # changed.
      updated,
      # It expired and rings, or the snooze of its ring is over. If its
      # ring was open already, the expiry joins it.
      rang,
      # It expired in the background and does not ring, as its policies
      # say.
      did_not_ring,
      # It expired while its ring is snoozed, and this expiry joins the
      # ring in silence.
      joined,
      # It rings again for the same expiry, because no user answered.
      rang_again,
      # The sound of its ring ended, and no user answered. The ring stays
      # open.
      unanswered,
      # Less of its ring was noticed than it asked for: the user could
      # not see or hear it.
      unnoticed,
      # The end of a snooze, or the time to ring again, was in the
      # background and too late, as its policy says. The ring stays open.
      stayed_quiet,
      # The clock was set back behind expiries that had joined its ring
      # and had not sounded. They come again.
      left_ring,
      # A client called Advance, and the next step has begun.
      advanced,
      # A client dismissed its ring, an expiry that did not ring, or the
      # failure of its command. A timer that is over is removed.
      dismissed,
      # A client stopped its ring. A timer that is over is removed.
      stopped,
      # It is in another band now, or in none.
      band_crossed,
      # A lap was recorded.
      lapped,
      # A client called Skip: it will not ring at its next expiry.
      skipped,
      # A client called Unskip: it will ring at an expiry that was
      # skipped.
      unskipped,
      # Its deadline moved, because the clock or the zone was set. A
      # countdown that repeats, or a sequence, returns to an earlier
      # round or step, because a clock that was ahead had counted it too
      # far.
      rescheduled,
      # An alarm has no further time, because the clock was set. It is
      # over.
      ran_out,
      # A sequence is paused because of a background span or an absence,
      # as after_sleep or after_away says.
      paused_after_span,
      # A step starts again, or another one starts, because of a
      # background span or an absence, as after_sleep or after_away says.
      restarted_after_span,
      # It was cancelled. Its ring is over, too.
      cancelled,
      # A client removed it. It may have been in any state.
      removed,
      # A change of it was undone with Undo.
      undone,
      # A client gave it another name: the last event under this name.
      renamed_to,
      # The same change: the first event under the new name.
      renamed_from,
      # It rang last, or was cancelled, a day ago, and the daemon removed
      # it.
      forgotten
    )

    # What happens to the machine.
    type MachineEvent (
      # A background span begins.
      did_enter_background,
      # The span has ended; the event has its length.
      will_enter_foreground,
      # Timers expired in the span. This event lists them; an event for
      # each timer follows.
      came_due,
      # The length of a span was corrected, because the clock was wrong
      # after a reboot. Each such reboot has one event.
      span_corrected,
      # The wall clock was set.
      clock_stepped,
      # The machine has another time zone, or its rules have changed.
      zone_changed
    )

    # What happens to commands. These events run no command, because each command would cause the next.
    type ActionEvent (
      # A command is about to start.
      action_started,
      # A command has ended, or was not started at all.
      action_ended
    )

    # How a command ended.
    type Outcome (
      # It exited, with exit_status.
      exited,
      # A signal ended it.
      signalled,
      # It ran longer than allowed, and the daemon ended it.
      timed_out,
      # It could not be started, for a reason.
      not_started,
      # It was started several times, and the daemon never saw its end.
      given_up,
      # Too many commands were waiting.
      dropped,
      # It was still running when the daemon ended.
      unseen
    )

    # What a client can ask of a timer: the methods for it, in small letters.
    type Operation (
      pause,
      resume,
      cancel,
      restart,
      extend,
      snooze,
      dismiss,
      stop,
      remove,
      update,
      advance,
      lap,
      skip,
      unskip
    )

    # Why no timer can wake the machine.
    type WakeObstacle (
      # The daemon does not have the capability CAP_WAKE_ALARM.
      capability,
      # The machine has no clock that could wake it.
      no_clock,
      # The system refused it for another reason.
      refused
    )

    # Why a ring is not seen, or not heard.
    type RingLack (
      # The configuration turns it off: notify = false, or sound = false.
      off,
      # The daemon is still asking the session bus for a notification
      # server.
      asking,
      # There is no notification server, or nothing that plays sounds.
      missing,
      # There is one, and it fails.
      failing,
      # The user has paused the notification server (do not disturb).
      paused
    )

    # Why the daemon of another machine cannot be reached.
    type AwayState (
      # The machine announced that it goes to sleep.
      asleep,
      # The machine is not connected to the broker, as the machine or the
      # broker reported.
      offline,
      # The machine did not answer in time.
      silent,
      # The daemon of the machine does not answer its bridge.
      no_daemon,
      # This machine is not connected to the broker.
      no_broker,
      # The broker does not know the machine.
      unknown
    )

    # A range of progress, from 0 to 1, exact to a millionth. from may be greater than to.
    type ProgressRange (from: float, to: float)

    # A part of the remaining time: from remaining_usec down to the next band. color and text: for the client that
    # shows the band. If a band has a progress, the timer's progress runs through that range in this band.
    type Band (name: string, remaining_usec: int, color: ?string, text: ?string, progress: ?ProgressRange)

    # A step of a sequence. duration_usec: its length. waits: at its end the sequence waits for Advance. break:
    # the step is a break; see AfterSpan. long_usec: its length in every long_every-th round.
    type Step (name: string, duration_usec: int, waits: ?bool, break: ?bool, long_usec: ?int)

    # When an alarm rings: at the point in time at_usec, or at each time of a calendar expression in the format of
    # systemd.time(7). The zone is a name of the time zone database, in the expression or in zone, or else the
    # machine's own zone. rounds: how often it rings; without end if it is 0 or absent. except: the days of that
    # zone on which it does not ring, each a date such as 2026-12-24 or a range such as 2026-12-24..2027-01-01.
    # until: the date of the last day on which it rings. except and until are for a calendar expression. An alarm
    # is on the clock wall.
    type Alarm (
      at_usec: ?int,
      calendar: ?string,
      zone: ?string,
      rounds: ?int,
      except: ?[]string,
      until: ?string
    )

    # What a timer does when it rings. exec: a command, which runs without a shell. on: the types of the events on
    # which the command runs. Without on it runs on rang.
    # environment: variables for the command, beside the NIGHTJAR_ ones. timeout_usec: how long the command may
    # run; a minute unless given, at most a day. sound: the sound instead of the usual one: the path of a file, or
    # one of the built-in sounds chime, marimba and pulse. silent: it makes no sound. ring_for_usec: how long it
    # rings if no user answers; 0 is one sound. volume: from 1 to 100. rising_usec: how long the volume rises from
    # quiet to volume. insist_usec: how long after a ring without an answer it rings again, at most 11 times; 0 is
    # not at all. disturb: whether it makes its sound while the notification server is paused (do not disturb).
    # What is not given is taken from the configuration.
    type Ring (
      exec: ?[]string,
      on: ?[]string,
      environment: ?[string]string,
      timeout_usec: ?int,
      sound: ?string,
      silent: ?bool,
      ring_for_usec: ?int,
      volume: ?int,
      rising_usec: ?int,
      insist_usec: ?int,
      disturb: ?bool
    )

    # A ring as clients see it. The values of the environment are left out.
    type RingState (
      # The words of the command, with its program.
      exec: ?[]string,
      # The types of the events on which it runs; absent if it runs
      # whenever the timer rings.
      on: ?[]string,
      # The names of the variables for the command.
      environment: ?[]string,
      # How long it may run; absent if that is a minute.
      timeout_usec: ?int,
      # The path of the file to play instead of the usual sound, or the
      # name of a built-in sound.
      sound: ?string,
      # It makes no sound.
      silent: ?bool,
      # How long it rings if no user answers; 0 is one sound.
      ring_for_usec: ?int,
      # Its volume, from 1 to 100.
      volume: ?int,
      # How long the volume rises from quiet to that.
      rising_usec: ?int,
      # How long after a ring without an answer it rings again; 0 is not
      # at all.
      insist_usec: ?int,
      # Whether it makes its sound while the notification server is
      # paused.
      disturb: ?bool
    )

    # rounds: how often all steps run; 1 unless given, without end if it is 0. long_every: in every long_every-th
    # round the steps take their long_usec. after_sleep, after_away: continue unless given. A sequence with an after_away
    # is on the clock present.
    type Sequence (steps: []Step, long_every: ?int, rounds: ?int, after_sleep: ?AfterSpan, after_away: ?AfterSpan)

    # rounds: how often it rings; without end if it is 0 or absent.
    type Repeat (rounds: ?int)

    # How far a timer that repeats has come.
    type Repetition (
      # How often it has expired, skipped expiries included.
      rung: int,
      # The time from one expiry of a countdown to the next.
      period_usec: ?int,
      # How often it will expire; absent if without end.
      rounds: ?int
    )

    # How far a sequence has come. Numbers begin at 1.
    type StepState (
      # The step's number, counted through all rounds.
      number: int,
      # The name of the step.
      name: string,
      # The step is a break.
      break: bool,
      # At its end the sequence waits for Advance.
      waits: bool,
      # Its number within the round.
      index: int,
      # How many steps a round has.
      steps: int,
      # The round.
      round: int,
      # How many rounds there are; absent if without end.
      rounds: ?int,
      # The name of the next step; absent if there is none.
      next_name: ?string,
      # The length of the next step.
      next_duration_usec: ?int
    )

    # A command that failed.
    type CommandFailure (
      # The command, cut to the length of a line.
      command: string,
      # The number of the event on which it ran.
      event_seq: int,
      # When it ended.
      time_usec: int,
      # How it ended, a word of Outcome.
      outcome: string,
      # The exit status that it ended with.
      exit_status: ?int,
      # The signal that ended it.
      signal: ?int,
      # Why it could not be started.
      reason: ?string,
      # The last lines that it printed, at most 3; absent if it printed
      # nothing. The log has all of them.
      last_lines: ?[]string
    )

    # A timer as it is now.
    type Timer (
      # Each start gives a new one, also under the same name.
      id: int,
      # The number of its last event. A span_corrected can move its
      # deadline without an event of the timer.
      seq: int,
      # Its name.
      name: string,
      # What it does, a word of Kind.
      kind: string,
      # Its state.
      state: State,
      # Its clock.
      clock: Clock,
      # The length of the present run, round or step, with all
      # extensions.
      duration_usec: int,
      # The part of it that remains.
      remaining_usec: int,
      # The part of it that has passed. For a stopwatch, the measured
      # time.
      elapsed_usec: int,
      # The time that the run counted in earlier rounds and steps; absent
      # if there were none.
      counted_before_usec: ?int,
      # The length of the run's pauses that are over, in real time;
      # absent if there were none.
      paused_usec: ?int,
      # Since when it is paused; absent unless it is.
      paused_since_usec: ?int,
      # The part of it that has passed, from 0 to 1. In a band with a
      # progress, a value in that range.
      progress: float,
      # When it will expire, on CLOCK_REALTIME; absent unless it runs.
      deadline_usec: ?int,
      # The same on CLOCK_BOOTTIME of this boot; absent unless it runs on
      # the clock elapsed.
      deadline_boottime_usec: ?int,
      # When it was started.
      started_usec: int,
      # What its ring does; absent if no ring is open. The state is what
      # its schedule does.
      ringing: ?Ringing,
      # Its open ring; absent if none is open.
      open_ring: ?OpenRing,
      # Its last expiry that was not skipped; absent if there was none.
      last_expiry: ?Expiry,
      # Its newest expiry that did not ring, as its policies say; absent
      # if there is none, or if it rang or was dismissed since.
      miss: ?Expiry,
      # How many expiries did not ring since then.
      misses: ?int,
      # The number of its next expiry. The numbers grow and never go
      # back.
      next_expiry: int,
      # It stands still: on the clock present while the user is away, and
      # deadline_usec is when it would ring if the user came back now;
      # from a bridge, on the clocks awake and present, while its machine
      # is away. When this changes, Watch sends the event of a span with
      # the cause away, and no reply for the timer.
      away: ?bool,
      # The state of its ring on this machine, a word of RingHere. Only a
      # bridge sends this, for a ring that the timer's machine has not
      # reported. Watch sends the timer again when this changes.
      ring_here: ?string,
      # The machine that owns it, as PERSON/DEVICE. Only a bridge sends
      # this, for a timer of a session.
      owner: ?string,
      # Whether that machine can be reached, a word of OwnerState.
      owner_state: ?string,
      # Since when, on CLOCK_REALTIME; absent if that is not known.
      owner_since_usec: ?int,
      # It is due by a wall clock that the kernel does not report as
      # synchronised. It waits for the kernel to do that, as long as
      # [clock] wait in the configuration says; 1 minute unless set.
      waits_for_clock: ?bool,
      # The band it is in.
      band: ?Band,
      # All its bands, the one with the most time remaining first.
      bands: ?[]Band,
      # What happens if it expires in the background; absent if that is
      # fire.
      late: ?Late,
      # It rings if it is at most this late, instead of late.
      fire_within_usec: ?int,
      # What happens if it expires in the background several times;
      # absent if that is once.
      missed: ?Missed,
      # How far it has come, if it repeats.
      repeat: ?Repetition,
      # The calendar expression of an alarm that repeats.
      calendar: ?string,
      # The zone of the calendar expression; absent if the expression
      # names its zone, or if it is the zone of the machine.
      zone: ?string,
      # The days on which such an alarm does not ring: dates, and ranges
      # of dates.
      except: ?[]string,
      # The date of the last day on which it rings.
      until: ?string,
      # The coming expiries that it skips, because a client called Skip,
      # on CLOCK_REALTIME.
      skipped_usec: ?[]int,
      # What a sequence does after a background span.
      after_sleep: ?AfterSpan,
      # What it does after an absence of the user.
      after_away: ?AfterSpan,
      # How far a sequence has come.
      step: ?StepState,
      # All steps of a sequence.
      steps: ?[]Step,
      # In every long_every-th round of a sequence, steps take their long
      # time; absent if no step has one.
      long_every: ?int,
      # The time that a stopwatch showed at each lap, in microseconds.
      laps: ?[]int,
      # Whether it can wake the machine; absent unless it is to.
      wake: ?Wake,
      # Its command and its sound; absent if it has neither.
      ring: ?RingState,
      # Its labels, in their order.
      labels: [string]string,
      # Data that its owner stores with it.
      data: object,
      # The text that people see when it rings; absent if it has none.
      message: ?string,
      # The last command that failed, of the timer itself or a hook for
      # one of its events; absent if none failed since the timer was
      # started, or since a client called Dismiss, Snooze or Restart.
      failure: ?CommandFailure
    )

    # A ring opens when the timer expires and rings, and is open until a user answers it. Later expiries join it: it is then
    # the newest one's. The late values are those of its last sound.
    type OpenRing (
      # The number of its newest expiry. An answer from elsewhere names
      # it.
      expiry: int,
      # When that expiry was due, on CLOCK_REALTIME.
      due_usec: int,
      # How many expiries it has.
      expiries: int,
      # When the first of them was due.
      first_due_usec: int,
      # When it last began to sound: for an expiry, for the end of a
      # snooze, or because no user answered.
      rang_usec: int,
      # How long ago that was.
      ago_usec: int,
      # How late it sounded.
      late_usec: int,
      # Why, a word of SpanCause or LateCause; absent if it sounded on
      # time, or if only a short delay made it late.
      late_cause: ?string,
      # How early it sounded, because the clock was ahead; absent if it
      # was not early, or if that is not known.
      early_usec: ?int,
      # That it was due, or how late it was, depends on a wall clock that
      # the kernel did not report as synchronised.
      estimated: ?bool,
      # How long it has been quiet; absent if it sounds or is snoozed.
      quiet_usec: ?int,
      # How long it still sounds or is still snoozed, or in what time it
      # rings again, because no user answered; absent if it only waits
      # for an answer.
      left_usec: ?int,
      # The end of that time, on CLOCK_REALTIME as it is set now.
      until_usec: ?int,
      # How often it rang again since its last expiry or snooze; absent
      # if it did not.
      insisted: ?int,
      # Why the user could not see its last sound, a word of RingLack;
      # absent if that was shown, or was not to be.
      unseen: ?string,
      # Why the user could not hear it, a word of RingLack; absent if it
      # was played, or was not to be.
      unheard: ?string
    )

    # One passing of a timer's deadline. All values are its own.
    type Expiry (
      # Its number among the timer's expiries, from 1.
      number: int,
      # When it was due, on CLOCK_REALTIME.
      due_usec: int,
      # How late it was handled.
      late_usec: int,
      # Why, a word of SpanCause or LateCause; absent if it was on time,
      # or if only a short delay made it late.
      late_cause: ?string,
      # What became of it.
      outcome: ExpiryOutcome,
      # For how many earlier expiries it stands; absent if for none.
      missed: ?int,
      # As in OpenRing.
      estimated: ?bool
    )

    # A background span. The daemon was in the background during this time.
    type Span (
      # Its number.
      span: int,
      # Its causes, words of SpanCause; the first opened it.
      causes: []string,
      # When it began.
      entered_usec: int,
      # When it ended; absent while it is open.
      left_usec: ?int,
      # How long it was.
      elapsed_usec: int,
      # When it began or, after a reboot, how long it was, is not known
      # exactly.
      estimated: bool
    )

    # One entry of the ledger. rescheduled of an alarm has deadline_usec. rescheduled of a countdown or a sequence
    # has duration_usec: the clock was ahead, so the timer had counted too far, and it returns to an earlier round
    # or step. rung is then how often it has expired, or step_number and step_name are the step. After one
    # synchronisation there may be several of span_corrected, one for each reboot since the kernel last reported
    # the clock as synchronised.
    type Event (
      # Its number; each event has the next one.
      seq: int,
      # When it happened. It can be earlier than the event before it, if
      # the clock was set.
      time_usec: int,
      # What happened, a word of TimerEvent, MachineEvent or ActionEvent.
      type: string,
      # The timer that it is about; absent if it is about the machine.
      name: ?string,
      # The request id that the client gave to the change.
      request: ?string,
      # The id of that timer.
      id: ?int,
      # What kind of timer was started, a word of Kind.
      kind: ?string,
      # The clock it was started on.
      clock: ?Clock,
      # The number of the expiry that it is about: of joined, of the last
      # of them; of other events of a ring, of the ring's newest.
      expiry: ?int,
      # When that expiry, the end of the snooze, or the time to ring
      # again was due.
      due_usec: ?int,
      # How late it was handled.
      late_usec: ?int,
      # Why, a word of SpanCause or LateCause.
      late_cause: ?string,
      # How many expiries the ring has.
      expiries: ?int,
      # When the first of them was due.
      first_due_usec: ?int,
      # It was the end of a snooze, and no expiry.
      snoozed: ?bool,
      # The snooze of its ring, or the time to ring again, had passed
      # before, so its ring is quiet.
      quiets_ring: ?bool,
      # The state of the timer after an expiry, or after Advance.
      state: ?State,
      # The number of the ring that it ended, moved, or brought back.
      answered: ?int,
      # The number of the expiry that did not ring, and that it
      # dismissed.
      miss: ?int,
      # The timer was over, so it is removed.
      removes: ?bool,
      # Why the user could not see the ring, a word of RingLack; absent
      # if it was shown, or was not to be.
      unseen: ?string,
      # Why the user could not hear it, a word of RingLack; absent if it
      # was played, or was not to be.
      unheard: ?string,
      # Of band_crossed, the band that began; absent if the timer is in
      # no band.
      band: ?Band,
      # The remaining time.
      remaining_usec: ?int,
      # The number of the span it expired in, or that caused the event.
      span_id: ?int,
      # That it was due, or how late it was, depends on a wall clock that
      # the kernel did not report as synchronised.
      estimated: ?bool,
      # How many expiries there were beside the event's own. For an
      # alarm, 9999 or more means that there may be more.
      missed: ?int,
      # How often it has expired, if it repeats.
      rung: ?int,
      # The number of the sequence's step after the event, counted
      # through all rounds from 1.
      step_number: ?int,
      # The name of that step.
      step_name: ?string,
      # The number of the event on which the command runs.
      event_seq: ?int,
      # The command, cut to the length of a line.
      command: ?string,
      # The number of this start of the command, from 1.
      attempt: ?int,
      # How the command ended, a word of Outcome.
      outcome: ?string,
      # The exit status that it ended with.
      exit_status: ?int,
      # The signal that ended it.
      signal: ?int,
      # Why the command could not be started, or why the ring was not
      # noticed, as a sentence.
      reason: ?string,
      # The timer's duration then, or how long a command ran. If a timer
      # expires again, the planned time from this expiry to the next.
      duration_usec: ?int,
      # How many bytes it printed.
      printed_bytes: ?int,
      # How many of those are not in the log.
      dropped_bytes: ?int,
      # The last lines that it printed, at most 3; absent unless it
      # failed.
      last_lines: ?[]string,
      # It was started to wake the machine.
      wake: ?bool,
      # How the started countdown repeats.
      repeat: ?Repeat,
      # The alarm that was started. Of updated, when a repeating alarm
      # rings now, if that or its bands were changed.
      alarm: ?Alarm,
      # The sequence that was started.
      sequence: ?Sequence,
      # Its command and its sound; absent if it has neither.
      ring: ?RingState,
      # The labels it was given.
      labels: ?[string]string,
      # The data it was given.
      data: ?object,
      # The bands it was given.
      bands: ?[]Band,
      # The time that a stopwatch shows.
      elapsed_usec: ?int,
      # When it rings now.
      deadline_usec: ?int,
      # By how much it was extended, shortened or snoozed. Of
      # span_corrected, by how much the counter of elapsed was wrong over
      # a reboot.
      by_usec: ?int,
      # Of span_corrected, the event at the end of that reboot. Deadlines
      # that were set after it move as well.
      since_seq: ?int,
      # Of span_corrected, the event at the end of the last reboot that
      # it is about; absent if that is since_seq. A timer that did not
      # run between these two events is not corrected by by_usec.
      until_seq: ?int,
      # Of span_corrected, how early the earliest ring was; absent if
      # none was early.
      early_usec: ?int,
      # The span that began, ended or was corrected.
      span: ?Span,
      # By how much the wall clock was set.
      offset_usec: ?int,
      # How many timers expired in a span, how many expiries joined the
      # ring, or how many left it.
      count: ?int,
      # The first 256 timers that expired in a span.
      names: ?[]string,
      # The zone of the machine.
      zone: ?string,
      # The time in which the run had counted until then, with all its
      # rounds and steps; for a late expiry, until it was due. It goes
      # with each event that ends a run, a round, a step, a stretch
      # between pauses, or a pause. Of started and restarted, it is that
      # of the run that they ended. 0 for an alarm.
      counted_usec: ?int,
      # The time in which that run had been paused, in real time; absent
      # if it was not paused.
      paused_usec: ?int,
      # The message it was given; absent if it has none.
      message: ?string,
      # How often it has sounded for the same expiry.
      sounds: ?int,
      # Of skipped and unskipped, the time of that expiry, on
      # CLOCK_REALTIME; absent for a paused countdown.
      skipped_usec: ?int,
      # Of undone, the number of the event that was undone.
      undone_seq: ?int,
      # Of undone, the type of the event that was undone, a word of
      # TimerEvent.
      undone_type: ?string,
      # Of renamed_to, the name that the timer has now.
      new_name: ?string,
      # Of renamed_from, the name that it had.
      old_name: ?string
    )

    # Starts a timer. Give it one of duration_usec, alarm, stopwatch and sequence; with duration_usec it is a countdown.
    # With repeat a countdown rings again and again; its Nth ring is due N times the duration after the start, and a late
    # ring does not move the next one. Without a name the daemon gives it a short one. If a timer of that name is active,
    # the call is refused with TimerExists, unless replace is true (the new timer replaces it) or if_absent is true (it
    # stays, and the reply has it). created is true if the daemon started a timer, and false if it left one in place.
    # By default clock is elapsed, or present for a sequence with an after_away, and late and missed come from the daemon's configuration, or are fire and once.
    # fire_within_usec, instead of late: the timer rings if it is at most this late. bands: the one with the most time
    # remaining first. labels and data are for the timer's owner, and clients see them. wake: the timer wakes the machine.
    # It cannot do that on the clocks awake and present. If the machine cannot be woken, the daemon starts the timer all
    # the same, and wake of the timer says why. message: the text that people see when it rings, on one line. All methods
    # that change timers have three parameters in common. undo_id: a person asks for the change; see Undo. if_seq: the
    # daemon makes the change only if this is the number of the timer's last event, its seq; else it refuses the call with
    # TimerChanged. Start compares it with the timer that has the name; 0 stands for no timer. request: an id of 1 to 64
    # bytes, another one for each change. The daemon makes the change once, however often the call is sent, even if the
    # daemon or the machine crashes. It replies to a call with a known id as it replied to the first one, even if it
    # refused that. It stores an id for a day, at most the last 10000 ids, and refuses an id that came with another
    # method. The events of the change show the id.
    method Start(
      name: ?string,
      duration_usec: ?int,
      repeat: ?Repeat,
      alarm: ?Alarm,
      stopwatch: ?bool,
      sequence: ?Sequence,
      bands: ?[]Band,
      late: ?Late,
      fire_within_usec: ?int,
      missed: ?Missed,
      clock: ?Clock,
      replace: ?bool,
      if_absent: ?bool,
      labels: ?[string]string,
      data: ?object,
      wake: ?bool,
      ring: ?Ring,
      message: ?string,
      undo_id: ?string,
      if_seq: ?int,
      request: ?string
    ) -> (timer: Timer, created: bool)

    # One timer, as it is now.
    method Get(name: string) -> (timer: Timer)

    # A page of timers, in no particular order. For the next page call again with after = next, until a reply
    # has no next; a page may be short or empty although it has a next. Called with more, it sends one reply for
    # each timer, and a last one with none. prefix matches whole segments: run matches run and run/4711, not
    # runner. states and ringing: only timers in one of these states, or with one of these rings. limit: how many timers a page has, at most
    # 1000.
    method List(prefix: ?string, states: ?[]State, ringing: ?[]Ringing, after: ?int, limit: ?int) -> (
      timers: []Timer,
      next: ?int
    )

    # Pauses a timer. Its remaining time stays. An alarm is muted.
    method Pause(name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Continues a paused timer.
    method Resume(name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Ends a timer before its deadline, and its ring. It can be seen and restarted until it is removed. If it is over and
    # its ring is open, it is removed.
    method Cancel(name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Starts a timer again from the beginning, as it was started.
    method Restart(name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Adds by_usec to the remaining time. by_usec may be negative; a timer with no time remaining expires.
    method Extend(name: string, by_usec: int, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Snoozes an open ring: it rings again by_usec from now. A new snooze replaces an earlier one. The timer's schedule
    # continues meanwhile. Dismiss, Snooze and Stop take expiry, for an answer that was given elsewhere: the number of the
    # newest expiry that the user saw. The call does nothing if that ring is over, or if a newer expiry has joined it.
    # ago_usec: how long ago the user asked for the snooze.
    method Snooze(
      name: string,
      by_usec: int,
      expiry: ?int,
      ago_usec: ?int,
      undo_id: ?string,
      if_seq: ?int,
      request: ?string
    ) -> (timer: Timer)

    # Dismisses a ring, an expiry that did not ring, and the failure of a command. A timer that is over is removed, and the
    # reply has its last state; a timer that continues stays. expiry: as in Snooze.
    method Dismiss(name: string, expiry: ?int, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Stops what is there: an open ring, as Dismiss does, or else the timer, as Cancel does. expiry: as in Snooze.
    method Stop(name: string, expiry: ?int, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Removes a timer in any state. The reply has its last state.
    method Remove(name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Begins the next step of a sequence, even if the present one is not over. In its last step the sequence
    # ends.
    method Advance(name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Records the time that a stopwatch shows.
    method Lap(name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Skips the next expiry of a repeating timer. The timer does not ring then, and continues with the expiry after it. A
    # skipped expiry counts as a round. Each further call skips one more expiry, at most 64 in all.
    method Skip(name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Takes back the last Skip whose expiry is still to come.
    method Unskip(name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Changes a timer. labels, data and bands replace the old ones; what is not given stays. The same holds for the parts
    # of a ring: exec is a new command, and nothing of the old command stays. Without exec, on and timeout_usec are for
    # the present command, and environment adds to its variables. sound replaces silent, and silent replaces a sound.
    # ring_for_usec, volume, rising_usec, insist_usec and disturb each stay unless they are given. If only the command or
    # only the sound is given, the other stays. A ring with nothing in it removes both. ring_without removes parts of the
    # ring, by their names in Ring, before ring is applied: exec also removes on, environment and timeout_usec, and
    # environment removes all variables. message replaces the old one, and an empty one removes it. except and until are
    # as in Alarm, and replace the old ones; an empty array and an empty text remove them. calendar is the new calendar
    # expression of a repeating alarm, as in Alarm; its zone stays.
    method Update(
      name: string,
      labels: ?[string]string,
      data: ?object,
      bands: ?[]Band,
      ring: ?Ring,
      ring_without: ?[]string,
      message: ?string,
      except: ?[]string,
      until: ?string,
      calendar: ?string,
      undo_id: ?string,
      if_seq: ?int,
      request: ?string
    ) -> (timer: Timer)

    # Renames a timer. It stays the same timer, with the same id and the same deadline. The ledger has two events:
    # renamed_to, the last under the old name, and renamed_from, the first under the new one. new_name: the new name, as
    # in Start. If another timer has that name, in any state, the call is refused with TimerExists.
    method Rename(name: string, new_name: string, undo_id: ?string, if_seq: ?int, request: ?string) -> (timer: Timer)

    # Undoes the newest change of a person, or refuses if it cannot be undone. The timers become as they would be without
    # the change. If a deadline has passed since, the late policy applies. A change is one of a person if its call had an
    # undo_id of 1 to 64 bytes. All changes with the same undo_id are undone together, at most 10000 timers. Only changes of
    # the last minute on the clock elapsed can be undone, and none from before the daemon was started. A timer stays as it
    # is if something else happened to it since: it rang, another client changed it, or another timer has its name. So does
    # a timer on the clock wall if the clock or the zone was set since, and a sequence with an after_sleep if a background
    # span ended since. A restored ring makes no sound, unless insist_usec lets it ring again. A command does not run again.
    # The start of a timer is not undone, because an undo cannot be undone. The first Undo refuses it, and the next Undo
    # undoes the change before it. There is one exception. If the start replaced a timer that was running, paused or
    # waiting, that timer returns.
    method Undo(request: ?string) -> (
      # The type of the event that was undone, a word of TimerEvent.
      type: string,
      # How long ago the change was made.
      ago_usec: int,
      # The timers as they are now, at most the first 256.
      timers: []Timer,
      # How many timers were restored.
      count: int,
      # How many timers of the change stay as they are, because something
      # else happened to them since.
      kept: int,
      # Their names, at most the first 256.
      kept_names: []string
    )

    # Needs more. name or prefix: only these timers, as in Get and List. First the daemon sends a reply for each timer, as
    # it is now. Then it sends a reply with synced: all timers have been sent, and seq is the number of the last event
    # that they include. Then it sends a reply for each change, with its event. If tick_usec (10000 or more) is given, it
    # also sends a reply for each running timer every tick_usec. missed_after: this client read too slowly, and this reply
    # stands for the timer's events after that number. If the reply has a name, the timer of that name was removed. If the
    # reply has synced, the daemon has sent all timers again. If the reply has none of timer, name and synced, the missed
    # events are about the machine. after: the number of the last event of an earlier watch. The daemon sends the changes
    # after it instead of all timers. ledger: the name of the ledger that numbers these events; the reply with synced has
    # it. If a call gives ledger and after, and the daemon has begun another ledger since, the call is refused with
    # LedgerChanged.
    method Watch(name: ?string, prefix: ?string, tick_usec: ?int, after: ?int, ledger: ?string) -> (
      timer: ?Timer,
      event: ?Event,
      synced: ?bool,
      seq: ?int,
      missed_after: ?int,
      name: ?string,
      ledger: ?string
    )

    # Needs more. Sends the entries of the ledger after the number after, and then each new entry; without after only new
    # entries. prefix leaves out other timers' entries, not those about the machine. ledger: the name of the ledger that
    # numbers these events; the first reply has it. If a call gives ledger and after, and the daemon has begun another
    # ledger since, the call is refused with LedgerChanged.
    method Events(after: ?int, prefix: ?string, ledger: ?string) -> (event: Event, ledger: ?string)

    # All clocks at one moment.
    type ClockReading (
      # CLOCK_REALTIME.
      realtime_usec: int,
      # CLOCK_BOOTTIME.
      boottime_usec: int,
      # CLOCK_MONOTONIC.
      monotonic_usec: int,
      # The kernel's ID of this boot.
      boot_id: string
    )

    # The numbers of timers in each state, and of connections.
    type Counts (
      # Timers that run.
      running: int,
      # Timers that are paused.
      paused: int,
      # Timers that have expired for the last time.
      over: int,
      # Timers that were cancelled.
      cancelled: int,
      # Sequences that wait for Advance.
      waiting: int,
      # Timers whose ring sounds, in any state.
      ringing: int,
      # Timers whose ring is snoozed.
      snoozed: int,
      # Timers whose ring has ended without an answer.
      unanswered: int,
      # Connections.
      clients: int,
      # Connections that watch, or follow events.
      watchers: int
    )

    # The disk.
    type Storage (
      # Acknowledged changes are on disk.
      ok: bool,
      # Why not.
      reason: ?string,
      # The state directory.
      state_directory: string,
      # The version of the database's schema.
      schema_version: int,
      # The name of the ledger that numbers the events. No other ledger
      # has this name.
      ledger: string,
      # The oldest event in the ledger.
      oldest_seq: int,
      # The newest event in the ledger; 0 if there is none.
      last_seq: int,
      # The file that a damaged database was moved to.
      set_aside: ?string,
      # The data that was found missing since the daemon was started.
      loss: ?Loss
    )

    # A change of the database by something other than the daemon: it was removed, cut short or damaged, or an
    # older state of it was restored.
    type Loss (
      # What was found.
      reason: string,
      # The first missing event; absent if none is known to be missing.
      first_seq: ?int,
      # The last missing event.
      last_seq: ?int,
      # The file in the state directory to which the database was moved.
      kept_as: ?string
    )

    # How the daemon learns of sleep.
    type Sleep (
      # Sleep signals of logind reach the daemon. If not, the daemon
      # detects sleep by the clocks.
      seen: bool,
      # The daemon holds a delay inhibitor.
      inhibitor: bool,
      # Why sleep is not announced, or why there is no inhibitor.
      reason: ?string,
      # There is no inhibitor, because polkit does not allow one.
      denied: bool,
      # The daemon keeps the machine awake, because a timer woke it, and
      # no user has seen the timer yet.
      kept_awake: bool
    )

    # Whether the user is there; the clock present depends on it.
    type Presence (
      # logind says whether the user's graphical sessions are locked or
      # idle. If it does not, the clock present counts like awake.
      seen: bool,
      # All of them are locked or idle: the user is away.
      away: bool,
      # Why logind does not say it.
      reason: ?string
    )

    # Whether a timer can wake the machine.
    type Wake (
      # It can.
      can: bool,
      # Why it cannot, a word of WakeObstacle.
      obstacle: ?string,
      # The same as one sentence.
      reason: ?string
    )

    # Whether the user notices a ring, or would.
    type RingReport (
      # The notification server shows it on the desktop: the one in
      # server, or one that the session bus starts.
      seen: bool,
      # The notification server plays a sound, or player does.
      heard: bool,
      # Why it is not seen, a word of RingLack.
      unseen: ?string,
      # Why it is not heard, a word of RingLack.
      unheard: ?string,
      # The name and version of the running notification server.
      server: ?string,
      # The program that plays the sound, if the server does not.
      player: ?string,
      # Both as one sentence.
      reason: ?string,
      # The notification server reports that it is paused (do not
      # disturb), and does not show what it gets. Only TestRing asks for
      # it, and only dunst and Plasma's server are known to report it.
      paused: ?bool
    )

    # How many commands of timers and hooks there are.
    type Commands (
      # How many commands run.
      running: int,
      # How many commands wait for others to end.
      waiting: int
    )

    # The state of the daemon.
    method Status() -> (
      # The version of the daemon.
      version: string,
      # The ID of its process.
      pid: int,
      # When it was started.
      started_usec: int,
      # Since when it has been in the foreground; absent while a span is
      # open.
      foreground_since_usec: ?int,
      # The span that is open.
      open_span: ?Span,
      # The span that ended last.
      last_span: ?Span,
      # How many timers and clients there are.
      counts: Counts,
      # The timer that rings next.
      next_name: ?string,
      # When it rings.
      next_usec: ?int,
      # All clocks at one moment.
      clocks: ClockReading,
      # The kernel reports the wall clock as synchronised.
      clock_synchronized: bool,
      # The disk.
      storage: Storage,
      # How the daemon learns of sleep.
      sleep: Sleep,
      # Whether a timer could wake the machine.
      wake: Wake,
      # Whether the user is there.
      presence: Presence,
      # Whether a ring would be noticed.
      ring: RingReport,
      # How many commands of timers and hooks run and wait.
      commands: Commands,
      # The longest iteration of the daemon's loop.
      longest_pass_usec: int,
      # A failure that the daemon survived, and that the user should know
      # of.
      warning: ?string
    )

    # Rings once without a timer, in the same way as timers ring. Replies with the result within some seconds. seen: the
    # server has accepted the notification. heard: the sound was played to its end, or the server has begun to play it.
    method TestRing() -> (ring: RingReport)

    # Needs more. While this call lasts, the daemon delays rings: when a background span ends, it does not show or play
    # the rings of the timers that expired in it until the client calls ReleaseRings or closes the connection, at most for
    # 5 s. Events are not delayed, and commands run at once. A timer that is dismissed or snoozed in that time does not
    # ring. hold: the number of this hold, for ReleaseRings; the first reply has only this. The daemon sends another reply
    # at the end of each background span. span_id: the number of that span.
    method HoldRings() -> (hold: int, span_id: ?int)

    # Plays the rings that a hold delays. The hold continues with the next background span. If there are several holds,
    # rings wait for all of them.
    method ReleaseRings(hold: int) -> ()

    # All events of one timer since it was started, and the background spans since then.
    method Why(name: string) -> (
      # The background spans since the timer was started.
      spans: []Span,
      # Its events, in order.
      events: []Event
    )

    # One meaning of words, found by Understand.
    type Reading (
      # What the words are, such as "a time of day".
      meaning: string,
      # The timer, for people, such as "tea: 4 min, rings at 14:32".
      sentence: string,
      # The parameters of Start. Absent: the command starts no timer.
      start: ?object,
      # The arguments of nightjar(1) with this meaning.
      command: []string
    )

    # What words mean that start a timer, such as tea 4min, wake weekdays 7:00 or alarm wake 7:00. It changes nothing, and
    # other machines cannot call it. words: the line as a person types it; quotes keep a name of several words together.
    # now_usec, zone, locale: the time, the name of the time zone, and the locale, such as de_DE.UTF-8, for which the words
    # are meant; by default those of the daemon. Times are written as in nightjar.time(7). The only preset it knows is
    # pomodoro. readings: one, or several of which the person must choose one, such as for 17:30. Words that mean nothing
    # are refused with InvalidValue, whose reason is a sentence for people.
    method Understand(words: string, now_usec: ?int, zone: ?string, locale: ?string) -> (readings: []Reading)

    # There is no timer of that name.
    error TimerNotFound (name: string)

    # There is no change that can be undone. reason: one sentence that says why.
    error NothingToUndo (reason: string)

    # The number of the timer's last event differs from if_seq. seq: the number of its last event; 0 if there is no such
    # timer.
    error TimerChanged (name: string, seq: int)

    # No client has a hold with this number, because the connection of the hold was closed.
    error HoldNotFound (hold: int)

    # The timers belong to another machine of the person, device, which cannot be reached. Only a socket of the bridge
    # nightjar-mqtt replies with this. state: why, a word of AwayState. since_usec: since when it is asleep or offline.
    # in_doubt: the change was sent, and may have been made.
    error OwnerAway (device: string, state: string, since_usec: ?int, in_doubt: bool)

    # A timer has that name that is active, or whose ring is snoozed.
    error TimerExists (name: string)

    # The operation is not possible now. kind, state, ringing and operation are words of Kind, State, Ringing and
    # Operation; without ringing, no ring is open. possible: the operations that are possible now.
    error InvalidTransition (
      name: string,
      kind: string,
      state: string,
      ringing: ?string,
      operation: string,
      possible: []string
    )

    # The operation does not exist for this kind of timer. kind and operation are words of Kind and Operation.
    error NotForKind (name: string, kind: string, operation: string)

    # The point in time is past, or the calendar expression has no time to come.
    error NeverElapses (name: string)

    # A parameter has a value that is not allowed. reason: one sentence that says what would be right.
    error InvalidValue (parameter: string, reason: string)

    # A limit is exceeded. limit is its name, and value is the most that it allows.
    error LimitExceeded (limit: string, value: int)

    # The change could not be written to the disk and was not made. reason: what went wrong. With in_doubt, the change may
    # turn out to have been made, after a loss of power or when the disk works again. Call Get before you repeat it.
    error StorageFailed (reason: string, in_doubt: bool)

    # The ledger does not have these events any more. oldest is the first that it has.
    error EventsPruned (oldest: int)

    # The numbers are those of another ledger. The daemon has begun the present one, whose name is ledger, since.
    error LedgerChanged (ledger: string)

    # The stream has ended, because the client read its Watch or Events too slowly while memory for all such clients was
    # short. The client misses no event if it calls again with this value of after. If after is absent, it calls without
    # after, or with the number of the last event that it has read.
    error TooSlow (after: ?int)

    """
}
