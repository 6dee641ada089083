/// One entry of the ledger: what happened, with everything that is needed to do it again.
///
/// Timers change by `Engine.apply(_:)` and by nothing else, now and when the ledger is read back: a
/// crash cannot make the two differ.
///
/// It never changes, and many objects hold it on its way from the engine to the disk and to clients. It is
/// a class because a copy of a structure would cost more than what they do with it.
public final class Event: Equatable, Sendable {
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

  /// The number; one more with each event.
  public let seq: Int64
  /// CLOCK_REALTIME; may go back from one event to the next.
  public let timeUsec: Int64
  /// Where the counters stood then; of `enteredBackground`, when the span was entered. Nil: the event was
  /// recorded by a version that did not say. A later `spanCorrected` may say that `elapsed` was wrong.
  public let counters: Counters?
  /// The timer it is about; nil when it is about the machine.
  public let subject: Subject?
  /// The id that the client gave to the change that it is part of; nil if it gave none.
  public let request: String?
  /// What happened.
  public let kind: Kind

  /// Makes an event.
  public init(
    seq: Int64, timeUsec: Int64, counters: Counters? = nil, subject: Subject?,
    request: String? = nil, kind: Kind
  ) {
    self.seq = seq
    self.timeUsec = timeUsec
    self.counters = counters
    self.subject = subject
    self.request = request
    self.kind = kind
  }

  /// Equal in all that they have.
  public static func == (left: Event, right: Event) -> Bool {
    left === right
      || left.seq == right.seq && left.timeUsec == right.timeUsec
        && left.counters == right.counters && left.subject == right.subject
        && left.request == right.request && left.kind == right.kind
  }

  /// The type on the wire.
  public var typeName: StaticString { kind.name }

  /// The timer is removed by it.
  public var isTheEnd: Bool { kind.traits.contains(.isTheEnd) }

  /// No timer of its name is there after it: the timer was removed, or has another name.
  public var leavesName: Bool { kind.traits.contains(.leavesName) }

  /// A client asked for it, and waits for the answer.
  public var isRequested: Bool { kind.traits.contains(.isRequested) }

  /// The user set when the timer expires next, or that it does not.
  package var setsAnew: Bool { kind.traits.contains(.setsAnew) }

  /// Its timer rang: to ask costs less than to be given the ring.
  public var isHeard: Bool { kind.traits.contains(.isHeard) }

  /// How its timer rang; nil if it did not, so also for an expiry without a ring.
  public var heardRing: Ring? { isHeard ? kind.ring : nil }

  /// An earlier ring needs no more attention from people.
  public var answersRing: Bool { kind.traits.contains(.answersRing) }

  /// It can only be about a timer that is more than a countdown.
  package var needsDetail: Bool { kind.traits.contains(.needsDetail) }

  /// The command it tells of; nil for anything else. No event that has one calls for another.
  public var action: ActionNote? {
    if case .actionStarted(let note) = kind { return note }
    if case .actionEnded(let note, _) = kind { return note }
    return nil
  }

  /// The name of the timer it is about, also if that was removed; nil: it is about the machine.
  public var timerName: String? {
    if let subject { return subject.name }
    if case .former(let name, _) = action?.owner { return name }
    return nil
  }

  /// It changes only what a timer carries or is called, not when it expires.
  public var isUpdate: Bool {
    switch kind {
    case .updated(_, nil), .renamedTo, .renamedFrom: true
    default: false
    }
  }
}
