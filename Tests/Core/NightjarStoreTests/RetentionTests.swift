import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// How long the ledger is kept.
@Suite(.blocking) struct RetentionTests {
  private let folder: TestFolder
  private let state: StateFolder

  init() throws {
    folder = try TestFolder()
    state = try StateFolder(path: folder.path)
  }

  /// A writer with a retention, and a reader.
  private func open(
    _ change: (inout Retention) -> Void = { _ in }
  ) throws -> (LedgerWriter, LedgerReader) {
    let writer = try LedgerWriter(folder: state, retention: retention(change))
    return (writer, try LedgerReader(folder: state))
  }

  private func retention(_ change: (inout Retention) -> Void) -> Retention {
    var retention = Retention()
    change(&retention)
    return retention
  }

  private func commit(
    _ seq: Int64, timeUsec: Int64, needed: Int64, now: Int64, spans: [Span] = []
  ) -> Commit {
    var encoder = BatchEncoder()
    encoder.append(
      Event(seq: seq, timeUsec: timeUsec, subject: nil, kind: .clockStepped(byUsec: seq)))
    let row = EventRow(firstSeq: seq, lastSeq: seq, timeUsec: timeUsec, bytes: encoder.finish())
    return .with(seq, rows: [row], spans: spans, needed: needed, now: now)
  }

  /// Commits of an event each, at the time of its number, which a start needs.
  private func write(_ seqs: ClosedRange<Int64>, to writer: LedgerWriter) throws {
    for seq in seqs { try writer.write(commit(seq, timeUsec: seq, needed: seq, now: seq)) }
  }

  @Test
  func `Events beyond the limit are pruned, the oldest first, except those that a start needs`()
    throws
  {
    let (writer, reader) = try open { $0.events = 10 }
    for seq: Int64 in 1...30 {
      try writer.write(commit(seq, timeUsec: seq, needed: 16, now: seq))
    }
    #expect(try reader.seqs() == Array(16...30))
    #expect(try reader.oldestSeq() == 16)
    try write(31...40, to: writer)
    #expect(try reader.seqs() == Array(31...40))
  }

  @Test func `Events beyond the age are pruned, except those that a start needs`() throws {
    let (writer, reader) = try open { $0.ageUsec = 100 }
    for seq: Int64 in 1...10 {
      try writer.write(commit(seq, timeUsec: seq * 10, needed: 5, now: seq * 10))
    }
    #expect(try reader.seqs() == Array(1...10))
    for seq: Int64 in 11...14 {
      try writer.write(commit(seq, timeUsec: 1000 + seq, needed: 5, now: 1000 + seq))
    }
    #expect(try reader.seqs() == Array(5...14))
  }

  @Test func `A wall clock that went back leaves no gap in the ledger`() throws {
    let (writer, reader) = try open { $0.ageUsec = 100 }
    // The first was written with a clock that was ahead.
    try writer.write(commit(1, timeUsec: 5000, needed: 1, now: 5000))
    for seq: Int64 in 2...6 { try writer.write(commit(seq, timeUsec: seq, needed: seq, now: 2000)) }
    let remaining = try reader.seqs()
    #expect(remaining == Array((remaining.first ?? 7)...6))
    #expect(try reader.oldestSeq() == remaining.first)
  }

  @Test func `Old spans are pruned, except the last two and the open one`() throws {
    let (writer, reader) = try open { $0.ageUsec = 100 }
    let spans = (1...6).map { id in
      var span = Span(id: Int64(id), causes: [.sleep], entered: EventSamples.moment)
      span.left = EventSamples.moment
      span.left?.realtimeUsec = Int64(id)
      return span
    }
    try writer.write(commit(1, timeUsec: 1, needed: 1, now: 10, spans: spans))
    #expect(try reader.spans(since: .min, limit: 100).map(\.id) == [1, 2, 3, 4, 5, 6])
    for seq: Int64 in 2...3 { try writer.write(commit(seq, timeUsec: 1, needed: 1, now: 1000)) }
    #expect(try reader.spans(since: .min, limit: 100).map(\.id) == [5, 6])
  }

  /// Prunes until nothing is left to prune; returns the number of calls.
  private func pruneAll(_ writer: LedgerWriter) -> Int {
    var goes = 0
    while writer.isBehind {
      writer.prune()
      goes += 1
    }
    return goes
  }

  @Test func `A shortened retention applies with the next commit, not 4 rows at a time`() throws {
    let (writer, reader) = try open()
    for seq: Int64 in 1...1000 {
      try writer.write(commit(seq, timeUsec: seq, needed: 901, now: seq))
      _ = pruneAll(writer)
    }
    writer.setRetention(retention { $0.events = 10 })
    #expect(!writer.isBehind)
    try writer.write(commit(1001, timeUsec: 1001, needed: 901, now: 1001))
    #expect(writer.isBehind)
    #expect(pruneAll(writer) == 4)
    // The events that a start needs stay.
    #expect(try reader.seqs() == Array(901...1001))
    #expect(!writer.isBehind)
  }

  @Test func `A commit without events applies a shortened retention by age, too`() throws {
    let (writer, reader) = try open()
    try write(1...20, to: writer)
    writer.setRetention(retention { $0.ageUsec = 5 })
    var anchor = commit(20, timeUsec: 20, needed: 21, now: 20)
    anchor.rows = []
    try writer.write(anchor)
    _ = pruneAll(writer)
    #expect(try reader.seqs() == Array(15...20))
  }

  @Test func `After a start, excess events go at once, and old ones little by little`() throws {
    do {
      let writer = try LedgerWriter(folder: state, retention: Retention())
      try write(1...100, to: writer)
    }
    let (second, reader) = try open { $0.events = 50 }
    try second.write(commit(101, timeUsec: 101, needed: 101, now: 101))
    _ = pruneAll(second)
    #expect(try reader.seqs() == Array(52...101))
    // A clock that is a century ahead.
    let third = try LedgerWriter(folder: state, retention: Retention())
    let ahead = 100 * 31_557_600_000_000 + 101
    try third.write(commit(102, timeUsec: Int64(ahead), needed: 102, now: Int64(ahead)))
    _ = pruneAll(third)
    #expect(try reader.seqs() == Array(56...102))
  }

  @Test func `Pruning that fails does no harm: commits prune the remaining rows`() throws {
    let (writer, reader) = try open()
    try write(1...20, to: writer)
    writer.setRetention(retention { $0.events = 5 })
    try writer.write(commit(21, timeUsec: 21, needed: 21, now: 21))
    let other = try Connection(path: state.databasePath)
    try other.execute("BEGIN IMMEDIATE")
    writer.prune()
    #expect(!writer.isBehind)
    try other.execute("ROLLBACK")
    #expect(try reader.seqs().first == 5)
    try writer.write(commit(22, timeUsec: 22, needed: 22, now: 22))
    #expect(try reader.seqs().first == 9)
  }
}
