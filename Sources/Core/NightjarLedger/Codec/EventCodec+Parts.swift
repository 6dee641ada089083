internal import NightjarModel

// The parts of events' payloads.

extension ByteWriter {
  /// Packs a ring. The recurrence is packed only if the timer continues; the tag of the event says
  /// whether it is there.
  mutating func ring(_ ring: Ring) {
    signed(ring.atElapsed)
    natural(ring.lateUsec)
    byte((ring.cause?.rawValue ?? 0) | (ring.isEstimated ? Frame.estimated : 0))
    natural(ring.span)
    if let next = ring.next { recurrence(next) }
  }

  mutating func recurrence(_ next: Recurrence) {
    natural(next.position)
    natural(next.missed)
    signed(next.mark)
    string(next.step)
    switch next.continuation {
    case .ends: byte(0)
    case .waits: byte(1)
    case .runs(let deadline, let durationUsec):
      byte(2)
      signed(deadline)
      natural(durationUsec)
    }
  }

  mutating func skippedExpiry(_ skippedExpiry: Event.SkippedExpiry) {
    natural(skippedExpiry.key)
    signed(skippedExpiry.usec)
    signed(skippedExpiry.byUsec)
    signed(skippedExpiry.deadline)
  }

  mutating func attachments(_ value: Attachments, _ shared: inout RowWriter) {
    natural(
      value.labels.count << 2 | (value.message.isEmpty ? 0 : 2) | (value.ring == nil ? 0 : 1))
    for label in value.labels {
      string(label.key)
      string(label.value)
    }
    blob(value.data)
    if let ring = value.ring { shared.write(ring, to: &self) }
    if !value.message.isEmpty { string(value.message) }
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
  mutating func ring(continues: Bool) throws(StoreError) -> Ring {
    let atElapsed = try signed()
    let lateUsec = try natural()
    let word = try byte()
    let isEstimated = word & Frame.estimated != 0
    return Ring(
      atElapsed: atElapsed, lateUsec: lateUsec,
      cause: try lateCause(code: word & ~Frame.estimated), span: try natural(),
      next: continues ? try recurrence() : nil, isEstimated: isEstimated)
  }

  mutating func recurrence() throws(StoreError) -> Recurrence {
    let position = try natural()
    let missed = try natural()
    let mark = try signed()
    let step = try string()
    let continuation: Recurrence.Continuation
    switch try byte() {
    case 0: continuation = .ends
    case 1: continuation = .waits
    case 2: continuation = .runs(deadline: try signed(), durationUsec: try natural())
    default: throw .damaged("a timer continues in an unknown way")
    }
    return Recurrence(
      position: position, missed: missed, mark: mark, step: step, continuation: continuation)
  }

  mutating func skippedExpiry() throws(StoreError) -> Event.SkippedExpiry {
    Event.SkippedExpiry(
      key: try natural(), usec: try signed(), byUsec: try signed(), deadline: try signed())
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
    var count = try natural(upTo: 262_143)
    var (hasRing, hasMessage) = (false, false)
    if version >= Frame.versionWithRings {
      hasRing = count & 1 != 0
      count >>= 1
    }
    if version >= Frame.versionWithMessages {
      hasMessage = count & 1 != 0
      count >>= 1
    }
    var labels: [Label] = []
    for _ in 0..<count { labels.append(Label(key: try string(), value: try string())) }
    return Attachments(
      labels: labels, data: try blob(), ring: hasRing ? try shared.ring(&self) : nil,
      message: hasMessage ? try string() : "")
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
