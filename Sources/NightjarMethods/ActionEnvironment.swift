package import NightjarCore
internal import NightjarWire

/// What a command is told of the event that called for it: variables that begin with `NIGHTJAR_`.
package struct ActionEnvironment {
  /// The kernel takes no longer one (MAX_ARG_STRLEN of execve(2) is 128 KiB).
  private static let longestBytes = 120 * 1024

  package private(set) var variables: [RingPlan.Variable] = []

  /// - Parameter now: as of when a timer is described.
  package init(_ event: Event, engine: Engine, socketPath: String, at now: Moment) {
    set("EVENT", "\(event.typeName)")
    set("SEQ", "\(event.seq)")
    set("TIME_USEC", "\(event.timeUsec)")
    set("SOCKET", socketPath)
    if let subject = event.subject {
      set("NAME", subject.name)
      set("ID", "\(subject.id)")
      if let slot = engine.slot(of: subject.id, named: subject.name) {
        describe(engine.view(slot, at: now))
      }
      describe(engine.attachments(of: subject) ?? Attachments())
    }
    describe(event)
    var json: [UInt8] = []
    JSONWriter.append(to: &json) { $0.event(event) }
    if json.count < Self.longestBytes { set("JSON", String(decoding: json, as: UTF8.self)) }
  }

  private mutating func set(_ name: String, _ value: String) {
    let name = "NIGHTJAR_\(name)"
    variables.removeAll { $0.name == name }
    // Nobody's environment can hold a NUL.
    let value = value.utf8.contains(0) ? value.split(separator: "\0").joined(separator: " ") : value
    variables.append(RingPlan.Variable(name: name, value: value))
  }

  private mutating func describe(_ view: TimerView) {
    set("KIND", "\(view.spec.kind.name)")
    set("STATE", view.record.state.map { "\($0.name)" } ?? "")
    set("DURATION_USEC", "\(view.record.durationUsec)")
    set("REMAINING_USEC", "\(view.remainingUsec)")
    set("ELAPSED_USEC", "\(view.elapsedUsec)")
    if let band = view.band { set("BAND", band.name) }
    if view.spec.kind == .sequence, let detail = view.detail {
      set("STEP", view.spec.step(at: Int64(detail.position)).name)
    }
  }

  private mutating func describe(_ attachments: Attachments) {
    set("DATA", attachments.data.isEmpty ? "{}" : String(decoding: attachments.data, as: UTF8.self))
    for label in attachments.labels { set("LABEL_\(Self.variable(label.key))", label.value) }
  }

  /// A label's key as it can be part of a variable's name: `red team` is `RED_TEAM`.
  private static func variable(_ key: String) -> String {
    let bytes = key.utf8.map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x20
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
      default: UInt8(ascii: "_")
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func describe(_ event: Event) {
    switch event.kind {
    case .fired(let ring), .skipped(let ring), .stepped(let ring), .stepEnded(let ring):
      set("LATE_USEC", "\(ring.lateUsec)")
      if let cause = ring.cause { set("LATE_CAUSE", "\(cause.name)") }
      if ring.isEstimated { set("ESTIMATED", "1") }
      if let next = ring.next { set("MISSED", "\(next.missed)") }
    case .bandCrossed(_, let band, _): set("BAND", band?.name ?? "")
    case .lapped(let usec): set("ELAPSED_USEC", "\(usec)")
    case .enteredBackground(let span), .leftBackground(let span),
      .spanCorrected(let span, _, _, _, _):
      set("CAUSES", span.causes.map { "\($0.name)" }.joined(separator: " "))
      set("ELAPSED_USEC", "\(span.elapsedUsec)")
    case .clockStepped(let usec): set("OFFSET_USEC", "\(usec)")
    case .cameDue(_, _, let count): set("COUNT", "\(count)")
    case .zoneChanged(let name): set("ZONE", name)
    case .started, .paused, .resumed, .extended, .restarted, .snoozed, .updated, .advanced,
      .acknowledged, .rescheduled, .pausedAfterSleep, .restartedAfterSleep, .cancelled,
      .dismissed, .removed, .expired, .actionStarted, .actionEnded:
      break
    }
  }
}
