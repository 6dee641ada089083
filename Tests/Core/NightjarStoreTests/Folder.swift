import Foundation
import NightjarEngine
import NightjarModel
import NightjarTestSupport

@testable import NightjarLedger
@testable import NightjarStore

extension TestFolder {
  var files: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: path)) }
  }
}

extension LedgerReader {
  /// The numbers of the events that can be read.
  func seqs() throws -> [Int64] {
    var seqs: [Int64] = []
    try forEachEvent(after: 0) { event throws(StoreError) in
      seqs.append(event.seq)
      return true
    }
    return seqs
  }
}

extension Commit {
  /// A commit with nothing in it but what a test is about.
  static func with(
    _ seq: Int64, rows: [EventRow] = [], spans: [Span] = [], actions: [ActionChange] = [],
    requests: [AnsweredRequest] = [], state: BackgroundState? = nil, needed: Int64 = 1,
    now: Int64 = 0
  ) -> Commit {
    let anchor = Anchor(moment: EventSamples.moment, elapsedUsec: seq)
    return Commit(
      number: seq, rows: rows, chunks: [], chunkCount: 0, spans: spans, actions: actions,
      requests: requests, state: state ?? BackgroundState(anchor: anchor), lastSeq: seq,
      neededFromSeq: needed, timeUsec: now)
  }
}

/// A committer that writes at once, on this thread; the test reports the result to the core.
final class DirectCommitter: Committer {
  let writer: LedgerWriter
  private(set) var commits: [Commit] = []
  private(set) var outcome: StoreError??

  init(_ folder: StateFolder, retention: Retention = Retention()) throws(StoreError) {
    writer = try LedgerWriter(folder: folder, retention: retention)
  }

  func submit(_ commit: Commit) {
    commits.append(commit)
    do throws(StoreError) {
      try writer.write(commit)
      outcome = .some(nil)
    } catch { outcome = .some(error) }
  }

  func takeOutcome() -> StoreError?? {
    defer { outcome = nil }
    return outcome
  }
}
