internal import Glibc
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarStore

/// The core on its real storage, with the kernel's clocks.
final class CoreRig {
  let core: TimerCore
  private let thread: CommitThread
  private let folder: StateFolder

  init(path: String) throws(StoreError) {
    folder = try StateFolder(path: path)
    thread = try CommitThread(folder: folder)
    let now = Self.now()
    core = try TimerCore(
      reader: try LedgerReader(folder: folder), committer: thread, calendar: BenchCalendar(),
      maximumTimers: 4_000_000, at: now)
    core.start(at: now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    _ = core.endIteration(at: now)
    try settle()
  }

  func close() {
    thread.close()
  }

  static func now() -> Moment {
    func read(_ clock: clockid_t) -> Int64 {
      var time = timespec()
      clock_gettime(clock, &time)
      return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
    return Moment(
      realtimeUsec: read(CLOCK_REALTIME), boottimeUsec: read(CLOCK_BOOTTIME),
      monotonicUsec: read(CLOCK_MONOTONIC), bootID: BootID(high: 1, low: 1))
  }

  /// Starts `count` timers, with 1,024 timers in a commit.
  ///
  /// - Returns: how long the slowest of the first 100,000 took, in nanoseconds.
  func start(_ count: Int, of mix: TimerMix) throws(StoreError) -> Int64 {
    var longest: Int64 = 0
    for index in 0..<count {
      let begin = Clock.nsec()
      do throws(EngineError) {
        try mix.start(index, in: core.engine, at: Self.now())
      } catch { throw .damaged("timer \(index) could not be started: \(error)") }
      if index < 100_000 { longest = max(longest, Clock.nsec() - begin) }
      if index % 1024 == 1023 { try settle() }
    }
    try settle()
    return longest
  }

  /// How long the loop's thread takes to leave a background span and to arm for the next deadline,
  /// in nanoseconds, for each round. The time does not include the commit, which the other thread
  /// makes.
  func leaveSpan(rounds: Int) -> [Int64] {
    (0..<rounds).map { _ in
      core.background.enter(.sleep, at: Self.now())
      _ = core.endIteration(at: Self.now())
      let now = Self.now()
      let begin = Clock.nsec()
      core.background.leave(.sleep, at: now)
      _ = core.endIteration(at: now)
      let took = Clock.nsec() - begin
      collect()
      return took
    }
  }

  /// Waits until everything is on disk.
  func settle() throws(StoreError) {
    core.journal.commitPending(at: Self.now())
    while core.journal.hasUnfinished {
      try thread.awaitDurable()
      try core.commitFinished(nil, at: Self.now())
      core.journal.commitPending(at: Self.now())
    }
  }

  /// Tells the journal that its commit is on disk, if it is.
  private func collect() {
    guard case .durable? = thread.takeOutcome() else { return }
    core.journal.finish(nil, at: Self.now())
  }
}
