// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit: run `make generate`.

package import Varlink

/// A timer as it is now.
package protocol TimerFields: JSONWritable {
  associatedtype NameValue: JSONWritable
  associatedtype KindValue: JSONWritable
  associatedtype StateValue: JSONWritable
  associatedtype ClockValue: JSONWritable
  associatedtype LateCauseValue: JSONWritable
  associatedtype RingHereValue: JSONWritable
  associatedtype OwnerValue: JSONWritable
  associatedtype OwnerStateValue: JSONWritable
  associatedtype BandValue: JSONWritable
  associatedtype BandsValue: JSONWritable
  associatedtype LateValue: JSONWritable
  associatedtype MissedValue: JSONWritable
  associatedtype RepeatValue: JSONWritable
  associatedtype CalendarValue: JSONWritable
  associatedtype ZoneValue: JSONWritable
  associatedtype ExceptValue: JSONWritable
  associatedtype UntilValue: JSONWritable
  associatedtype PassedOverUsecValue: JSONWritable
  associatedtype AfterSleepValue: JSONWritable
  associatedtype StepValue: JSONWritable
  associatedtype StepsValue: JSONWritable
  associatedtype LapsValue: JSONWritable
  associatedtype WakeValue: JSONWritable
  associatedtype RingValue: JSONWritable
  associatedtype LabelsValue: JSONWritable
  associatedtype DataValue: JSONWritable
  associatedtype MessageValue: JSONWritable
  associatedtype FailureValue: JSONWritable
  /// Each start gives a new one, also under the same name.
  var id: Int64 { get }
  /// The number of its last event; absent from older daemons. A span_corrected can move its
  /// deadline without an event of the timer.
  var seq: Int64? { get }
  /// Its name.
  var name: NameValue { get }
  /// What it does, a word of Kind.
  var kind: KindValue { get }
  /// Its state.
  var state: StateValue { get }
  /// Its clock.
  var clock: ClockValue { get }
  /// The length of the present run, round or step, with all extensions.
  var durationUsec: Int64 { get }
  /// The part of it that remains.
  var remainingUsec: Int64 { get }
  /// The part of it that has passed. For a stopwatch, the measured time.
  var elapsedUsec: Int64 { get }
  /// The part of it that has passed, from 0 to 1. In a band with a progress, a value in that range.
  var progress: Double { get }
  /// When it will ring, on CLOCK_REALTIME; absent unless it runs.
  var deadlineUsec: Int64? { get }
  /// The same on CLOCK_BOOTTIME of this boot; absent unless it runs on real time: on the clock
  /// elapsed, or snoozed on any clock.
  var deadlineBoottimeUsec: Int64? { get }
  /// When it was started.
  var startedUsec: Int64 { get }
  /// When it rang; absent if it has not rung, or if it continued after a client dismissed the ring.
  var firedUsec: Int64? { get }
  /// How long ago it rang; absent if fired_usec is absent.
  var firedAgoUsec: Int64? { get }
  /// How late it rang; absent if fired_usec is absent.
  var lateUsec: Int64? { get }
  /// Why it rang late, a word of SpanCause or LateCause; absent if it rang on time, or if only a
  /// short delay made it late.
  var lateCause: LateCauseValue? { get }
  /// How early that ring was, because the clock was ahead; absent if it was not early, or if that
  /// is not known.
  var earlyUsec: Int64? { get }
  /// That it was due, or how late it was, depends on a wall clock that the kernel did not report as
  /// synchronised.
  var estimated: Bool { get }
  /// It stands still: on the clock present while the user is away, and deadline_usec is when it
  /// would ring if the user came back now; from a bridge, on the clocks awake and present, while
  /// its machine is away. When this changes, Watch sends the event of a span with the cause away,
  /// and no reply for the timer.
  var away: Bool { get }
  /// Its ring ended, and no user has answered it yet.
  var unanswered: Bool { get }
  /// The state of its ring on this machine, a word of RingHere. Only a bridge sends this, for a
  /// machine that cannot report its rings.
  var ringHere: RingHereValue? { get }
  /// The machine that owns it, as PERSON/DEVICE. Only a bridge sends this, for a timer of a
  /// session.
  var owner: OwnerValue? { get }
  /// Whether that machine can be reached, a word of OwnerState.
  var ownerState: OwnerStateValue? { get }
  /// Since when, on CLOCK_REALTIME; absent if that is not known.
  var ownerSinceUsec: Int64? { get }
  /// It is due by a wall clock that the kernel does not report as synchronised. It waits for the
  /// kernel to do that, as long as [clock] wait in the configuration says; 1 minute unless set.
  var waitsForClock: Bool { get }
  /// It expired in the background and did not ring, as its policy says.
  var skipped: Bool { get }
  /// It counts down a snooze. What repeats or waits continues after that.
  var snoozed: Bool { get }
  /// The band it is in.
  var band: BandValue? { get }
  /// All its bands, the one with the most time remaining first.
  var bands: BandsValue? { get }
  /// What happens if it expires in the background; absent if that is fire.
  var late: LateValue? { get }
  /// It rings if it is at most this late, instead of late.
  var fireWithinUsec: Int64? { get }
  /// What happens if it expires in the background several times; absent if that is once.
  var missed: MissedValue? { get }
  /// How far it has come, if it repeats.
  var `repeat`: RepeatValue? { get }
  /// The calendar expression of an alarm that repeats.
  var calendar: CalendarValue? { get }
  /// The zone of the calendar expression; absent if the expression names its zone, or if it is the
  /// zone of the machine.
  var zone: ZoneValue? { get }
  /// The days on which such an alarm does not ring: dates, and ranges of dates.
  var except: ExceptValue? { get }
  /// The date of the last day on which it rings.
  var until: UntilValue? { get }
  /// The coming expiries that it skips, because a client called Skip, on CLOCK_REALTIME.
  var passedOverUsec: PassedOverUsecValue? { get }
  /// What a sequence does after a background span.
  var afterSleep: AfterSleepValue? { get }
  /// How far a sequence has come.
  var step: StepValue? { get }
  /// All steps of a sequence.
  var steps: StepsValue? { get }
  /// In every long_every-th round of a sequence, steps take their long time; absent if no step has
  /// one.
  var longEvery: Int64? { get }
  /// The time that a stopwatch showed at each lap, in microseconds.
  var laps: LapsValue? { get }
  /// Whether it can wake the machine; absent unless it is to.
  var wake: WakeValue? { get }
  /// Its command and its sound; absent if it has neither.
  var ring: RingValue? { get }
  /// Its labels, in their order.
  var labels: LabelsValue { get }
  /// Data that its owner stores with it.
  var data: DataValue { get }
  /// The text that people see when it rings; absent if it has none.
  var message: MessageValue? { get }
  /// The last command that failed, of the timer itself or a hook for one of its events; absent if
  /// none failed since the timer was started, or since a client called Dismiss, Snooze or Restart.
  var failure: FailureValue? { get }
}

extension TimerFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    if let seq {
      writer.member("seq", seq)
    }
    writer.key("name")
    name.write(to: &writer)
    writer.key("kind")
    kind.write(to: &writer)
    writer.key("state")
    state.write(to: &writer)
    writer.key("clock")
    clock.write(to: &writer)
    writer.member("duration_usec", durationUsec)
    writer.member("remaining_usec", remainingUsec)
    writer.member("elapsed_usec", elapsedUsec)
    writer.member("progress", progress)
    if let deadlineUsec {
      writer.member("deadline_usec", deadlineUsec)
    }
    if let deadlineBoottimeUsec {
      writer.member("deadline_boottime_usec", deadlineBoottimeUsec)
    }
    writer.member("started_usec", startedUsec)
    if let firedUsec {
      writer.member("fired_usec", firedUsec)
    }
    if let firedAgoUsec {
      writer.member("fired_ago_usec", firedAgoUsec)
    }
    if let lateUsec {
      writer.member("late_usec", lateUsec)
    }
    if let lateCause {
      writer.key("late_cause")
      lateCause.write(to: &writer)
    }
    if let earlyUsec {
      writer.member("early_usec", earlyUsec)
    }
    if estimated { writer.member("estimated", true) }
    if away { writer.member("away", true) }
    if unanswered { writer.member("unanswered", true) }
    if let ringHere {
      writer.key("ring_here")
      ringHere.write(to: &writer)
    }
    if let owner {
      writer.key("owner")
      owner.write(to: &writer)
    }
    if let ownerState {
      writer.key("owner_state")
      ownerState.write(to: &writer)
    }
    if let ownerSinceUsec {
      writer.member("owner_since_usec", ownerSinceUsec)
    }
    if waitsForClock { writer.member("waits_for_clock", true) }
    if skipped { writer.member("skipped", true) }
    if snoozed { writer.member("snoozed", true) }
    if let band {
      writer.key("band")
      band.write(to: &writer)
    }
    if let bands {
      writer.key("bands")
      bands.write(to: &writer)
    }
    if let late {
      writer.key("late")
      late.write(to: &writer)
    }
    if let fireWithinUsec {
      writer.member("fire_within_usec", fireWithinUsec)
    }
    if let missed {
      writer.key("missed")
      missed.write(to: &writer)
    }
    if let `repeat` {
      writer.key("repeat")
      `repeat`.write(to: &writer)
    }
    if let calendar {
      writer.key("calendar")
      calendar.write(to: &writer)
    }
    if let zone {
      writer.key("zone")
      zone.write(to: &writer)
    }
    if let except {
      writer.key("except")
      except.write(to: &writer)
    }
    if let until {
      writer.key("until")
      until.write(to: &writer)
    }
    if let passedOverUsec {
      writer.key("passed_over_usec")
      passedOverUsec.write(to: &writer)
    }
    if let afterSleep {
      writer.key("after_sleep")
      afterSleep.write(to: &writer)
    }
    if let step {
      writer.key("step")
      step.write(to: &writer)
    }
    if let steps {
      writer.key("steps")
      steps.write(to: &writer)
    }
    if let longEvery {
      writer.member("long_every", longEvery)
    }
    if let laps {
      writer.key("laps")
      laps.write(to: &writer)
    }
    if let wake {
      writer.key("wake")
      wake.write(to: &writer)
    }
    if let ring {
      writer.key("ring")
      ring.write(to: &writer)
    }
    writer.key("labels")
    labels.write(to: &writer)
    writer.key("data")
    data.write(to: &writer)
    if let message {
      writer.key("message")
      message.write(to: &writer)
    }
    if let failure {
      writer.key("failure")
      failure.write(to: &writer)
    }
    writer.endObject()
  }
}

/// How far a timer that repeats has come.
package protocol RepetitionFields: JSONWritable {
  /// How often it has expired, skipped expiries included.
  var rung: Int64 { get }
  /// The time from one expiry of a countdown to the next.
  var periodUsec: Int64? { get }
  /// How often it will expire; absent if without end.
  var rounds: Int64? { get }
}

extension RepetitionFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("rung", rung)
    if let periodUsec {
      writer.member("period_usec", periodUsec)
    }
    if let rounds {
      writer.member("rounds", rounds)
    }
    writer.endObject()
  }
}

/// How far a sequence has come. Numbers begin at 1.
package protocol StepStateFields: JSONWritable {
  associatedtype NameValue: JSONWritable
  associatedtype NextNameValue: JSONWritable
  /// The step's number, counted through all rounds.
  var number: Int64 { get }
  /// The name of the step.
  var name: NameValue { get }
  /// The step is a break.
  var `break`: Bool { get }
  /// At its end the sequence waits for Advance.
  var waits: Bool { get }
  /// Its number within the round.
  var index: Int64 { get }
  /// How many steps a round has.
  var steps: Int64 { get }
  /// The round.
  var round: Int64 { get }
  /// How many rounds there are; absent if without end.
  var rounds: Int64? { get }
  /// The name of the next step; absent if there is none.
  var nextName: NextNameValue? { get }
  /// The length of the next step.
  var nextDurationUsec: Int64? { get }
}

extension StepStateFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("number", number)
    writer.key("name")
    name.write(to: &writer)
    writer.member("break", `break`)
    writer.member("waits", waits)
    writer.member("index", index)
    writer.member("steps", steps)
    writer.member("round", round)
    if let rounds {
      writer.member("rounds", rounds)
    }
    if let nextName {
      writer.key("next_name")
      nextName.write(to: &writer)
    }
    if let nextDurationUsec {
      writer.member("next_duration_usec", nextDurationUsec)
    }
    writer.endObject()
  }
}

/// Whether a timer can wake the machine.
package protocol WakeFields: JSONWritable {
  associatedtype ReasonValue: JSONWritable
  /// It can.
  var can: Bool { get }
  /// Why it cannot.
  var reason: ReasonValue? { get }
}

extension WakeFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("can", can)
    if let reason {
      writer.key("reason")
      reason.write(to: &writer)
    }
    writer.endObject()
  }
}

/// A part of the remaining time: from remaining_usec down to the next band. color and text: for the
/// client that shows the band. If a band has a progress, the timer's progress runs through that
/// range in this band.
package protocol BandFields: JSONWritable {
  associatedtype NameValue: JSONWritable
  associatedtype ColorValue: JSONWritable
  associatedtype TextValue: JSONWritable
  associatedtype ProgressValue: JSONWritable
  /// `name`
  var name: NameValue { get }
  /// `remaining_usec`
  var remainingUsec: Int64 { get }
  /// `color`
  var color: ColorValue? { get }
  /// `text`
  var text: TextValue? { get }
  /// `progress`
  var progress: ProgressValue? { get }
}

extension BandFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("name")
    name.write(to: &writer)
    writer.member("remaining_usec", remainingUsec)
    if let color {
      writer.key("color")
      color.write(to: &writer)
    }
    if let text {
      writer.key("text")
      text.write(to: &writer)
    }
    if let progress {
      writer.key("progress")
      progress.write(to: &writer)
    }
    writer.endObject()
  }
}

/// A range of progress, from 0 to 1, exact to a millionth. from may be greater than to.
package protocol ProgressRangeFields: JSONWritable {
  /// `from`
  var from: Double { get }
  /// `to`
  var to: Double { get }
}

extension ProgressRangeFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("from", from)
    writer.member("to", to)
    writer.endObject()
  }
}

/// A step of a sequence. duration_usec: its length. waits: at its end the sequence waits for
/// Advance. break: the step is a break; see AfterSleep. long_usec: its length in every
/// long_every-th round.
package protocol StepFields: JSONWritable {
  associatedtype NameValue: JSONWritable
  /// `name`
  var name: NameValue { get }
  /// `duration_usec`
  var durationUsec: Int64 { get }
  /// `waits`
  var waits: Bool { get }
  /// `break`
  var `break`: Bool { get }
  /// `long_usec`
  var longUsec: Int64? { get }
}

extension StepFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("name")
    name.write(to: &writer)
    writer.member("duration_usec", durationUsec)
    if waits { writer.member("waits", true) }
    if `break` { writer.member("break", true) }
    if let longUsec {
      writer.member("long_usec", longUsec)
    }
    writer.endObject()
  }
}

/// A background span. The daemon was in the background during this time.
package protocol SpanFields: JSONWritable {
  associatedtype CausesValue: JSONWritable
  /// Its number.
  var span: Int64 { get }
  /// Its causes, words of SpanCause; the first opened it.
  var causes: CausesValue { get }
  /// When it began.
  var enteredUsec: Int64 { get }
  /// When it ended; absent while it is open.
  var leftUsec: Int64? { get }
  /// How long it was.
  var elapsedUsec: Int64 { get }
  /// When it began or, after a reboot, how long it was, is not known exactly.
  var estimated: Bool { get }
}

extension SpanFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("span", span)
    writer.key("causes")
    causes.write(to: &writer)
    writer.member("entered_usec", enteredUsec)
    if let leftUsec {
      writer.member("left_usec", leftUsec)
    }
    writer.member("elapsed_usec", elapsedUsec)
    writer.member("estimated", estimated)
    writer.endObject()
  }
}

/// Two of the three counters by which timers are counted. Both continue after a reboot, and setting
/// the clock does not change them. A later span_corrected may correct elapsed. The third counter,
/// present, is not here: it is awake_usec minus the user's absences. Each absence is a span with
/// the cause away.
package protocol CountersFields: JSONWritable {
  /// All time that has passed, in microseconds.
  var elapsedUsec: Int64 { get }
  /// The time during which the machine and the daemon ran, in microseconds.
  var awakeUsec: Int64 { get }
}

extension CountersFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("elapsed_usec", elapsedUsec)
    writer.member("awake_usec", awakeUsec)
    writer.endObject()
  }
}

/// One entry of the ledger. rescheduled of an alarm has deadline_usec. rescheduled of a countdown
/// or a sequence has duration_usec: the clock was ahead, so the timer had counted too far, and it
/// returns to an earlier round or step. rung is then how often it has expired, or step_number and
/// step_name are the step. After one synchronisation there may be several of span_corrected, one
/// for each reboot since the kernel last reported the clock as synchronised.
package protocol EventFields: JSONWritable {
  associatedtype TypeValue: JSONWritable
  associatedtype NameValue: JSONWritable
  associatedtype RequestValue: JSONWritable
  associatedtype KindValue: JSONWritable
  associatedtype ClockValue: JSONWritable
  associatedtype LateCauseValue: JSONWritable
  associatedtype BandValue: JSONWritable
  associatedtype StepNameValue: JSONWritable
  associatedtype CommandValue: JSONWritable
  associatedtype OutcomeValue: JSONWritable
  associatedtype ReasonValue: JSONWritable
  associatedtype LastLinesValue: JSONWritable
  associatedtype RepeatValue: JSONWritable
  associatedtype AlarmValue: JSONWritable
  associatedtype SequenceValue: JSONWritable
  associatedtype RingValue: JSONWritable
  associatedtype LabelsValue: JSONWritable
  associatedtype DataValue: JSONWritable
  associatedtype BandsValue: JSONWritable
  associatedtype SpanValue: JSONWritable
  associatedtype NamesValue: JSONWritable
  associatedtype ZoneValue: JSONWritable
  associatedtype CountersValue: JSONWritable
  associatedtype MessageValue: JSONWritable
  associatedtype UndoneTypeValue: JSONWritable
  associatedtype NewNameValue: JSONWritable
  associatedtype OldNameValue: JSONWritable
  /// Its number; each event has the next one.
  var seq: Int64 { get }
  /// When it happened. It can be earlier than the event before it, if the clock was set.
  var timeUsec: Int64 { get }
  /// What happened, a word of TimerEvent, MachineEvent or ActionEvent.
  var type: TypeValue { get }
  /// The timer that it is about; absent if it is about the machine.
  var name: NameValue? { get }
  /// The request id that the client gave to the change.
  var request: RequestValue? { get }
  /// The id of that timer.
  var id: Int64? { get }
  /// What kind of timer was started, a word of Kind.
  var kind: KindValue? { get }
  /// The clock it was started on.
  var clock: ClockValue? { get }
  /// How late it rang.
  var lateUsec: Int64? { get }
  /// Why it rang late, a word of SpanCause or LateCause.
  var lateCause: LateCauseValue? { get }
  /// Of band_crossed, the band that began; absent if the timer is in no band.
  var band: BandValue? { get }
  /// The remaining time.
  var remainingUsec: Int64? { get }
  /// The number of the span it expired in, or that caused the event.
  var spanId: Int64? { get }
  /// That it was due, or how late it was, depends on a wall clock that the kernel did not report as
  /// synchronised.
  var estimated: Bool { get }
  /// How many expiries there were beside the event's own. For an alarm, 9999 or more means that
  /// there may be more.
  var missed: Int64? { get }
  /// How often it has expired, if it repeats.
  var rung: Int64? { get }
  /// The number of the sequence's step after the event, counted through all rounds from 1.
  var stepNumber: Int64? { get }
  /// The name of that step.
  var stepName: StepNameValue? { get }
  /// The number of the event on which the command runs.
  var eventSeq: Int64? { get }
  /// The command, cut to the length of a line.
  var command: CommandValue? { get }
  /// The number of this start of the command, from 1.
  var attempt: Int64? { get }
  /// How the command ended, a word of Outcome.
  var outcome: OutcomeValue? { get }
  /// The exit status that it ended with.
  var exitStatus: Int64? { get }
  /// The signal that ended it.
  var signal: Int64? { get }
  /// Why it could not be started.
  var reason: ReasonValue? { get }
  /// The timer's duration then, or how long a command ran. If a timer expires again, the planned
  /// time from this expiry to the next.
  var durationUsec: Int64? { get }
  /// How many bytes it printed.
  var printedBytes: Int64? { get }
  /// How many of those are not in the log.
  var droppedBytes: Int64? { get }
  /// The last lines that it printed, at most 3; absent unless it failed.
  var lastLines: LastLinesValue? { get }
  /// It was started to wake the machine.
  var wake: Bool { get }
  /// How the started countdown repeats.
  var `repeat`: RepeatValue? { get }
  /// The alarm that was started. Of updated, when a repeating alarm rings now, if that or its bands
  /// were changed.
  var alarm: AlarmValue? { get }
  /// The sequence that was started.
  var sequence: SequenceValue? { get }
  /// Its command and its sound; absent if it has neither.
  var ring: RingValue? { get }
  /// The labels it was given.
  var labels: LabelsValue? { get }
  /// The data it was given.
  var data: DataValue? { get }
  /// The bands it was given.
  var bands: BandsValue? { get }
  /// The time that a stopwatch shows.
  var elapsedUsec: Int64? { get }
  /// When it rings now.
  var deadlineUsec: Int64? { get }
  /// By how much it was extended, shortened or snoozed. Of span_corrected, by how much the counter
  /// of elapsed was wrong over a reboot.
  var byUsec: Int64? { get }
  /// Of span_corrected, the event at the end of that reboot. Deadlines that were set after it move
  /// as well.
  var sinceSeq: Int64? { get }
  /// Of span_corrected, the event at the end of the last reboot that it is about; absent if that is
  /// since_seq. A timer that did not run between these two events is not corrected by by_usec.
  var untilSeq: Int64? { get }
  /// Of span_corrected, how early the earliest ring was; absent if none was early.
  var earlyUsec: Int64? { get }
  /// The span that began, ended or was corrected.
  var span: SpanValue? { get }
  /// By how much the wall clock was set.
  var offsetUsec: Int64? { get }
  /// How many timers expired in a span.
  var count: Int64? { get }
  /// The first 256 timers that expired in a span.
  var names: NamesValue? { get }
  /// The zone of the machine.
  var zone: ZoneValue? { get }
  /// The daemon's counters; absent from events of older versions. Of did_enter_background, at the
  /// start of the span.
  var counters: CountersValue? { get }
  /// The message it was given; absent if it has none.
  var message: MessageValue? { get }
  /// The number of the ring for the same expiry, from 1.
  var ringNumber: Int64? { get }
  /// Of passed_over and reinstated, the time of that expiry, on CLOCK_REALTIME; absent for a paused
  /// countdown.
  var passedUsec: Int64? { get }
  /// Of undone, the number of the event that was undone.
  var undoneSeq: Int64? { get }
  /// Of undone, the type of the event that was undone, a word of TimerEvent.
  var undoneType: UndoneTypeValue? { get }
  /// Of renamed_to, the name that the timer has now.
  var newName: NewNameValue? { get }
  /// Of renamed_from, the name that it had.
  var oldName: OldNameValue? { get }
}

extension EventFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("seq", seq)
    writer.member("time_usec", timeUsec)
    writer.key("type")
    type.write(to: &writer)
    if let name {
      writer.key("name")
      name.write(to: &writer)
    }
    if let request {
      writer.key("request")
      request.write(to: &writer)
    }
    if let id {
      writer.member("id", id)
    }
    if let kind {
      writer.key("kind")
      kind.write(to: &writer)
    }
    if let clock {
      writer.key("clock")
      clock.write(to: &writer)
    }
    if let lateUsec {
      writer.member("late_usec", lateUsec)
    }
    if let lateCause {
      writer.key("late_cause")
      lateCause.write(to: &writer)
    }
    if let band {
      writer.key("band")
      band.write(to: &writer)
    }
    if let remainingUsec {
      writer.member("remaining_usec", remainingUsec)
    }
    if let spanId {
      writer.member("span_id", spanId)
    }
    if estimated { writer.member("estimated", true) }
    if let missed {
      writer.member("missed", missed)
    }
    if let rung {
      writer.member("rung", rung)
    }
    if let stepNumber {
      writer.member("step_number", stepNumber)
    }
    if let stepName {
      writer.key("step_name")
      stepName.write(to: &writer)
    }
    if let eventSeq {
      writer.member("event_seq", eventSeq)
    }
    if let command {
      writer.key("command")
      command.write(to: &writer)
    }
    if let attempt {
      writer.member("attempt", attempt)
    }
    if let outcome {
      writer.key("outcome")
      outcome.write(to: &writer)
    }
    if let exitStatus {
      writer.member("exit_status", exitStatus)
    }
    if let signal {
      writer.member("signal", signal)
    }
    if let reason {
      writer.key("reason")
      reason.write(to: &writer)
    }
    if let durationUsec {
      writer.member("duration_usec", durationUsec)
    }
    if let printedBytes {
      writer.member("printed_bytes", printedBytes)
    }
    if let droppedBytes {
      writer.member("dropped_bytes", droppedBytes)
    }
    if let lastLines {
      writer.key("last_lines")
      lastLines.write(to: &writer)
    }
    if wake { writer.member("wake", true) }
    if let `repeat` {
      writer.key("repeat")
      `repeat`.write(to: &writer)
    }
    if let alarm {
      writer.key("alarm")
      alarm.write(to: &writer)
    }
    if let sequence {
      writer.key("sequence")
      sequence.write(to: &writer)
    }
    if let ring {
      writer.key("ring")
      ring.write(to: &writer)
    }
    if let labels {
      writer.key("labels")
      labels.write(to: &writer)
    }
    if let data {
      writer.key("data")
      data.write(to: &writer)
    }
    if let bands {
      writer.key("bands")
      bands.write(to: &writer)
    }
    if let elapsedUsec {
      writer.member("elapsed_usec", elapsedUsec)
    }
    if let deadlineUsec {
      writer.member("deadline_usec", deadlineUsec)
    }
    if let byUsec {
      writer.member("by_usec", byUsec)
    }
    if let sinceSeq {
      writer.member("since_seq", sinceSeq)
    }
    if let untilSeq {
      writer.member("until_seq", untilSeq)
    }
    if let earlyUsec {
      writer.member("early_usec", earlyUsec)
    }
    if let span {
      writer.key("span")
      span.write(to: &writer)
    }
    if let offsetUsec {
      writer.member("offset_usec", offsetUsec)
    }
    if let count {
      writer.member("count", count)
    }
    if let names {
      writer.key("names")
      names.write(to: &writer)
    }
    if let zone {
      writer.key("zone")
      zone.write(to: &writer)
    }
    if let counters {
      writer.key("counters")
      counters.write(to: &writer)
    }
    if let message {
      writer.key("message")
      message.write(to: &writer)
    }
    if let ringNumber {
      writer.member("ring_number", ringNumber)
    }
    if let passedUsec {
      writer.member("passed_usec", passedUsec)
    }
    if let undoneSeq {
      writer.member("undone_seq", undoneSeq)
    }
    if let undoneType {
      writer.key("undone_type")
      undoneType.write(to: &writer)
    }
    if let newName {
      writer.key("new_name")
      newName.write(to: &writer)
    }
    if let oldName {
      writer.key("old_name")
      oldName.write(to: &writer)
    }
    writer.endObject()
  }
}

/// When an alarm rings: at the point in time at_usec, or at each time of a calendar expression in
/// the format of systemd.time(7). The zone is a name of the time zone database, in the expression
/// or in zone, or else the machine's own zone. rounds: how often it rings; without end if it is 0
/// or absent. except: the days of that zone on which it does not ring, each a date such as
/// 2026-12-24 or a range such as 2026-12-24..2027-01-01. until: the date of the last day on which
/// it rings. except and until are for a calendar expression. An alarm is on the clock wall.
package protocol AlarmFields: JSONWritable {
  associatedtype CalendarValue: JSONWritable
  associatedtype ZoneValue: JSONWritable
  associatedtype ExceptValue: JSONWritable
  associatedtype UntilValue: JSONWritable
  /// `at_usec`
  var atUsec: Int64? { get }
  /// `calendar`
  var calendar: CalendarValue? { get }
  /// `zone`
  var zone: ZoneValue? { get }
  /// `rounds`
  var rounds: Int64? { get }
  /// `except`
  var except: ExceptValue? { get }
  /// `until`
  var until: UntilValue? { get }
}

extension AlarmFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if let atUsec {
      writer.member("at_usec", atUsec)
    }
    if let calendar {
      writer.key("calendar")
      calendar.write(to: &writer)
    }
    if let zone {
      writer.key("zone")
      zone.write(to: &writer)
    }
    if let rounds {
      writer.member("rounds", rounds)
    }
    if let except {
      writer.key("except")
      except.write(to: &writer)
    }
    if let until {
      writer.key("until")
      until.write(to: &writer)
    }
    writer.endObject()
  }
}

/// rounds: how often it rings; without end if it is 0 or absent.
package protocol RepeatFields: JSONWritable {
  /// `rounds`
  var rounds: Int64? { get }
}

extension RepeatFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    if let rounds {
      writer.member("rounds", rounds)
    }
    writer.endObject()
  }
}

/// rounds: how often all steps run; 1 unless given, without end if it is 0. long_every: in every
/// long_every-th round the steps take their long_usec. after_sleep: continue unless given.
package protocol SequenceFields: JSONWritable {
  associatedtype StepsValue: JSONWritable
  associatedtype AfterSleepValue: JSONWritable
  /// `steps`
  var steps: StepsValue { get }
  /// `long_every`
  var longEvery: Int64? { get }
  /// `rounds`
  var rounds: Int64? { get }
  /// `after_sleep`
  var afterSleep: AfterSleepValue? { get }
}

extension SequenceFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("steps")
    steps.write(to: &writer)
    if let longEvery {
      writer.member("long_every", longEvery)
    }
    if let rounds {
      writer.member("rounds", rounds)
    }
    if let afterSleep {
      writer.key("after_sleep")
      afterSleep.write(to: &writer)
    }
    writer.endObject()
  }
}

/// The numbers of timers in each state, and of connections.
package protocol CountsFields: JSONWritable {
  /// Timers that run, without those that ring.
  var running: Int64 { get }
  /// Timers that are paused.
  var paused: Int64 { get }
  /// Timers that rang and wait to be dismissed, and timers that continue while they ring.
  var fired: Int64 { get }
  /// Timers that were cancelled.
  var cancelled: Int64 { get }
  /// Sequences that wait for Advance.
  var waiting: Int64 { get }
  /// Connections.
  var clients: Int64 { get }
  /// Connections that watch, or follow events.
  var watchers: Int64 { get }
}

extension CountsFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("running", running)
    writer.member("paused", paused)
    writer.member("fired", fired)
    writer.member("cancelled", cancelled)
    writer.member("waiting", waiting)
    writer.member("clients", clients)
    writer.member("watchers", watchers)
    writer.endObject()
  }
}

/// All clocks at one moment.
package protocol ClockReadingFields: JSONWritable {
  associatedtype BootIdValue: JSONWritable
  /// CLOCK_REALTIME.
  var realtimeUsec: Int64 { get }
  /// CLOCK_BOOTTIME.
  var boottimeUsec: Int64 { get }
  /// CLOCK_MONOTONIC.
  var monotonicUsec: Int64 { get }
  /// The kernel's ID of this boot.
  var bootId: BootIdValue { get }
}

extension ClockReadingFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("realtime_usec", realtimeUsec)
    writer.member("boottime_usec", boottimeUsec)
    writer.member("monotonic_usec", monotonicUsec)
    writer.key("boot_id")
    bootId.write(to: &writer)
    writer.endObject()
  }
}

/// The disk.
package protocol StorageFields: JSONWritable {
  associatedtype ReasonValue: JSONWritable
  associatedtype StateDirectoryValue: JSONWritable
  associatedtype LedgerValue: JSONWritable
  associatedtype SetAsideValue: JSONWritable
  associatedtype LossValue: JSONWritable
  /// Acknowledged changes are on disk.
  var ok: Bool { get }
  /// Why not.
  var reason: ReasonValue? { get }
  /// The state directory.
  var stateDirectory: StateDirectoryValue { get }
  /// The version of the database's schema.
  var schemaVersion: Int64 { get }
  /// The name of the ledger that numbers the events. No other ledger has this name.
  var ledger: LedgerValue { get }
  /// The oldest event in the ledger.
  var oldestSeq: Int64 { get }
  /// The newest event in the ledger; 0 if there is none.
  var lastSeq: Int64 { get }
  /// The file that a damaged database was moved to.
  var setAside: SetAsideValue? { get }
  /// The data that was found missing since the daemon was started.
  var loss: LossValue? { get }
}

extension StorageFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("ok", ok)
    if let reason {
      writer.key("reason")
      reason.write(to: &writer)
    }
    writer.key("state_directory")
    stateDirectory.write(to: &writer)
    writer.member("schema_version", schemaVersion)
    writer.key("ledger")
    ledger.write(to: &writer)
    writer.member("oldest_seq", oldestSeq)
    writer.member("last_seq", lastSeq)
    if let setAside {
      writer.key("set_aside")
      setAside.write(to: &writer)
    }
    if let loss {
      writer.key("loss")
      loss.write(to: &writer)
    }
    writer.endObject()
  }
}

/// A change of the database by something other than the daemon: it was removed, cut short or
/// damaged, or an older state of it was restored.
package protocol LossFields: JSONWritable {
  associatedtype ReasonValue: JSONWritable
  associatedtype KeptAsValue: JSONWritable
  /// What was found.
  var reason: ReasonValue { get }
  /// The first missing event; absent if none is known to be missing.
  var firstSeq: Int64? { get }
  /// The last missing event.
  var lastSeq: Int64? { get }
  /// The file in the state directory to which the database was moved.
  var keptAs: KeptAsValue? { get }
}

extension LossFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("reason")
    reason.write(to: &writer)
    if let firstSeq {
      writer.member("first_seq", firstSeq)
    }
    if let lastSeq {
      writer.member("last_seq", lastSeq)
    }
    if let keptAs {
      writer.key("kept_as")
      keptAs.write(to: &writer)
    }
    writer.endObject()
  }
}

/// A command that failed.
package protocol CommandFailureFields: JSONWritable {
  associatedtype CommandValue: JSONWritable
  associatedtype OutcomeValue: JSONWritable
  associatedtype ReasonValue: JSONWritable
  associatedtype LastLinesValue: JSONWritable
  /// The command, cut to the length of a line.
  var command: CommandValue { get }
  /// The number of the event on which it ran.
  var eventSeq: Int64 { get }
  /// When it ended.
  var timeUsec: Int64 { get }
  /// How it ended, a word of Outcome.
  var outcome: OutcomeValue { get }
  /// The exit status that it ended with.
  var exitStatus: Int64? { get }
  /// The signal that ended it.
  var signal: Int64? { get }
  /// Why it could not be started.
  var reason: ReasonValue? { get }
  /// The last lines that it printed, at most 3; absent if it printed nothing. The log has all of
  /// them.
  var lastLines: LastLinesValue? { get }
}

extension CommandFailureFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("command")
    command.write(to: &writer)
    writer.member("event_seq", eventSeq)
    writer.member("time_usec", timeUsec)
    writer.key("outcome")
    outcome.write(to: &writer)
    if let exitStatus {
      writer.member("exit_status", exitStatus)
    }
    if let signal {
      writer.member("signal", signal)
    }
    if let reason {
      writer.key("reason")
      reason.write(to: &writer)
    }
    if let lastLines {
      writer.key("last_lines")
      lastLines.write(to: &writer)
    }
    writer.endObject()
  }
}

/// How the daemon learns of sleep.
package protocol SleepFields: JSONWritable {
  associatedtype ReasonValue: JSONWritable
  /// Sleep signals of logind reach the daemon. If not, the daemon detects sleep by the clocks.
  var seen: Bool { get }
  /// The daemon holds a delay inhibitor.
  var inhibitor: Bool { get }
  /// Why sleep is not announced, or why there is no inhibitor.
  var reason: ReasonValue? { get }
  /// The daemon keeps the machine awake, because a timer woke it, and no user has seen the timer
  /// yet.
  var keptAwake: Bool { get }
}

extension SleepFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("seen", seen)
    writer.member("inhibitor", inhibitor)
    if let reason {
      writer.key("reason")
      reason.write(to: &writer)
    }
    writer.member("kept_awake", keptAwake)
    writer.endObject()
  }
}

/// Whether the user is there; the clock present depends on it.
package protocol PresenceFields: JSONWritable {
  associatedtype ReasonValue: JSONWritable
  /// logind says whether the user's graphical sessions are locked or idle. If it does not, the
  /// clock present counts like awake.
  var seen: Bool { get }
  /// All of them are locked or idle: the user is away.
  var away: Bool { get }
  /// Why logind does not say it.
  var reason: ReasonValue? { get }
}

extension PresenceFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("seen", seen)
    writer.member("away", away)
    if let reason {
      writer.key("reason")
      reason.write(to: &writer)
    }
    writer.endObject()
  }
}

/// Whether the user notices a ring, or would.
package protocol RingReportFields: JSONWritable {
  associatedtype ServerValue: JSONWritable
  associatedtype PlayerValue: JSONWritable
  associatedtype ReasonValue: JSONWritable
  /// The notification server shows it on the desktop: the one in server, or one that the session
  /// bus starts.
  var seen: Bool { get }
  /// The notification server plays a sound, or player does.
  var heard: Bool { get }
  /// The name and version of the running notification server.
  var server: ServerValue? { get }
  /// The program that plays the sound, if the server does not.
  var player: PlayerValue? { get }
  /// Why it is not seen, or not heard.
  var reason: ReasonValue? { get }
  /// The notification server reports that it is paused (do not disturb), and does not show what it
  /// gets. Only TestRing asks for it, and only dunst and Plasma's server are known to report it.
  var paused: Bool { get }
}

extension RingReportFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("seen", seen)
    writer.member("heard", heard)
    if let server {
      writer.key("server")
      server.write(to: &writer)
    }
    if let player {
      writer.key("player")
      player.write(to: &writer)
    }
    if let reason {
      writer.key("reason")
      reason.write(to: &writer)
    }
    if paused { writer.member("paused", true) }
    writer.endObject()
  }
}

/// How many commands of timers and hooks there are.
package protocol CommandsFields: JSONWritable {
  /// How many commands run.
  var running: Int64 { get }
  /// How many commands wait for others to end.
  var waiting: Int64 { get }
}

extension CommandsFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("running", running)
    writer.member("waiting", waiting)
    writer.endObject()
  }
}

/// A reply of `Start`.
package protocol StartReply {
  associatedtype TimerValue: JSONWritable
  /// `timer`
  var timer: TimerValue { get }
  /// `created`
  var created: Bool { get }
}

extension StartReply {
  /// Writes a whole reply. `continues`: more replies follow. O(n).
  package func write(to writer: inout JSONWriter, continues: Bool = false) {
    writer.beginReply()
    writer.key("timer")
    timer.write(to: &writer)
    writer.member("created", created)
    writer.endReply(continues: continues)
  }
}

/// A reply of `List`.
package protocol ListReply {
  associatedtype TimersValue: JSONWritable
  /// `timers`
  var timers: TimersValue { get }
  /// `next`
  var next: Int64? { get }
}

extension ListReply {
  /// Writes a whole reply. `continues`: more replies follow. O(n).
  package func write(to writer: inout JSONWriter, continues: Bool = false) {
    writer.beginReply()
    writer.key("timers")
    timers.write(to: &writer)
    if let next {
      writer.member("next", next)
    }
    writer.endReply(continues: continues)
  }
}

/// A reply of `Watch`.
package protocol WatchReply {
  associatedtype TimerValue: JSONWritable
  associatedtype EventValue: JSONWritable
  associatedtype NameValue: JSONWritable
  associatedtype LedgerValue: JSONWritable
  /// `timer`
  var timer: TimerValue? { get }
  /// `event`
  var event: EventValue? { get }
  /// `synced`
  var synced: Bool { get }
  /// `seq`
  var seq: Int64? { get }
  /// `missed_after`
  var missedAfter: Int64? { get }
  /// `name`
  var name: NameValue? { get }
  /// `ledger`
  var ledger: LedgerValue? { get }
}

extension WatchReply {
  /// Writes a whole reply. `continues`: more replies follow. O(n).
  package func write(to writer: inout JSONWriter, continues: Bool = false) {
    writer.beginReply()
    if let timer {
      writer.key("timer")
      timer.write(to: &writer)
    }
    if let event {
      writer.key("event")
      event.write(to: &writer)
    }
    if synced { writer.member("synced", true) }
    if let seq {
      writer.member("seq", seq)
    }
    if let missedAfter {
      writer.member("missed_after", missedAfter)
    }
    if let name {
      writer.key("name")
      name.write(to: &writer)
    }
    if let ledger {
      writer.key("ledger")
      ledger.write(to: &writer)
    }
    writer.endReply(continues: continues)
  }
}

/// A reply of `Events`.
package protocol EventsReply {
  associatedtype EventValue: JSONWritable
  associatedtype LedgerValue: JSONWritable
  /// `event`
  var event: EventValue { get }
  /// `ledger`
  var ledger: LedgerValue? { get }
}

extension EventsReply {
  /// Writes a whole reply. `continues`: more replies follow. O(n).
  package func write(to writer: inout JSONWriter, continues: Bool = false) {
    writer.beginReply()
    writer.key("event")
    event.write(to: &writer)
    if let ledger {
      writer.key("ledger")
      ledger.write(to: &writer)
    }
    writer.endReply(continues: continues)
  }
}

/// A reply of `Status`.
package protocol StatusReply {
  associatedtype VersionValue: JSONWritable
  associatedtype OpenSpanValue: JSONWritable
  associatedtype LastSpanValue: JSONWritable
  associatedtype CountsValue: JSONWritable
  associatedtype NextNameValue: JSONWritable
  associatedtype ClocksValue: JSONWritable
  associatedtype StorageValue: JSONWritable
  associatedtype SleepValue: JSONWritable
  associatedtype WakeValue: JSONWritable
  associatedtype PresenceValue: JSONWritable
  associatedtype RingValue: JSONWritable
  associatedtype CommandsValue: JSONWritable
  associatedtype WarningValue: JSONWritable
  /// The version of the daemon.
  var version: VersionValue { get }
  /// The ID of its process.
  var pid: Int64 { get }
  /// When it was started.
  var startedUsec: Int64 { get }
  /// Since when it has been in the foreground; absent while a span is open.
  var foregroundSinceUsec: Int64? { get }
  /// The span that is open.
  var openSpan: OpenSpanValue? { get }
  /// The span that ended last.
  var lastSpan: LastSpanValue? { get }
  /// How many timers and clients there are.
  var counts: CountsValue { get }
  /// The timer that rings next.
  var nextName: NextNameValue? { get }
  /// When it rings.
  var nextUsec: Int64? { get }
  /// All clocks at one moment.
  var clocks: ClocksValue { get }
  /// The kernel reports the wall clock as synchronised.
  var clockSynchronized: Bool { get }
  /// The disk.
  var storage: StorageValue { get }
  /// How the daemon learns of sleep.
  var sleep: SleepValue { get }
  /// Whether a timer could wake the machine.
  var wake: WakeValue { get }
  /// Whether the user is there.
  var presence: PresenceValue { get }
  /// Whether a ring would be noticed.
  var ring: RingValue { get }
  /// How many commands of timers and hooks run and wait.
  var commands: CommandsValue { get }
  /// The longest iteration of the daemon's loop.
  var longestPassUsec: Int64 { get }
  /// A failure that the daemon survived, and that the user should know of.
  var warning: WarningValue? { get }
}

extension StatusReply {
  /// Writes a whole reply. `continues`: more replies follow. O(n).
  package func write(to writer: inout JSONWriter, continues: Bool = false) {
    writer.beginReply()
    writer.key("version")
    version.write(to: &writer)
    writer.member("pid", pid)
    writer.member("started_usec", startedUsec)
    if let foregroundSinceUsec {
      writer.member("foreground_since_usec", foregroundSinceUsec)
    }
    if let openSpan {
      writer.key("open_span")
      openSpan.write(to: &writer)
    }
    if let lastSpan {
      writer.key("last_span")
      lastSpan.write(to: &writer)
    }
    writer.key("counts")
    counts.write(to: &writer)
    if let nextName {
      writer.key("next_name")
      nextName.write(to: &writer)
    }
    if let nextUsec {
      writer.member("next_usec", nextUsec)
    }
    writer.key("clocks")
    clocks.write(to: &writer)
    writer.member("clock_synchronized", clockSynchronized)
    writer.key("storage")
    storage.write(to: &writer)
    writer.key("sleep")
    sleep.write(to: &writer)
    writer.key("wake")
    wake.write(to: &writer)
    writer.key("presence")
    presence.write(to: &writer)
    writer.key("ring")
    ring.write(to: &writer)
    writer.key("commands")
    commands.write(to: &writer)
    writer.member("longest_pass_usec", longestPassUsec)
    if let warning {
      writer.key("warning")
      warning.write(to: &writer)
    }
    writer.endReply(continues: continues)
  }
}

/// A reply of `Undo`.
package protocol UndoReply {
  associatedtype TypeValue: JSONWritable
  associatedtype TimersValue: JSONWritable
  associatedtype KeptNamesValue: JSONWritable
  /// The type of the event that was undone, a word of TimerEvent.
  var type: TypeValue { get }
  /// How long ago the change was made.
  var agoUsec: Int64 { get }
  /// The timers as they are now, at most the first 256.
  var timers: TimersValue { get }
  /// How many timers were restored.
  var count: Int64 { get }
  /// How many timers of the change stay as they are, because something else happened to them since.
  var kept: Int64 { get }
  /// Their names, at most the first 256.
  var keptNames: KeptNamesValue { get }
}

extension UndoReply {
  /// Writes a whole reply. `continues`: more replies follow. O(n).
  package func write(to writer: inout JSONWriter, continues: Bool = false) {
    writer.beginReply()
    writer.key("type")
    type.write(to: &writer)
    writer.member("ago_usec", agoUsec)
    writer.key("timers")
    timers.write(to: &writer)
    writer.member("count", count)
    writer.member("kept", kept)
    writer.key("kept_names")
    keptNames.write(to: &writer)
    writer.endReply(continues: continues)
  }
}

/// A reply of `TestRing`.
package protocol TestRingReply {
  associatedtype RingValue: JSONWritable
  /// `ring`
  var ring: RingValue { get }
}

extension TestRingReply {
  /// Writes a whole reply. `continues`: more replies follow. O(n).
  package func write(to writer: inout JSONWriter, continues: Bool = false) {
    writer.beginReply()
    writer.key("ring")
    ring.write(to: &writer)
    writer.endReply(continues: continues)
  }
}

/// A reply of `Why`.
package protocol WhyReply {
  associatedtype SpansValue: JSONWritable
  associatedtype EventsValue: JSONWritable
  /// The background spans since the timer was started.
  var spans: SpansValue { get }
  /// Its events, in order.
  var events: EventsValue { get }
}

extension WhyReply {
  /// Writes a whole reply. `continues`: more replies follow. O(n).
  package func write(to writer: inout JSONWriter, continues: Bool = false) {
    writer.beginReply()
    writer.key("spans")
    spans.write(to: &writer)
    writer.key("events")
    events.write(to: &writer)
    writer.endReply(continues: continues)
  }
}

/// A reply of `HoldRings`.
package protocol HoldRingsReply {
  /// `hold`
  var hold: Int64 { get }
  /// `span_id`
  var spanId: Int64? { get }
}

extension HoldRingsReply {
  /// Writes a whole reply. `continues`: more replies follow. O(n).
  package func write(to writer: inout JSONWriter, continues: Bool = false) {
    writer.beginReply()
    writer.member("hold", hold)
    if let spanId {
      writer.member("span_id", spanId)
    }
    writer.endReply(continues: continues)
  }
}
