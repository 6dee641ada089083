import Foundation
import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// The small ledger of the newest release, as it was written once. Each later Nightjar reads it.
///
/// Before that release the format may still change. Then `make release-contracts` writes the file
/// anew.
@Suite(.blocking) struct FormatTests {
  private static let file = URL(filePath: Released.folder)
    .appending(path: "\(Released.versions.last ?? "")/ledger.sql")
  private let folder: TestFolder
  private let state: StateFolder

  init() throws {
    folder = try TestFolder()
    state = try StateFolder(path: folder.path)
  }

  /// An instant every hour.
  private final class Hourly: NightjarModel.Calendar {
    func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
      (afterUsec / 3_600_000_000 + 1) * 3_600_000_000
    }
  }

  @Test func `A stored ledger is read as what was written`() throws {
    let written = try run()
    if try Released.isWritten(#require(Released.versions.last)) {
      try dump().write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let other = try TestFolder()
    let stored = try StateFolder(path: other.path)
    try Connection(path: stored.databasePath).execute(
      String(contentsOf: Self.file, encoding: .utf8))
    let core = try core(DirectCommitter(stored), stored, at: EventSamples.moment)
    #expect(timers(of: core.engine) == timers(of: written.engine))
    #expect(try events(in: stored) == events(in: state))
    let reader = try LedgerReader(folder: stored)
    let here = try LedgerReader(folder: state)
    #expect(try reader.ledgerState() == here.ledgerState())
    #expect(try reader.spans(since: 0, limit: 99) == here.spans(since: 0, limit: 99))
    let kinds = try Set(events(in: stored).map { "\($0.typeName)" })
    #expect(
      kinds.isSuperset(of: [
        "started", "rang", "did_not_ring", "joined", "undone", "snoozed", "came_due",
      ]))
    let joined = core.engine.timer(at: try core.engine.require("joined")).ring
    #expect(joined?.isSnoozed == true && joined?.joined.count ?? 0 > 1)
    let missed = core.engine.timer(at: try core.engine.require("missed"))
    #expect(missed.ring != nil && missed.expiries.misses > 1)
  }

  /// Timers of all kinds, in all states; with a sleep and a reboot in doubt. The chunk is from the
  /// first commit, so the later events are read from their rows.
  private func run() throws -> TimerCore {
    let committer = try DirectCommitter(state)
    var clocks = EventSamples.Clocks()
    var core = try core(committer, state, at: clocks.now)
    core.start(at: clocks.now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    func iterate(after usec: Int64, _ body: (Engine, Moment) throws -> Void) throws {
      clocks.run(usec)
      core.beginIteration(at: clocks.now)
      try body(core.engine, clocks.now)
      while core.endIteration(at: clocks.now).isMoreDue {}
      while let outcome = committer.takeOutcome() {
        try core.commitFinished(outcome, at: clocks.now)
        core.journal.commitPending(at: clocks.now)
      }
    }
    try iterate(after: 1_000_000) { engine, now in
      for (index, spec) in EventSamples.specs.enumerated() {
        _ = try engine.start(
          "kind/\(index)", durationUsec: 60_000_000, atUsec: now.realtimeUsec + 90_000_000,
          clock: .elapsed, spec: spec, attachments: EventSamples.attachments, at: now)
      }
      for (index, clock) in Timeline.allCases.enumerated() {
        _ = try engine.start(
          "clock/\(index)", durationUsec: 300_000_000, clock: clock,
          attachments: Attachments(ring: EventSamples.rings[index % 2]), wakes: index == 0, at: now)
      }
      // Timers whose rings stay open, as they are.
      for (name, late) in [("joined", LatePolicy.fire), ("missed", .skip)] {
        _ = try engine.start(
          name, durationUsec: 1_000_000, clock: .wall,
          spec: SharedSpec(kind: .countdown, late: late, repeats: true), at: now)
      }
      try engine.lap(engine.require("kind/4"), at: now)
    }
    try iterate(after: 1_500_000) { engine, now in
      try engine.snooze(engine.require("joined"), byUsec: 3_600_000_000, at: now)
      try engine.snooze(engine.require("missed"), byUsec: 100_000, at: now)
    }
    for _ in 0..<3 { try iterate(after: 500_000) { _, _ in } }
    try iterate(after: 500_000) { engine, now in
      try engine.pause(engine.require("clock/0"), at: now)
      try engine.cancel(engine.require("clock/1"), at: now)
      for index in 0..<3 {
        try engine.update(engine.require("clock/2"), data: Array(#"{"n":\#(index)}"#.utf8), at: now)
      }
    }
    core.background.enter(.sleep, at: clocks.now)
    clocks.now.realtimeUsec += 400_000_000
    clocks.now.boottimeUsec += 400_000_000
    core.background.leave(.sleep, at: clocks.now)
    try iterate(after: 1_000_000) { engine, now in
      for name in ["joined", "missed"] { try engine.pause(engine.require(name), at: now) }
      try engine.snooze(engine.require("clock/2"), byUsec: 5_000_000, at: now)
      try engine.asPerson("1") { () throws(EngineError) in
        try engine.extend(engine.require("clock/0"), byUsec: 7_000_000, at: now)
      }
      _ = try engine.undo(at: now)
      let note = ActionNote(
        owner: .subject, key: .init(seq: 3, number: 0), attempt: 1, command: "x")
      let id = engine.timer(at: try engine.require("kind/0")).id
      engine.recordAction(
        note, end: ActionEnd(.exited(status: 3), lastLines: ["wärum"]),
        timer: ("kind/0", id), at: now)
    }
    clocks.now.realtimeUsec += 50_000_000
    clocks.now.boottimeUsec = 9_000_000
    clocks.now.monotonicUsec = 9_000_000
    clocks.now.bootID = BootID(high: 1, low: .max)
    core = try self.core(committer, state, at: clocks.now)
    core.start(at: clocks.now, downSince: nil, synchronized: false, zone: ("UTC", 1))
    try iterate(after: 1_000_000) { _, _ in }
    return core
  }

  private func core(
    _ committer: any Committer, _ state: StateFolder, at now: Moment
  ) throws -> TimerCore {
    try TimerCore(
      reader: try LedgerReader(folder: state), committer: committer, calendar: Hourly(),
      maximumTimers: 100, at: now)
  }

  private func timers(of engine: Engine) -> [Engine.StoredTimer] {
    (0..<engine.slotEnd).compactMap { engine.stored($0) }
  }

  private func events(in state: StateFolder) throws -> [Event] {
    var events: [Event] = []
    try LedgerReader(folder: state).forEachEvent(after: 0) { event throws(StoreError) in
      events.append(event)
      return true
    }
    return events
  }

  /// The statements that make the database again.
  private func dump() throws -> String {
    let connection = try Connection(path: state.databasePath)
    var lines = [
      "PRAGMA application_id = \(Schema.applicationID);",
      "PRAGMA user_version = \(Schema.version);",
    ]
    let tables = try connection.prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    while try tables.step() {
      let name = tables.text(0)
      lines.append(tables.text(1) + ";")
      let columns = try connection.text(
        "SELECT group_concat('quote(' || name || ')', ' || '', '' || ') FROM pragma_table_info('\(name)')"
      )
      let rows = try connection.prepare("SELECT \(columns ?? "''") FROM \(name)")
      while try rows.step() { lines.append("INSERT INTO \(name) VALUES(\(rows.text(0)));") }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
