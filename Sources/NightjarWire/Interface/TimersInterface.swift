/// The interface's description in Varlink's own language
/// (https://varlink.org/Interface-Definition).
///
/// It is what `org.varlink.service.GetInterfaceDescription` answers, and the contract that foreign
/// clients generate their code from. The Swift types that stand for it are in `NightjarClient`.
public enum TimersInterface {
  /// The interface's name.
  public static let name = "org.nightjar.Timers"

  /// The interface, word for word.
  public static let description = """
    # Timers that outlive everything which hides time from a process.
    # Durations and points in time are integers in microseconds. A point in time counts from the
    # epoch on CLOCK_REALTIME, unless its name says boottime: then on CLOCK_BOOTTIME of this boot.
    interface org.nightjar.Timers

    type State (running, paused, fired, cancelled)

    # elapsed: real time, awake or not, whatever the wall clock says. awake: time in which the machine
    # and the daemon were up. wall: a point of the calendar, which follows steps of the wall clock.
    type Clock (elapsed, awake, wall)

    # id is new for each start of a name. kind: countdown. duration_usec is the length of the present run, with all that
    # was added; progress goes from 0 to 1. deadline_usec and deadline_boottime_usec are there while it
    # runs (the latter on elapsed, and for a snooze). late_usec says how late it fired, late_cause why: sleep, stop,
    # down, reboot, freeze, step or busy. wake is there if it is to wake the machine.
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
      wake: ?Wake,
      labels: [string]string,
      data: object
    )

    # A stretch of time that was hidden from the daemon. causes: sleep, stop, down, reboot, freeze; the
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
    # type: started, paused, resumed, extended, restarted, snoozed, updated, fired, cancelled, dismissed,
    # removed, expired, did_enter_background, will_enter_foreground, span_corrected, clock_stepped.
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
      late_usec: ?int,
      late_cause: ?string,
      span: ?Span,
      offset_usec: ?int,
      labels: ?[string]string,
      data: ?object,
      wake: ?bool
    )

    # Starts a countdown. Without a name it is given a short one. A name that runs or is paused is refused
    # with TimerExists, unless replace (start anew) or if_absent (leave it and answer with it) is true;
    # created says which. clock is elapsed unless given. wake: to wake the machine for it, which the clock
    # awake cannot; where that is not possible it is started all the same, and its own wake says why.
    method Start(
      name: ?string,
      duration_usec: int,
      clock: ?Clock,
      replace: ?bool,
      if_absent: ?bool,
      labels: ?[string]string,
      data: ?object,
      wake: ?bool
    ) -> (timer: Timer, created: bool)

    method Get(name: string) -> (timer: Timer)

    # A page of timers, in no particular order. Ask again with after = next until next is missing; a page
    # may be short or empty while next is there. With more: one reply for each timer, and a last one with
    # none. prefix matches whole segments: run matches run and run/4711, not runner.
    method List(prefix: ?string, states: ?[]State, after: ?int, limit: ?int) -> (
      timers: []Timer,
      next: ?int
    )

    method Pause(name: string) -> (timer: Timer)
    method Resume(name: string) -> (timer: Timer)
    method Cancel(name: string) -> (timer: Timer)
    method Restart(name: string) -> (timer: Timer)

    # by_usec may be negative; a timer shortened past its end fires.
    method Extend(name: string, by_usec: int) -> (timer: Timer)

    # A fired timer rings again by_usec from now.
    method Snooze(name: string, by_usec: int) -> (timer: Timer)

    # A fired timer is put away; the answer is its last state.
    method Dismiss(name: string) -> (timer: Timer)

    # A timer in any state is put away; the answer is its last state.
    method Remove(name: string) -> (timer: Timer)

    # labels and data replace what was there; what is not given stays.
    method Update(name: string, labels: ?[string]string, data: ?object) -> (timer: Timer)

    # Needs more. First a reply for each timer there is now, then synced, with the number of the last event
    # that this takes into account as seq, then one for every change,
    # with its event; every tick_usec (10000 or more) one for each that runs, if asked for. missed_after:
    # this client read too slowly, and what happened to this timer after that number was folded into one;
    # together with synced: all timers have been told once more. after goes on where another watch was cut:
    # the changes behind that event's number stand in the place of what there is now.
    method Watch(name: ?string, prefix: ?string, tick_usec: ?int, after: ?int)
      -> (timer: ?Timer, event: ?Event, synced: ?bool, seq: ?int, missed_after: ?int)

    # Needs more. The ledger from the entry behind after, then what comes, as it comes; without after only
    # what comes. prefix leaves out other timers' entries, not those of the machine.
    method Events(after: ?int, prefix: ?string) -> (event: Event)

    type ClockReading (realtime_usec: int, boottime_usec: int, monotonic_usec: int, boot_id: string)

    type Counts (running: int, paused: int, fired: int, cancelled: int, clients: int, watchers: int)

    type Storage (
      ok: bool,
      reason: ?string,
      state_directory: string,
      schema_version: int,
      oldest_seq: int,
      last_seq: int,
      set_aside: ?string
    )

    # seen: logind's sleep signals reach the daemon; if not, reason says why, and sleep is told from the
    # clocks. inhibitor: a delay inhibitor is held; if not, reason may say why. kept_awake: so is one that
    # keeps the machine from sleeping, because a timer woke it that nobody has seen yet.
    type Sleep (seen: bool, inhibitor: bool, reason: ?string, kept_awake: bool)

    # can: a timer could wake the machine; if not, reason says why.
    type Wake (can: bool, reason: ?string)

    # foreground_since_usec is missing while a span is open. warning: something that was survived, and
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
      warning: ?string
    )

    # Everything that happened to one timer since it was started, and the spans it lived through.
    method Why(name: string) -> (spans: []Span, events: []Event)

    error TimerNotFound (name: string)
    error TimerExists (name: string)
    error InvalidTransition (name: string, state: string, operation: string)
    error LimitExceeded (limit: string, value: int)
    error StorageFailed (reason: string)
    error EventsPruned (oldest: int)
    """
}
