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

    # A ring as clients are told it: of the environment only the names.
    type RingState (
      # The words of the command, with its program.
      exec: ?[]string,
      # The events that it runs on; absent: whenever the timer rings.
      on: ?[]string,
      # The names of what it finds in its environment.
      environment: ?[]string,
      # How long it may run; absent: a minute.
      timeout_usec: ?int,
      # The path of the file to play in place of the usual sound.
      sound: ?string,
      # It makes no sound.
      silent: ?bool
    )

    # rounds: how often the steps are gone through, 1 unless given, 0: without end.
    type Sequence (steps: []Step, rounds: ?int, long_every: ?int, after_sleep: ?AfterSleep)

    # rounds: how often it rings; 0 or none: without end.
    type Repeat (rounds: ?int)

    # Where a timer that repeats has got to.
    type Repetition (
      # How often it has expired.
      rung: int,
      # How long from one time to the next of a countdown.
      period_usec: ?int,
      # How often it will expire; absent: without end.
      rounds: ?int,
      # What it counts down is a snooze; its repetition goes on behind
      # it.
      snoozed: bool
    )

    # Where a sequence has got to. Numbers are from 1.
    type StepState (
      # The step's number, which counts on through all rounds.
      number: int,
      # What it is called.
      name: string,
      # It is a rest.
      break: bool,
      # At its end it waits for Advance.
      waits: bool,
      # Its number in the round.
      index: int,
      # How many steps a round has.
      steps: int,
      # The round.
      round: int,
      # How many rounds there are; absent: without end.
      rounds: ?int,
      # What the next step is called; absent if there is none.
      next_name: ?string,
      # How long that takes.
      next_duration_usec: ?int
    )

    # A timer as it is now.
    type Timer (
      # New for each start of a name.
      id: int,
      # Its name.
      name: string,
      # What it does, a word of Kind.
      kind: string,
      # What it is doing.
      state: State,
      # Which time counts.
      clock: Clock,
      # The length of the present run, round or step, with all that was
      # added.
      duration_usec: int,
      # What is left of it.
      remaining_usec: int,
      # What has passed of it; of a stopwatch what it has measured.
      elapsed_usec: int,
      # What has passed of it, from 0 to 1, or through the range of the
      # band it is in where that has one.
      progress: float,
      # When it will ring; absent unless it runs.
      deadline_usec: ?int,
      # When it will ring; absent unless it runs on real time: on the
      # clock elapsed, or snoozed on any clock.
      deadline_boottime_usec: ?int,
      # When it was started.
      started_usec: int,
      # When it rang; absent unless it did, or if it goes on and the ring
      # was acknowledged.
      fired_usec: ?int,
      # How long ago it rang; absent unless it did.
      fired_ago_usec: ?int,
      # How late it rang; absent unless it did.
      late_usec: ?int,
      # Why it rang late, a word of SpanCause or LateCause; absent if it
      # did not, or by so little that there is nothing to tell.
      late_cause: ?string,
      # How early that ring was, once the clock turned out to have been
      # ahead; absent if it was not, or if that is not known.
      early_usec: ?int,
      # It rang only because of a wall clock that was not vouched for.
      estimated: ?bool,
      # It is due by a wall clock that is not vouched for, and waits a
      # minute at most for that.
      waits_for_clock: ?bool,
      # It expired without a ring, as its policy for the background is.
      skipped: ?bool,
      # The band it is in.
      band: ?Band,
      # All its bands, the one with the most time remaining first.
      bands: ?[]Band,
      # What becomes of it if it expires in the background; absent if it
      # is fire.
      late: ?Late,
      # It rings if it is late by no more than this, in place of late.
      fire_within_usec: ?int,
      # What becomes of it if it expires in the background several times;
      # absent if it is once.
      missed: ?Missed,
      # Where it has got to, if it repeats.
      repeat: ?Repetition,
      # The calendar expression of an alarm that repeats.
      calendar: ?string,
      # The zone of that, unless it is in the expression or the machine's
      # own.
      zone: ?string,
      # What becomes of a sequence after a background span.
      after_sleep: ?AfterSleep,
      # Where a sequence has got to.
      step: ?StepState,
      # All steps of a sequence.
      steps: ?[]Step,
      # In every so many rounds of a sequence steps take their long time;
      # absent if none do.
      long_every: ?int,
      # What a stopwatch had measured at each lap, in microseconds.
      laps: ?[]int,
      # Whether it can wake the machine; absent unless it is to.
      wake: ?Wake,
      # What it does beside saying that it rings.
      ring: ?RingState,
      # Its labels, in their order.
      labels: [string]string,
      # Its owner's data.
      data: object
    )

    # A background span: a stretch of time that was hidden from the daemon.
    type Span (
      # Its number.
      span: int,
      # Its causes, words of SpanCause; the first opened it.
      causes: []string,
      # When it was entered.
      entered_usec: int,
      # When it was left; absent while it lasts.
      left_usec: ?int,
      # How long it was.
      elapsed_usec: int,
      # Nobody could say exactly when it was entered or, after a reboot,
      # how long it was.
      estimated: bool
    )

    # One entry of the ledger. rescheduled has deadline_usec of an alarm; or, if a countdown or a sequence
    # goes back to an earlier round or step that a clock that was ahead had counted on from, rung or
    # step_number and step_name, and duration_usec. After one synchronisation there may be several of
    # span_corrected, one for each reboot since the clock was vouched for last.
    type Event (
      # Its number, which grows by one with each.
      seq: int,
      # When; may go back when the clock is set.
      time_usec: int,
      # What happened, a word of TimerEvent, MachineEvent or ActionEvent.
      type: string,
      # The timer it happened to; absent if it happened to the machine.
      name: ?string,
      # The id of that timer.
      id: ?int,
      # The clock it was started on.
      clock: ?Clock,
      # The timer's duration then, or how long a command ran. Of one that
      # expires again, how long after this it should have done so.
      duration_usec: ?int,
      # What remained then.
      remaining_usec: ?int,
      # By how much it was extended, shortened or snoozed. Of
      # span_corrected, by how much the counter of elapsed was wrong over
      # a reboot.
      by_usec: ?int,
      # Of span_corrected, the event at the end of that reboot: what was
      # set behind it moves along.
      since_seq: ?int,
      # How late it fired.
      late_usec: ?int,
      # Why it fired late, a word of SpanCause or LateCause.
      late_cause: ?string,
      # Of span_corrected, how early the earliest ring turned out to have
      # been; absent if none was.
      early_usec: ?int,
      # It rang only because of a wall clock that was not vouched for.
      estimated: ?bool,
      # The span that was entered, left or corrected.
      span: ?Span,
      # By how much the wall clock was set.
      offset_usec: ?int,
      # What kind of timer was started, a word of Kind.
      kind: ?string,
      # How many more expired than the event itself stands for; of an
      # alarm 9999 and above may be more.
      missed: ?int,
      # How often it has expired, if it repeats.
      rung: ?int,
      # The step that a sequence is in then, counted on through all
      # rounds from 1.
      step_number: ?int,
      # What that step is called.
      step_name: ?string,
      # The band it is in then; absent if it is in none, or if that is
      # not what happened.
      band: ?Band,
      # The bands it was given.
      bands: ?[]Band,
      # What a stopwatch has measured.
      elapsed_usec: ?int,
      # When it rings now.
      deadline_usec: ?int,
      # The number of the span it expired in, or that did this.
      span_id: ?int,
      # The first 256 timers that expired in a span.
      names: ?[]string,
      # How many timers expired in a span.
      count: ?int,
      # The zone of the machine.
      zone: ?string,
      # The labels it was given.
      labels: ?[string]string,
      # The data it was given.
      data: ?object,
      # It was started to wake the machine.
      wake: ?bool,
      # What was started repeats.
      repeat: ?Repeat,
      # The alarm that was started.
      alarm: ?Alarm,
      # The sequence that was started.
      sequence: ?Sequence,
      # What it does beside saying that it rings.
      ring: ?RingState,
      # The number of the event that called for a command.
      event_seq: ?int,
      # The command, as far as a line has room for it.
      command: ?string,
      # Which time it is that the command is started.
      attempt: ?int,
      # How the command ended, a word of Outcome.
      outcome: ?string,
      # The exit status that it ended with.
      exit_status: ?int,
      # The signal that it was ended by.
      signal: ?int,
      # Why it could not be started.
      reason: ?string,
      # How many bytes it printed.
      printed_bytes: ?int,
      # How many of those are not in the log.
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

    # How many timers are in each state, and who is connected.
    type Counts (
      # Timers that run.
      running: int,
      # Timers that are paused.
      paused: int,
      # Timers that rang and wait to be dismissed.
      fired: int,
      # Timers that were cancelled.
      cancelled: int,
      # Sequences that wait for Advance.
      waiting: int,
      # Connections.
      clients: int,
      # Connections that watch, or follow events.
      watchers: int
    )

    # The disk.
    type Storage (
      # What is acknowledged is on disk.
      ok: bool,
      # Why not.
      reason: ?string,
      # The state directory.
      state_directory: string,
      # The version of the database's schema.
      schema_version: int,
      # What tells the ledger, in which events are numbered, from every
      # other.
      ledger: string,
      # The first event that is kept.
      oldest_seq: int,
      # The last event there is; 0 if there is none.
      last_seq: int,
      # The file that a damaged database was put into.
      set_aside: ?string,
      # What was found to be missing since the daemon was started.
      loss: ?Loss
    )

    # Something happened to the database that cannot have been the daemon: it was removed, cut short,
    # damaged, or is older than it was.
    type Loss (
      # What was found.
      reason: string,
      # The first of the events that are missing; absent if none is known
      # to be.
      first_seq: ?int,
      # The last of them.
      last_seq: ?int,
      # The file, in the state directory, that has what was found.
      kept_as: ?string
    )

    # How the daemon knows of sleep.
    type Sleep (
      # Sleep signals of logind reach the daemon. If not, it tells sleep
      # from the clocks.
      seen: bool,
      # A delay inhibitor is held.
      inhibitor: bool,
      # Why sleep is not seen, or why there is no inhibitor.
      reason: ?string,
      # The machine is kept from sleeping, because a timer woke it that
      # nobody has seen yet.
      kept_awake: bool
    )

    # Whether a timer can wake the machine.
    type Wake (
      # It can.
      can: bool,
      # Why it cannot.
      reason: ?string
    )

    # Whether a ring is noticed, or would be.
    type RingReport (
      # On the desktop, shown by server, or by one that is started for
      # it.
      seen: bool,
      # By a sound, which server plays, or player.
      heard: bool,
      # The notification server that is there, and its version.
      server: ?string,
      # The program that plays the sound, where the server does not.
      player: ?string,
      # Why it is not seen, or not heard.
      reason: ?string
    )

    # How many commands of timers and hooks there are.
    type Commands (
      # Those that run.
      running: int,
      # Those that wait for one to end.
      waiting: int
    )

    # How the daemon is.
    method Status() -> (
      # The version of the daemon.
      version: string,
      # Its process.
      pid: int,
      # When it was started.
      started_usec: int,
      # Since when it has been in the foreground; absent while a span is
      # open.
      foreground_since_usec: ?int,
      # The span that is open.
      open_span: ?Span,
      # The span that was left last.
      last_span: ?Span,
      # How many timers and clients there are.
      counts: Counts,
      # The timer that rings next.
      next_name: ?string,
      # When it rings.
      next_usec: ?int,
      # The clocks, read once.
      clocks: ClockReading,
      # The kernel says that the wall clock is synchronised.
      clock_synchronized: bool,
      # The disk.
      storage: Storage,
      # How the daemon knows of sleep.
      sleep: Sleep,
      # Whether a timer could wake the machine.
      wake: Wake,
      # Whether a ring would be noticed.
      ring: RingReport,
      # How many commands of timers and hooks run and wait.
      commands: Commands,
      # The longest that the daemon has done one thing after another
      # without looking for what else there is.
      longest_pass_usec: int,
      # Something that was survived, and that somebody should know.
      warning: ?string
    )

    # Rings for no timer, the way every timer rings, and says within some seconds what came of it: seen, the
    # server has taken the notification; heard, the sound was played to its end, or begun by the server.
    method TestRing() -> (ring: RingReport)

    # Everything that happened to one timer since it was started, and the spans it lived through.
    method Why(name: string) -> (
      # The spans it lived through.
      spans: []Span,
      # What happened to it, in order.
      events: []Event
    )

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
