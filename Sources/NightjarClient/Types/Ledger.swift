public import NightjarWire

/// A stretch of time that was hidden from the daemon; the type `Span` of the interface.
public struct BackgroundSpan: Equatable, Sendable {
  /// Its number.
  public let number: Int64
  /// Its causes, `sleep`, `stop`, `down`, `reboot` or `freeze`; the first opened it.
  public let causes: [Cause]
  /// When it was entered, in microseconds since the epoch.
  package let enteredUsec: Int64
  /// When it was left, in microseconds since the epoch; nil while it lasts.
  package let leftUsec: Int64?
  /// How long it was, in microseconds.
  package let elapsedUsec: Int64
  /// Nobody could say exactly when it was entered, or how long it was.
  public let isEstimated: Bool

  /// Reads a span from what the daemon sent.
  ///
  /// - Parameter json: an object of the interface's type `Span`.
  /// - Throws: `ClientError.protocolViolation` if something that must be there is not.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "span")
    number = try fields.integer("span")
    causes = try fields.array("causes").compactMap { $0.stringValue.map(Cause.init(rawValue:)) }
    enteredUsec = try fields.integer("entered_usec")
    leftUsec = try fields.optionalInteger("left_usec")
    elapsedUsec = try fields.integer("elapsed_usec")
    isEstimated = try fields.bool("estimated")
  }
}

/// One entry of the ledger; the type `Event` of the interface.
public struct Event: Equatable, Sendable {
  /// Its number, which grows by one with each.
  public let seq: Int64
  /// When, in microseconds since the epoch; may go back when the clock is set.
  package let timeUsec: Int64
  /// What happened.
  public let type: EventType
  /// The timer it happened to; nil if it happened to the machine.
  public let name: String?
  /// That timer's ID.
  public let id: Int64?
  /// The clock it was started on.
  public let clock: NightjarTimer.Clock?
  /// Its duration then, or how long a command ran, in microseconds.
  package let durationUsec: Int64?
  /// What remained then, in microseconds.
  package let remainingUsec: Int64?
  /// By how much it was extended, shortened or snoozed, in microseconds.
  package let byUsec: Int64?
  /// Of a correction, the number of the event with which the reboot's span was left: what was set behind
  /// that moves along.
  public let sinceSeq: Int64?
  /// How late it fired, in microseconds.
  package let lateUsec: Int64?
  /// Why it fired late.
  public let lateCause: Cause?
  /// It rang only because of a wall clock that was not vouched for.
  public let isEstimated: Bool
  /// Of a correction, how early the earliest ring turned out to have been, in microseconds; nil: none was.
  package let earlyUsec: Int64?
  /// The span that was entered, left or corrected.
  public let span: BackgroundSpan?
  /// By how much the wall clock was set, in microseconds.
  package let offsetUsec: Int64?
  /// What kind of timer was started.
  public let kind: NightjarTimer.Kind?
  /// How many more came due than the event itself stands for.
  public let missed: Int64?
  /// How often it has come due, if it repeats.
  public let rung: Int64?
  /// The step that a sequence is in then, counted on through all rounds from 1.
  public let stepNumber: Int64?
  /// What that step is called.
  public let stepName: String?
  /// The band that is in force then; nil: none is, or that is not what happened.
  public let band: Band?
  /// What a stopwatch has measured, in microseconds.
  package let elapsedUsec: Int64?
  /// When it rings now, in microseconds since the epoch.
  package let deadlineUsec: Int64?
  /// The number of the span it came due in, or that did this.
  public let spanNumber: Int64?
  /// The first of what came due in a span.
  public let names: [String]
  /// How many came due in a span.
  public let count: Int64?
  /// The machine's own zone.
  public let zone: String?
  /// The labels it was given; nil if that is not what happened.
  public let labels: [NightjarTimer.Label]?
  /// The data it was given; nil if that is not what happened.
  public let data: JSONValue?
  /// What was started; nil if that is not what happened, or of a kind this library does not know.
  public let started: NewTimer.Kind?
  /// What it does beside saying that it rings; nil: nothing, or that is not what happened.
  public let ring: NightjarTimer.Ring?
  /// The number of the event that called for a command.
  public let callingSeq: Int64?
  /// The command, as far as a line has room for it.
  public let command: String?
  /// Which time it is that the command was started.
  public let attempt: Int64?
  /// How the command ended.
  public let outcome: ActionOutcome?
  /// The exit status that it ended with.
  public let exitStatus: Int64?
  /// The signal that it was ended by.
  public let signal: Int64?
  /// Why it could not be started.
  public let reason: String?
  /// How many bytes it printed.
  public let printedBytes: Int64?
  /// How many of those are not in the log.
  public let droppedBytes: Int64?

  /// Reads an event from what the daemon sent.
  ///
  /// - Parameter json: an object of the interface's type `Event`.
  /// - Throws: `ClientError.protocolViolation` if something that must be there is not.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "event")
    seq = try fields.integer("seq")
    timeUsec = try fields.integer("time_usec")
    type = EventType(rawValue: try fields.string("type"))
    name = try fields.optionalString("name")
    id = try fields.optionalInteger("id")
    clock = try fields.optionalString("clock").map(NightjarTimer.Clock.init(rawValue:))
    durationUsec = try fields.optionalInteger("duration_usec")
    remainingUsec = try fields.optionalInteger("remaining_usec")
    byUsec = try fields.optionalInteger("by_usec")
    sinceSeq = try fields.optionalInteger("since_seq")
    lateUsec = try fields.optionalInteger("late_usec")
    lateCause = try fields.optionalString("late_cause").map(Cause.init(rawValue:))
    isEstimated = try fields.optionalBool("estimated") ?? false
    earlyUsec = try fields.optionalInteger("early_usec")
    offsetUsec = try fields.optionalInteger("offset_usec")
    kind = try fields.optionalString("kind").map(NightjarTimer.Kind.init(rawValue:))
    missed = try fields.optionalInteger("missed")
    rung = try fields.optionalInteger("rung")
    stepNumber = try fields.optionalInteger("step_number")
    stepName = try fields.optionalString("step_name")
    band = try fields["band"].map { (json) throws(ClientError) in try Band(json) }
    elapsedUsec = try fields.optionalInteger("elapsed_usec")
    deadlineUsec = try fields.optionalInteger("deadline_usec")
    spanNumber = try fields.optionalInteger("span_id")
    names = try fields.optionalArray("names").compactMap(\.stringValue)
    count = try fields.optionalInteger("count")
    zone = try fields.optionalString("zone")
    labels = try fields.optionalLabels("labels")
    data = fields["data"]
    started =
      type == "started"
      ? try NewTimer.Kind(startedIn: fields, kind: kind, durationUsec: durationUsec) : nil
    ring = try fields["ring"].map { (json) throws(ClientError) in try NightjarTimer.Ring(json) }
    callingSeq = try fields.optionalInteger("event_seq")
    command = try fields.optionalString("command")
    attempt = try fields.optionalInteger("attempt")
    outcome = try fields.optionalString("outcome").map(ActionOutcome.init(rawValue:))
    exitStatus = try fields.optionalInteger("exit_status")
    signal = try fields.optionalInteger("signal")
    reason = try fields.optionalString("reason")
    printedBytes = try fields.optionalInteger("printed_bytes")
    droppedBytes = try fields.optionalInteger("dropped_bytes")
    if let json = fields["span"] { span = try BackgroundSpan(json) } else { span = nil }
  }
}

/// Everything that happened to one timer; the answer to `Why`.
public struct Story: Equatable, Sendable {
  /// The spans it lived through.
  public let spans: [BackgroundSpan]
  /// What happened to it, in order.
  public let events: [Event]

  /// Reads a story from what the daemon sent.
  ///
  /// - Parameter json: the parameters of the reply to `Why`.
  /// - Throws: `ClientError.protocolViolation` if something that must be there is not.
  package init(_ json: JSONValue) throws(ClientError) {
    let fields = try Fields(json, of: "story")
    spans = try fields.array("spans").map { (json) throws(ClientError) in try BackgroundSpan(json) }
    events = try fields.array("events").map { (json) throws(ClientError) in try Event(json) }
  }
}
