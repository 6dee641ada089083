import NightjarEngine
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing

@testable import NightjarLedger

@Suite(.blocking) struct JournalTests {
  /// A core on a simulated disk, and the published events.
  private final class Stage: NotificationObserver {
    var clocks = EventSamples.Clocks()
    let disk: SimulatedDisk
    private(set) var core: TimerCore
    private(set) var published: [(seq: Int64, isDurable: Bool)] = []
    private(set) var failures: [String] = []
    private(set) var inDoubtFlags: [Bool] = []

    init(
      disk: SimulatedDisk = SimulatedDisk(), eventsPerCommit: Int = Journal.eventsPerCommit
    ) throws {
      self.disk = disk
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

    /// An iteration in which timers are started.
    func start(_ names: String...) throws {
      core.beginIteration(at: clocks.now)
      for name in names {
        _ = try core.engine.start(
          name, durationUsec: 1_000_000, clock: .elapsed, replace: true, at: clocks.now)
      }
      _ = core.endIteration(at: clocks.now)
    }

    func runIteration() {
      core.beginIteration(at: clocks.now)
      _ = core.endIteration(at: clocks.now)
    }

    func settle(_ fate: SimulatedDisk.Fate = .durable) throws {
      while let error = disk.settle(fate) {
        try core.commitFinished(error, at: clocks.now)
        journal.commitPending(at: clocks.now)
      }
    }
  }

  @Test
  func `All changes of an iteration are one commit, and are published when it is durable`() throws {
    let stage = try Stage()
    try stage.start("a", "b", "c")
    #expect(stage.disk.underway?.rows.map(\.firstSeq) == [1])
    #expect(stage.disk.underway?.rows.map(\.lastSeq) == [3])
    #expect(stage.published.isEmpty)
    #expect(stage.journal.durableSeq == 0)
    try stage.settle()
    #expect(stage.published.map(\.seq) == [1, 2, 3])
    #expect(stage.published.allSatisfy { $0.isDurable })
    #expect(stage.journal.durableSeq == 3)
    #expect(!stage.journal.hasUnfinished)
  }

  @Test
  func `At most eight commits are on their way to a disk that hangs; the rest forms the next`()
    throws
  {
    let stage = try Stage(eventsPerCommit: 2)
    let first = stage.journal.latestCommit
    for number in 0..<20 { try stage.start("a\(number)", "b\(number)") }
    #expect(stage.journal.latestCommit == first + 9)
    try stage.settle()
    #expect(stage.published.map(\.seq) == Array(1...40))
    #expect(!stage.journal.hasUnfinished)
  }

  @Test func `An event that a chunk contains is not applied again at the start`() throws {
    let stage = try Stage()
    stage.core.beginIteration(at: stage.clocks.now)
    for number in 0..<600 {
      _ = try stage.core.engine.start(
        "t\(number)", durationUsec: 1_000_000, clock: .elapsed, at: stage.clocks.now)
    }
    _ = stage.core.endIteration(at: stage.clocks.now)
    try stage.settle()
    // Every 512 events, after the last of them, one of the two chunks is written.
    for (name, slot) in [("t599", 599), ("t0", 0), ("t0", 0), ("t599", 599)] {
      stage.core.beginIteration(at: stage.clocks.now)
      for _ in 0..<512 {
        try stage.core.engine.extend(slot, byUsec: 1, at: stage.clocks.now)
      }
      _ = stage.core.endIteration(at: stage.clocks.now)
      try stage.settle()
      let before = stage.core.engine.timer(at: slot).runLengthUsec
      try stage.restart()
      #expect(try stage.core.engine.require(name) == slot)
      #expect(stage.core.engine.timer(at: slot).runLengthUsec == before)
    }
  }

  @Test func `While a commit is in progress, the changes of later iterations form the next`() throws
  {
    let stage = try Stage()
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

  @Test
  func `An iteration without changes commits nothing, unless the anchor was requested`() throws {
    let stage = try Stage()
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
    let stage = try Stage()
    for index in 0..<600 {
      _ = try stage.core.engine.start(
        "t\(index)", durationUsec: 1, clock: .elapsed, at: stage.clocks.now)
    }
    stage.journal.commitPending(at: stage.clocks.now)
    #expect(stage.disk.underway?.rows.map(\.firstSeq) == [1, 129, 257, 385, 513])
    #expect(stage.disk.underway?.rows.map(\.lastSeq) == [128, 256, 384, 512, 600])
    #expect(stage.disk.underway?.chunks.map(\.index) == [0, 1])
  }

  @Test func `A commit is closed at some thousand events, and later ones wait for their own`()
    throws
  {
    let stage = try Stage()
    try stage.start("first")
    let first = stage.journal.latestCommit
    let count = Journal.eventsPerCommit
    var last: [Int64] = []
    for round in 0..<3 {
      for index in 0..<count {
        _ = try stage.core.engine.start(
          "t\(round)/\(index)", durationUsec: 1, clock: .elapsed, at: stage.clocks.now)
        if index == count / 2 { stage.journal.commitPending(at: stage.clocks.now) }
      }
      stage.journal.commitPending(at: stage.clocks.now)
      last.append(stage.core.engine.lastSeq)
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

  @Test func `The sweep limits the events that a start has to read, however many timers there are`()
    throws
  {
    let stage = try Stage()
    stage.disk.keepsNeededRowsOnly = true
    var most: Int64 = 0
    for round in 0..<1200 {
      // New slots come into use in a fifth of the iterations.
      try stage.start("t\(round % 5 == 0 ? round : round % 50)", "u\(round * 2)", "v\(round % 9)")
      let underway = try #require(stage.disk.underway)
      try stage.settle()
      let oldest = stage.disk.chunks.values.map(\.validAtSeq).min() ?? 0
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
    let stage = try Stage()
    var most: Int64 = 0
    for round in 0..<60 {
      for _ in 0..<10 { try stage.start("a", "b", "c", "d", "e") }
      try stage.settle()
      try stage.restart()
      let oldest = stage.disk.chunks.values.map(\.validAtSeq).min() ?? 0
      most = max(most, stage.disk.lastSeq - oldest)
      #expect(round < 59 || stage.disk.lastSeq > 3000)
    }
    #expect(most <= 2 * 512)
  }

  @Test
  func `The sweep continues without timers, when there are only events of the machine`() throws {
    let stage = try Stage()
    try stage.start("a")
    try stage.core.engine.remove(0, at: stage.clocks.now)
    stage.runIteration()
    try stage.settle()
    try stage.restart()
    var most: Int64 = 0
    for round in 0..<1500 {
      // During the first sweep no slot is in use at all.
      if round == 400 { try stage.restart() }
      stage.core.background.enter(.sleep, at: stage.clocks.now)
      stage.core.background.leave(.sleep, at: stage.clocks.now)
      stage.runIteration()
      try stage.settle()
      most = max(most, stage.disk.lastSeq - (stage.disk.chunks.values.map(\.validAtSeq).min() ?? 0))
    }
    #expect(most <= 2 * 512)
  }

  @Test func `A failed commit is returned whole, and tried again`() throws {
    let stage = try Stage()
    try stage.start("a")
    try stage.settle()
    stage.core.background.enter(.sleep, at: stage.clocks.now)
    stage.runIteration()
    try stage.settle(.failed)
    #expect(stage.failures.count == 1)
    #expect(stage.journal.failure == .sqlite(code: 13, message: "database or disk is full"))
    #expect(stage.journal.hasUnfinished)
    // Nothing is submitted until a retry is requested.
    stage.clocks.run(10)
    stage.core.background.leave(.sleep, at: stage.clocks.now)
    stage.runIteration()
    #expect(stage.disk.underway == nil)
    #expect(stage.published.map(\.seq) == [1])
    stage.journal.retry(at: stage.clocks.now)
    #expect(stage.disk.underway?.rows.map(\.lastSeq) == [3])
    #expect(stage.disk.underway?.spans.map(\.causes) == [[.sleep]])
    #expect(stage.disk.underway?.spans.allSatisfy { $0.left != nil } == true)
    try stage.settle()
    #expect(stage.journal.failure == nil)
    #expect(stage.published.map(\.seq) == [1, 2, 3])
    #expect(stage.disk.spans.count == 1)
    try stage.restart()
  }

  /// An iteration in which the machine slept `count` times.
  private func sleep(_ count: Int, on stage: Stage) {
    for _ in 0..<count {
      stage.core.background.enter(.sleep, at: stage.clocks.now)
      stage.core.background.leave(.sleep, at: stage.clocks.now)
    }
    stage.runIteration()
  }

  @Test func `Rows that a start needs are kept until the chunk of a failed commit is on disk`()
    throws
  {
    let stage = try Stage()
    stage.disk.keepsNeededRowsOnly = true
    for index in 0..<1200 { try stage.start("t\(index)") }
    try stage.settle()
    sleep(300, on: stage)
    #expect(stage.disk.underway?.chunks.count == 1)
    try stage.settle(.failed)
    stage.journal.retry(at: stage.clocks.now)
    for round in 0..<4 {
      if round > 0 { sleep(300, on: stage) }
      let underway = try #require(stage.disk.underway)
      try stage.settle()
      let oldest = stage.disk.chunks.values.map(\.validAtSeq).min() ?? 0
      #expect(underway.neededFromSeq == oldest + 1, "round \(round)")
    }
    try stage.restart()
    #expect(stage.core.engine.counts == [1200, 0, 0, 0, 0])
  }

  @Test
  func `When the database is lost, the next commit is whole, and nothing is refused`() throws {
    let stage = try Stage()
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
    #expect(stage.core.engine.counts == [602, 0, 0, 0, 0])
  }

  @Test
  func `While the disk can be neither written nor read, memory stays, and changes are in doubt`()
    throws
  {
    let stage = try Stage()
    try stage.start("a")
    try stage.settle()
    let chunks = stage.disk.chunks
    stage.disk.chunks = [0: ChunkRow(index: 0, validAtSeq: 1, bytes: [])]
    try stage.start("b")
    try stage.settle(.failed)
    #expect(stage.inDoubtFlags == [true])
    #expect(stage.core.engine.counts == [2, 0, 0, 0, 0])
    stage.journal.retry(at: stage.clocks.now)
    #expect(stage.disk.underway?.isFull == true)
    stage.disk.chunks = chunks
    // Not even when it can be read again: clients may have seen the changes that are in doubt.
    try stage.settle(.failed)
    #expect(stage.inDoubtFlags == [true, true])
    stage.journal.retry(at: stage.clocks.now)
    try stage.settle()
    #expect(stage.published.map(\.seq) == [1, 2])
    try stage.restart()
    #expect(stage.core.engine.counts == [2, 0, 0, 0, 0])
  }

  @Test func `Requests in a failed commit did not happen`() throws {
    let stage = try Stage()
    try stage.start("a")
    try stage.settle()
    let slot = try stage.core.engine.require("a")
    try stage.core.engine.pause(slot, at: stage.clocks.now)
    try stage.start("b")
    try stage.settle(.failed)
    #expect(!stage.journal.hasUndurableRequests)
    #expect(stage.core.engine.counts == [1, 0, 0, 0, 0])
    #expect(stage.core.engine.timer(at: slot).state == .running)
    #expect(stage.core.engine.lastSeq == 1)
    #expect(stage.published.map(\.seq) == [1])
  }

  @Test
  func `A timer that rang meanwhile has rung, with its cause, although a request was undone`()
    throws
  {
    let stage = try Stage()
    try stage.start("tea")
    try stage.settle()
    stage.core.background.enter(.stop, at: stage.clocks.now)
    stage.runIteration()
    try stage.settle()
    stage.clocks.run(3_000_000)
    stage.core.beginIteration(at: stage.clocks.now)
    stage.core.background.leave(.stop, at: stage.clocks.now)
    _ = stage.core.endIteration(at: stage.clocks.now)
    try stage.start("other")
    try stage.settle(.failed)
    stage.clocks.run(500_000)
    stage.runIteration()
    let slot = try stage.core.engine.require("tea")
    let timer = stage.core.engine.timer(at: slot)
    #expect(timer.state == .over)
    #expect(timer.ring?.sound.lateUsec == 2_000_000)
    #expect(timer.ring?.sound.cause == .stop)
    #expect(timer.ring?.sound.atUsec == stage.clocks.now.realtimeUsec - 500_000)
    stage.journal.retry(at: stage.clocks.now)
    try stage.settle()
    #expect(stage.published.map(\.seq) == [1, 2, 3, 4, 5])
  }

  @Test
  func `On a full disk an event is published once, undurably, and not again when it is durable`()
    throws
  {
    let stage = try Stage()
    try stage.start("tea")
    try stage.settle()
    stage.journal.publishUndurable(at: stage.clocks.now)
    #expect(stage.published.map(\.seq) == [1])
    stage.clocks.run(1_000_000)
    stage.runIteration()
    try stage.settle(.failed)
    #expect(stage.published.map(\.seq) == [1])
    for _ in 0..<3 { stage.journal.publishUndurable(at: stage.clocks.now) }
    #expect(stage.published.map(\.seq) == [1, 2])
    #expect(stage.published.map(\.isDurable) == [true, false])
    stage.clocks.run(1)
    stage.core.background.enter(.sleep, at: stage.clocks.now)
    stage.runIteration()
    stage.journal.retry(at: stage.clocks.now)
    // The events of the pending attempt come first.
    stage.journal.publishUndurable(at: stage.clocks.now)
    #expect(stage.published.map(\.seq) == [1, 2])
    try stage.settle()
    #expect(stage.published.map(\.seq) == [1, 2, 3])
    #expect(stage.published.map(\.isDurable) == [true, false, true])
  }

  @Test
  func `A request that waits for the next try is not published, nor are the events behind it`()
    throws
  {
    let stage = try Stage()
    try stage.start("tea")
    try stage.settle()
    stage.core.background.enter(.sleep, at: stage.clocks.now)
    stage.runIteration()
    try stage.settle(.failed)
    try stage.start("other")
    stage.core.background.leave(.sleep, at: stage.clocks.now)
    stage.runIteration()
    stage.journal.publishUndurable(at: stage.clocks.now)
    #expect(stage.published.map(\.seq) == [1, 2])
    stage.journal.retry(at: stage.clocks.now)
    try stage.settle(.failed)
    stage.journal.publishUndurable(at: stage.clocks.now)
    #expect(stage.published.map(\.seq) == [1, 2, 3])
    stage.journal.retry(at: stage.clocks.now)
    try stage.settle()
    #expect(stage.published.map(\.seq) == [1, 2, 3])
    #expect(stage.disk.lastSeq == 3)
  }

  @Test
  func `A ledger of machine events alone can be read back, even when its beginning is gone`() throws
  {
    let stage = try Stage()
    stage.disk.keepsNeededRowsOnly = true
    for _ in 0..<5 {
      stage.core.background.enter(.sleep, at: stage.clocks.now)
      stage.core.background.leave(.sleep, at: stage.clocks.now)
      stage.runIteration()
      try stage.settle()
    }
    #expect(stage.disk.rows.isEmpty)
    try stage.restart()
    #expect(stage.core.engine.lastSeq > 10)
  }

  @Test func `A start right after a sweep needs no events`() throws {
    let stage = try Stage()
    try stage.start("a")
    try stage.settle()
    #expect(stage.disk.chunks[0]?.validAtSeq == stage.disk.lastSeq)
    try stage.restart()
    #expect(try stage.core.engine.require("a") == 0)
  }
}
