package import NightjarEngine
package import NightjarModel
package import NightjarVarlink

// An entry of the ledger as clients are told it.

extension JSONWriter {
  package mutating func timer(_ slot: Int, of engine: Engine, at now: Moment) {
    TimerReply(slot, of: engine, at: now).write(to: &self)
  }

  private mutating func attachments(_ value: Attachments) {
    if let ring = value.ring {
      key("ring")
      raw(ring.told)
    }
    key("labels")
    LabelsObject(labels: value.labels).write(to: &self)
    key("data")
    RawJSON(bytes: value.data).write(to: &self)
  }

  private mutating func span(_ span: Span) {
    key("span")
    SpanReply(value: span).write(to: &self)
  }

  package mutating func event(_ event: Event) {
    beginObject()
    member("seq", event.seq)
    member("time_usec", event.timeUsec)
    member("type", event.typeName)
    if let subject = event.subject {
      member("name", subject.name)
      member("id", subject.id)
    } else if case .former(let name, let id) = event.action?.owner {
      member("name", name)
      member("id", id)
    }
    payload(event.kind)
    if let counters = event.counters {
      key("counters")
      CountersReply(value: counters).write(to: &self)
    }
    endObject()
  }

  private mutating func payload(_ kind: Event.Kind) {
    switch kind {
    case .started(
      let clock, let durationUsec, let deadline, let attached, let wakes, let spec, _):
      member("kind", (spec ?? .plain).kind.name)
      member("clock", clock.name)
      member("duration_usec", durationUsec)
      if wakes { member("wake", true) }
      if let spec { started(spec, deadline: deadline) }
      attachments(attached)
    case .paused(let usec, let isUp, _), .cancelled(_, let usec, let isUp):
      member(isUp ? "elapsed_usec" : "remaining_usec", max(0, usec))
    case .resumed, .restarted, .acknowledged, .dismissed, .removed, .expired: break
    case .extended(let byUsec, _), .snoozed(let byUsec, _): member("by_usec", byUsec)
    case .updated(let attached, let spec):
      attachments(attached)
      if let spec { updated(spec) }
    case .fired(let ring), .skipped(let ring), .stepped(let ring), .stepEnded(let ring):
      self.ring(ring)
    case .advanced(_, let next):
      step(next)
    case .bandCrossed(_, let band, let remainingUsec):
      if let band {
        key("band")
        BandReply(band).write(to: &self)
      }
      member("remaining_usec", remainingUsec)
    case .lapped(let elapsedUsec): member("elapsed_usec", elapsedUsec)
    case .rescheduled(let deadline, let durationUsec, let back):
      // Only an alarm's deadline is a time of day.
      guard let back else { return member("deadline_usec", deadline) }
      if back.step.isEmpty {
        member("rung", back.position)
      } else {
        member("step_number", back.position + 1)
        member("step_name", back.step)
      }
      member("duration_usec", durationUsec)
    case .pausedAfterSleep(let remainingUsec, let span, _):
      member("remaining_usec", remainingUsec)
      member("span_id", span)
    case .restartedAfterSleep(let next, let span):
      step(next)
      member("span_id", span)
    case .enteredBackground(let value), .leftBackground(let value):
      span(value)
    case .spanCorrected(let value, let byUsec, let sinceSeq, let earlyUsec, let untilSeq):
      member("by_usec", byUsec)
      member("since_seq", sinceSeq)
      if untilSeq > sinceSeq { member("until_seq", untilSeq) }
      if earlyUsec > 0 { member("early_usec", earlyUsec) }
      span(value)
    case .clockStepped(let byUsec): member("offset_usec", byUsec)
    case .cameDue(let span, let names, let count):
      member("span_id", span)
      member("count", count)
      key("names")
      beginArray()
      for name in names { string(name) }
      endArray()
    case .zoneChanged(let name): member("zone", name)
    case .actionStarted(let note): self.note(note)
    case .actionEnded(let note, let end):
      self.note(note)
      self.end(end)
    }
  }

  private mutating func note(_ note: ActionNote) {
    member("event_seq", note.key.seq)
    member("command", note.command)
    member("attempt", note.attempt)
  }

  private mutating func end(_ end: ActionEnd) {
    member("outcome", end.outcome.name)
    switch end.outcome {
    case .exited(let status): member("exit_status", status)
    case .signalled(let number): member("signal", number)
    case .notStarted(let reason): member("reason", reason)
    case .timedOut, .givenUp, .dropped, .unseen: break
    }
    member("duration_usec", end.durationUsec)
    member("printed_bytes", end.printedBytes)
    member("dropped_bytes", end.droppedBytes)
  }

  private mutating func ring(_ ring: Ring) {
    member("late_usec", ring.lateUsec)
    if let cause = ring.cause { member("late_cause", cause.name) }
    if ring.span != 0 { member("span_id", ring.span) }
    if ring.isEstimated { member("estimated", true) }
    guard let next = ring.next else { return }
    member("missed", next.missed)
    guard next.step.isEmpty else { return step(next) }
    member("rung", next.position)
    duration(next)
  }

  /// The step that a sequence is in then.
  private mutating func step(_ next: Recurrence) {
    member("step_number", next.position + 1)
    member("step_name", next.step)
    duration(next)
  }

  /// How long it goes on for, if it does by itself.
  private mutating func duration(_ next: Recurrence) {
    if case .on(_, let durationUsec) = next.going { member("duration_usec", durationUsec) }
  }
}

extension JSONValue {
  /// An entry of the ledger as clients are told of it; the type `Event` of the interface.
  package static func event(_ event: Event) -> JSONValue {
    var writer = JSONWriter()
    writer.event(event)
    do { return try parse(writer.bytes) } catch {
      preconditionFailure("what was just written cannot be read: \(error)")
    }
  }
}
