/// One entry of the ledger: what happened, with everything that is needed to do it again.
///
/// Timers change by `Engine.apply(_:)` and by nothing else, now and when the ledger is read back: a
/// crash cannot make the two differ.
public struct Event: Equatable, Sendable {
  /// The timer that an event is about.
  public struct Subject: Equatable, Sendable {
    /// Where it is in the table.
    public var slot: Int
    /// The number of the event that started it.
    public var id: Int64
    /// Its name.
    public var name: String
    /// The number of the last event about the same timer; 0 for the first.
    public var previous: Int64

    /// Makes a subject.
    public init(slot: Int, id: Int64, name: String, previous: Int64) {
      self.slot = slot
      self.id = id
      self.name = name
      self.previous = previous
    }
  }

  /// What happened. Deadlines are counters of a timeline, `at…` those of `elapsed`; times are
  /// microseconds.
  public enum Kind: Equatable, Sendable {
    /// `wakes`: the deadline is to wake the machine.
    case started(
      clock: Timeline, durationUsec: Int64, deadline: Int64, attachments: Attachments,
      wakes: Bool = false)
    case paused(remainingUsec: Int64)
    case resumed(deadline: Int64)
    /// `point` is the new deadline of a running timer, what remains of a paused one.
    case extended(byUsec: Int64, point: Int64)
    case restarted(deadline: Int64)
    case snoozed(byUsec: Int64, deadline: Int64)
    case updated(Attachments)
    /// `span` is the number of the span it came due in, or 0.
    case fired(atElapsed: Int64, lateUsec: Int64, cause: LateCause?, span: Int64)
    case cancelled(atElapsed: Int64, remainingUsec: Int64)
    /// Put away after it fired.
    case dismissed
    /// Put away, in whatever state.
    case removed
    /// Put away because it had been fired or cancelled for long enough.
    case expired
    case enteredBackground(Span)
    case leftBackground(Span)
    /// Moves what was set on `elapsed` behind event `sinceSeq`, the end of the span.
    case spanCorrected(Span, byUsec: Int64, sinceSeq: Int64)
    case clockStepped(byUsec: Int64)
  }

  /// The number; one more with each event.
  public var seq: Int64
  /// CLOCK_REALTIME; may go back from one event to the next.
  public var timeUsec: Int64
  /// The timer it is about; nil when it is about the machine.
  public var subject: Subject?
  /// What happened.
  public var kind: Kind

  /// Makes an event.
  public init(seq: Int64, timeUsec: Int64, subject: Subject?, kind: Kind) {
    self.seq = seq
    self.timeUsec = timeUsec
    self.subject = subject
    self.kind = kind
  }

  /// The type on the wire.
  public var typeName: StaticString {
    switch kind {
    case .started: "started"
    case .paused: "paused"
    case .resumed: "resumed"
    case .extended: "extended"
    case .restarted: "restarted"
    case .snoozed: "snoozed"
    case .updated: "updated"
    case .fired: "fired"
    case .cancelled: "cancelled"
    case .dismissed: "dismissed"
    case .removed: "removed"
    case .expired: "expired"
    case .enteredBackground: "did_enter_background"
    case .leftBackground: "will_enter_foreground"
    case .spanCorrected: "span_corrected"
    case .clockStepped: "clock_stepped"
    }
  }
}
