internal import NightjarCore

/// Packs the timers of 512 neighbouring slots into one row: `version, count, timer…, CRC-32`.
enum ChunkCodec {
  /// The row for chunk `index`, as the engine stands now.
  static func encode(_ index: Int, of engine: Engine) -> [UInt8] {
    let first = index * TimerTable.chunkSlots
    let slots = (first..<min(first + TimerTable.chunkSlots, max(first, engine.slotEnd)))
    let timers = slots.compactMap { engine.stored($0) }
    var writer = ByteWriter(reserving: timers.count * 72 + 16)
    writer.byte(Frame.version)
    writer.natural(timers.count)
    for timer in timers { writer.timer(timer, offset: timer.slot - first) }
    return Frame.seal(writer)
  }

  /// Calls `body` with each timer of chunk `index`.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, index: Int,
    _ body: (Engine.StoredTimer) throws(StoreError) -> Void
  ) throws(StoreError) {
    var reader = try Frame.open(bytes)
    for _ in 0..<(try reader.natural(upTo: TimerTable.chunkSlots)) {
      try body(try reader.timer(firstSlot: index * TimerTable.chunkSlots))
    }
    guard reader.isAtEnd else { throw .damaged("a chunk has more than its timers") }
  }
}

extension ByteWriter {
  fileprivate mutating func timer(_ timer: Engine.StoredTimer, offset: Int) {
    let record = timer.record
    natural(offset)
    string(timer.name)
    byte(record.state?.rawValue ?? 0)
    byte(record.clock.rawValue)
    byte(record.timeline.rawValue)
    byte(record.lateCause?.rawValue ?? 0)
    natural(record.id)
    natural(record.lastSeq - record.id)
    natural(record.originalUsec)
    signed(record.durationUsec - record.originalUsec)
    signed(record.point)
    signed(record.held)
    signed(record.startedUsec)
    signed(record.firedUsec == 0 ? 0 : record.firedUsec - record.startedUsec)
    signed(record.lastSeq - record.setSeq)
    natural(timer.order)
    byte((timer.attachments == nil ? 0 : 1) | (record.wakes ? 2 : 0))
    if let attached = timer.attachments { attachments(attached) }
  }
}

extension ByteReader {
  fileprivate mutating func timer(firstSlot: Int) throws(StoreError) -> Engine.StoredTimer {
    let slot = firstSlot + (try natural(upTo: TimerTable.chunkSlots - 1))
    let name = try name()
    guard let state = TimerState(rawValue: try byte()) else { throw .damaged("a state is unknown") }
    let clock = try timeline()
    let timeline = try timeline()
    let cause = try lateCause()
    let id = try natural()
    let lastSeq = id + (try natural())
    let originalUsec = try natural()
    let durationUsec = originalUsec + (try signed())
    let point = try signed()
    let held = try signed()
    let startedUsec = try signed()
    let firedAfter = try signed()
    let setSeq = lastSeq - (try signed())
    let order = try natural()
    let flags = try byte()
    guard flags <= 3 else { throw .damaged("a timer has flags that are unknown") }
    let attached: Attachments? = flags & 1 == 0 ? nil : try attachments()
    var record = TimerRecord(
      id: id, lastSeq: lastSeq, originalUsec: originalUsec, durationUsec: durationUsec,
      point: point, held: held, startedUsec: startedUsec,
      firedUsec: state == .fired ? startedUsec + firedAfter : 0, state: state, clock: clock,
      timeline: timeline, lateCause: cause, setSeq: setSeq)
    record.wakes = flags & 2 != 0
    return Engine.StoredTimer(
      slot: slot, name: name, record: record, order: order, attachments: attached)
  }
}
