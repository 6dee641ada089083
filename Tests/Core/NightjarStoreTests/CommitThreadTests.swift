import Foundation
import NightjarEngine
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

@Suite(.blocking) struct CommitThreadTests {
  private let folder: TestFolder
  private let state: StateFolder

  init() throws {
    folder = try TestFolder()
    state = try StateFolder(path: folder.path)
  }

  private func commit(_ number: Int64) -> Commit {
    Commit(
      number: number, rows: [], chunks: [], chunkCount: 0, spans: [], actions: [],
      state: BackgroundState(anchor: Anchor(moment: EventSamples.moment, elapsedUsec: number)),
      lastSeq: number, neededFromSeq: 1, timeUsec: 0)
  }

  /// Waits until the descriptor is readable, for at most five seconds.
  private func awaitSignal(_ thread: CommitThread) -> Bool {
    var readable = pollfd(fd: thread.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&readable, 1, 5000) == 1
  }

  private func isSignalled(_ thread: CommitThread) -> Bool {
    var readable = pollfd(fd: thread.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&readable, 1, 0) == 1
  }

  @Test
  func `A commit is made durable on the other thread, which then signals its descriptor`() throws {
    let thread = try CommitThread(folder: state)
    let reader = try LedgerReader(folder: state)
    #expect(thread.takeOutcome() == nil)
    #expect(!isSignalled(thread))
    for number: Int64 in 1...3 {
      thread.submit(commit(number))
      #expect(awaitSignal(thread))
      guard case .durable = thread.takeOutcome() else {
        Issue.record("commit \(number) is not durable")
        return
      }
      #expect(try reader.ledgerState()?.lastSeq == number)
      #expect(thread.takeOutcome() == nil)
      #expect(!isSignalled(thread))
    }
    thread.close()
  }

  @Test func `A failed commit is reported with its error, and the next is tried`() throws {
    let thread = try CommitThread(folder: state)
    let other = try Connection(path: state.databasePath)
    try other.execute("BEGIN IMMEDIATE")
    thread.submit(commit(1))
    #expect(awaitSignal(thread))
    guard case .failed(.sqlite(5, _)) = thread.takeOutcome() else {
      Issue.record("it did not fail")
      return
    }
    try other.execute("ROLLBACK")
    thread.submit(commit(1))
    #expect(awaitSignal(thread))
    guard case .durable = thread.takeOutcome() else {
      Issue.record("it is not durable")
      return
    }
  }

  @Test func `Closing waits for the commit in progress, and closes the database`() throws {
    let thread = try CommitThread(folder: state)
    thread.submit(commit(5))
    thread.close()
    thread.close()
    #expect(try LedgerReader(folder: state).ledgerState()?.lastSeq == 5)
    #expect(FileIdentity(path: state.databasePath + "-wal")?.size == 0)
  }

  @Test func `A commit thread that was not closed ends with its owner`() throws {
    do {
      let thread = try CommitThread(folder: state)
      thread.submit(commit(1))
    }
    #expect(try LedgerReader(folder: state).ledgerState()?.lastSeq == 1)
  }

  @Test func `A changed retention applies from the next commit on`() throws {
    let thread = try CommitThread(folder: state)
    let reader = try LedgerReader(folder: state)
    for seq: Int64 in 1...600 {
      var commit = commit(seq)
      commit.rows = [EventRow(firstSeq: seq, lastSeq: seq, timeUsec: 0, bytes: [])]
      commit.neededFromSeq = seq
      thread.submit(commit)
      #expect(awaitSignal(thread))
      _ = thread.takeOutcome()
    }
    #expect(try reader.oldestSeq() == 1)
    var retention = Retention()
    retention.events = 3
    thread.setRetention(retention)
    var anchor = commit(600)
    anchor.neededFromSeq = 601
    thread.submit(anchor)
    #expect(awaitSignal(thread))
    _ = thread.takeOutcome()
    // The thread prunes by itself, between commits.
    let deadline = Date(timeIntervalSinceNow: 30)
    while try reader.oldestSeq() != 598 { try #require(Date() < deadline) }
  }
}
