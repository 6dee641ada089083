import Foundation
import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarTestSupport

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

/// Clocks that the test sets.
struct Clocks {
  var now = EventSamples.moment

  mutating func run(_ usec: Int64) {
    now.realtimeUsec += usec
    now.boottimeUsec += usec
    now.monotonicUsec += usec
  }
}

extension Engine {
  /// An engine with a bus of its own, at the moment of the samples.
  convenience init(
    calendar: any NightjarModel.Calendar = NoCalendar(), maximumTimers: Int = 10,
    loading: Bool = false
  ) {
    let bus = NotificationBus()
    self.init(
      background: Background(at: EventSamples.moment, bus: bus), bus: bus, calendar: calendar,
      maximumTimers: maximumTimers, loading: loading)
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
