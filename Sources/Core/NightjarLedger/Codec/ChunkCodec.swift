internal import NightjarEngine
internal import NightjarModel

/// Packs the timers of 512 neighbouring slots into one row: `version, count, timer…, CRC-32`.
enum ChunkCodec {
  /// Packs the timers of chunk `index` in their present state.
  static func encode(_ index: Int, of engine: Engine) -> [UInt8] {
    let first = index * TimerTable.chunkSlots
    let slots = (first..<min(first + TimerTable.chunkSlots, max(first, engine.slotEnd)))
    let count = slots.count { engine.isOccupied($0) }
    var writer = ByteWriter(reserving: count * 72 + 16)
    writer.byte(Frame.version)
    writer.natural(count)
    var shared = RowWriter()
    for slot in slots where engine.isOccupied(slot) {
      writer.natural(slot - first)
      writer.string(engine.name(at: slot))
      writer.timer(engine.stored(at: slot), shared: &shared)
    }
    return Frame.withChecksum(writer)
  }

  /// Calls `body` with each timer of chunk `index` and its name.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, index: Int, pool: RowPool = RowPool(),
    _ body: (Engine.StoredTimer, _ name: String) throws(StoreError) -> Void
  ) throws(StoreError) {
    var reader = try Frame.open(bytes)
    var shared = RowReader(pool: pool)
    for _ in 0..<(try reader.natural(upTo: TimerTable.chunkSlots)) {
      let slot = try reader.natural(upTo: TimerTable.chunkSlots - 1)
      let name = try reader.name()
      try body(
        try reader.timer(slot: index * TimerTable.chunkSlots + slot, shared: &shared), name)
    }
    guard reader.isAtEnd else { throw .damaged("a chunk has more than its timers") }
  }
}

extension ByteWriter {
  mutating func timer(_ stored: Engine.StoredTimer, shared: inout RowWriter) {
    record(stored.timer, order: stored.order, &shared)
    guard let detail = stored.timer.detail else { return }
    shared.write(detail.spec, to: &self)
    self.detail(detail, passedOver: stored.timer.passedOver)
    natural(stored.timer.laps.count)
    for lap in stored.timer.laps { natural(lap) }
  }

  /// Packs the fields that every timer has.
  private mutating func record(_ timer: Timer, order: Int64, _ shared: inout RowWriter) {
    let (record, detail) = (timer.record, timer.detail)
    byte(record.state.rawValue)
    byte(record.clock.rawValue)
    byte(record.timeline.rawValue)
    byte(
      (record.lateCause?.rawValue ?? 0) | (record.isEstimated ? Frame.estimated : 0)
        | (record.isSnoozed ? Frame.snoozed : 0))
    natural(record.id)
    natural(record.lastSeq - record.id)
    natural(record.originalUsec)
    signed(record.durationUsec - record.originalUsec)
    signed(record.deadline)
    signed(record.remainingOrLateUsec)
    signed(record.startedUsec)
    signed(record.firedUsec == 0 ? 0 : record.firedUsec - record.startedUsec)
    signed(record.lastSeq - record.setSeq)
    natural(order)
    // The number of the event of the last ring is stored only if it does not follow from the other
    // fields.
    let isUsual = record.estimatedSeq == record.usualRingSeq(detail)
    let laterRingSeq = isUsual ? nil : record.estimatedSeq
    // The flag 4 means that the timer is more than a countdown. It exists since schema version 3.
    byte(
      (timer.attachments == nil ? 0 : 1) | (record.wakes ? 2 : 0) | (detail == nil ? 0 : 4)
        | (record.firedUsec == 0 ? 0 : 8) | (timer.interruption == nil ? 0 : 16)
        | (record.ringPhase == 0 ? 0 : 32) | (laterRingSeq == nil ? 0 : 64)
        | (timer.failure == nil ? 0 : 128))
    if record.ringPhase != 0 { byte(record.ringPhase) }
    if let laterRingSeq { signed(record.lastSeq - laterRingSeq) }
    if let interruption = timer.interruption {
      signed(record.lastSeq - interruption.pausedSeq)
      signed(record.lastSeq - interruption.resumedSeq)
    }
    if let failure = timer.failure { self.failure(failure) }
    if let attached = timer.attachments { attachments(attached, &shared) }
  }

  private mutating func detail(_ detail: TimerDetail, passedOver: [Int64]) {
    natural(Int64(detail.position))
    signed(detail.mark)
    signed(detail.rangAtElapsed)
    natural(detail.rangSeq)
    natural(detail.markSeq)
    byte(detail.band)
    byte(
      (detail.wasMuted ? 2 : 0) | (detail.wasSkipped ? 4 : 0) | (detail.rangTo == 0 ? 0 : 8)
        | (passedOver.isEmpty ? 0 : 16))
    if detail.rangTo != 0 {
      signed(detail.rangTo)
      natural(Int64(detail.rangForSec))
    }
    guard !passedOver.isEmpty else { return }
    natural(passedOver.count)
    for key in passedOver { natural(key) }
  }
}

extension ByteReader {
  /// Unpacks a timer whose name has been read.
  mutating func timer(
    slot: Int, shared: inout RowReader
  ) throws(StoreError) -> Engine.StoredTimer {
    guard let state = TimerState(rawValue: try byte()) else { throw .damaged("a state is unknown") }
    let clock = try timeline()
    let timeline = try timeline()
    let word = try byte()
    let cause = try lateCause(code: word & ~(Frame.estimated | Frame.snoozed))
    let id = try natural()
    let lastSeq = id + (try natural())
    let originalUsec = try natural()
    let durationUsec = originalUsec + (try signed())
    let deadline = try signed()
    let remainingOrLateUsec = try signed()
    let startedUsec = try signed()
    let firedAfter = try signed()
    let setSeq = lastSeq - (try signed())
    let order = try natural()
    let flags = try byte()
    let ringPhase = flags & 32 == 0 ? 0 : try byte()
    let ringSeq = flags & 64 == 0 ? nil : lastSeq - (try signed())
    var interruption: Interruption?
    if flags & 16 != 0 {
      interruption = Interruption(
        pausedSeq: lastSeq - (try signed()), resumedSeq: lastSeq - (try signed()))
    }
    let failure = flags & 128 == 0 ? nil : try failure()
    let attached: Attachments? = flags & 1 == 0 ? nil : try attachments(&shared)
    var record = TimerRecord(
      id: id, lastSeq: lastSeq, originalUsec: originalUsec, durationUsec: durationUsec,
      deadline: deadline, remainingOrLateUsec: remainingOrLateUsec, startedUsec: startedUsec,
      firedUsec: state == .fired || flags & 8 != 0 ? startedUsec + firedAfter : 0, state: state,
      clock: clock,
      timeline: timeline, lateCause: cause, setSeq: setSeq)
    record.wakes = flags & 2 != 0
    record.ringPhase = ringPhase
    record.isSnoozed = word & Frame.snoozed != 0
    var timer = Timer(record)
    timer.attachments = attached
    timer.interruption = interruption
    timer.failure = failure
    if flags & 4 != 0 {
      let (detail, passedOver, wasSnoozed) = try detail(of: try shared.spec(&self))
      timer.detail = detail
      timer.passedOver = passedOver
      if wasSnoozed { timer.record.isSnoozed = true }
      for _ in 0..<(try natural(upTo: Limits.laps)) { timer.laps.append(try natural()) }
    }
    if word & Frame.estimated != 0 {
      timer.record.estimatedSeq = ringSeq ?? timer.record.usualRingSeq(timer.detail)
    }
    return Engine.StoredTimer(slot: slot, order: order, timer)
  }

  /// Unpacks the detail of a timer and its skipped expiries.
  private mutating func detail(
    of spec: SharedSpec
  ) throws(StoreError) -> (TimerDetail, passedOver: [Int64], wasSnoozed: Bool) {
    var detail = TimerDetail(spec: spec)
    detail.position = UInt32(try natural(upTo: Int(UInt32.max)))
    detail.mark = try signed()
    detail.rangAtElapsed = try signed()
    detail.rangSeq = try natural()
    detail.markSeq = try natural()
    detail.band = UInt8(try natural(upTo: spec.bands.count))
    let flags = try byte()
    guard flags <= 31 else { throw .damaged("a timer has flags that are unknown") }
    detail.wasMuted = flags & 2 != 0
    detail.wasSkipped = flags & 4 != 0
    if flags & 8 != 0 {
      detail.rangTo = try signed()
      detail.rangForSec = UInt32(try natural(upTo: Int(UInt32.max)))
    } else if version < Frame.versionWithEstimates, spec.schedule != nil {
      // Older versions treated the last handled instant as one for which the alarm rang.
      detail.rangTo = detail.mark
    }
    var passedOver: [Int64] = []
    if flags & 16 != 0 {
      for _ in 0..<(try natural(upTo: Limits.skips)) { passedOver.append(try natural()) }
    }
    // Before plain countdowns could be snoozed again, this flag said that the timer is snoozed.
    return (detail, passedOver, wasSnoozed: flags & 1 != 0)
  }
}

extension TimerRecord {
  /// The number of the event of the last ring, if the ring is estimated: computed from a wall clock
  /// that was not synchronised. This number is computed from the other fields. It is right if no
  /// event about the timer followed the ring.
  fileprivate func usualRingSeq(_ detail: TimerDetail?) -> Int64? {
    state == .running ? detail?.rangSeq : lastSeq
  }
}
