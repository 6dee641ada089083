// Made from org.nightjar.Timers.varlink by varlink-swift. Do not edit: run `make generate`.

package import NightjarVarlink

/// A timer as it is now.
package protocol TimerFields: JSONWritable {
  associatedtype NameValue: JSONWritable
  associatedtype KindValue: JSONWritable
  associatedtype StateValue: JSONWritable
  associatedtype ClockValue: JSONWritable
  associatedtype LateCauseValue: JSONWritable
  associatedtype BandValue: JSONWritable
  associatedtype BandsValue: JSONWritable
  associatedtype LateValue: JSONWritable
  associatedtype MissedValue: JSONWritable
  associatedtype RepeatValue: JSONWritable
  associatedtype CalendarValue: JSONWritable
  associatedtype ZoneValue: JSONWritable
  associatedtype AfterSleepValue: JSONWritable
  associatedtype StepValue: JSONWritable
  associatedtype StepsValue: JSONWritable
  associatedtype LapsValue: JSONWritable
  associatedtype WakeValue: JSONWritable
  associatedtype RingValue: JSONWritable
  associatedtype LabelsValue: JSONWritable
  associatedtype DataValue: JSONWritable
  /// Each start has a new one, also under the same name.
  var id: Int64 { get }
  /// Its name.
  var name: NameValue { get }
  /// What it does, a word of Kind.
  var kind: KindValue { get }
  /// What it is doing.
  var state: StateValue { get }
  /// Which time it counts.
  var clock: ClockValue { get }
  /// The length of the present run, round or step, with all that was added.
  var durationUsec: Int64 { get }
  /// What is left of it.
  var remainingUsec: Int64 { get }
  /// What has passed of it. For a stopwatch, what it has measured.
  var elapsedUsec: Int64 { get }
  /// The part of it that has passed, from 0 to 1. In a band that has a progress, a value in that
  /// range.
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
  /// How long ago it rang; absent unless it did.
  var firedAgoUsec: Int64? { get }
  /// How late it rang; absent unless it did.
  var lateUsec: Int64? { get }
  /// Why it rang late, a word of SpanCause or LateCause; absent if it rang on time, or if only a
  /// short delay made it late.
  var lateCause: LateCauseValue? { get }
  /// How early that ring was, because the clock was ahead; absent if it was not early, or if that
  /// is not known.
  var earlyUsec: Int64? { get }
  /// Only a wall clock that was not vouched for said that it was due, or how late it was.
  var estimated: Bool { get }
  /// It is due by a wall clock that is not vouched for. It waits until the clock is, for as long as
  /// [clock] wait says: 1 minute, if the configuration does not set it.
  var waitsForClock: Bool { get }
  /// It expired in the background without a ring, as its policy says.
  var skipped: Bool { get }
  /// The band it is in.
  var band: BandValue? { get }
  /// All its bands, the one with the most time remaining first.
  var bands: BandsValue? { get }
  /// What becomes of it if it expires in the background; absent if it is fire.
  var late: LateValue? { get }
  /// It rings if it is late by no more than this, in place of late.
  var fireWithinUsec: Int64? { get }
  /// What becomes of it if it expires in the background several times; absent if it is once.
  var missed: MissedValue? { get }
  /// How far it has come, if it repeats.
  var `repeat`: RepeatValue? { get }
  /// The calendar expression of an alarm that repeats.
  var calendar: CalendarValue? { get }
  /// The zone of the calendar expression; absent if the expression names its zone, or if it is the
  /// zone of the machine.
  var zone: ZoneValue? { get }
  /// What a sequence does after a background span.
  var afterSleep: AfterSleepValue? { get }
  /// How far a sequence has come.
  var step: StepValue? { get }
  /// All steps of a sequence.
  var steps: StepsValue? { get }
  /// In every so many rounds of a sequence, steps take their long time; absent if no step has one.
  var longEvery: Int64? { get }
  /// What a stopwatch had measured at each lap, in microseconds.
  var laps: LapsValue? { get }
  /// Whether it can wake the machine; absent unless it is to.
  var wake: WakeValue? { get }
  /// Its command and its sound; absent if it has neither.
  var ring: RingValue? { get }
  /// Its labels, in their order.
  var labels: LabelsValue { get }
  /// Its owner's data.
  var data: DataValue { get }
}

extension TimerFields {
  /// Writes an object. O(n).
  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
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
    if waitsForClock { writer.member("waits_for_clock", true) }
    if skipped { writer.member("skipped", true) }
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
    writer.endObject()
  }
}

/// How far a timer that repeats has come.
package protocol RepetitionFields: JSONWritable {
  /// How often it has expired.
  var rung: Int64 { get }
  /// The time from one expiry of a countdown to the next.
  var periodUsec: Int64? { get }
  /// How often it will expire; absent if without end.
  var rounds: Int64? { get }
  /// It counts down a snooze now. Its repetition continues afterwards.
  var snoozed: Bool { get }
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
    writer.member("snoozed", snoozed)
    writer.endObject()
  }
}

/// How far a sequence has come. Numbers begin at 1.
package protocol StepStateFields: JSONWritable {
  associatedtype NameValue: JSONWritable
  associatedtype NextNameValue: JSONWritable
  /// The step's number, counted through all rounds.
  var number: Int64 { get }
  /// What it is called.
  var name: NameValue { get }
  /// It is a break.
  var `break`: Bool { get }
  /// At its end it waits for Advance.
  var waits: Bool { get }
  /// Its number in the round.
  var index: Int64 { get }
  /// How many steps a round has.
  var steps: Int64 { get }
  /// The round.
  var round: Int64 { get }
  /// How many rounds there are; absent if without end.
  var rounds: Int64? { get }
  /// What the next step is called; absent if there is none.
  var nextName: NextNameValue? { get }
  /// How long that takes.
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

/// A part of the time that remains: from remaining_usec down to the next band. If a band has a
/// progress, the timer's progress goes through that range in it.
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

/// From where to where progress goes, from 0 to 1, exact to a millionth. from may be greater than
/// to.
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

/// A step of a sequence. waits: at its end the sequence waits for Advance. break: the step is a
/// break, as AfterSleep says. long_usec: how long it takes in every long_every-th round.
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

/// A background span: a stretch of time that was hidden from the daemon.
package protocol SpanFields: JSONWritable {
  associatedtype CausesValue: JSONWritable
  /// Its number.
  var span: Int64 { get }
  /// Its causes, words of SpanCause; the first opened it.
  var causes: CausesValue { get }
  /// When it was entered.
  var enteredUsec: Int64 { get }
  /// When it was left; absent while it lasts.
  var leftUsec: Int64? { get }
  /// How long it was.
  var elapsedUsec: Int64 { get }
  /// It is not known exactly when it was entered or, after a reboot, how long it was.
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

/// The two counters that timers are counted by. Both outlive reboots, and no step of the clock
/// moves them. A later span_corrected may say that elapsed was wrong.
package protocol CountersFields: JSONWritable {
  /// In microseconds: all time that passed.
  var elapsedUsec: Int64 { get }
  /// The time in which the machine and the daemon ran, likewise.
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
