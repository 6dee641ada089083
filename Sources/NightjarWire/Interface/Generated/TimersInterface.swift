// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit: run `make generate`.

/// The interface `org.nightjar.Timers`, in Varlink's interface language
/// (https://varlink.org/Interface-Definition).
public enum TimersInterface {
  /// The name.
  public static let name = "org.nightjar.Timers"

  /// The interface file, without the line feed at its end: the answer to
  /// `org.varlink.service.GetInterfaceDescription`.
  public static let description = """
    # Timers that outlive everything which hides time from a process.
    # Durations and points in time are integers in microseconds. A point in time counts from the
    # epoch on CLOCK_REALTIME, unless its name says boottime: then on CLOCK_BOOTTIME of this boot.
    # The fields kind, type, causes, late_cause and outcome are strings, because later versions may have more
    # words for them; the types Kind, TimerEvent, MachineEvent, ActionEvent, SpanCause, LateCause and Outcome list
    # those of this version.
    interface org.nightjar.Timers

    # What a timer does.
    type Kind (
      # Counts down a duration, once or again and again.
      countdown,
      # Rings at a point in time, or whenever the calendar comes round.
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
      # It is held.
      paused,
      # It rang, and waits to be dismissed.
      fired,
      # It was ended before its time.
      cancelled,
      # A step of a sequence is over, and the next begins with Advance.
      waiting
    )

    # Which time counts.
    type Clock (
      # Real time, awake or not, whatever the wall clock says.
      elapsed,
      # Time in which the machine and the daemon were up.
      awake,
      # The calendar, which follows steps of the wall clock.
      wall
    )

    # What becomes of a timer that expired in the background.
    type Late (
      # It rings, however late.
      fire,
      # It does not ring; an event says so.
      skip
    )

    # What becomes of a timer that expired several times in the background.
    type Missed (
      # The last expiry rings, and counts the others.
      once,
      # Each expiry rings. At most 1000 do: older ones are one ring then,
      # and beyond 10000 points of an alarm all are.
      each,
      # None rings.
      skip
    )

    # What becomes of a sequence after a background span, of whatever cause, in which its shortest break would
    # have had room.
    type AfterSleep (
      # It goes on as the clock says.
      continue,
      # It is paused with what remained when the span was entered.
      pause,
      # Its step begins anew. A break that is over by then is followed by
      # the next step.
      restart
    )

    # What hid time from the daemon.
    type SpanCause (
      # The machine slept.
      sleep,
      # The daemon was stopped by SIGTSTP.
      stop,
      # The daemon was not running.
      down,
      # The machine was booted again.
      reboot,
      # Nobody said so, but nothing ran.
      freeze
    )

    # What makes a timer late beside the causes of spans.
    type LateCause (
      # The wall clock was set.
      step,
      # The timer was paused.
      paused,
      # The daemon had other things to do.
      busy
    )

    # What happens to a timer, and may call for a command.
    type TimerEvent (
      # It was started, or anew over one of its name.
      started,
      # It was paused.
      paused,
      # It goes on.
      resumed,
      # It was given more time, or less.
      extended,
      # It begins anew.
      restarted,
      # It rang, and is to ring again.
      snoozed,
      # Its labels, data, bands, command or sound are others.
      updated,
      # It rang.
      fired,
      # It expired in the background, and its policy is not to ring.
      skipped,
      # A step of a sequence is over: it rang, and the next has begun.
      stepped,
      # A step of a sequence is over: it rang, and waits for Advance.
      step_ended,
      # It was told to go on with the next step.
      advanced,
      # The ring of one that goes on was dismissed.
      acknowledged,
      # It came into another band, or into none.
      band_crossed,
      # A lap was taken down.
      lapped,
      # It rings at another time, since the clock or the zone was set; a
      # countdown that repeats or a sequence goes back to an earlier
      # round or step that a clock that was ahead had counted on from.
      rescheduled,
      # A sequence is paused because of a sleep, a stop or a reboot, as
      # after_sleep says.
      paused_after_sleep,
      # A step begins anew because of a sleep, a stop or a reboot, as
      # after_sleep says.
      restarted_after_sleep,
      # It was cancelled.
      cancelled,
      # It was over, and somebody has dismissed it.
      dismissed,
      # Somebody has removed it, in whatever state it was.
      removed,
      # It was over for a day, and was removed by itself.
      expired
    )

    # What happens to the machine.
    type MachineEvent (
      # A background span begins, in which time is hidden.
      did_enter_background,
      # The span is over; the event says how long it was.
      will_enter_foreground,
      # What expired in such a span, all in one; an event of each timer
      # follows.
      came_due,
      # A span had another length: the clock was wrong after a reboot.
      # One for each such reboot.
      span_corrected,
      # Somebody has set the wall clock.
      clock_stepped,
      # The machine has another time zone, or its rules have changed.
      zone_changed
    )

    # What becomes of commands. These events call for no command, or there would be no end of them.
    type ActionEvent (
      # A command is about to be started.
      action_started,
      # A command has ended, or was not started at all.
      action_ended
    )

    # How a command ended.
    type Outcome (
      # By itself, with exit_status.
      exited,
      # By a signal.
      signalled,
      # It took longer than it may, and was ended.
      timed_out,
      # It could not be started, for a reason.
      not_started,
      # It was started several times, and nobody saw its end.
      given_up,
      # Too many were waiting.
      dropped,
      # It ran on when the daemon ended.
      unseen
    )

    # In millionths exact. from may be above to.
    type ProgressRange (from: float, to: float)

    # A stretch of what remains: from remaining_usec left down to the next band. In one with a progress of its
    # own the timer's progress goes through that.
    type Band (name: string, remaining_usec: int, color: ?string, text: ?string, progress: ?ProgressRange)

    # A step of a sequence. waits: at its end it waits for Advance. break: a sleep as long takes its place.
    # long_usec: how long it takes in every long_every-th round instead.
    type Step (name: string, duration_usec: int, waits: ?bool, break: ?bool, long_usec: ?int)

    # A point in time, or a calendar expression as systemd.time(7) has it, with a zone of the database in it
    # or beside it, else in the machine's own zone. rounds: how often it rings; 0 or none: without end.
    # An alarm is on the clock wall.
    type Alarm (at_usec: ?int, calendar: ?string, zone: ?string, rounds: ?int)

    # What a timer does beside saying that it rings. exec: a command, run without a shell. on: the types of the
    # events that it runs on; none: fired, which stands for every ring, the ends of steps too. environment: what it
    # finds there beside NIGHTJAR_ variables. timeout_usec: how long it may run; a minute unless given, a day at the
    # most. sound: the file to play in place of the usual. silent: it makes no sound.
    type Ring (
      exec: ?[]string,
      on: ?[]string,
      environment: ?[string]string,
      timeout_usec: ?int,
      sound: ?string,
      silent: ?bool
    )

    # The same, as it is told: of the environment the names.
    type RingState (
      exec: ?[]string,
      on: ?[]string,
      environment: ?[]string,
      timeout_usec: ?int,
      sound: ?string,
      silent: ?bool
    )

    # rounds: how often the steps are gone through, 1 unless given, 0: without end.
    type Sequence (steps: []Step, rounds: ?int, long_every: ?int, after_sleep: ?AfterSleep)

    # rounds: how often it rings; 0 or none: without end.
    type Repeat (rounds: ?int)

    # rung: how often it has come due. period_usec: of a countdown. snoozed: what it counts down is a snooze; its
    # repetition goes on behind it.
    type Repetition (rung: int, period_usec: ?int, rounds: ?int, snoozed: bool)

    # number counts on through all rounds; index, steps, round and rounds are for people. All from 1.
    type StepState (
      number: int,
      name: string,
      break: bool,
      waits: bool,
      index: int,
      steps: int,
      round: int,
      rounds: ?int,
      next_name: ?string,
      next_duration_usec: ?int
    )

    # id is new for each start of a name. kind is a word of Kind. duration_usec is the
    # length of the present run, round or step, with all that was added; progress goes from 0 to 1, through
    # the range of the band it is in where that has one. deadline_usec and deadline_boottime_usec are there
    # while it runs (the latter on elapsed, and for a snooze). fired_usec and what follows are there when it
    # rang, until somebody says that they heard if it goes on; late_usec says how late, late_cause why, in a
    # word of SpanCause or LateCause; skipped: it came due without a ring. estimated: it rang only
    # because of a wall clock that was not vouched for; early_usec: that turned out to have been ahead by as much.
    # waits_for_clock: it is due by such a clock, and waits a minute at most for that to be vouched for.
    # wake is there if it is to wake the machine; late,
    # fire_within_usec and missed if they are not fire and once; repeat if it repeats; step, after_sleep, all
    # steps and long_every of a sequence, laps of a stopwatch, calendar and zone of an alarm that repeats.
    type Timer (
      id: int,
      name: string,
      kind: string,
      state: State,
      clock: Clock,
      duration_usec: int,
      remaining_usec: int,
      elapsed_usec: int,
      progress: float,
      deadline_usec: ?int,
      deadline_boottime_usec: ?int,
      started_usec: int,
      fired_usec: ?int,
      fired_ago_usec: ?int,
      late_usec: ?int,
      late_cause: ?string,
      early_usec: ?int,
      estimated: ?bool,
      waits_for_clock: ?bool,
      skipped: ?bool,
      band: ?Band,
      bands: ?[]Band,
      late: ?Late,
      fire_within_usec: ?int,
      missed: ?Missed,
      repeat: ?Repetition,
      calendar: ?string,
      zone: ?string,
      after_sleep: ?AfterSleep,
      step: ?StepState,
      steps: ?[]Step,
      long_every: ?int,
      laps: ?[]int,
      wake: ?Wake,
      ring: ?RingState,
      labels: [string]string,
      data: object
    )

    # A stretch of time that was hidden from the daemon. causes are words of SpanCause; the
    # first is the one that opened it. estimated: nobody could say exactly when it was entered, or, after
    # a reboot, how long it was. left_usec is missing while it lasts.
    type Span (
      span: int,
      causes: []string,
      entered_usec: int,
      left_usec: ?int,
      elapsed_usec: int,
      estimated: bool
    )

    # One entry of the ledger. seq grows by one with each; time_usec may go back when the clock is set.
    # type is a word of TimerEvent, MachineEvent or ActionEvent.
    # estimated: as of a timer. span_corrected: the counter of elapsed was wrong by by_usec over a reboot; what was set
    # behind the event since_seq, the end of that reboot, moves along; early_usec if a ring was early, of the earliest.
    # After one synchronisation there may be several, one for each reboot since the clock was vouched for last. rescheduled has
    # deadline_usec of an alarm; or, if a countdown or a sequence goes back to an earlier round or step that a clock
    # that was ahead had counted on from, rung or step_number and step_name, and duration_usec.
    # skipped: it came due unseen, and its policy is not to ring. missed: how many more came due than the event itself
    # stands for; of an alarm 9999 and above may be more. rung: how often it has come due; with duration_usec if it
    # comes due again, so long after it should have then. came_due: what came due in the span span_id, count in all,
    # the first 256 of them by name; then each follows. action_started: the command
    # that event event_seq calls for is about to start, for the attempt-th time. action_ended: outcome is a word
    # of Outcome, with exit_status of exited, signal of signalled and reason of not_started; duration_usec is how long it ran,
    # printed_bytes what it printed, dropped_bytes what of that is not in the log.
    type Event (
      seq: int,
      time_usec: int,
      type: string,
      name: ?string,
      id: ?int,
      clock: ?Clock,
      duration_usec: ?int,
      remaining_usec: ?int,
      by_usec: ?int,
      since_seq: ?int,
      late_usec: ?int,
      late_cause: ?string,
      early_usec: ?int,
      estimated: ?bool,
      span: ?Span,
      offset_usec: ?int,
      kind: ?string,
      missed: ?int,
      rung: ?int,
      step_number: ?int,
      step_name: ?string,
      band: ?Band,
      bands: ?[]Band,
      elapsed_usec: ?int,
      deadline_usec: ?int,
      span_id: ?int,
      names: ?[]string,
      count: ?int,
      zone: ?string,
      labels: ?[string]string,
      data: ?object,
      wake: ?bool,
      repeat: ?Repeat,
      alarm: ?Alarm,
      sequence: ?Sequence,
      ring: ?RingState,
      event_seq: ?int,
      command: ?string,
      attempt: ?int,
      outcome: ?string,
      exit_status: ?int,
      signal: ?int,
      reason: ?string,
      printed_bytes: ?int,
      dropped_bytes: ?int
    )

    # Starts a countdown of duration_usec, once or again and again (repeat: the Nth ring is at the start and N
    # times the duration, whatever happened); or what one of alarm, stopwatch and sequence says, without
    # duration_usec. Without a name it is given a short one. A name that is active is refused with TimerExists, unless replace (start anew) or if_absent (leave it and answer with it) is true;
    # created says which. clock is elapsed unless given; late and missed are what the daemon's configuration
    # says, or else fire and once. wake: to wake the machine for it, which the clock
    # awake cannot; where that is not possible it is started all the same, and its own wake says why.
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
      ring: ?Ring
    ) -> (timer: Timer, created: bool)

    # One timer, as it is now.
    method Get(name: string) -> (timer: Timer)

    # A page of timers, in no particular order. Ask again with after = next until next is missing; a page
    # may be short or empty while next is there. With more: one reply for each timer, and a last one with
    # none. prefix matches whole segments: run matches run and run/4711, not runner.
    method List(prefix: ?string, states: ?[]State, after: ?int, limit: ?int) -> (
      timers: []Timer,
      next: ?int
    )

    # A timer is held, and keeps what remains; an alarm is muted.
    method Pause(name: string) -> (timer: Timer)

    # A paused timer goes on.
    method Resume(name: string) -> (timer: Timer)

    # A timer is ended before its time; it can be seen and restarted until it is put away.
    method Cancel(name: string) -> (timer: Timer)

    # A timer begins anew, as it was started.
    method Restart(name: string) -> (timer: Timer)

    # by_usec may be negative; a timer shortened past its end fires.
    method Extend(name: string, by_usec: int) -> (timer: Timer)

    # A timer that rang rings again by_usec from now; one that repeats goes on behind that.
    method Snooze(name: string, by_usec: int) -> (timer: Timer)

    # A fired timer is put away; the answer is its last state. Of one that goes on the ring is put away.
    method Dismiss(name: string) -> (timer: Timer)

    # A timer in any state is put away; the answer is its last state.
    method Remove(name: string) -> (timer: Timer)

    # Goes on to the next step of a sequence, whether or not this one is over; behind the last it ends.
    method Advance(name: string) -> (timer: Timer)

    # Takes down what a stopwatch has measured.
    method Lap(name: string) -> (timer: Timer)

    # labels, data and bands replace what was there; what is not given stays. Of a ring likewise: exec is a new
    # command, with nothing of the old one's; without exec, on and timeout_usec are for the command that is there,
    # and environment adds to what it finds; a sound is in place of silent, and silent of a sound; of command and
    # sound stays what nothing is said of. A ring with nothing in it takes away both.
    method Update(name: string, labels: ?[string]string, data: ?object, bands: ?[]Band, ring: ?Ring)
      -> (timer: Timer)

    # Needs more. First a reply for each timer there is now, then synced, with the number of the last event
    # that this takes into account as seq, then one for every change,
    # with its event; every tick_usec (10000 or more) one for each that runs, if asked for. missed_after:
    # this client read too slowly, and what happened to this timer after that number was folded into one;
    # together with name: that one is not there any more; with neither timer nor name nor synced: it is the
    # machine that something happened to; together with synced: all timers have been told once more. after goes on where another watch was cut:
    # the changes behind that event's number stand in the place of what there is now. ledger: with synced, whose
    # numbers these are; given with after, LedgerChanged is the answer if another ledger was begun since.
    method Watch(name: ?string, prefix: ?string, tick_usec: ?int, after: ?int, ledger: ?string) -> (
      timer: ?Timer,
      event: ?Event,
      synced: ?bool,
      seq: ?int,
      missed_after: ?int,
      name: ?string,
      ledger: ?string
    )

    # Needs more. The ledger from the entry behind after, then what comes, as it comes; without after only
    # what comes. prefix leaves out other timers' entries, not those of the machine. ledger: with the first entry,
    # whose numbers these are; given with after, LedgerChanged is the answer if another ledger was begun since.
    method Events(after: ?int, prefix: ?string, ledger: ?string) -> (event: Event, ledger: ?string)

    # All clocks at one moment.
    type ClockReading (realtime_usec: int, boottime_usec: int, monotonic_usec: int, boot_id: string)

    # How many timers are in each state; clients: how many connections there are; watchers: how many of them
    # watch or follow events.
    type Counts (
      running: int,
      paused: int,
      fired: int,
      cancelled: int,
      waiting: int,
      clients: int,
      watchers: int
    )

    # reason: why it is not ok. ledger: what tells the ledger, in which events are numbered, from every other.
    # set_aside: the file that a damaged database was put into. loss: what was found to be missing since the daemon
    # was started.
    type Storage (
      ok: bool,
      reason: ?string,
      state_directory: string,
      schema_version: int,
      ledger: string,
      oldest_seq: int,
      last_seq: int,
      set_aside: ?string,
      loss: ?Loss
    )

    # Something happened to the database that cannot have been the daemon: it was removed, cut short, damaged, or is
    # older than it was. first_seq, last_seq: the events that are missing; without them none is known to be. kept_as:
    # the file, in the state directory, that has what was found.
    type Loss (reason: string, first_seq: ?int, last_seq: ?int, kept_as: ?string)

    # seen: logind's sleep signals reach the daemon; if not, reason says why, and sleep is told from the
    # clocks. inhibitor: a delay inhibitor is held; if not, reason may say why. kept_awake: so is one that
    # keeps the machine from sleeping, because a timer woke it that nobody has seen yet.
    type Sleep (seen: bool, inhibitor: bool, reason: ?string, kept_awake: bool)

    # can: a timer could wake the machine; if not, reason says why.
    type Wake (can: bool, reason: ?string)

    # Whether a ring is noticed. seen: on the desktop, shown by server, or by one that is started for it. heard:
    # server plays a sound, or player does, a program. If not, reason says why.
    type RingReport (seen: bool, heard: bool, server: ?string, player: ?string, reason: ?string)

    # How many commands of timers and hooks run, and how many wait for one to end.
    type Commands (running: int, waiting: int)

    # foreground_since_usec is missing while a span is open. longest_pass_usec: the longest that the daemon has
    # done one thing after another without looking for what else there is. warning: something that was survived, and
    # that somebody should know.
    method Status() -> (
      version: string,
      pid: int,
      started_usec: int,
      foreground_since_usec: ?int,
      open_span: ?Span,
      last_span: ?Span,
      counts: Counts,
      next_name: ?string,
      next_usec: ?int,
      clocks: ClockReading,
      clock_synchronized: bool,
      storage: Storage,
      sleep: Sleep,
      wake: Wake,
      ring: RingReport,
      commands: Commands,
      longest_pass_usec: int,
      warning: ?string
    )

    # Rings for no timer, the way every timer rings, and says within some seconds what came of it: seen, the
    # server has taken the notification; heard, the sound was played to its end, or begun by the server.
    method TestRing() -> (ring: RingReport)

    # Everything that happened to one timer since it was started, and the spans it lived through.
    method Why(name: string) -> (spans: []Span, events: []Event)

    # There is no timer of that name.
    error TimerNotFound (name: string)

    # An active timer has that name.
    error TimerExists (name: string)

    # What is asked for cannot be done in this state.
    error InvalidTransition (name: string, state: string, operation: string)

    # What is asked for means nothing for this kind of timer.
    error NotForKind (name: string, kind: string, operation: string)

    # The point in time is past, or the calendar has none to come.
    error NeverElapses (name: string)

    # reason: one sentence that says what would be right.
    error InvalidValue (parameter: string, reason: string)

    # There may be no more than value of what limit names.
    error LimitExceeded (limit: string, value: int)

    # The disk does not take it: the change has not happened. With in_doubt it may be found to have happened
    # all the same, after a loss of power or when the disk takes it after all: look with Get before repeating it.
    error StorageFailed (reason: string, in_doubt: bool)

    # The ledger does not go back so far any more, but to oldest.
    error EventsPruned (oldest: int)

    # The numbers are those of another ledger: this one, by the name of ledger, was begun since.
    error LedgerChanged (ledger: string)

    # The client read its Watch or Events too slowly while memory for all who watch was short: the stream has
    # ended. Ask again with after, and nothing is missed; where after is missing, begin anew, or behind the
    # number of the last event that was read.
    error TooSlow (after: ?int)
    """
}
