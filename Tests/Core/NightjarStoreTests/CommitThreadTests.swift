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

  /// Waits until the descriptor is readable, for at most five seconds.
  private func awaitSignal(_ thread: CommitThread, forMsec msec: Int32 = 5000) -> Bool {
    var readable = pollfd(fd: thread.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&readable, 1, msec) == 1
  }

  @Test func `A commit becomes durable on the other thread, which then signals`() throws {
    let thread = try CommitThread(folder: state)
    let reader = try LedgerReader(folder: state)
    #expect(thread.takeOutcome() == nil)
    #expect(!awaitSignal(thread, forMsec: 0))
    for number: Int64 in 1...3 {
      thread.submit(.with(number))
      #expect(awaitSignal(thread))
      #expect(isDurable(thread.takeOutcome()), "commit \(number)")
      #expect(try reader.ledgerState()?.lastSeq == number)
      #expect(thread.takeOutcome() == nil)
      #expect(!awaitSignal(thread, forMsec: 0))
    }
    thread.close()
  }

  private func isDurable(_ outcome: CommitThread.Outcome?) -> Bool {
    if case .durable = outcome { true } else { false }
  }

  @Test func `A failed commit is reported with its error, and the next is tried`() throws {
    let thread = try CommitThread(folder: state)
    let other = try Connection(path: state.databasePath)
    try other.execute("BEGIN IMMEDIATE")
    thread.submit(.with(1))
    #expect(awaitSignal(thread))
    guard case .failed(.sqlite(5, _)) = thread.takeOutcome() else {
      Issue.record("it did not fail")
      return
    }
    try other.execute("ROLLBACK")
    thread.submit(.with(1))
    #expect(awaitSignal(thread))
    #expect(isDurable(thread.takeOutcome()))
  }

  @Test func `Closing waits for the commit in progress, and closes the database`() throws {
    let thread = try CommitThread(folder: state)
    thread.submit(.with(5))
    thread.close()
    thread.close()
    #expect(try LedgerReader(folder: state).ledgerState()?.lastSeq == 5)
    #expect(FileIdentity(path: state.databasePath + "-wal")?.size == 0)
  }

  @Test func `A commit thread that was not closed ends with its owner`() throws {
    do {
      let thread = try CommitThread(folder: state)
      thread.submit(.with(1))
    }
    #expect(try LedgerReader(folder: state).ledgerState()?.lastSeq == 1)
  }

  @Test func `A changed retention applies from the next commit on`() throws {
    let thread = try CommitThread(folder: state)
    let reader = try LedgerReader(folder: state)
    for seq: Int64 in 1...600 {
      var commit = Commit.with(seq)
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
    var anchor = Commit.with(600)
    anchor.neededFromSeq = 601
    thread.submit(anchor)
    #expect(awaitSignal(thread))
    _ = thread.takeOutcome()
    // The thread prunes by itself, between commits.
    let deadline = Date(timeIntervalSinceNow: 30)
    while try reader.oldestSeq() != 598 { try #require(Date() < deadline) }
  }
}
