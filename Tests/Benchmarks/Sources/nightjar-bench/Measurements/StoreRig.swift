internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarStore

/// The core on its real storage, with a hand on what goes from one to the other: each commit, as
/// the daemon would have it, is made durable when the bench says so.
final class StoreRig: Committer {
  /// So many timers are started anew, again and again.
  static let timers = 10_000

  let folder: StateFolder
  private let thread: CommitThread
  private var core: TimerCore?
  private var submitted: Commit?
  private var random = Xorshift(seed: 1)

  init(path: String) throws(StoreError) {
    folder = try StateFolder(path: path)
    thread = try CommitThread(folder: folder)
    let now = CoreRig.now()
    let core = try TimerCore(
      reader: try LedgerReader(folder: folder), committer: self, calendar: BenchCalendar(),
      maximumTimers: Self.timers, at: now)
    self.core = core
    core.start(at: now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    _ = core.endIteration(at: now)
    try write()
    for first in stride(from: 0, to: Self.timers, by: 1000) {
      try start(first..<first + 1000)
      try write()
    }
  }

  /// Ends the storage's thread; the rig is not to be used any more.
  func close() {
    // The service holds its committer.
    core = nil
    thread.close()
  }

  /// Takes what the journal hands over.
  func submit(_ commit: Commit) { submitted = commit }

  /// Has a commit ready in which so many timers, any of those that there are, were started anew.
  ///
  /// - Returns: what of it is to be on disk, without what a database adds.
  func prepare(events: Int) throws(StoreError) -> [UInt8] {
    try start((0..<events).map { _ in random.draw(below: Self.timers) })
    guard let submitted, submitted.rows.reduce(0, { $0 + $1.count }) == events else {
      throw .damaged("a commit is not what it was to be")
    }
    return submitted.rows.flatMap(\.bytes) + submitted.chunks.flatMap(\.bytes)
  }

  /// Makes the commit that is ready durable.
  ///
  /// - Returns: how long it was in the storage's hands, the way to its thread and back included, in
  ///   nanoseconds.
  @discardableResult
  func write() throws(StoreError) -> Int64 {
    guard let commit = submitted, let core else { throw .damaged("there is no commit") }
    submitted = nil
    let begin = Clock.nsec()
    thread.submit(commit)
    try thread.awaitDurable()
    let took = Clock.nsec() - begin
    core.journal.finish(nil, at: CoreRig.now())
    return took
  }

  private func start(_ numbers: some Sequence<Int>) throws(StoreError) {
    guard let core else { throw .damaged("the rig is closed") }
    let now = CoreRig.now()
    do throws(EngineError) {
      var spec = TimerSpec.plain
      spec.durationUsec = 36_000_000_000
      for number in numbers {
        _ = try core.engine.start(
          "bench/\(1_000_000_000 + number)", spec, replace: true, at: now)
      }
    } catch { throw .damaged("a timer could not be started: \(error)") }
    core.journal.commitPending(at: now)
  }
}

extension EventRow {
  fileprivate var count: Int { Int(lastSeq - firstSeq) + 1 }
}

extension CommitThread {
  /// Waits until the commit under way is on disk.
  func awaitDurable() throws(StoreError) {
    var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&readable, 1, -1)
    switch takeOutcome() {
    case .durable?, .durableAnew?: break
    case .failed(let error)?: throw error
    case nil: throw .damaged("a commit has no outcome")
    }
  }
}
