import NightjarCore
import Testing

@testable import NightjarStore

/// How long the ledger is kept.
@Suite struct RetentionTests {
  private func commit(
    _ seq: Int64, timeUsec: Int64, needed: Int64, now: Int64, spans: [Span] = []
  ) -> Commit {
    var encoder = BatchEncoder()
    encoder.append(
      Event(seq: seq, timeUsec: timeUsec, subject: nil, kind: .clockStepped(byUsec: seq)))
    return Commit(
      ticket: seq,
      rows: [EventRow(firstSeq: seq, lastSeq: seq, timeUsec: timeUsec, bytes: encoder.finish())],
      chunks: [], spans: spans, state: BackgroundState(anchor: Anchor(moment: Samples.moment)),
      lastSeq: seq, neededFromSeq: needed, timeUsec: now)
  }

  private func seqs(_ reader: LedgerReader) throws -> [Int64] {
    var seqs: [Int64] = []
    try reader.forEachEvent(after: 0) { event throws(StoreError) in
      seqs.append(event.seq)
      return true
    }
    return seqs
  }

  @Test("more events than are kept go, the oldest first, but for those that a start needs")
  func byCount() throws {
    let folder = try Folder()
    let state = try StateFolder(path: folder.path)
    var retention = Retention()
    retention.events = 10
    let writer = try LedgerWriter(folder: state, retention: retention)
    let reader = try LedgerReader(folder: state)
    for seq: Int64 in 1...30 {
      try writer.write(commit(seq, timeUsec: seq, needed: 16, now: seq))
    }
    #expect(try seqs(reader) == Array(16...30))
    #expect(try reader.oldestSeq() == 16)
    for seq: Int64 in 31...40 {
      try writer.write(commit(seq, timeUsec: seq, needed: seq, now: seq))
    }
    #expect(try seqs(reader) == Array(31...40))
  }

  @Test("events older than they are kept go, but for those that a start needs")
  func byAge() throws {
    let folder = try Folder()
    let state = try StateFolder(path: folder.path)
    var retention = Retention()
    retention.ageUsec = 100
    let writer = try LedgerWriter(folder: state, retention: retention)
    let reader = try LedgerReader(folder: state)
    for seq: Int64 in 1...10 {
      try writer.write(commit(seq, timeUsec: seq * 10, needed: 5, now: seq * 10))
    }
    #expect(try seqs(reader) == Array(1...10))
    for seq: Int64 in 11...14 {
      try writer.write(commit(seq, timeUsec: 1000 + seq, needed: 5, now: 1000 + seq))
    }
    #expect(try seqs(reader) == Array(5...14))
  }

  @Test("a wall clock that went back tears no hole into the ledger")
  func noHole() throws {
    let folder = try Folder()
    let state = try StateFolder(path: folder.path)
    var retention = Retention()
    retention.ageUsec = 100
    let writer = try LedgerWriter(folder: state, retention: retention)
    let reader = try LedgerReader(folder: state)
    // The first was written with a clock that was ahead.
    try writer.write(commit(1, timeUsec: 5000, needed: 1, now: 5000))
    for seq: Int64 in 2...6 { try writer.write(commit(seq, timeUsec: seq, needed: seq, now: 2000)) }
    let kept = try seqs(reader)
    #expect(kept == Array((kept.first ?? 7)...6))
    #expect(try reader.oldestSeq() == kept.first)
  }

  @Test("old spans go, but for the last two and what is open")
  func spans() throws {
    let folder = try Folder()
    let state = try StateFolder(path: folder.path)
    var retention = Retention()
    retention.ageUsec = 100
    let writer = try LedgerWriter(folder: state, retention: retention)
    let reader = try LedgerReader(folder: state)
    let spans = (1...6).map { id in
      var span = Span(id: Int64(id), causes: [.sleep], entered: Samples.moment)
      span.left = Samples.moment
      span.left?.realtimeUsec = Int64(id)
      return span
    }
    try writer.write(commit(1, timeUsec: 1, needed: 1, now: 10, spans: spans))
    #expect(try reader.spans(since: .min, limit: 100).map(\.id) == [1, 2, 3, 4, 5, 6])
    for seq: Int64 in 2...3 { try writer.write(commit(seq, timeUsec: 1, needed: 1, now: 1000)) }
    #expect(try reader.spans(since: .min, limit: 100).map(\.id) == [5, 6])
  }
}
