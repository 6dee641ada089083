import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger

@Suite(.blocking) struct EventCodecTests {
  @Test func `Every kind of event is read back as it was written`() throws {
    let read = try EventSamples.decode(EventSamples.row)
    #expect(read.count == EventSamples.events.count)
    for (read, event) in zip(read, EventSamples.events) {
      #expect(read == event, "\(event.typeName)")
    }
    let short = try Self.shortRows.flatMap {
      try EventSamples.decode($0.bytes, firstSeq: $0.firstSeq)
    }
    #expect(short == EventSamples.events)
  }

  /// The number of each kind of event.
  private static let numbers: [String: UInt8] = [
    "started": 1, "rang": 2, "band_crossed": 3, "paused": 4, "resumed": 5, "extended": 6,
    "restarted": 7, "snoozed": 8, "updated": 9, "did_not_ring": 10, "joined": 11,
    "rang_again": 12, "unanswered": 13, "stayed_quiet": 14, "left_ring": 15, "advanced": 16,
    "dismissed": 17, "stopped": 18, "lapped": 19, "rescheduled": 20, "ran_out": 21, "skipped": 22,
    "unskipped": 23, "paused_after_span": 24, "restarted_after_span": 25, "cancelled": 26,
    "removed": 27, "undone": 28, "renamed_to": 29, "renamed_from": 30, "forgotten": 31,
    "did_enter_background": 32, "will_enter_foreground": 33, "span_corrected": 34,
    "clock_stepped": 35, "came_due": 36, "zone_changed": 37, "action_started": 38,
    "action_ended": 39, "unnoticed": 40,
  ]

  @Test func `Each kind of event keeps its number for ever`() throws {
    var found: [String: UInt8] = [:]
    for var kind in EventSamples.kinds {
      var coder = Coder()
      try kind.code(&coder)
      // A list of two: the number, which has two bytes from 24 on, and the payload.
      #expect(coder.bytes[0] == 0x82)
      found["\(kind.name)"] = coder.bytes[1] < 24 ? coder.bytes[1] : coder.bytes[2]
    }
    #expect(found == Self.numbers)
  }

  /// All events in rows of two, because some fields are written as a difference to the event
  /// before. A test that damages each byte of a row also decodes the row that often: with one long
  /// row, its time would be quadratic in the number of events.
  private static let shortRows: [(firstSeq: Int64, bytes: [UInt8])] = {
    let events = EventSamples.events
    return stride(from: 0, to: events.count, by: 2).map {
      (events[$0].seq, EventSamples.row(of: events[$0...].prefix(2)))
    }
  }()

  /// Every place of each short row, and some places of the row of all events, for errors that
  /// accumulate.
  private static func places(_ body: (_ place: Int, _ row: [UInt8], _ firstSeq: Int64) -> Void) {
    for row in shortRows {
      for place in row.bytes.indices { body(place, row.bytes, row.firstSeq) }
    }
    let row = EventSamples.row
    for place in stride(from: 0, to: row.count, by: 97) {
      body(place, row, EventSamples.events[0].seq)
    }
  }

  @Test func `A row that was cut off anywhere is damaged`() {
    Self.places { count, row, firstSeq in
      let cut = row[..<count]
      #expect(throws: StoreError.self) {
        try EventSamples.decode(Array(cut), firstSeq: firstSeq)
      }
      // Also if the checksum were right.
      if count < row.count - 4 {
        #expect(throws: StoreError.self) {
          try EventSamples.decode(EventSamples.withChecksum(cut), firstSeq: firstSeq)
        }
      }
    }
  }

  @Test func `A row with one wrong byte anywhere is damaged`() {
    Self.places { index, row, firstSeq in
      for bit in [0, 4, 7] {
        var damaged = row
        damaged[index] ^= 1 << bit
        #expect(throws: StoreError.self) {
          try EventSamples.decode(damaged, firstSeq: firstSeq)
        }
      }
    }
  }

  @Test func `A row with a right checksum and wrong content causes no trap`() {
    var accepted = 0
    func decode(_ body: ArraySlice<UInt8>, with value: UInt8, at index: Int) {
      var damaged = body
      damaged[index] = value
      let row = EventSamples.withChecksum(damaged)
      for firstSeq: Int64 in [0, EventSamples.most] {
        if (try? EventSamples.decode(row, firstSeq: firstSeq)) != nil { accepted += 1 }
      }
    }
    func wrongValues(_ byte: UInt8) -> [UInt8] {
      [0, 0x7F, 0xFF, byte ^ 1, byte ^ 0x20, byte ^ 0x40, byte ^ 0x80]
    }

    for row in Self.shortRows {
      let body = row.bytes.dropLast(4)
      for index in body.indices.dropFirst() {
        for value in wrongValues(body[index]) { decode(body, with: value, at: index) }
      }
    }
    // In the row of all events, each decoding takes as long as decoding all events after the place.
    let body = EventSamples.row.dropLast(4)
    for index in stride(from: 1, to: body.count, by: 31) {
      let values = wrongValues(body[index])
      decode(body, with: values[index % values.count], at: index)
    }
    // Most changes give another valid event; the checksum is there to find those.
    #expect(accepted > 0)
  }

  @Test func `An event of the machine with a timer is damage, and so is one of a timer without`() {
    let subject = Event.Subject(slot: 1, id: 1, name: "a", previous: 0)
    for (kind, subject) in [(.removed(ring: 0), nil), (.clockStepped(byUsec: 1), subject)]
      as [(Event.Kind, Event.Subject?)]
    {
      let event = Event(
        seq: 1, timeUsec: 1, counters: EventSamples.counters, subject: subject, kind: kind)
      let row = EventSamples.row(of: [event])
      #expect(throws: StoreError.self) { try EventSamples.decode(row, firstSeq: 1) }
    }
  }

  @Test func `A row in place of lost events says how many, and has none`() throws {
    let row = EventRow(lost: 5...9, timeUsec: 1)
    let count = try row.bytes.withBytes { bytes throws(StoreError) in
      try BatchDecoder.decode(bytes, firstSeq: 5) { _ in Issue.record("an event") }
    }
    #expect(count == 5 && row.firstSeq == 5 && row.lastSeq == 9)
  }
}
