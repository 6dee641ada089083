// Made from org.nightjar.Timers.varlink and client-values by varlink-swift. Do not edit: run `make generate`.

public import NightjarInterface
public import Varlink

/// A timer as it is now.
public struct NightjarTimer: Equatable, Sendable, ReadableStructure {
  /// Each start gives a new one, also under the same name.
  public let id: Int64
  /// The number of its last event. A span_corrected can move its deadline without an event of the
  /// timer.
  public let seq: Int64
  /// Its name.
  public let name: String
  /// What it does, a word of Kind.
  public let kind: NightjarTimer.Kind
  /// Its state.
  public let state: Wire.State
  /// Its clock.
  public let clock: Wire.Clock
  /// The length of the present run, round or step, with all extensions.
  package let durationUsec: Int64
  /// The part of it that remains.
  package let remainingUsec: Int64
  /// The part of it that has passed. For a stopwatch, the measured time.
  package let elapsedUsec: Int64
  /// The part of it that has passed, from 0 to 1. In a band with a progress, a value in that range.
  public let progress: Double
  /// When it will ring, on CLOCK_REALTIME; absent unless it runs.
  package let deadlineUsec: Int64?
  /// The same on CLOCK_BOOTTIME of this boot; absent unless it runs on real time: on the clock
  /// elapsed, or snoozed on any clock.
  package let deadlineBoottimeUsec: Int64?
  /// When it was started.
  package let startedUsec: Int64
  /// When it rang; absent if it has not rung, or if it continued after a client dismissed the ring.
  package let firedUsec: Int64?
  /// How long ago it rang; absent if fired_usec is absent.
  package let firedAgoUsec: Int64?
  /// How late it rang; absent if fired_usec is absent.
  package let lateUsec: Int64?
  /// Why it rang late, a word of SpanCause or LateCause; absent if it rang on time, or if only a
  /// short delay made it late.
  public let lateCause: Cause?
  /// How early that ring was, because the clock was ahead; absent if it was not early, or if that
  /// is not known.
  package let earlyUsec: Int64?
  /// That it was due, or how late it was, depends on a wall clock that the kernel did not report as
  /// synchronised.
  public let isEstimated: Bool
  /// It stands still: on the clock present while the user is away, and deadline_usec is when it
  /// would ring if the user came back now; from a bridge, on the clocks awake and present, while
  /// its machine is away. When this changes, Watch sends the event of a span with the cause away,
  /// and no reply for the timer.
  public let isAway: Bool
  /// Its ring ended, and no user has answered it yet.
  public let isUnanswered: Bool
  /// The state of its ring on this machine, a word of RingHere. Only a bridge sends this, for a
  /// machine that cannot report its rings.
  public let ringHere: String?
  /// The machine that owns it, as PERSON/DEVICE. Only a bridge sends this, for a timer of a
  /// session.
  public let owner: String?
  /// Whether that machine can be reached, a word of OwnerState.
  public let ownerState: String?
  /// Since when, on CLOCK_REALTIME; absent if that is not known.
  package let ownerSinceUsec: Int64?
  /// It is due by a wall clock that the kernel does not report as synchronised. It waits for the
  /// kernel to do that, as long as [clock] wait in the configuration says; 1 minute unless set.
  public let waitsForClock: Bool
  /// It expired in the background and did not ring, as its policy says.
  public let isSkipped: Bool
  /// It counts down a snooze. What repeats or waits continues after that.
  public let isSnoozed: Bool
  /// The band it is in.
  public let band: Band?
  /// All its bands, the one with the most time remaining first.
  public let bands: [Band]
  /// What happens if it expires in the background; absent if that is fire.
  package let lateWord: String?
  /// It rings if it is at most this late, instead of late.
  package let fireWithinUsec: Int64?
  /// What happens if it expires in the background several times; absent if that is once.
  public let missed: MissedPolicy
  /// How far it has come, if it repeats.
  public let repetition: NightjarTimer.Repetition?
  /// The calendar expression of an alarm that repeats.
  public let calendar: String?
  /// The zone of the calendar expression; absent if the expression names its zone, or if it is the
  /// zone of the machine.
  public let zone: String?
  /// The days on which such an alarm does not ring: dates, and ranges of dates.
  public let except: [String]
  /// The date of the last day on which it rings.
  public let until: String?
  /// The coming expiries that it skips, because a client called Skip, on CLOCK_REALTIME.
  package let passedOverUsec: [Int64]
  /// What a sequence does after a background span.
  public let afterSleep: Wire.AfterSleep?
  /// How far a sequence has come.
  public let step: NightjarTimer.Step?
  /// All steps of a sequence.
  public let steps: [NewTimer.Step]
  /// In every long_every-th round of a sequence, steps take their long time; absent if no step has
  /// one.
  public let longEvery: Int64?
  /// The time that a stopwatch showed at each lap, in microseconds.
  package let lapUsecs: [Int64]
  /// Whether it can wake the machine; absent unless it is to.
  public let wake: Wake?
  /// Its command and its sound; absent if it has neither.
  public let ring: NightjarTimer.Ring?
  /// Its labels, in their order.
  public let labels: [NightjarTimer.Label]
  /// Data that its owner stores with it.
  public let data: JSONValue
  /// The text that people see when it rings; absent if it has none.
  public let message: String?
  /// The last command that failed, of the timer itself or a hook for one of its events; absent if
  /// none failed since the timer was started, or since a client called Dismiss, Snooze or Restart.
  public let failure: CommandFailure?

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "timer")
    id = try fields.value("id")
    seq = try fields.value("seq")
    name = try fields.value("name")
    kind = try fields.value("kind")
    state = try fields.value("state")
    clock = try fields.value("clock")
    durationUsec = try fields.value("duration_usec")
    remainingUsec = try fields.value("remaining_usec")
    elapsedUsec = try fields.value("elapsed_usec")
    progress = try fields.value("progress")
    deadlineUsec = try fields.optional("deadline_usec")
    deadlineBoottimeUsec = try fields.optional("deadline_boottime_usec")
    startedUsec = try fields.value("started_usec")
    firedUsec = try fields.optional("fired_usec")
    firedAgoUsec = try fields.optional("fired_ago_usec")
    lateUsec = try fields.optional("late_usec")
    lateCause = try fields.optional("late_cause")
    earlyUsec = try fields.optional("early_usec")
    isEstimated = try fields.optional("estimated") ?? false
    isAway = try fields.optional("away") ?? false
    isUnanswered = try fields.optional("unanswered") ?? false
    ringHere = try fields.optional("ring_here")
    owner = try fields.optional("owner")
    ownerState = try fields.optional("owner_state")
    ownerSinceUsec = try fields.optional("owner_since_usec")
    waitsForClock = try fields.optional("waits_for_clock") ?? false
    isSkipped = try fields.optional("skipped") ?? false
    isSnoozed = try fields.optional("snoozed") ?? false
    band = try fields.optional("band")
    bands = try fields.optional("bands") ?? []
    lateWord = try fields.optional("late")
    fireWithinUsec = try fields.optional("fire_within_usec")
    missed = try fields.optional("missed") ?? .once
    repetition = try fields.optional("repeat")
    calendar = try fields.optional("calendar")
    zone = try fields.optional("zone")
    except = try fields.optional("except") ?? []
    until = try fields.optional("until")
    passedOverUsec = try fields.optional("passed_over_usec") ?? []
    afterSleep = try fields.optional("after_sleep")
    step = try fields.optional("step")
    steps = try fields.optional("steps") ?? []
    longEvery = try fields.optional("long_every")
    lapUsecs = try fields.optional("laps") ?? []
    wake = try fields.optional("wake")
    ring = try fields.optional("ring")
    labels = try fields.optional("labels") ?? []
    data = try fields.optional("data") ?? .object([])
    message = try fields.optional("message")
    failure = try fields.optional("failure")
  }
}

extension NightjarTimer {
  /// How far a timer that repeats has come.
  public struct Repetition: Equatable, Sendable, ReadableStructure {
    /// How often it has expired, skipped expiries included.
    public let rung: Int64
    /// The time from one expiry of a countdown to the next.
    package let periodUsec: Int64?
    /// How often it will expire; absent if without end.
    public let rounds: Int64?

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "repeat")
      rung = try fields.value("rung")
      periodUsec = try fields.optional("period_usec")
      rounds = try fields.optional("rounds")
    }
  }
}

extension NightjarTimer {
  /// How far a sequence has come. Numbers begin at 1.
  public struct Step: Equatable, Sendable, ReadableStructure {
    /// The step's number, counted through all rounds.
    public let number: Int64
    /// The name of the step.
    public let name: String
    /// The step is a break.
    public let isBreak: Bool
    /// At its end the sequence waits for Advance.
    public let waits: Bool
    /// Its number within the round.
    public let index: Int64
    /// How many steps a round has.
    public let steps: Int64
    /// The round.
    public let round: Int64
    /// How many rounds there are; absent if without end.
    public let rounds: Int64?
    /// The name of the next step; absent if there is none.
    public let nextName: String?
    /// The length of the next step.
    package let nextDurationUsec: Int64?

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "step")
      number = try fields.value("number")
      name = try fields.value("name")
      isBreak = try fields.value("break")
      waits = try fields.value("waits")
      index = try fields.value("index")
      steps = try fields.value("steps")
      round = try fields.value("round")
      rounds = try fields.optional("rounds")
      nextName = try fields.optional("next_name")
      nextDurationUsec = try fields.optional("next_duration_usec")
    }
  }
}

extension NightjarTimer {
  /// A ring as clients see it. The values of the environment are left out.
  public struct Ring: Equatable, Sendable, ReadableStructure, WritableValue {
    /// The words of the command, with its program.
    public let command: [String]
    /// The types of the events on which it runs; absent if it runs whenever the timer rings.
    public let events: [EventType]
    /// The names of the variables for the command.
    public let variables: [String]
    /// How long it may run; absent if that is a minute.
    package let timeoutUsec: Int64?
    /// The path of the file to play instead of the usual sound, or the name of a built-in sound.
    public let sound: String?
    /// It makes no sound.
    public let isSilent: Bool
    /// How long it rings if no user answers; 0 is one sound.
    package let ringForUsec: Int64?
    /// Its volume, from 1 to 100.
    public let volume: Int64?
    /// How long the volume rises from quiet to that.
    package let risingUsec: Int64?
    /// How long after a ring without an answer it rings again; 0 is not at all.
    package let insistUsec: Int64?
    /// Whether it makes its sound while the notification server is paused.
    public let disturbs: Bool?

    package var json: JSONValue {
      var fields = WrittenFields()
      fields.add("exec", command)
      fields.add("on", events)
      fields.add("environment", variables)
      fields.add("timeout_usec", timeoutUsec)
      fields.add("sound", sound)
      fields.add("silent", isSilent)
      fields.add("ring_for_usec", ringForUsec)
      fields.add("volume", volume)
      fields.add("rising_usec", risingUsec)
      fields.add("insist_usec", insistUsec)
      fields.add("disturb", disturbs)
      return fields.json
    }

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "ring")
      command = try fields.optional("exec") ?? []
      events = try fields.optional("on") ?? []
      variables = try fields.optional("environment") ?? []
      timeoutUsec = try fields.optional("timeout_usec")
      sound = try fields.optional("sound")
      isSilent = try fields.optional("silent") ?? false
      ringForUsec = try fields.optional("ring_for_usec")
      volume = try fields.optional("volume")
      risingUsec = try fields.optional("rising_usec")
      insistUsec = try fields.optional("insist_usec")
      disturbs = try fields.optional("disturb")
    }
  }
}

/// A command that failed.
public struct CommandFailure: Equatable, Sendable, ReadableStructure {
  /// The command, cut to the length of a line.
  public let command: String
  /// The number of the event on which it ran.
  public let callingSeq: Int64
  /// When it ended.
  package let timeUsec: Int64
  /// How it ended, a word of Outcome.
  public let outcome: ActionOutcome
  /// The exit status that it ended with.
  public let exitStatus: Int64?
  /// The signal that ended it.
  public let signal: Int64?
  /// Why it could not be started.
  public let reason: String?
  /// The last lines that it printed, at most 3; absent if it printed nothing. The log has all of
  /// them.
  public let lastLines: [String]

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "failure")
    command = try fields.value("command")
    callingSeq = try fields.value("event_seq")
    timeUsec = try fields.value("time_usec")
    outcome = try fields.value("outcome")
    exitStatus = try fields.optional("exit_status")
    signal = try fields.optional("signal")
    reason = try fields.optional("reason")
    lastLines = try fields.optional("last_lines") ?? []
  }
}

/// Whether a timer can wake the machine.
public struct Wake: Equatable, Sendable, ReadableStructure {
  /// It can.
  public let isPossible: Bool
  /// Why it cannot, a word of WakeObstacle.
  public let obstacle: WakeObstacle?
  /// The same as one sentence.
  public let reason: String?

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "wake")
    isPossible = try fields.value("can")
    obstacle = try fields.optional("obstacle")
    reason = try fields.optional("reason")
  }
}

/// A background span. The daemon was in the background during this time.
public struct BackgroundSpan: Equatable, Sendable, ReadableStructure, WritableValue {
  /// Its number.
  public let number: Int64
  /// Its causes, words of SpanCause; the first opened it.
  public let causes: [Cause]
  /// When it began.
  package let enteredUsec: Int64
  /// When it ended; absent while it is open.
  package let leftUsec: Int64?
  /// How long it was.
  package let elapsedUsec: Int64
  /// When it began or, after a reboot, how long it was, is not known exactly.
  public let isEstimated: Bool

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("span", number)
    fields.add("causes", causes)
    fields.add("entered_usec", enteredUsec)
    fields.add("left_usec", leftUsec)
    fields.add("elapsed_usec", elapsedUsec)
    fields.add("estimated", isEstimated)
    return fields.json
  }

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "span")
    number = try fields.value("span")
    causes = try fields.value("causes")
    enteredUsec = try fields.value("entered_usec")
    leftUsec = try fields.optional("left_usec")
    elapsedUsec = try fields.value("elapsed_usec")
    isEstimated = try fields.value("estimated")
  }
}

/// One entry of the ledger. rescheduled of an alarm has deadline_usec. rescheduled of a countdown
/// or a sequence has duration_usec: the clock was ahead, so the timer had counted too far, and it
/// returns to an earlier round or step. rung is then how often it has expired, or step_number and
/// step_name are the step. After one synchronisation there may be several of span_corrected, one
/// for each reboot since the kernel last reported the clock as synchronised.
public struct Event: Equatable, Sendable, ReadableStructure, WritableValue {
  /// Its number; each event has the next one.
  public let seq: Int64
  /// When it happened. It can be earlier than the event before it, if the clock was set.
  package let timeUsec: Int64
  /// What happened, a word of TimerEvent, MachineEvent or ActionEvent.
  public let type: EventType
  /// The timer that it is about; absent if it is about the machine.
  public let name: String?
  /// The request id that the client gave to the change.
  public let request: String?
  /// The id of that timer.
  public let id: Int64?
  /// What kind of timer was started, a word of Kind.
  public let kind: NightjarTimer.Kind?
  /// The clock it was started on.
  public let clock: Wire.Clock?
  /// How late it rang.
  package let lateUsec: Int64?
  /// Why it rang late, a word of SpanCause or LateCause.
  public let lateCause: Cause?
  /// Of band_crossed, the band that began; absent if the timer is in no band.
  public let band: Band?
  /// The remaining time.
  package let remainingUsec: Int64?
  /// The number of the span it expired in, or that caused the event.
  public let spanNumber: Int64?
  /// That it was due, or how late it was, depends on a wall clock that the kernel did not report as
  /// synchronised.
  public let isEstimated: Bool
  /// How many expiries there were beside the event's own. For an alarm, 9999 or more means that
  /// there may be more.
  public let missed: Int64?
  /// How often it has expired, if it repeats.
  public let rung: Int64?
  /// The number of the sequence's step after the event, counted through all rounds from 1.
  public let stepNumber: Int64?
  /// The name of that step.
  public let stepName: String?
  /// The number of the event on which the command runs.
  public let callingSeq: Int64?
  /// The command, cut to the length of a line.
  public let command: String?
  /// The number of this start of the command, from 1.
  public let attempt: Int64?
  /// How the command ended, a word of Outcome.
  public let outcome: ActionOutcome?
  /// The exit status that it ended with.
  public let exitStatus: Int64?
  /// The signal that ended it.
  public let signal: Int64?
  /// Why it could not be started.
  public let reason: String?
  /// The timer's duration then, or how long a command ran. If a timer expires again, the planned
  /// time from this expiry to the next.
  package let durationUsec: Int64?
  /// How many bytes it printed.
  public let printedBytes: Int64?
  /// How many of those are not in the log.
  public let droppedBytes: Int64?
  /// The last lines that it printed, at most 3; absent unless it failed.
  public let lastLines: [String]
  /// How the started countdown repeats.
  package let repetition: RepeatFields?
  /// The alarm that was started. Of updated, when a repeating alarm rings now, if that or its bands
  /// were changed.
  package let alarm: AlarmFields?
  /// The sequence that was started.
  package let sequence: NewTimer.Sequence?
  /// Its command and its sound; absent if it has neither.
  public let ring: NightjarTimer.Ring?
  /// The labels it was given.
  public let labels: [NightjarTimer.Label]?
  /// The data it was given.
  public let data: JSONValue?
  /// The bands it was given.
  public let bands: [Band]?
  /// The time that a stopwatch shows.
  package let elapsedUsec: Int64?
  /// When it rings now.
  package let deadlineUsec: Int64?
  /// By how much it was extended, shortened or snoozed. Of span_corrected, by how much the counter
  /// of elapsed was wrong over a reboot.
  package let byUsec: Int64?
  /// Of span_corrected, the event at the end of that reboot. Deadlines that were set after it move
  /// as well.
  public let sinceSeq: Int64?
  /// Of span_corrected, the event at the end of the last reboot that it is about; absent if that is
  /// since_seq. A timer that did not run between these two events is not corrected by by_usec.
  public let untilSeq: Int64?
  /// Of span_corrected, how early the earliest ring was; absent if none was early.
  package let earlyUsec: Int64?
  /// The span that began, ended or was corrected.
  public let span: BackgroundSpan?
  /// By how much the wall clock was set.
  package let offsetUsec: Int64?
  /// How many timers expired in a span.
  public let count: Int64?
  /// The first 256 timers that expired in a span.
  public let names: [String]
  /// The zone of the machine.
  public let zone: String?
  /// The daemon's counters; absent from events of older versions. Of did_enter_background, at the
  /// start of the span.
  public let counters: Event.Counters?
  /// The message it was given; absent if it has none.
  public let message: String?
  /// The number of the ring for the same expiry, from 1.
  public let ringNumber: Int64?
  /// Of passed_over and reinstated, the time of that expiry, on CLOCK_REALTIME; absent for a paused
  /// countdown.
  package let passedUsec: Int64?
  /// Of undone, the number of the event that was undone.
  public let undoneSeq: Int64?
  /// Of undone, the type of the event that was undone, a word of TimerEvent.
  public let undoneType: String?
  /// Of renamed_to, the name that the timer has now.
  public let newName: String?
  /// Of renamed_from, the name that it had.
  public let oldName: String?

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("seq", seq)
    fields.add("time_usec", timeUsec)
    fields.add("type", type)
    fields.add("name", name)
    fields.add("request", request)
    fields.add("id", id)
    fields.add("kind", kind)
    fields.add("clock", clock)
    fields.add("late_usec", lateUsec)
    fields.add("late_cause", lateCause)
    fields.add("band", band)
    fields.add("remaining_usec", remainingUsec)
    fields.add("span_id", spanNumber)
    fields.add("estimated", isEstimated)
    fields.add("missed", missed)
    fields.add("rung", rung)
    fields.add("step_number", stepNumber)
    fields.add("step_name", stepName)
    fields.add("event_seq", callingSeq)
    fields.add("command", command)
    fields.add("attempt", attempt)
    fields.add("outcome", outcome)
    fields.add("exit_status", exitStatus)
    fields.add("signal", signal)
    fields.add("reason", reason)
    fields.add("duration_usec", durationUsec)
    fields.add("printed_bytes", printedBytes)
    fields.add("dropped_bytes", droppedBytes)
    fields.add("last_lines", lastLines)
    fields.add("repeat", repetition)
    fields.add("alarm", alarm)
    fields.add("sequence", sequence)
    fields.add("ring", ring)
    fields.add("labels", labels)
    fields.add("data", data)
    fields.add("bands", bands)
    fields.add("elapsed_usec", elapsedUsec)
    fields.add("deadline_usec", deadlineUsec)
    fields.add("by_usec", byUsec)
    fields.add("since_seq", sinceSeq)
    fields.add("until_seq", untilSeq)
    fields.add("early_usec", earlyUsec)
    fields.add("span", span)
    fields.add("offset_usec", offsetUsec)
    fields.add("count", count)
    fields.add("names", names)
    fields.add("zone", zone)
    fields.add("counters", counters)
    fields.add("message", message)
    fields.add("ring_number", ringNumber)
    fields.add("passed_usec", passedUsec)
    fields.add("undone_seq", undoneSeq)
    fields.add("undone_type", undoneType)
    fields.add("new_name", newName)
    fields.add("old_name", oldName)
    return fields.json
  }

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "event")
    seq = try fields.value("seq")
    timeUsec = try fields.value("time_usec")
    type = try fields.value("type")
    name = try fields.optional("name")
    request = try fields.optional("request")
    id = try fields.optional("id")
    kind = try fields.optional("kind")
    clock = try fields.optional("clock")
    lateUsec = try fields.optional("late_usec")
    lateCause = try fields.optional("late_cause")
    band = try fields.optional("band")
    remainingUsec = try fields.optional("remaining_usec")
    spanNumber = try fields.optional("span_id")
    isEstimated = try fields.optional("estimated") ?? false
    missed = try fields.optional("missed")
    rung = try fields.optional("rung")
    stepNumber = try fields.optional("step_number")
    stepName = try fields.optional("step_name")
    callingSeq = try fields.optional("event_seq")
    command = try fields.optional("command")
    attempt = try fields.optional("attempt")
    outcome = try fields.optional("outcome")
    exitStatus = try fields.optional("exit_status")
    signal = try fields.optional("signal")
    reason = try fields.optional("reason")
    durationUsec = try fields.optional("duration_usec")
    printedBytes = try fields.optional("printed_bytes")
    droppedBytes = try fields.optional("dropped_bytes")
    lastLines = try fields.optional("last_lines") ?? []
    repetition = try fields.optional("repeat")
    alarm = try fields.optional("alarm")
    sequence = try fields.optional("sequence")
    ring = try fields.optional("ring")
    labels = try fields.optional("labels")
    data = try fields.optional("data")
    bands = try fields.optional("bands")
    elapsedUsec = try fields.optional("elapsed_usec")
    deadlineUsec = try fields.optional("deadline_usec")
    byUsec = try fields.optional("by_usec")
    sinceSeq = try fields.optional("since_seq")
    untilSeq = try fields.optional("until_seq")
    earlyUsec = try fields.optional("early_usec")
    span = try fields.optional("span")
    offsetUsec = try fields.optional("offset_usec")
    count = try fields.optional("count")
    names = try fields.optional("names") ?? []
    zone = try fields.optional("zone")
    counters = try fields.optional("counters")
    message = try fields.optional("message")
    ringNumber = try fields.optional("ring_number")
    passedUsec = try fields.optional("passed_usec")
    undoneSeq = try fields.optional("undone_seq")
    undoneType = try fields.optional("undone_type")
    newName = try fields.optional("new_name")
    oldName = try fields.optional("old_name")
  }
}

extension Event {
  /// Two of the three counters by which timers are counted. Both continue after a reboot, and
  /// setting the clock does not change them. A later span_corrected may correct elapsed. The third
  /// counter, present, is not here: it is awake_usec minus the user's absences. Each absence is a
  /// span with the cause away.
  public struct Counters: Equatable, Sendable, ReadableStructure, WritableValue {
    /// All time that has passed, in microseconds.
    package let elapsedUsec: Int64
    /// The time during which the machine and the daemon ran, in microseconds.
    package let awakeUsec: Int64

    package var json: JSONValue {
      var fields = WrittenFields()
      fields.add("elapsed_usec", elapsedUsec)
      fields.add("awake_usec", awakeUsec)
      return fields.json
    }

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "counters")
      elapsedUsec = try fields.value("elapsed_usec")
      awakeUsec = try fields.value("awake_usec")
    }
  }
}

/// All events of one timer since it was started, and the background spans since then.
public struct Story: Equatable, Sendable, ReadableStructure {
  /// The background spans since the timer was started.
  public let spans: [BackgroundSpan]
  /// Its events, in order.
  public let events: [Event]

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "story")
    spans = try fields.value("spans")
    events = try fields.value("events")
  }
}

/// Undoes the newest change of a person, or refuses if it cannot be undone. The timers become as
/// they would be without the change. If a deadline has passed since, the late policy applies. A
/// change is one of a person if its call had an undo_id of 1 to 64 bytes. All changes with the same
/// undo_id are undone together, at most 10000 timers. Only changes of the last minute on the clock
/// elapsed can be undone, and none from before the daemon was started. A timer stays as it is if
/// something else happened to it since: it rang, another client changed it, or another timer has
/// its name. So does a timer on the clock wall if the clock or the zone was set since, and a
/// sequence with an after_sleep if a background span ended since. A restored ring makes no sound,
/// unless insist_usec lets it ring again. A command does not run again. The start of a timer is not
/// undone, because an undo cannot be undone. The first Undo refuses it, and the next Undo undoes
/// the change before it. There is one exception. If the start replaced a timer that was running,
/// paused or waiting, that timer returns.
public struct Undoing: Equatable, Sendable, ReadableStructure {
  /// The type of the event that was undone, a word of TimerEvent.
  public let type: EventType
  /// How long ago the change was made.
  package let agoUsec: Int64
  /// The timers as they are now, at most the first 256.
  public let timers: [NightjarTimer]
  /// How many timers were restored.
  public let count: Int64
  /// How many timers of the change stay as they are, because something else happened to them since.
  public let kept: Int64
  /// Their names, at most the first 256.
  public let keptNames: [String]

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "undo")
    type = try fields.value("type")
    agoUsec = try fields.value("ago_usec")
    timers = try fields.value("timers")
    count = try fields.value("count")
    kept = try fields.value("kept")
    keptNames = try fields.value("kept_names")
  }
}

/// The state of the daemon.
public struct DaemonStatus: Equatable, Sendable, ReadableStructure {
  /// The version of the daemon.
  public let version: String
  /// The ID of its process.
  public let processID: Int64
  /// When it was started.
  package let startedUsec: Int64
  /// Since when it has been in the foreground; absent while a span is open.
  package let foregroundSinceUsec: Int64?
  /// The span that is open.
  public let openSpan: BackgroundSpan?
  /// The span that ended last.
  public let lastSpan: BackgroundSpan?
  /// How many timers and clients there are.
  public let counts: DaemonStatus.Counts
  /// The timer that rings next.
  public let nextName: String?
  /// When it rings.
  package let nextUsec: Int64?
  /// All clocks at one moment.
  public let clocks: DaemonStatus.Clocks
  /// The kernel reports the wall clock as synchronised.
  public let isClockSynchronized: Bool
  /// The disk.
  public let storage: DaemonStatus.Storage
  /// How the daemon learns of sleep.
  public let sleep: DaemonStatus.Sleep
  /// Whether a timer could wake the machine.
  public let wake: Wake
  /// Whether the user is there.
  public let presence: DaemonStatus.Presence?
  /// Whether a ring would be noticed.
  public let ring: RingReport?
  /// How many commands of timers and hooks run and wait.
  public let commands: DaemonStatus.Commands?
  /// The longest iteration of the daemon's loop.
  package let longestPassUsec: Int64?
  /// A failure that the daemon survived, and that the user should know of.
  public let warning: String?

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "status")
    version = try fields.value("version")
    processID = try fields.value("pid")
    startedUsec = try fields.value("started_usec")
    foregroundSinceUsec = try fields.optional("foreground_since_usec")
    openSpan = try fields.optional("open_span")
    lastSpan = try fields.optional("last_span")
    counts = try fields.value("counts")
    nextName = try fields.optional("next_name")
    nextUsec = try fields.optional("next_usec")
    clocks = try fields.value("clocks")
    isClockSynchronized = try fields.value("clock_synchronized")
    storage = try fields.value("storage")
    sleep = try fields.value("sleep")
    wake = try fields.value("wake")
    presence = try fields.optional("presence")
    ring = try fields.optional("ring")
    commands = try fields.optional("commands")
    longestPassUsec = try fields.optional("longest_pass_usec")
    warning = try fields.optional("warning")
  }
}

extension DaemonStatus {
  /// The numbers of timers in each state, and of connections.
  public struct Counts: Equatable, Sendable, ReadableStructure {
    /// Timers that run, without those that ring.
    public let running: Int64
    /// Timers that are paused.
    public let paused: Int64
    /// Timers that rang and wait to be dismissed, and timers that continue while they ring.
    public let fired: Int64
    /// Timers that were cancelled.
    public let cancelled: Int64
    /// Sequences that wait for Advance.
    public let waiting: Int64
    /// Connections.
    public let clients: Int64
    /// Connections that watch, or follow events.
    public let watchers: Int64

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "counts")
      running = try fields.value("running")
      paused = try fields.value("paused")
      fired = try fields.value("fired")
      cancelled = try fields.value("cancelled")
      waiting = try fields.optional("waiting") ?? 0
      clients = try fields.value("clients")
      watchers = try fields.value("watchers")
    }
  }
}

extension DaemonStatus {
  /// All clocks at one moment.
  public struct Clocks: Equatable, Sendable, ReadableStructure {
    /// CLOCK_REALTIME.
    package let realtimeUsec: Int64
    /// CLOCK_BOOTTIME.
    package let boottimeUsec: Int64
    /// CLOCK_MONOTONIC.
    package let monotonicUsec: Int64
    /// The kernel's ID of this boot.
    public let bootID: String

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "clocks")
      realtimeUsec = try fields.value("realtime_usec")
      boottimeUsec = try fields.value("boottime_usec")
      monotonicUsec = try fields.value("monotonic_usec")
      bootID = try fields.value("boot_id")
    }
  }
}

extension DaemonStatus {
  /// The disk.
  public struct Storage: Equatable, Sendable, ReadableStructure {
    /// Acknowledged changes are on disk.
    public let isGood: Bool
    /// Why not.
    public let reason: String?
    /// The state directory.
    public let stateDirectory: String
    /// The version of the database's schema.
    public let schemaVersion: Int64
    /// The name of the ledger that numbers the events. No other ledger has this name.
    public let ledger: String
    /// The oldest event in the ledger.
    public let oldestSeq: Int64
    /// The newest event in the ledger; 0 if there is none.
    public let lastSeq: Int64
    /// The file that a damaged database was moved to.
    public let setAside: String?
    /// The data that was found missing since the daemon was started.
    public let loss: DaemonStatus.Loss?

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "storage")
      isGood = try fields.value("ok")
      reason = try fields.optional("reason")
      stateDirectory = try fields.value("state_directory")
      schemaVersion = try fields.value("schema_version")
      ledger = try fields.value("ledger")
      oldestSeq = try fields.value("oldest_seq")
      lastSeq = try fields.value("last_seq")
      setAside = try fields.optional("set_aside")
      loss = try fields.optional("loss")
    }
  }
}

extension DaemonStatus {
  /// A change of the database by something other than the daemon: it was removed, cut short or
  /// damaged, or an older state of it was restored.
  public struct Loss: Equatable, Sendable, ReadableStructure {
    /// What was found.
    public let reason: String
    /// The first missing event; absent if none is known to be missing.
    package let firstSeq: Int64?
    /// The last missing event.
    package let lastSeq: Int64?
    /// The file in the state directory to which the database was moved.
    public let keptAs: String?

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "loss")
      reason = try fields.value("reason")
      firstSeq = try fields.optional("first_seq")
      lastSeq = try fields.optional("last_seq")
      keptAs = try fields.optional("kept_as")
    }
  }
}

extension DaemonStatus {
  /// How the daemon learns of sleep.
  public struct Sleep: Equatable, Sendable, ReadableStructure {
    /// Sleep signals of logind reach the daemon. If not, the daemon detects sleep by the clocks.
    public let isSeen: Bool
    /// The daemon holds a delay inhibitor.
    public let hasInhibitor: Bool
    /// Why sleep is not announced, or why there is no inhibitor.
    public let reason: String?
    /// There is no inhibitor, because polkit does not allow one.
    public let isDenied: Bool
    /// The daemon keeps the machine awake, because a timer woke it, and no user has seen the timer
    /// yet.
    public let isKeptAwake: Bool

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "sleep")
      isSeen = try fields.value("seen")
      hasInhibitor = try fields.value("inhibitor")
      reason = try fields.optional("reason")
      isDenied = try fields.value("denied")
      isKeptAwake = try fields.optional("kept_awake") ?? false
    }
  }
}

extension DaemonStatus {
  /// Whether the user is there; the clock present depends on it.
  public struct Presence: Equatable, Sendable, ReadableStructure {
    /// logind says whether the user's graphical sessions are locked or idle. If it does not, the
    /// clock present counts like awake.
    public let isSeen: Bool
    /// All of them are locked or idle: the user is away.
    public let isAway: Bool
    /// Why logind does not say it.
    public let reason: String?

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "presence")
      isSeen = try fields.value("seen")
      isAway = try fields.value("away")
      reason = try fields.optional("reason")
    }
  }
}

extension DaemonStatus {
  /// How many commands of timers and hooks there are.
  public struct Commands: Equatable, Sendable, ReadableStructure {
    /// How many commands run.
    public let running: Int64
    /// How many commands wait for others to end.
    public let waiting: Int64

    /// Reads the value from a reply of the service. O(n).
    ///
    /// - Throws: a required field is missing, or a field has a wrong type.
    package init(_ json: JSONValue) throws(ClientError) {
      let fields = try Fields(json, of: "commands")
      running = try fields.value("running")
      waiting = try fields.value("waiting")
    }
  }
}

/// Whether the user notices a ring, or would.
public struct RingReport: Equatable, Sendable, ReadableStructure {
  /// The notification server shows it on the desktop: the one in server, or one that the session
  /// bus starts.
  public let isSeen: Bool
  /// The notification server plays a sound, or player does.
  public let isHeard: Bool
  /// Why it is not seen, a word of RingLack.
  public let unseen: RingLack?
  /// Why it is not heard, a word of RingLack.
  public let unheard: RingLack?
  /// The name and version of the running notification server.
  public let server: String?
  /// The program that plays the sound, if the server does not.
  public let player: String?
  /// Both as one sentence.
  public let reason: String?
  /// The notification server reports that it is paused (do not disturb), and does not show what it
  /// gets. Only TestRing asks for it, and only dunst and Plasma's server are known to report it.
  public let isPaused: Bool

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "ring")
    isSeen = try fields.value("seen")
    isHeard = try fields.value("heard")
    unseen = try fields.optional("unseen")
    unheard = try fields.optional("unheard")
    server = try fields.optional("server")
    player = try fields.optional("player")
    reason = try fields.optional("reason")
    isPaused = try fields.optional("paused") ?? false
  }
}

/// When an alarm rings: at the point in time at_usec, or at each time of a calendar expression in
/// the format of systemd.time(7). The zone is a name of the time zone database, in the expression
/// or in zone, or else the machine's own zone. rounds: how often it rings; without end if it is 0
/// or absent. except: the days of that zone on which it does not ring, each a date such as
/// 2026-12-24 or a range such as 2026-12-24..2027-01-01. until: the date of the last day on which
/// it rings. except and until are for a calendar expression. An alarm is on the clock wall.
package struct AlarmFields: Equatable, Sendable, ReadableStructure, WritableValue {
  /// `at_usec`
  package let atUsec: Int64?
  /// `calendar`
  package let calendar: String?
  /// `zone`
  package let zone: String?
  /// `rounds`
  package let rounds: Int64?
  /// `except`
  package let except: [String]?
  /// `until`
  package let until: String?

  /// Creates the value from its fields.
  package init(
    atUsec: Int64? = nil,
    calendar: String? = nil,
    zone: String? = nil,
    rounds: Int64? = nil,
    except: [String]? = nil,
    until: String? = nil
  ) {
    self.atUsec = atUsec
    self.calendar = calendar
    self.zone = zone
    self.rounds = rounds
    self.except = except
    self.until = until
  }

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("at_usec", atUsec)
    fields.add("calendar", calendar)
    fields.add("zone", zone)
    fields.add("rounds", rounds)
    fields.add("except", except)
    fields.add("until", until)
    return fields.json
  }

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "alarm")
    atUsec = try fields.optional("at_usec")
    calendar = try fields.optional("calendar")
    zone = try fields.optional("zone")
    rounds = try fields.optional("rounds")
    except = try fields.optional("except")
    until = try fields.optional("until")
  }
}

/// rounds: how often it rings; without end if it is 0 or absent.
package struct RepeatFields: Equatable, Sendable, ReadableStructure, WritableValue {
  /// `rounds`
  package let rounds: Int64?

  /// Creates the value from its fields.
  package init(
    rounds: Int64? = nil
  ) {
    self.rounds = rounds
  }

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("rounds", rounds)
    return fields.json
  }

  /// Reads the value from a reply of the service. O(n).
  ///
  /// - Throws: a required field is missing, or a field has a wrong type.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "repeat")
    rounds = try fields.optional("rounds")
  }
}

extension NewTimer {
  /// Parameters of `Start`; nil: not given.
  public struct Parameters: Equatable, Sendable, WritableValue {
    /// `name`
    package var name: String?
    /// `duration_usec`
    package var durationUsec: Int64?
    /// `repeat`
    package var `repeat`: RepeatFields?
    /// `alarm`
    package var alarm: AlarmFields?
    /// `stopwatch`
    package var stopwatch: Bool?
    /// `sequence`
    package var sequence: NewTimer.Sequence?
    /// `bands`
    package var bands: [Band]?
    /// `late`
    package var late: Wire.Late?
    /// `fire_within_usec`
    package var fireWithinUsec: Int64?
    /// `missed`
    package var missed: Wire.Missed?
    /// `clock`
    package var clock: Wire.Clock?
    /// `replace`
    package var replace: Bool?
    /// `if_absent`
    package var ifAbsent: Bool?
    /// `labels`
    package var labels: [NightjarTimer.Label]?
    /// `data`
    package var data: JSONValue?
    /// `wake`
    package var wake: Bool?
    /// `ring`
    package var ring: NewTimer.Ring?
    /// `message`
    public var message: String?

    /// Creates the value without any field.
    public init() {}

    package var json: JSONValue {
      var fields = WrittenFields()
      fields.add("name", name)
      fields.add("duration_usec", durationUsec)
      fields.add("repeat", `repeat`)
      fields.add("alarm", alarm)
      fields.add("stopwatch", stopwatch)
      fields.add("sequence", sequence)
      fields.add("bands", bands)
      fields.add("late", late)
      fields.add("fire_within_usec", fireWithinUsec)
      fields.add("missed", missed)
      fields.add("clock", clock)
      fields.add("replace", replace)
      fields.add("if_absent", ifAbsent)
      fields.add("labels", labels)
      fields.add("data", data)
      fields.add("wake", wake)
      fields.add("ring", ring)
      fields.add("message", message)
      return fields.json
    }
  }
}

/// Parameters of `Update`; nil: not given.
public struct TimerChanges: Equatable, Sendable, WritableValue {
  /// `name`
  package var name: String?
  /// `labels`
  public var labels: [NightjarTimer.Label]?
  /// `data`
  public var data: JSONValue?
  /// `bands`
  public var bands: [Band]?
  /// `ring`
  public var ring: NewTimer.Ring?
  /// `ring_without`
  public var ringWithout: [String]?
  /// `message`
  public var message: String?
  /// `except`
  public var except: [String]?
  /// `until`
  public var until: String?
  /// `calendar`
  public var calendar: String?

  /// Creates the value without any field.
  public init() {}

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("name", name)
    fields.add("labels", labels)
    fields.add("data", data)
    fields.add("bands", bands)
    fields.add("ring", ring)
    fields.add("ring_without", ringWithout)
    fields.add("message", message)
    fields.add("except", except)
    fields.add("until", until)
    fields.add("calendar", calendar)
    return fields.json
  }
}

/// Parameters of `Pause`; nil: not given.
public struct ChangeOptions: Equatable, Sendable, WritableValue {
  /// `undo_id`
  public var undoID: String?
  /// `if_seq`
  public var ifSeq: Int64?
  /// `request`
  public var request: String?

  /// Creates the value without any field.
  public init() {}

  package var json: JSONValue {
    var fields = WrittenFields()
    fields.add("undo_id", undoID)
    fields.add("if_seq", ifSeq)
    fields.add("request", request)
    return fields.json
  }
}
