import NightjarCore
import NightjarTestSupport
import Testing

@testable import NightjarLedger

@Suite struct EventCodecTests {
  @Test("every kind of event comes back as it was written")
  func roundTrip() throws {
    #expect(try EventSamples.decode(EventSamples.row) == EventSamples.events)
  }

  @Test("the numbers of the kinds are for ever, and tell timers' events from the machine's")
  func codes() {
    let codes = EventSamples.kinds.map(\.code)
    #expect(Set(codes) == Set((1...35).map { $0 } + (64...72)))
    for event in EventSamples.events {
      #expect((event.kind.code < Event.Kind.machineCodes) == (event.subject != nil))
    }
  }

  @Test("a row that was cut off anywhere is damaged")
  func truncated() {
    let row = EventSamples.row
    for count in 0..<row.count {
      #expect(throws: StoreError.self) { try EventSamples.decode(Array(row[..<count])) }
      // And also if the checksum were right.
      if count < row.count - 4 {
        #expect(throws: StoreError.self) {
          try EventSamples.decode(EventSamples.sealed(row[..<count]))
        }
      }
    }
  }

  @Test("a row with one wrong byte anywhere is damaged")
  func oneByte() {
    let row = EventSamples.row
    for index in row.indices {
      for bit in [0, 4, 7] {
        var damaged = row
        damaged[index] ^= 1 << bit
        #expect(throws: StoreError.self) { try EventSamples.decode(damaged) }
      }
    }
  }

  @Test("a row whose checksum is right and whose content is not traps nobody")
  func wrongContent() {
    let body = EventSamples.row.dropLast(4)
    var accepted = 0
    for index in body.indices.dropFirst() {
      for value: UInt8 in [0, 0x7F, 0xFF, body[index] ^ 1, body[index] ^ 0x80] {
        var damaged = body
        damaged[index] = value
        for firstSeq: Int64 in [0, EventSamples.most] {
          if (try? EventSamples.decode(EventSamples.sealed(damaged), firstSeq: firstSeq)) != nil {
            accepted += 1
          }
        }
      }
    }
    // Most changes give another event that could be; that is what the checksum is for.
    #expect(accepted > 0)
  }

  @Test("a packed form of another version is refused, and says which")
  func version() {
    let body = [Frame.version + 1] + EventSamples.row.dropFirst().dropLast(4)
    #expect {
      try EventSamples.decode(EventSamples.sealed(body))
    } throws: { error in
      "\(error)".contains("version \(Frame.version + 1)")
    }
  }

  @Test("an unknown type of event is damage")
  func unknownType() {
    var body = EventSamples.row.dropLast(4)
    let start = body.startIndex + 2
    for code: UInt8 in [0, 32, 63, 72, 255] {
      body[start] = code
      #expect(throws: StoreError.self) { try EventSamples.decode(EventSamples.sealed(body)) }
    }
  }
}
