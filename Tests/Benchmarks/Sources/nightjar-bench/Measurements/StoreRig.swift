internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarStore

/// The core on its real storage. The commits are those of the daemon, but the rig holds each one
/// back until the benchmark calls `write`.
final class StoreRig: Committer {
  /// How many timers there are. They are started again and again.
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

  /// Ends the storage's thread. The rig cannot be used after this.
  func close() {
    // The core holds a reference to its committer, which is this rig.
    core = nil
    thread.close()
  }

  /// Keeps the commit that the journal submits, until `write`.
  func submit(_ commit: Commit) { submitted = commit }

  /// Prepares a commit in which random timers were started again, with this many events.
  ///
  /// - Returns: the bytes of the commit, without what a database adds.
  func prepare(events: Int) throws(StoreError) -> [UInt8] {
    try start((0..<events).map { _ in random.draw(below: Self.timers) })
    guard let submitted, submitted.rows.reduce(0, { $0 + $1.count }) == events else {
      throw .damaged("a commit is not what it was to be")
    }
    return submitted.rows.flatMap(\.bytes) + submitted.chunks.flatMap(\.bytes)
  }

  /// Makes the prepared commit durable.
  ///
  /// - Returns: how long the storage took, including the way to its thread and back, in
  ///   nanoseconds.
  @discardableResult func write() throws(StoreError) -> Int64 {
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
        _ = try core.engine.start("bench/\(1_000_000_000 + number)", spec, replace: true, at: now)
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
