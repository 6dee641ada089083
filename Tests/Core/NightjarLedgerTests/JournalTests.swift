import NightjarEngine
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing

@testable import NightjarLedger

@Suite(.blocking) struct JournalTests {
  private let stage: Stage

  init() throws { stage = try Stage() }

  /// A core on a simulated disk, and the published events.
  private final class Stage: NotificationObserver {
    var clocks = EventSamples.Clocks()
    let disk = SimulatedDisk()
    private(set) var core: TimerCore
    private(set) var published: [(seq: Int64, isDurable: Bool)] = []
    private(set) var failures: [String] = []
    private(set) var inDoubtFlags: [Bool] = []

    init(eventsPerCommit: Int = Journal.eventsPerCommit) throws {
      core = try TimerCore(
        reader: disk, committer: disk, calendar: NoCalendar(), maximumTimers: 100_000,
        eventsPerCommit: eventsPerCommit, at: clocks.now)
      try begin()
    }

    private func begin() throws {
      core.bus.register(self)
      core.start(at: clocks.now, downSince: nil, synchronized: true, zone: ("UTC", 1))
      _ = core.endIteration(at: clocks.now)
      try settle()
    }

    func restart() throws {
      disk.crash(underwayIsDurable: false)
      core = try TimerCore(
        reader: disk, committer: disk, calendar: NoCalendar(), maximumTimers: 100_000,
        at: clocks.now)
      try begin()
    }

    func observe(_ notification: Notification, at moment: Moment) {
      switch notification {
      case .committed(let events, let durable): published += events.map { ($0.seq, durable) }
      case .commitFailed(let reason, let inDoubt):
        failures.append(reason)
        inDoubtFlags.append(inDoubt)
      default: break
      }
    }

    var journal: Journal { core.journal }
    var engine: Engine { core.engine }
    var seqs: [Int64] { published.map(\.seq) }
    /// The event after which the oldest chunk is valid.
    var oldestChunk: Int64 { disk.chunks.values.map(\.validAtSeq).min() ?? 0 }

    /// An iteration in which timers are started.
    func start(_ names: String...) throws { try start(names) }

    func start(_ names: [String], _ usec: Int64 = 1_000_000) throws {
      try runIteration {
        for name in names {
          _ = try core.engine.start(
            name, durationUsec: usec, clock: .elapsed, replace: true, at: clocks.now)
        }
      }
    }

    func runIteration() { runIteration {} }

    func runIteration(_ body: () throws -> Void) rethrows {
      core.beginIteration(at: clocks.now)
      try body()
      _ = core.endIteration(at: clocks.now)
    }

    /// An iteration in which a span begins, ends, or does both a number of times.
    func enter(_ cause: Cause) {
      core.background.enter(cause, at: clocks.now)
      runIteration()
    }

    func leave(_ cause: Cause) { runIteration { core.background.leave(cause, at: clocks.now) } }

    func sleep(_ count: Int = 1) {
      for _ in 0..<count {
        core.background.enter(.sleep, at: clocks.now)
        core.background.leave(.sleep, at: clocks.now)
      }
      runIteration()
    }

    /// Starts timers, and waits until they are on the disk.
    func write(_ names: String...) throws {
      try start(names)
      try settle()
    }

    func settle(_ fate: SimulatedDisk.Fate = .durable) throws {
      while let error = disk.settle(fate) {
        try core.commitFinished(error, at: clocks.now)
        journal.commitPending(at: clocks.now)
      }
    }
  }

  @Test func `All changes of an iteration are one commit, published when it is durable`() throws {
    try stage.start("a", "b", "c")
    #expect(stage.disk.underway?.rows.map(\.firstSeq) == [1])
    #expect(stage.disk.underway?.rows.map(\.lastSeq) == [3])
    #expect(stage.published.isEmpty)
    #expect(stage.journal.durableSeq == 0)
    try stage.settle()
    #expect(stage.seqs == [1, 2, 3])
    #expect(stage.published.allSatisfy { $0.isDurable })
    #expect(stage.journal.durableSeq == 3)
    #expect(!stage.journal.hasUnfinished)
  }

  @Test func `At most eight commits wait for a disk that hangs; the rest forms the next`() throws {
    let stage = try Stage(eventsPerCommit: 2)
    let first = stage.journal.latestCommit
    for number in 0..<20 { try stage.start("a\(number)", "b\(number)") }
    #expect(stage.journal.latestCommit == first + 9)
    try stage.settle()
    #expect(stage.seqs == Array(1...40))
    #expect(!stage.journal.hasUnfinished)
  }

  @Test func `An event that a chunk contains is not applied again at the start`() throws {
    try stage.start((0..<600).map { "t\($0)" })
    try stage.settle()
    // Every 512 events, after the last of them, one of the two chunks is written.
    for (name, slot) in [("t599", 599), ("t0", 0), ("t0", 0), ("t599", 599)] {
      try stage.runIteration {
        for _ in 0..<512 { try stage.engine.extend(slot, byUsec: 1, at: stage.clocks.now) }
      }
      try stage.settle()
      let before = stage.engine.timer(at: slot).runLengthUsec
      try stage.restart()
      #expect(try stage.engine.require(name) == slot)
      #expect(stage.engine.timer(at: slot).runLengthUsec == before)
    }
  }

  @Test func `While a commit is in progress, later changes form the next`() throws {
    try stage.start("a")
    let first = stage.journal.latestCommit
    try stage.start("b")
    try stage.start("c")
    #expect(stage.journal.latestCommit == first + 1)
    #expect(stage.disk.underway?.lastSeq == 1)
    #expect(stage.journal.unfinished(1)?.subject?.name == "a")
    #expect(stage.journal.unfinished(3)?.subject?.name == "c")
    #expect(stage.journal.unfinished(4) == nil)
    try stage.core.commitFinished(try #require(stage.disk.settle(.durable)), at: stage.clocks.now)
    #expect(stage.journal.durableCommit == first)
    #expect(stage.journal.unfinished(1) == nil)
    stage.journal.commitPending(at: stage.clocks.now)
    #expect(stage.disk.underway?.rows.map(\.lastSeq) == [3])
    try stage.settle()
    #expect(stage.journal.durableCommit == first + 1)
    #expect(stage.disk.rows.map(\.firstSeq) == [1, 2])
  }

  @Test func `An iteration without changes commits only an anchor that was requested`() throws {
    stage.runIteration()
    #expect(stage.disk.underway == nil)
    stage.clocks.run(5)
    stage.journal.requestAnchor()
    stage.runIteration()
    #expect(stage.disk.underway?.rows.isEmpty == true)
    #expect(stage.disk.underway?.state.anchor.moment == stage.clocks.now)
    try stage.settle()
    #expect(stage.disk.underway == nil)
  }

  @Test func `More than 128 events of one iteration are several rows of one commit`() throws {
    try stage.start((0..<600).map { "t\($0)" })
    #expect(stage.disk.underway?.rows.map(\.firstSeq) == [1, 129, 257, 385, 513])
    #expect(stage.disk.underway?.rows.map(\.lastSeq) == [128, 256, 384, 512, 600])
    #expect(stage.disk.underway?.chunks.map(\.index) == [0, 1])
  }

  @Test func `A commit is closed at some thousand events, and later ones wait`() throws {
    try stage.start("first")
    let first = stage.journal.latestCommit
    let count = Journal.eventsPerCommit
    var last: [Int64] = []
    for round in 0..<3 {
      for index in 0..<count {
        _ = try stage.engine.start(
          "t\(round)/\(index)", durationUsec: 1, clock: .elapsed, at: stage.clocks.now)
        if index == count / 2 { stage.journal.commitPending(at: stage.clocks.now) }
      }
      stage.journal.commitPending(at: stage.clocks.now)
      last.append(stage.engine.lastSeq)
    }
    // Each commit is submitted when the one before has ended, with its contents at the time it was
    // closed.
    #expect(stage.disk.underway?.lastSeq == 1)
    #expect(stage.journal.latestCommit == first + 3)
    let middle = last[1] - 5
    #expect(stage.journal.unfinished(middle)?.seq == middle)
    for (index, seq) in last.enumerated() {
      try stage.core.commitFinished(try #require(stage.disk.settle(.durable)), at: stage.clocks.now)
      #expect(stage.disk.underway?.lastSeq == seq)
      #expect(stage.disk.underway?.number == first + Int64(index + 1))
      #expect(stage.disk.underway?.chunks.isEmpty == false)
      #expect(stage.journal.durableCommit == first + Int64(index))
    }
    #expect(stage.journal.unfinished(middle) == nil)
    try stage.settle()
    #expect(!stage.journal.hasUnfinished)
    #expect(stage.disk.lastSeq == last[2])
  }

  @Test func `The sweep limits the events that a start reads, for any number of timers`() throws {
    stage.disk.keepsNeededRowsOnly = true
    var most: Int64 = 0
    for round in 0..<1200 {
      // New slots come into use in a fifth of the iterations.
      try stage.start("t\(round % 5 == 0 ? round : round % 50)", "u\(round * 2)", "v\(round % 9)")
      let underway = try #require(stage.disk.underway)
      try stage.settle()
      let oldest = stage.oldestChunk
      #expect(underway.neededFromSeq == oldest + 1)
      most = max(most, underway.lastSeq - oldest)
    }
    let chunks = Int64(stage.disk.chunks.count)
    #expect(chunks >= 3)
    #expect(most <= (chunks + 1) * 512)
    #expect(most > 512)
    try stage.restart()
  }

  @Test func `The sweep continues across starts, however soon they follow each other`() throws {
    var most: Int64 = 0
    for round in 0..<60 {
      for _ in 0..<10 { try stage.start("a", "b", "c", "d", "e") }
      try stage.settle()
      try stage.restart()
      let oldest = stage.oldestChunk
      most = max(most, stage.disk.lastSeq - oldest)
      #expect(round < 59 || stage.disk.lastSeq > 3000)
    }
    #expect(most <= 2 * 512)
  }

  @Test func `The sweep continues when there are only events of the machine`() throws {
    try stage.start("a")
    try stage.engine.remove(0, at: stage.clocks.now)
    stage.runIteration()
    try stage.settle()
    try stage.restart()
    var most: Int64 = 0
    for round in 0..<1500 {
      // During the first sweep no slot is in use at all.
      if round == 400 { try stage.restart() }
      stage.sleep()
      try stage.settle()
      most = max(most, stage.disk.lastSeq - stage.oldestChunk)
    }
    #expect(most <= 2 * 512)
  }

  @Test func `A failed commit is returned whole, and tried again`() throws {
    try stage.write("a")
    stage.enter(.sleep)
    try stage.settle(.failed)
    #expect(stage.failures.count == 1)
    #expect(stage.journal.failure == .sqlite(code: 13, message: "database or disk is full"))
    #expect(stage.journal.hasUnfinished)
    // Nothing is submitted until a retry is requested.
    stage.clocks.run(10)
    stage.leave(.sleep)
    #expect(stage.disk.underway == nil)
    #expect(stage.seqs == [1])
    stage.journal.retry(at: stage.clocks.now)
    #expect(stage.disk.underway?.rows.map(\.lastSeq) == [3])
    #expect(stage.disk.underway?.spans.map(\.causes) == [[.sleep]])
    #expect(stage.disk.underway?.spans.allSatisfy { $0.left != nil } == true)
    try stage.settle()
    #expect(stage.journal.failure == nil)
    #expect(stage.seqs == [1, 2, 3])
    #expect(stage.disk.spans.count == 1)
    try stage.restart()
  }

  @Test func `Rows that a start needs stay until a failed commit's chunk is on disk`() throws {
    stage.disk.keepsNeededRowsOnly = true
    for index in 0..<1200 { try stage.start("t\(index)") }
    try stage.settle()
    stage.sleep(300)
    #expect(stage.disk.underway?.chunks.count == 1)
    try stage.settle(.failed)
    stage.journal.retry(at: stage.clocks.now)
    for round in 0..<4 {
      if round > 0 { stage.sleep(300) }
      let underway = try #require(stage.disk.underway)
      try stage.settle()
      let oldest = stage.oldestChunk
      #expect(underway.neededFromSeq == oldest + 1, "round \(round)")
    }
    try stage.restart()
    #expect(stage.engine.counts == [1200, 0, 0, 0, 0])
  }

  @Test func `When the database is lost, the next commit is whole: nothing is refused`() throws {
    for index in 0..<600 { try stage.start("t\(index)") }
    try stage.settle()
    try stage.start("new")
    _ = stage.disk.settle(.failed)
    try stage.core.commitFinished(.removed("the log was removed"), at: stage.clocks.now)
    #expect(stage.failures.isEmpty && stage.journal.failure == nil)
    let whole = try #require(stage.disk.underway)
    #expect(whole.isFull && whole.chunks.map(\.index) == [0, 1])
    #expect(whole.rows.map(\.firstSeq) == [601])
    #expect(whole.chunks.allSatisfy { $0.validAtSeq == 601 })
    try stage.start("behind")
    try stage.settle()
    #expect(stage.published.suffix(2).map(\.seq) == [601, 602])
    #expect(stage.disk.underway == nil && !stage.journal.needsFullCommit)
    try stage.restart()
    #expect(stage.engine.counts == [602, 0, 0, 0, 0])
  }

  @Test func `While the disk cannot be used at all, memory stays, in doubt`() throws {
    try stage.write("a")
    let chunks = stage.disk.chunks
    stage.disk.chunks = [0: ChunkRow(index: 0, validAtSeq: 1, bytes: [])]
    try stage.start("b")
    try stage.settle(.failed)
    #expect(stage.inDoubtFlags == [true])
    #expect(stage.engine.counts == [2, 0, 0, 0, 0])
    stage.journal.retry(at: stage.clocks.now)
    #expect(stage.disk.underway?.isFull == true)
    stage.disk.chunks = chunks
    // Not even when it can be read again: clients may have seen the changes that are in doubt.
    try stage.settle(.failed)
    #expect(stage.inDoubtFlags == [true, true])
    stage.journal.retry(at: stage.clocks.now)
    try stage.settle()
    #expect(stage.seqs == [1, 2])
    try stage.restart()
    #expect(stage.engine.counts == [2, 0, 0, 0, 0])
  }

  @Test func `Requests in a failed commit did not happen`() throws {
    try stage.write("a")
    let slot = try stage.engine.require("a")
    try stage.engine.pause(slot, at: stage.clocks.now)
    try stage.start("b")
    try stage.settle(.failed)
    #expect(!stage.journal.hasUndurableRequests)
    #expect(stage.engine.counts == [1, 0, 0, 0, 0])
    #expect(stage.engine.timer(at: slot).state == .running)
    #expect(stage.engine.lastSeq == 1)
    #expect(stage.seqs == [1])
  }

  @Test func `A timer that rang has rung, with its cause, though a request was undone`() throws {
    try stage.write("tea")
    stage.enter(.stop)
    try stage.settle()
    stage.clocks.run(3_000_000)
    stage.leave(.stop)
    try stage.start("other")
    try stage.settle(.failed)
    stage.clocks.run(500_000)
    stage.runIteration()
    let slot = try stage.engine.require("tea")
    let timer = stage.engine.timer(at: slot)
    #expect(timer.state == .over)
    #expect(timer.ring?.sound.lateUsec == 2_000_000)
    #expect(timer.ring?.sound.cause == .stop)
    #expect(timer.ring?.sound.atUsec == stage.clocks.now.realtimeUsec - 500_000)
    stage.journal.retry(at: stage.clocks.now)
    try stage.settle()
    #expect(stage.seqs == [1, 2, 3, 4, 5])
  }

  @Test func `On a full disk an event is published once, and not again when durable`() throws {
    try stage.write("tea")
    stage.journal.publishUndurable(at: stage.clocks.now)
    #expect(stage.seqs == [1])
    stage.clocks.run(1_000_000)
    stage.runIteration()
    try stage.settle(.failed)
    #expect(stage.seqs == [1])
    for _ in 0..<3 { stage.journal.publishUndurable(at: stage.clocks.now) }
    #expect(stage.seqs == [1, 2])
    #expect(stage.published.map(\.isDurable) == [true, false])
    stage.clocks.run(1)
    stage.enter(.sleep)
    stage.journal.retry(at: stage.clocks.now)
    // The events of the pending attempt come first.
    stage.journal.publishUndurable(at: stage.clocks.now)
    #expect(stage.seqs == [1, 2])
    try stage.settle()
    #expect(stage.seqs == [1, 2, 3])
    #expect(stage.published.map(\.isDurable) == [true, false, true])
  }

  @Test func `A request that waits for a try is not published, nor is what follows it`() throws {
    try stage.write("tea")
    stage.enter(.sleep)
    try stage.settle(.failed)
    try stage.start("other")
    stage.leave(.sleep)
    stage.journal.publishUndurable(at: stage.clocks.now)
    #expect(stage.seqs == [1, 2])
    stage.journal.retry(at: stage.clocks.now)
    try stage.settle(.failed)
    stage.journal.publishUndurable(at: stage.clocks.now)
    #expect(stage.seqs == [1, 2, 3])
    stage.journal.retry(at: stage.clocks.now)
    try stage.settle()
    #expect(stage.seqs == [1, 2, 3])
    #expect(stage.disk.lastSeq == 3)
  }

  @Test func `A ledger of machine events alone can be read back without its beginning`() throws {
    stage.disk.keepsNeededRowsOnly = true
    for _ in 0..<5 {
      stage.sleep()
      try stage.settle()
    }
    #expect(stage.disk.rows.isEmpty)
    try stage.restart()
    #expect(stage.engine.lastSeq > 10)
  }
}
