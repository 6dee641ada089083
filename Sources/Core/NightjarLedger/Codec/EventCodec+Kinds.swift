internal import NightjarEngine
internal import NightjarModel

// The tags of events, and how their payloads are packed and unpacked.

/// The first byte of a packed event. The number and the payload of a tag never change: if a payload
/// changes, the kind of event gets a new tag.
enum EventTag: UInt8 {
  case started = 1
  case paused = 2
  case resumed = 3
  case extended = 4
  case restarted = 5
  case snoozed = 6
  case updated = 7
  case fired = 8
  case cancelled = 9
  case dismissed = 10
  case removed = 11
  case expired = 12
  // Since schema version 2.
  case startedToWake = 13
  // Since schema version 3: the timer is more than a countdown.
  case startedWithSpec = 14
  case updatedWithSpec = 15
  case firedAndContinues = 16
  case skipped = 17
  case skippedAndContinues = 18
  case stepped = 19
  case stepEnded = 20
  case advanced = 21
  case acknowledged = 22
  case bandCrossed = 23
  case lapped = 24
  case rescheduled = 25
  case pausedAfterSleep = 26
  case restartedAfterSleep = 27
  case pausedStopwatch = 28
  case cancelledStopwatch = 29
  // Since schema version 4.
  case actionStarted = 30
  case actionEnded = 31
  case rescheduledBack = 32
  // Since the remaining times of paused timers are corrected after a reboot, too.
  case pausedKeepingSetSeq = 33
  case resumedFrom = 34
  case pausedAfterSleepInDoubt = 35
  // Since rings without an answer are recorded.
  case unanswered = 36
  case rangAgain = 37
  // Since the last lines of a failed command are stored.
  case actionEndedWithLines = 38
  // Since expiries can be skipped.
  case passedOver = 39
  case reinstated = 40
  // Since changes can be undone.
  case undone = 41
  // Since a timer can be renamed.
  case renamedTo = 42
  case renamedFrom = 43
  // Since changes can have request ids. The request id follows, and then the tag of the event.
  case requested = 44

  // The events from here on have no subject.
  case enteredBackground = 64
  case leftBackground = 65
  case spanCorrected = 66
  case clockStepped = 67
  case cameDue = 68
  case zoneChanged = 69
  case actionStartedWithoutTimer = 70
  case actionEndedWithoutTimer = 71
  case spanCorrectedUntil = 72
  case actionEndedWithLinesWithoutTimer = 73

  /// Whether the event has a subject: a timer that exists.
  var hasSubject: Bool { rawValue < 64 }
}

extension ByteWriter {
  /// Appends the payload of an event.
  ///
  /// - Returns: the tag with which it must be read.
  mutating func kind(_ kind: Event.Kind, shared: inout RowWriter) -> EventTag {
    switch kind {
    case .started(
      let clock, let durationUsec, let deadline, let attachments, let wakes, let spec,
      let atElapsed):
      byte(clock.rawValue)
      natural(durationUsec)
      signed(deadline)
      self.attachments(attachments, &shared)
      guard let spec else { return wakes ? .startedToWake : .started }
      byte(wakes ? 1 : 0)
      shared.write(spec, to: &self)
      if spec.schedule != nil { natural(atElapsed) }
      return .startedWithSpec
    case .paused(let remainingUsec, let isUp, let keepsSetSeq):
      guard keepsSetSeq else {
        natural(remainingUsec)
        return isUp ? .pausedStopwatch : .paused
      }
      signed(remainingUsec)
      byte(isUp ? 1 : 0)
      return .pausedKeepingSetSeq
    case .resumed(let deadline, let resumption):
      signed(deadline)
      guard let resumption else { return .resumed }
      byte(resumption.rawValue)
      return .resumedFrom
    case .extended(let by, let deadline):
      signed(by)
      signed(deadline)
      return .extended
    case .restarted(let deadline):
      signed(deadline)
      return .restarted
    case .snoozed(let by, let deadline):
      signed(by)
      signed(deadline)
      return .snoozed
    case .updated(let attachments, let spec):
      self.attachments(attachments, &shared)
      guard let spec else { return .updated }
      shared.write(spec, to: &self)
      return .updatedWithSpec
    case .fired(let ring):
      self.ring(ring)
      return ring.next == nil ? .fired : .firedAndContinues
    case .skipped(let ring):
      self.ring(ring)
      return ring.next == nil ? .skipped : .skippedAndContinues
    case .stepped(let ring):
      self.ring(ring)
      return .stepped
    case .stepEnded(let ring):
      self.ring(ring)
      return .stepEnded
    case .advanced(let atElapsed, let next):
      signed(atElapsed)
      recurrence(next)
      return .advanced
    case .acknowledged: return .acknowledged
    case .unanswered(let number):
      natural(number)
      return .unanswered
    case .rangAgain(let number):
      natural(number)
      return .rangAgain
    case .bandCrossed(let begun, let band, let remainingUsec):
      natural(begun)
      natural(remainingUsec)
      if let band { self.band(band) }
      return .bandCrossed
    case .lapped(let elapsedUsec):
      natural(elapsedUsec)
      return .lapped
    case .rescheduled(let deadline, let durationUsec, let back):
      signed(deadline)
      natural(durationUsec)
      guard let back else { return .rescheduled }
      natural(back.position)
      string(back.step)
      return .rescheduledBack
    case .passedOver(let skippedExpiry):
      self.skippedExpiry(skippedExpiry)
      return .passedOver
    case .reinstated(let skippedExpiry):
      self.skippedExpiry(skippedExpiry)
      return .reinstated
    case .pausedAfterSleep(let remainingUsec, let span, let enteredSeq):
      natural(remainingUsec)
      natural(span)
      guard enteredSeq != 0 else { return .pausedAfterSleep }
      natural(enteredSeq)
      return .pausedAfterSleepInDoubt
    case .restartedAfterSleep(let next, let span):
      recurrence(next)
      natural(span)
      return .restartedAfterSleep
    case .cancelled(let atElapsed, let remainingUsec, let isUp):
      signed(atElapsed)
      natural(remainingUsec)
      return isUp ? .cancelledStopwatch : .cancelled
    case .undone(let undone):
      guard let image = undone.before as? StoredImage else {
        preconditionFailure("only the engine and the ledger make images")
      }
      natural(undone.seq)
      string(undone.type)
      natural(image.timer.slot)
      timer(image.timer, shared: &shared)
      return .undone
    case .renamedTo(let name):
      string(name)
      return .renamedTo
    case .renamedFrom(let name):
      string(name)
      return .renamedFrom
    case .dismissed: return .dismissed
    case .removed: return .removed
    case .expired: return .expired
    case .enteredBackground(let span):
      self.span(span)
      return .enteredBackground
    case .leftBackground(let span):
      self.span(span)
      return .leftBackground
    case .spanCorrected(let span, let by, let since, let early, let until):
      self.span(span)
      signed(by)
      natural(since)
      natural(early)
      guard until != 0 else { return .spanCorrected }
      natural(until)
      return .spanCorrectedUntil
    case .clockStepped(let by):
      signed(by)
      return .clockStepped
    case .cameDue(let span, let names, let count):
      natural(span)
      natural(count)
      natural(names.count)
      for name in names { string(name) }
      return .cameDue
    case .zoneChanged(let name):
      string(name)
      return .zoneChanged
    case .actionStarted(let note):
      self.note(note)
      return note.owner == .subject ? .actionStarted : .actionStartedWithoutTimer
    case .actionEnded(let note, let end):
      self.note(note)
      self.end(end)
      let isOfSubject = note.owner == .subject
      guard !end.lastLines.isEmpty else {
        return isOfSubject ? .actionEnded : .actionEndedWithoutTimer
      }
      lastLines(end.lastLines)
      return isOfSubject ? .actionEndedWithLines : .actionEndedWithLinesWithoutTimer
    }
  }
}

extension ByteReader {
  mutating func tag() throws(StoreError) -> EventTag {
    let number = try byte()
    guard let tag = EventTag(rawValue: number) else {
      throw .damaged("an event has the unknown type \(number)")
    }
    return tag
  }

  /// Unpacks the payload of an event with this tag.
  mutating func kind(_ tag: EventTag, shared: inout RowReader) throws(StoreError) -> Event.Kind {
    switch tag {
    case .started, .startedToWake:
      return .started(
        clock: try timeline(), durationUsec: try natural(), deadline: try signed(),
        attachments: try attachments(&shared), wakes: tag == .startedToWake)
    case .startedWithSpec: return try startedWithSpec(&shared)
    case .paused, .pausedStopwatch:
      return .paused(remainingUsec: try natural(), isUp: tag == .pausedStopwatch)
    case .pausedKeepingSetSeq:
      return .paused(remainingUsec: try signed(), isUp: try byte() == 1, keepsSetSeq: true)
    case .resumed: return .resumed(deadline: try signed())
    case .resumedFrom:
      let deadline = try signed()
      guard let resumption = Event.Resumption(rawValue: try byte()) else {
        throw .damaged("a resumption is unknown")
      }
      return .resumed(deadline: deadline, resumption)
    case .extended: return .extended(byUsec: try signed(), deadline: try signed())
    case .restarted: return .restarted(deadline: try signed())
    case .snoozed: return .snoozed(byUsec: try signed(), deadline: try signed())
    case .updated: return .updated(try attachments(&shared))
    case .updatedWithSpec:
      return .updated(try attachments(&shared), spec: try shared.spec(&self))
    case .fired, .firedAndContinues:
      return .fired(try ring(continues: tag == .firedAndContinues))
    case .skipped, .skippedAndContinues:
      return .skipped(try ring(continues: tag == .skippedAndContinues))
    case .stepped: return .stepped(try ring(continues: true))
    case .stepEnded: return .stepEnded(try ring(continues: true))
    case .advanced: return .advanced(atElapsed: try signed(), next: try recurrence())
    case .acknowledged: return .acknowledged
    case .unanswered: return .unanswered(number: try natural())
    case .rangAgain: return .rangAgain(number: try natural())
    case .bandCrossed:
      let begun = try natural(upTo: Limits.bands)
      let remainingUsec = try natural()
      return .bandCrossed(
        begun: begun, begun > 0 ? try band() : nil, remainingUsec: remainingUsec)
    case .lapped: return .lapped(elapsedUsec: try natural())
    case .rescheduled: return .rescheduled(deadline: try signed(), durationUsec: try natural())
    case .rescheduledBack:
      return .rescheduled(
        deadline: try signed(), durationUsec: try natural(),
        back: Event.Place(position: try natural(), step: try string()))
    case .passedOver: return .passedOver(try skippedExpiry())
    case .reinstated: return .reinstated(try skippedExpiry())
    case .pausedAfterSleep:
      return .pausedAfterSleep(remainingUsec: try natural(), span: try natural())
    case .pausedAfterSleepInDoubt:
      return .pausedAfterSleep(
        remainingUsec: try natural(), span: try natural(), enteredSeq: try natural())
    case .restartedAfterSleep:
      return .restartedAfterSleep(try recurrence(), span: try natural())
    case .cancelled, .cancelledStopwatch:
      return .cancelled(
        atElapsed: try signed(), remainingUsec: try natural(), isUp: tag == .cancelledStopwatch)
    case .undone:
      let seq = try natural()
      let type = try string()
      let slot = try natural(upTo: DeadlineQueue.slotLimit - 1)
      return .undone(
        Event.Undone(
          seq: seq, type: type, before: StoredImage(try timer(slot: slot, shared: &shared))))
    case .renamedTo: return .renamedTo(try name())
    case .renamedFrom: return .renamedFrom(try name())
    case .requested: throw .damaged("an event has two ids of a change")
    case .dismissed: return .dismissed
    case .removed: return .removed
    case .expired: return .expired
    case .enteredBackground: return .enteredBackground(try span())
    case .leftBackground: return .leftBackground(try span())
    case .spanCorrected, .spanCorrectedUntil:
      return .spanCorrected(
        try span(), byUsec: try signed(), sinceSeq: try natural(),
        earlyUsec: version >= Frame.versionWithEstimates ? try natural() : 0,
        untilSeq: tag == .spanCorrectedUntil ? try natural() : 0)
    case .clockStepped: return .clockStepped(byUsec: try signed())
    case .cameDue:
      let span = try natural()
      let count = try natural()
      var names: [String] = []
      for _ in 0..<(try natural(upTo: Engine.namesPerSpan)) { names.append(try name()) }
      return .cameDue(span: span, names: names, count: count)
    case .zoneChanged: return .zoneChanged(try string())
    case .actionStarted: return .actionStarted(try note(hasSubject: true))
    case .actionStartedWithoutTimer: return .actionStarted(try note(hasSubject: false))
    case .actionEnded, .actionEndedWithLines, .actionEndedWithoutTimer,
      .actionEndedWithLinesWithoutTimer:
      return try actionEnded(tag)
    }
  }

  private mutating func actionEnded(_ tag: EventTag) throws(StoreError) -> Event.Kind {
    let note = try note(hasSubject: tag.hasSubject)
    var end = try end()
    if tag == .actionEndedWithLines || tag == .actionEndedWithLinesWithoutTimer {
      end.lastLines = try lastLines()
    }
    return .actionEnded(note, end)
  }

  private mutating func startedWithSpec(
    _ shared: inout RowReader
  ) throws(StoreError) -> Event.Kind {
    let clock = try timeline()
    let durationUsec = try natural()
    let deadline = try signed()
    let attachments = try attachments(&shared)
    let wakes = try byte() != 0
    let spec = try shared.spec(&self)
    let hasStart = spec.schedule != nil && version >= Frame.versionWithEstimates
    return .started(
      clock: clock, durationUsec: durationUsec, deadline: deadline, attachments: attachments,
      wakes: wakes, spec: spec, atElapsed: hasStart ? try natural() : 0)
  }
}
