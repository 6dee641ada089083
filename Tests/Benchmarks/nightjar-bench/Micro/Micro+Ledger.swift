internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarSimulation

/// The packed form of events and timers. The codecs are internal to the journal's module, so these
/// paths call them through the journal and its disk.
extension Micro {
  /// As many timers as twenty chunks have.
  private static let timers = 20 * TimerTable.chunkSlots

  static let ledger = [
    Micro(name: "encode-events", work: "pack an event of the ledger", count: 20_480) { count in
      let core = MicroCore()
      let events = (1...count).map { event($0, at: core.now) }
      let journal = core.core.journal
      return {
        for event in events {
          journal.observe(.recorded(event), at: core.now)
          guard event.seq % 1024 == 0 else { continue }
          journal.commitPending(at: core.now)
          core.settle()
        }
        guard core.disk.rows.last?.lastSeq == Int64(count) else { fail("events are missing") }
      }
    },
    Micro(name: "read-chunks", work: "read a countdown back", count: timers) { count in
      let core = MicroCore(timers: count)
      writeChunks(of: core)
      return {
        let core = MicroCore.service(on: core.disk, calendar: NoCalendar(), at: core.now)
        guard core.engine.counts[Int(TimerState.running.rawValue)] == count else {
          fail("timers are missing")
        }
      }
    },
  ]

  /// `started` and `rang` events, which alternate.
  private static func event(_ number: Int, at now: Moment) -> Event {
    let (seq, slot) = (Int64(number), (number - 1) / 2)
    let isStart = number % 2 == 1
    let deadline = now.boottimeUsec + 3_600_000_000 + seq
    return Event(
      seq: seq, timeUsec: now.realtimeUsec + 37 * seq,
      counters: Counters(elapsedUsec: 37 * seq, awakeUsec: 37 * seq),
      subject: Event.Subject(
        slot: slot, id: isStart ? seq : seq - 1, name: Name.text(slot),
        previous: isStart ? 0 : seq - 1),
      kind: isStart
        ? .started(
          clock: .elapsed, durationUsec: 3_600_000_000 + seq, deadline: deadline, attachments: .none
        )
        : .rang(
          NightjarModel.Lateness(usec: 40, cause: nil, span: 0),
          Sounding(
            expiry: 1, expiries: 1, firstDueUsec: now.realtimeUsec, forUsec: 60_000_000,
            insistUsec: 0),
          Passing(number: 1, position: 0, next: Recurrence(.ends))))
  }

  /// Writes every chunk in one commit.
  private static func writeChunks(of core: MicroCore) {
    let journal = core.core.journal
    // A journal that does not know of any written chunk writes all chunks.
    journal.resume(chunkSeqs: [])
    journal.requestAnchor()
    journal.commitPending(at: core.now)
    let chunks = core.disk.underway?.chunks.count ?? 0
    guard chunks == (core.core.engine.slotEnd + TimerTable.chunkSlots - 1) / TimerTable.chunkSlots
    else { fail("\(chunks) chunks were written") }
    core.settle()
  }
}
