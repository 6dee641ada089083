import NightjarModel

extension ModelEvent {
  /// An event of the real core, without its deadlines.
  init(_ event: Event) {
    seq = event.seq
    timeUsec = event.timeUsec
    type = "\(event.typeName)"
    name = event.subject?.name ?? ""
    id = event.subject?.id ?? 0
    defer {
      if let sums = event.sums {
        (facts["counted"], facts["paused"]) = (sums.countedUsec, sums.pausedUsec)
      }
    }
    switch event.kind {
    case .started(let clock, let durationUsec, _, let attachments, _, let spec, let replaced):
      facts = [
        "clock": Int64(clock.rawValue), "kind": Int64((spec ?? .plain).kind.rawValue),
        "duration": durationUsec, "data": Int64(attachments.data.count),
        "replaced": replaced?.id ?? 0, "ring": replaced?.ring ?? 0,
      ]
    case .paused(let usec, let isUp, let keepsSetSeq):
      facts = ["left": usec, "is_up": isUp ? 1 : 0, "keeps_set_seq": keepsSetSeq ? 1 : 0]
    case .extended(let byUsec, _): facts = ["by": byUsec]
    case .restarted(_, let ring), .removed(let ring), .forgotten(let ring): facts = ["ring": ring]
    case .snoozed(let byUsec, let deadline, let ring):
      facts = ["ring": ring, "by": byUsec, "left": deadline - event.counters.elapsedUsec]
    case .updated(let attachments, let spec):
      facts = ["data": Int64(attachments.data.count)]
      if let spec { (facts["spec"], facts["bands"]) = (1, Int64(spec.bands.count)) }
    case .rang(let late, let sounding, let passing):
      note(late)
      note(sounding)
      if let passing { note(passing) } else { facts["snoozed"] = 1 }
    case .rangAgain(let late, let sounding, let insisted):
      note(late)
      (facts["expiry"], facts["insisted"]) = (sounding.expiry, insisted)
    case .didNotRing(let late, let passing, let quietsRing):
      note(late)
      note(passing)
      facts["quiets_ring"] = quietsRing ? 1 : 0
    case .joined(let listed, let count, let next, let expiries):
      if let last = listed.last {
        note(last.late)
        facts["expiry"] = last.number
      }
      note(next)
      (facts["joined"], facts["listed"]) = (count, Int64(listed.count))
      facts["all_late"] = listed.reduce(0) { $0 + $1.late.usec }
      facts["all_ended"] = listed.reduce(0) { $0 + $1.position }
      facts["expiries"] = expiries
    case .unnoticed(_, let expiry): facts = ["expiry": expiry]
    case .unanswered(let expiry, let number): facts = ["expiry": expiry, "number": number]
    case .stayedQuiet(let late, let expiry, let isSnooze):
      note(late)
      (facts["expiry"], facts["snoozed"]) = (expiry, isSnooze ? 1 : 0)
    case .leftRing(let expiry, let left, let expiries):
      facts = ["expiry": expiry, "left": left, "expiries": expiries]
    case .advanced(let next, let ring):
      note(next)
      facts["ring"] = ring
    case .dismissed(let ring, let miss, let removes):
      facts = ["ring": ring, "miss": miss, "removes": removes ? 1 : 0]
    case .stopped(let ring, let removes): facts = ["ring": ring, "removes": removes ? 1 : 0]
    case .cancelled(let usec, let isUp, let ring, let removes):
      facts = ["left": usec, "is_up": isUp ? 1 : 0, "ring": ring, "removes": removes ? 1 : 0]
    case .bandCrossed(let begun, _, let usec): facts = ["band": Int64(begun), "left": usec]
    case .lapped(let usec): facts = ["elapsed": usec]
    case .rescheduled(_, let durationUsec, let back):
      facts = ["left": durationUsec, "position": back?.position ?? 0]
    case .skipped(let skipped, let expiry):
      facts = ["expiry": expiry, "at": skipped.usec, "by": skipped.byUsec]
    case .unskipped(let skipped): facts = ["at": skipped.usec, "by": skipped.byUsec]
    case .pausedAfterSpan(let usec, let span, _): facts = ["left": usec, "span": span]
    case .restartedAfterSpan(let next, let span):
      note(next)
      (facts["then"], facts["span"]) = (nil, span)
    case .undone(let undone): facts = ["undone": undone.seq, "ring": undone.ring]
    case .enteredBackground(let span), .leftBackground(let span): note(span)
    case .spanCorrected(let span, let byUsec, _, let earlyUsec, _):
      note(span)
      (facts["by"], facts["early"]) = (byUsec, earlyUsec)
    case .clockStepped(let byUsec): facts = ["by": byUsec]
    case .cameDue(let span, let names, let count):
      name = names.joined(separator: " ")
      facts = ["span": span, "count": count]
    case .resumed, .ranOut, .renamedTo, .renamedFrom, .zoneChanged, .actionStarted,
      .actionEnded:
      break
    }
  }

  private mutating func note(_ late: Lateness) {
    facts["due"] = timeUsec - late.usec
    facts["late"] = late.usec
    facts["cause"] = Int64(late.cause?.rawValue ?? 0)
    facts["span"] = late.span
    facts["estimated"] = late.isEstimated ? 1 : 0
  }

  private mutating func note(_ sounding: Sounding) {
    facts["expiry"] = sounding.expiry
    facts["expiries"] = sounding.expiries
    facts["first_due"] = sounding.firstDueUsec
  }

  private mutating func note(_ passing: Passing) {
    facts["expiry"] = passing.number
    facts["missed"] = passing.missed
    note(passing.next)
  }

  private mutating func note(_ next: Recurrence) {
    facts["position"] = next.position
    switch next.continuation {
    case .ends: facts["then"] = 0
    case .waits: facts["then"] = 1
    case .runs(_, let durationUsec): (facts["then"], facts["duration"]) = (2, durationUsec)
    }
  }

  private mutating func note(_ span: Span) {
    let span = LiteralSpan(span)
    (facts, causes) = (RingModel.facts(span), span.causes)
  }
}
