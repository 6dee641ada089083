/// One entry of the ledger, with all data that is needed to apply it again.
///
/// `Engine.apply(_:)` is the only code that changes timers, both when something happens and when
/// the ledger is replayed. So a replay after a crash gives the same state.
///
/// Events are immutable. An event is a class because many objects refer to it on its way from the
/// engine to the disk and the clients: copies of a structure would cost more time than the work of
/// these objects.
public final class Event: Equatable, Sendable {
  /// The timer that an event is about.
  public struct Subject: Equatable, Sendable {
    public var slot: Int
    /// The number of the event that started the timer.
    public var id: Int64
    public var name: String
    /// The number of the last event before this one about the same timer; 0 for the first.
    public var previous: Int64

    public init(slot: Int, id: Int64, name: String, previous: Int64) {
      self.slot = slot
      self.id = id
      self.name = name
      self.previous = previous
    }
  }

  /// The time of a run up to some moment.
  public struct Sums: Equatable, Sendable {
    /// The time in which the timer ran, by its own clock, with all its rounds and steps. 0 for an
    /// alarm, which only waits for a time of day. Negative if that clock was set back since the
    /// start.
    public var countedUsec: Int64
    /// The time in which it was paused, on `elapsed`.
    public var pausedUsec: Int64

    public init(countedUsec: Int64 = 0, pausedUsec: Int64 = 0) {
      (self.countedUsec, self.pausedUsec) = (countedUsec, pausedUsec)
    }
  }

  /// The number of the event. Each event has the next higher number.
  public let seq: Int64
  /// CLOCK_REALTIME when the event was recorded. The time of an event may be before that of an
  /// earlier event.
  public let timeUsec: Int64
  /// The counters when the event was recorded; for `enteredBackground`, at the start of the span.
  /// A later `spanCorrected` may show that `elapsed` was wrong.
  public let counters: Counters
  /// The timer that the event is about; nil: the event is about the machine.
  public let subject: Subject?
  /// The request id that the client gave to the change; nil: it gave none.
  public let request: String?
  /// What the timer's run had counted, for the kinds in `Traits.endsPart`. For an event that ends
  /// the run, up to its end.
  public let sums: Sums?
  public let kind: Kind

  public init(
    seq: Int64, timeUsec: Int64, counters: Counters, subject: Subject?,
    request: String? = nil, sums: Sums? = nil, kind: Kind
  ) {
    self.seq = seq
    self.timeUsec = timeUsec
    self.counters = counters
    self.subject = subject
    self.request = request
    self.sums = sums
    self.kind = kind
  }

  public static func == (left: Event, right: Event) -> Bool {
    left === right
      || left.seq == right.seq && left.timeUsec == right.timeUsec
        && left.counters == right.counters && left.subject == right.subject
        && left.request == right.request && left.sums == right.sums && left.kind == right.kind
  }

  /// Whether a run begins with the event, or is as it was before a change that was undone.
  package var beginsRun: Bool {
    switch kind {
    case .started, .restarted, .undone: true
    default: false
    }
  }

  /// The type of the event on the wire.
  public var typeName: StaticString { kind.name }

  public var removesTimer: Bool { kind.traits.contains(.removesTimer) }

  /// Whether no timer has the subject's name after the event, because the timer was removed or
  /// renamed.
  public var leavesName: Bool { kind.traits.contains(.leavesName) }

  /// Whether a client requested the event and waits for the reply.
  public var isRequested: Bool { kind.traits.contains(.isRequested) }

  /// Whether the event set the timer's next expiry at a client's request, or cancelled or removed
  /// the timer.
  package var setsDeadline: Bool { kind.traits.contains(.setsDeadline) }

  /// Whether a ring sounds from this event on. Cheaper than `sounding`.
  public var isHeard: Bool { kind.traits.contains(.isHeard) }

  /// How late a sound was, and that sound; nil: the event makes no ring sound.
  public var sounding: (late: Lateness, ring: Sounding)? { kind.sounding }

  /// Whether the event ends the open ring, or a client moved it.
  public var answersRing: Bool { kind.traits.contains(.answersRing) }

  /// Whether only a timer that is more than a plain countdown can have such an event.
  package var needsDetail: Bool { kind.traits.contains(.needsDetail) }

  /// The command that the event is about; nil for other events. An event about a command never
  /// calls another command.
  public var action: ActionNote? { kind.action }

  /// The name of the timer that the event is about, even if the timer was removed; nil: the event
  /// is about the machine.
  public var timerName: String? {
    if let subject { return subject.name }
    if case .former(let name, _) = action?.owner { return name }
    return nil
  }

  /// Whether the event changes only the attachments or the name of a timer, not when the timer
  /// expires.
  public var isUpdate: Bool {
    switch kind {
    case .updated(_, nil), .renamedTo, .renamedFrom: true
    default: false
    }
  }
}
