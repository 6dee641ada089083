import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// Data of older versions is read unchanged, and new data coexists with it.
@Suite(.blocking) struct MigrationTests {
  /// The last moment of version 2.
  private let end = Moment(
    realtimeUsec: 1_700_000_333_000_000, boottimeUsec: 391_000_000, monotonicUsec: 91_000_000,
    bootID: BootID(high: 0x6E_6A, low: 1))
  private let folder: TestFolder
  private let state: StateFolder

  init() throws {
    folder = try TestFolder()
    state = try StateFolder(path: folder.path)
    try Connection(path: state.databasePath).execute(VersionTwo.dump)
  }

  /// A match every hour on the hour.
  private final class Hourly: Calendar {
    func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
      (afterUsec / 3_600_000_000 + 1) * 3_600_000_000
    }
  }

  private func service(_ committer: any Committer) throws -> TimerCore {
    try TimerCore(
      reader: try LedgerReader(folder: state), committer: committer, calendar: Hourly(),
      maximumTimers: 100, at: end)
  }

  private func stored(_ engine: Engine) -> [NamedTimer] {
    (0..<engine.slotEnd).compactMap { engine.stored($0) }
  }

  /// An iteration that runs `body`, and its commit.
  private func runIteration(
    _ core: TimerCore, _ committer: DirectCommitter, at now: Moment,
    _ body: (Engine) throws -> Void
  ) throws {
    core.beginIteration(at: now)
    try body(core.engine)
    _ = core.endIteration(at: now)
    while let outcome = committer.takeOutcome() {
      try core.commitFinished(outcome, at: now)
      core.journal.commitPending(at: now)
    }
    #expect(!core.journal.hasUnfinished)
  }

  @Test func `The timers of version 2 are read unchanged`() throws {
    let committer = try DirectCommitter(state)
    let engine = try service(committer).engine
    #expect(
      stored(engine).map(\.summary) == [
        "0 tea fired elapsed/elapsed 1 18 18 18 240000000 240000000 330000000 90000000 "
          + "1700000330000000 sleep",
        "1 up running awake/awake 2 13 2 13 3600000000 3690000000 3690000000 0 0 on-time",
        "2 wall running wall/wall 3 14 3 3 7200000000 7200000000 1700007200000000 0 0 on-time",
        "3 wake/early running elapsed/elapsed 4 4 4 4 5400000000 5400000000 5400000000 0 0 on-time "
          + "wakes",
        "4 held running elapsed/elapsed 5 20 20 20 600000000 600000000 901000000 0 0 on-time",
        "5 off cancelled elapsed/elapsed 6 11 11 11 600000000 600000000 30000000 570000000 0 "
          + "on-time",
        "6 new running elapsed/elapsed 21 22 22 22 60000000 60000000 391000000 0 0 on-time",
        "7 again running elapsed/elapsed 8 15 15 15 30000000 900000000 930000000 0 0 on-time",
      ])
    #expect(
      engine.attachments(at: 0)
        == Attachments(labels: [Label(key: "team", value: "red")], data: Array(#"{"cups":2}"#.utf8))
    )
    #expect(engine.attachments(at: 2) == Attachments(data: Array("{}".utf8)))
    #expect(stored(engine).allSatisfy { $0.detail == nil })
    #expect(engine.violatedInvariant() == nil)
  }

  @Test
  func `Timers that had fired in a chunk of version 2 are read with their time and lateness`()
    throws
  {
    try Connection(path: state.databasePath).execute(VersionTwo.later)
    let committer = try DirectCommitter(state)
    let engine = try service(committer).engine
    #expect(
      stored(engine).map(\.summary) == [
        "0 tea fired elapsed/elapsed 1 18 18 18 240000000 240000000 330000000 90000000 "
          + "1700000330000000 sleep",
        "1 up running awake/awake 2 535 2 13 3600000000 3690000000 3690000000 0 0 on-time",
        "2 wall running wall/wall 3 14 3 3 7200000000 7200000000 1700007200000000 0 0 on-time",
        "3 wake/early running elapsed/elapsed 4 4 4 4 5400000000 5400000000 5400000000 0 0 on-time "
          + "wakes",
        "4 held running elapsed/elapsed 5 20 20 20 600000000 600000000 901000000 0 0 on-time",
        "5 off cancelled elapsed/elapsed 6 11 11 11 600000000 600000000 30000000 570000000 0 "
          + "on-time",
        "6 new fired elapsed/elapsed 21 23 23 23 60000000 60000000 391000000 0 1700000393000000 "
          + "on-time",
        "7 again running elapsed/elapsed 8 15 15 15 30000000 900000000 930000000 0 0 on-time",
      ])
    #expect(engine.violatedInvariant() == nil)
  }

  @Test func `The ledger of version 2 is read from its first event to its last`() throws {
    _ = try DirectCommitter(state)
    var types: [String] = []
    try LedgerReader(folder: state).forEachEvent(after: 0) { event throws(StoreError) in
      types.append("\(event.typeName)")
      return true
    }
    #expect(
      types == [
        "started", "started", "started", "started", "started", "started", "started", "started",
        "fired", "paused", "cancelled", "removed", "extended", "updated", "snoozed",
        "did_enter_background", "will_enter_foreground", "fired", "clock_stepped", "resumed",
        "started", "restarted", "did_enter_background",
      ])
  }

  @Test func `The database has this version afterwards, with its columns`() throws {
    _ = try DirectCommitter(state)
    let connection = try Connection(path: state.databasePath)
    #expect(try connection.integer("PRAGMA user_version") == Int64(Schema.version))
    #expect(try connection.integer("SELECT count(*) FROM anchor WHERE zone IS NULL") == 1)
    #expect(try connection.integer("SELECT count(*) FROM event") == 8)
    // The second time there is nothing to migrate.
    _ = try DirectCommitter(state)
  }

  @Test
  func `Timers of all kinds coexist with those of version 2, from the ledger and from the chunk`()
    throws
  {
    var now = end
    now.realtimeUsec += 10_000_000
    now.boottimeUsec += 10_000_000
    let committer = try DirectCommitter(state)
    let core = try service(committer)
    core.start(at: now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    try runIteration(core, committer, at: now) { engine in
      let band = Band(
        name: "warn", remainingUsec: 5_000_000, color: "red", text: "now",
        progress: ProgressRange(from: 0, to: 500_000))
      let schedule = Schedule(expression: "hourly", zone: "")
      let specs = [
        try SharedSpec(kind: .countdown, bands: [band], repeats: true, rounds: 3),
        try SharedSpec(kind: .alarm, late: .fireWithin(usec: 7), missed: .each, schedule: schedule),
        try SharedSpec(kind: .stopwatch),
        try SharedSpec(
          kind: .sequence, missed: .skip,
          steps: [Step(name: "work", durationUsec: 60_000_000, waits: true, longUsec: 90_000_000)],
          longEvery: 2, afterSleep: .restart),
      ]
      for (index, spec) in specs.enumerated() {
        _ = try engine.start(
          "kind\(index)", durationUsec: 30_000_000, clock: .elapsed, spec: spec, at: now)
      }
      try engine.lap(engine.require("kind2"), at: now)
    }
    let before = stored(core.engine)
    #expect(before.count == 12)
    // The chunk is as version 2 or the first commit wrote it.
    #expect(try stored(self.service(committer).engine) == before)
    // Enough events that the chunk is written anew.
    try runIteration(core, committer, at: now) { engine in
      let slot = try engine.require("held")
      for index in 0..<TimerTable.chunkSlots {
        try engine.update(slot, data: [UInt8(index % 256)], at: now)
      }
    }
    let chunk = committer.commits.last?.chunks.first
    #expect(chunk?.index == 0)
    #expect(try stored(self.service(committer).engine) == stored(core.engine))
  }
}

extension NamedTimer {
  /// Slot, name, state and clocks; the numbers of its first and last event and of the one that set
  /// its deadline, and its order; its original and present duration, its deadline and the held
  /// time; when it fired and why late; the rest.
  var summary: String {
    let (slot, record, order) = (timer.slot, self.record, timer.order)
    let clocks = "\(record.clock.name)/\(record.timeline.name)"
    let times =
      "\(record.originalUsec) \(record.durationUsec) \(record.deadline) \(record.remainingOrLateUsec)"
    return "\(slot) \(name) \(record.state.name) \(clocks) "
      + "\(record.id) \(record.lastSeq) \(record.setSeq) \(order) \(times) "
      + "\(record.firedUsec) \(record.lateCause.map { "\($0.name)" } ?? "on-time")"
      + "\(record.wakes ? " wakes" : "")"
  }
}
