internal import NightjarCore

/// Packs events into the rows of the ledger: `version, count, event…, CRC-32`.
///
/// An event is its type, the difference of its time to the one before, its subject and its payload.
/// The numbers of the types are for ever: a new meaning gets a new number.
struct BatchEncoder: ~Copyable {
  /// A row gets at most so many events: one is read and unpacked as a whole, in one turn of a client.
  static let rowEvents = 128
  /// Those of versions before had at most so many.
  static let mostRowEvents = 1024

  private var body = ByteWriter(reserving: 4096)
  private(set) var count = 0
  private(set) var firstSeq: Int64 = 0
  private(set) var lastSeq: Int64 = 0
  private(set) var firstTimeUsec: Int64 = 0
  private var previousTimeUsec: Int64 = 0
  private var shared = RowWriter()

  mutating func append(_ event: Event) {
    if count == 0 {
      (firstSeq, firstTimeUsec) = (event.seq, event.timeUsec)
    }
    precondition(event.seq == firstSeq + Int64(count))
    body.byte(event.kind.code)
    body.signed(event.timeUsec &- previousTimeUsec)
    previousTimeUsec = event.timeUsec
    if let subject = event.subject {
      body.natural(subject.slot)
      body.natural(event.seq - subject.id)
      body.natural(event.seq - subject.previous)
      body.string(subject.name)
    }
    body.payload(of: event.kind, shared: &shared)
    lastSeq = event.seq
    count += 1
  }

  /// The row, packed.
  func finish() -> [UInt8] {
    var frame = ByteWriter(reserving: body.count + 16)
    frame.byte(Frame.version)
    frame.natural(count)
    frame.raw(UnsafeRawBufferPointer(body.written))
    return Frame.seal(frame)
  }
}

extension EventRow {
  /// Stands for events that are known to be lost, so that their numbers are not missing in silence.
  ///
  /// - Parameter timeUsec: CLOCK_REALTIME when that was found out.
  public init(lost: ClosedRange<Int64>, timeUsec: Int64) {
    var frame = ByteWriter(reserving: 32)
    frame.byte(Frame.version)
    frame.natural(0)
    frame.natural(lost.count)
    self.init(
      firstSeq: lost.lowerBound, lastSeq: lost.upperBound, timeUsec: timeUsec,
      bytes: Frame.seal(frame))
  }
}

/// Reads rows of the ledger.
enum BatchDecoder {
  /// Calls `body` with each event of the row that begins with `firstSeq`.
  ///
  /// - Parameter isOmitted: whether an event about the timer in a slot is left out, which takes less
  ///   than to make it.
  /// - Returns: how many events the row has, or how many lost ones it stands for.
  @discardableResult
  static func decode(
    _ bytes: UnsafeRawBufferPointer, firstSeq: Int64, pool: RowPool = RowPool(),
    omitting isOmitted: (_ seq: Int64, _ slot: Int) -> Bool = { _, _ in false },
    _ body: (Event) throws(StoreError) -> Void
  ) throws(StoreError) -> Int64 {
    var reader = try Frame.open(bytes)
    let count = try reader.natural(upTo: BatchEncoder.mostRowEvents)
    guard count > 0 else { return Int64(try reader.natural(upTo: 1 << 60)) }
    var timeUsec: Int64 = 0
    var shared = RowReader(pool: pool)
    for index in 0..<count {
      let seq = firstSeq + Int64(index)
      let code = try reader.byte()
      timeUsec += try reader.signed()
      guard timeUsec.magnitude < ByteReader.limit else { throw .damaged("a time is out of range") }
      var subject: Event.Subject?
      if code < Event.Kind.machineCodes {
        let slot = try reader.natural(upTo: DeadlineQueue.slotLimit - 1)
        let id = seq - (try reader.natural())
        let previous = seq - (try reader.natural())
        guard id > 0, previous >= 0 else { throw .damaged("an event is before the first") }
        if isOmitted(seq, slot) {
          _ = try reader.nameBytes()
          _ = try reader.kind(code, shared: &shared)
          continue
        }
        subject = Event.Subject(slot: slot, id: id, name: try reader.name(), previous: previous)
      }
      try body(
        Event(
          seq: seq, timeUsec: timeUsec, subject: subject,
          kind: try reader.kind(code, shared: &shared)))
    }
    guard reader.isAtEnd else { throw .damaged("a row has more than its events") }
    return Int64(count)
  }
}

extension Event.Kind {
  /// Types from here on are about the machine and have no subject.
  static let machineCodes: UInt8 = 64

  var code: UInt8 {
    switch self {
    // One that wakes the machine came with schema version 2, what is more than a countdown with 3.
    case .started(_, _, _, _, let wakes, let spec, _): spec != nil ? 14 : wakes ? 13 : 1
    // Those in doubt came with the correction of what is paused.
    case .paused(_, let isUp, let keepsSet): keepsSet ? 33 : isUp ? 28 : 2
    case .resumed(_, let resumption): resumption == nil ? 3 : 34
    case .extended: 4
    case .restarted: 5
    case .snoozed: 6
    case .updated(_, let spec): spec == nil ? 7 : 15
    case .fired(let ring): ring.next == nil ? 8 : 16
    case .cancelled(_, _, let isUp): isUp ? 29 : 9
    case .dismissed: 10
    case .removed: 11
    case .expired: 12
    case .skipped(let ring): ring.next == nil ? 17 : 18
    case .stepped: 19
    case .stepEnded: 20
    case .advanced: 21
    case .acknowledged: 22
    case .bandCrossed: 23
    case .lapped: 24
    case .rescheduled(_, _, let back): back == nil ? 25 : 32
    case .pausedAfterSleep(_, _, let enteredSeq): enteredSeq == 0 ? 26 : 35
    case .restartedAfterSleep: 27
    case .enteredBackground: 64
    case .leftBackground: 65
    case .spanCorrected(_, _, _, _, let untilSeq): untilSeq == 0 ? 66 : 72
    case .clockStepped: 67
    case .cameDue: 68
    case .zoneChanged: 69
    // What commands there were came with schema version 4; those of no timer that is there have no
    // subject.
    case .actionStarted(let note): note.owner == .subject ? 30 : 70
    case .actionEnded(let note, _): note.owner == .subject ? 31 : 71
    }
  }
}

extension ByteWriter {
  fileprivate mutating func payload(of kind: Event.Kind, shared: inout RowWriter) {
    switch kind {
    case .started(
      let clock, let durationUsec, let deadline, let attachments, let wakes, let spec,
      let atElapsed):
      byte(clock.rawValue)
      natural(durationUsec)
      signed(deadline)
      self.attachments(attachments, &shared)
      guard let spec else { break }
      byte(wakes ? 1 : 0)
      shared.write(spec, to: &self)
      if spec.schedule != nil { natural(atElapsed) }
    case .paused(let remainingUsec, let isUp, let keepsSet):
      guard keepsSet else { return natural(remainingUsec) }
      signed(remainingUsec)
      byte(isUp ? 1 : 0)
    case .lapped(let usec): natural(usec)
    case .resumed(let deadline, let resumption):
      signed(deadline)
      if let resumption { byte(resumption.rawValue) }
    case .restarted(let deadline): signed(deadline)
    case .extended(let by, let point), .snoozed(let by, let point):
      signed(by)
      signed(point)
    case .updated(let attachments, let spec):
      self.attachments(attachments, &shared)
      if let spec { shared.write(spec, to: &self) }
    case .fired(let ring), .skipped(let ring): self.ring(ring)
    case .stepped(let ring), .stepEnded(let ring): self.ring(ring)
    case .advanced(let atElapsed, let next):
      signed(atElapsed)
      recurrence(next)
    case .bandCrossed(let begun, let band, let remainingUsec):
      natural(begun)
      natural(remainingUsec)
      if let band { self.band(band) }
    case .rescheduled(let deadline, let durationUsec, let back):
      signed(deadline)
      natural(durationUsec)
      guard let back else { break }
      natural(back.position)
      string(back.step)
    case .pausedAfterSleep(let remainingUsec, let span, let enteredSeq):
      natural(remainingUsec)
      natural(span)
      if enteredSeq != 0 { natural(enteredSeq) }
    case .restartedAfterSleep(let next, let span):
      recurrence(next)
      natural(span)
    case .cancelled(let atElapsed, let remainingUsec, _):
      signed(atElapsed)
      natural(remainingUsec)
    case .dismissed, .removed, .expired, .acknowledged: break
    case .enteredBackground(let span), .leftBackground(let span): self.span(span)
    case .spanCorrected(let span, let by, let since, let early, let until):
      self.span(span)
      signed(by)
      natural(since)
      natural(early)
      if until != 0 { natural(until) }
    case .clockStepped(let by): signed(by)
    case .cameDue(let span, let names, let count):
      natural(span)
      natural(count)
      natural(names.count)
      for name in names { string(name) }
    case .zoneChanged(let name): string(name)
    case .actionStarted(let note): self.note(note)
    case .actionEnded(let note, let end):
      self.note(note)
      self.end(end)
    }
  }

  /// What comes behind the lateness only if it goes on: the code of the event tells which.
  private mutating func ring(_ ring: Ring) {
    signed(ring.atElapsed)
    natural(ring.lateUsec)
    byte((ring.cause?.rawValue ?? 0) | (ring.isEstimated ? Frame.estimated : 0))
    natural(ring.span)
    if let next = ring.next { recurrence(next) }
  }

  private mutating func recurrence(_ next: Recurrence) {
    natural(next.position)
    natural(next.missed)
    signed(next.mark)
    string(next.step)
    switch next.going {
    case .ends: byte(0)
    case .waits: byte(1)
    case .on(let deadline, let durationUsec):
      byte(2)
      signed(deadline)
      natural(durationUsec)
    }
  }

  mutating func attachments(_ value: Attachments, _ shared: inout RowWriter) {
    natural(value.labels.count << 1 | (value.ring == nil ? 0 : 1))
    for label in value.labels {
      string(label.key)
      string(label.value)
    }
    blob(value.data)
    if let ring = value.ring { shared.write(ring, to: &self) }
  }

  mutating func span(_ span: Span) {
    natural(span.id)
    natural(span.causes.count)
    for cause in span.causes { byte(cause.rawValue) }
    byte(span.estimated ? 1 : 0)
    natural(span.elapsedUsec)
    moment(span.entered)
    byte(span.left == nil ? 0 : 1)
    if let left = span.left { moment(left) }
  }

  private mutating func moment(_ moment: Moment) {
    signed(moment.realtimeUsec)
    signed(moment.boottimeUsec)
    signed(moment.monotonicUsec)
    fixed64(moment.bootID.high)
    fixed64(moment.bootID.low)
  }
}

extension ByteReader {
  fileprivate mutating func kind(
    _ code: UInt8, shared: inout RowReader
  ) throws(StoreError) -> Event.Kind {
    switch code {
    case 1, 13:
      return .started(
        clock: try timeline(), durationUsec: try natural(), deadline: try signed(),
        attachments: try attachments(&shared), wakes: code == 13)
    case 2, 28: return .paused(remainingUsec: try natural(), isUp: code == 28)
    case 3: return .resumed(deadline: try signed())
    case 34:
      let deadline = try signed()
      guard let resumption = Event.Resumption(rawValue: try byte()) else {
        throw .damaged("a resumption is unknown")
      }
      return .resumed(deadline: deadline, resumption)
    case 33:
      return .paused(remainingUsec: try signed(), isUp: try byte() == 1, keepsSet: true)
    case 4: return .extended(byUsec: try signed(), point: try signed())
    case 5: return .restarted(deadline: try signed())
    case 6: return .snoozed(byUsec: try signed(), deadline: try signed())
    case 7: return .updated(try attachments(&shared))
    case 8: return .fired(try ring(goesOn: false))
    case 9, 29:
      return .cancelled(
        atElapsed: try signed(), remainingUsec: try natural(), isUp: code == 29)
    case 10: return .dismissed
    case 11: return .removed
    case 12: return .expired
    case 14: return try startedWithSpec(&shared)
    case 15: return .updated(try attachments(&shared), spec: try shared.spec(&self))
    case 16: return .fired(try ring(goesOn: true))
    case 17, 18: return .skipped(try ring(goesOn: code == 18))
    case 19: return .stepped(try ring(goesOn: true))
    case 20: return .stepEnded(try ring(goesOn: true))
    case 21: return .advanced(atElapsed: try signed(), next: try recurrence())
    case 22: return .acknowledged
    case 23:
      let begun = try natural(upTo: Limits.bands)
      let remainingUsec = try natural()
      return .bandCrossed(
        begun: begun, begun > 0 ? try band() : nil, remainingUsec: remainingUsec)
    case 24: return .lapped(elapsedUsec: try natural())
    case 25: return .rescheduled(deadline: try signed(), durationUsec: try natural())
    case 32:
      return .rescheduled(
        deadline: try signed(), durationUsec: try natural(),
        back: Event.Place(position: try natural(), step: try string()))
    case 26: return .pausedAfterSleep(remainingUsec: try natural(), span: try natural())
    case 35:
      return .pausedAfterSleep(
        remainingUsec: try natural(), span: try natural(), enteredSeq: try natural())
    case 27: return .restartedAfterSleep(try recurrence(), span: try natural())
    case 30: return .actionStarted(try note(hasSubject: true))
    case 31: return .actionEnded(try note(hasSubject: true), try end())
    default: return try machineKind(code)
    }
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

  private mutating func machineKind(_ code: UInt8) throws(StoreError) -> Event.Kind {
    switch code {
    case 64: return .enteredBackground(try span())
    case 65: return .leftBackground(try span())
    case 66, 72:
      return .spanCorrected(
        try span(), byUsec: try signed(), sinceSeq: try natural(),
        earlyUsec: version >= Frame.versionWithEstimates ? try natural() : 0,
        untilSeq: code == 72 ? try natural() : 0)
    case 67: return .clockStepped(byUsec: try signed())
    case 68:
      let span = try natural()
      let count = try natural()
      var names: [String] = []
      for _ in 0..<(try natural(upTo: Engine.namesPerSpan)) { names.append(try name()) }
      return .cameDue(span: span, names: names, count: count)
    case 69: return .zoneChanged(try string())
    case 70: return .actionStarted(try note(hasSubject: false))
    case 71: return .actionEnded(try note(hasSubject: false), try end())
    default: throw .damaged("an event has the unknown type \(code)")
    }
  }

  private mutating func ring(goesOn: Bool) throws(StoreError) -> Ring {
    let atElapsed = try signed()
    let lateUsec = try natural()
    let word = try byte()
    let isEstimated = word & Frame.estimated != 0
    return Ring(
      atElapsed: atElapsed, lateUsec: lateUsec,
      cause: try lateCause(code: word & ~Frame.estimated), span: try natural(),
      next: goesOn ? try recurrence() : nil, isEstimated: isEstimated)
  }

  private mutating func recurrence() throws(StoreError) -> Recurrence {
    let position = try natural()
    let missed = try natural()
    let mark = try signed()
    let step = try string()
    let going: Recurrence.Going
    switch try byte() {
    case 0: going = .ends
    case 1: going = .waits
    case 2: going = .on(deadline: try signed(), durationUsec: try natural())
    default: throw .damaged("it goes on in an unknown way")
    }
    return Recurrence(position: position, missed: missed, mark: mark, step: step, going: going)
  }

  mutating func timeline() throws(StoreError) -> Timeline {
    guard let timeline = Timeline(rawValue: try byte()) else {
      throw .damaged("a timeline is unknown")
    }
    return timeline
  }

  mutating func lateCause(code: UInt8) throws(StoreError) -> LateCause? {
    guard code != 0 else { return nil }
    guard let cause = LateCause(rawValue: code) else { throw .damaged("a cause is unknown") }
    return cause
  }

  mutating func attachments(_ shared: inout RowReader) throws(StoreError) -> Attachments {
    var attachments = Attachments()
    var count = try natural(upTo: 131_071)
    var hasRing = false
    if version >= Frame.versionWithRings {
      hasRing = count & 1 != 0
      count >>= 1
    }
    for _ in 0..<count {
      attachments.labels.append(Label(key: try string(), value: try string()))
    }
    attachments.data = try blob()
    if hasRing { attachments.ring = try shared.ring(&self) }
    return attachments
  }

  mutating func span() throws(StoreError) -> Span {
    let id = try natural()
    var causes: [Cause] = []
    for _ in 0..<(try natural(upTo: Cause.allCases.count)) {
      guard let cause = Cause(rawValue: try byte()) else { throw .damaged("a cause is unknown") }
      causes.append(cause)
    }
    let estimated = try byte() != 0
    let elapsedUsec = try natural()
    var span = Span(id: id, causes: causes, entered: try moment(), estimated: estimated)
    if try byte() != 0 { span.left = try moment() }
    span.elapsedUsec = elapsedUsec
    return span
  }

  private mutating func moment() throws(StoreError) -> Moment {
    Moment(
      realtimeUsec: try signed(), boottimeUsec: try signed(), monotonicUsec: try signed(),
      bootID: BootID(high: try fixed64(), low: try fixed64()))
  }
}
