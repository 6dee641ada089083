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

  /// All tags that were ever used, by the name of the kind.
  private static let tags: [String: Set<UInt8>] = [
    "started": [1, 13, 14], "paused": [2, 28, 33], "resumed": [3, 34], "extended": [4],
    "restarted": [5], "snoozed": [6], "updated": [7, 15], "fired": [8, 16], "cancelled": [9, 29],
    "dismissed": [10], "removed": [11], "expired": [12], "skipped": [17, 18], "stepped": [19],
    "step_ended": [20], "advanced": [21], "acknowledged": [22], "band_crossed": [23],
    "unanswered": [36], "rang_again": [37], "passed_over": [39], "reinstated": [40],
    "undone": [41], "renamed_to": [42], "renamed_from": [43], "lapped": [24],
    "rescheduled": [25, 32], "paused_after_sleep": [26, 35],
    "restarted_after_sleep": [27], "action_started": [30, 70], "action_ended": [31, 38, 71, 73],
    "did_enter_background": [64], "will_enter_foreground": [65], "span_corrected": [66, 72],
    "clock_stepped": [67], "came_due": [68], "zone_changed": [69],
  ]

  /// The tag before the request ID of a change; the ID precedes the tag of the event.
  private static let requestTag: UInt8 = 44

  @Test func `Tags keep their numbers for ever, and distinguish timers' events from the machine's`()
  {
    var found: [String: Set<UInt8>] = [:]
    for event in EventSamples.events {
      var encoder = BatchEncoder()
      encoder.append(event)
      // After the version and the count, and after the request ID.
      let tag: UInt8
      let bytes = encoder.finish()
      if let request = event.request {
        #expect(bytes[2] == Self.requestTag)
        tag = bytes[4 + request.utf8.count]
      } else {
        tag = bytes[2]
      }
      found["\(event.typeName)", default: []].insert(tag)
      #expect(EventTag(rawValue: tag)?.hasSubject == (event.subject != nil))
    }
    #expect(found == Self.tags)
    let known = Set((0...UInt8.max).filter { EventTag(rawValue: $0) != nil })
    #expect(known == Set(Self.tags.values.joined()).union([Self.requestTag]), "no sample has them")
  }

  /// All events in short rows. A test that damages each byte of a row also decodes the row that
  /// often: with one long row, its time would be quadratic in the number of events.
  private static let shortRows: [(firstSeq: Int64, bytes: [UInt8])] = {
    let events = EventSamples.events
    return stride(from: 0, to: events.count, by: 8).map {
      (events[$0].seq, EventSamples.row(of: events[$0...].prefix(8)))
    }
  }()

  /// Every place of each short row, and some places of the row of all events, for errors that
  /// accumulate.
  private static func places(_ body: (_ place: Int, _ row: [UInt8], _ firstSeq: Int64) -> Void) {
    for row in shortRows {
      for place in row.bytes.indices { body(place, row.bytes, row.firstSeq) }
    }
    let row = EventSamples.row
    for place in stride(from: 0, to: row.count, by: 23) {
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
    func wrongValues(_ byte: UInt8) -> [UInt8] { [0, 0x7F, 0xFF] + (0..<8).map { byte ^ 1 << $0 } }

    for row in Self.shortRows {
      let body = row.bytes.dropLast(4)
      for index in body.indices.dropFirst() {
        for value in wrongValues(body[index]) { decode(body, with: value, at: index) }
      }
    }
    // In the row of all events, each decoding takes as long as decoding all events after the place.
    let body = EventSamples.row.dropLast(4)
    for index in stride(from: 1, to: body.count, by: 7) {
      let values = wrongValues(body[index])
      decode(body, with: values[index % values.count], at: index)
    }
    // Most changes give another valid event; the checksum is there to find those.
    #expect(accepted > 0)
  }

  @Test func `A packed form of another version is refused, and the error names the version`() {
    let body = [Frame.version + 1] + EventSamples.row.dropFirst().dropLast(4)
    #expect {
      try EventSamples.decode(EventSamples.withChecksum(body))
    } throws: { error in
      "\(error)".contains("version \(Frame.version + 1)")
    }
  }

  @Test func `An unknown type of event is damage`() {
    var encoder = BatchEncoder()
    encoder.append(EventSamples.events[0])
    // After the version and the number of events.
    var body = encoder.finish().dropLast(4)
    let start = body.startIndex + 2
    #expect(body[start - 1] == 1 && EventTag(rawValue: body[start]) != nil)
    let unknown = (0...UInt8.max).filter { EventTag(rawValue: $0) == nil }
    #expect(unknown.count > 100)
    for code in unknown {
      body[start] = code
      #expect {
        try EventSamples.decode(EventSamples.withChecksum(body))
      } throws: { error in
        "\(error)".contains("unknown type \(code)")
      }
    }
  }
}
