import NightjarEngine
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// Commands of events are on disk with the events, until they have ended.
@Suite(.blocking) struct ActionTests {
  /// An observer that calls for a command at every expiry, and records when it may run.
  private final class Caller: NotificationObserver {
    private(set) var called: [PendingAction] = []
    unowned let core: TimerCore

    init(_ core: TimerCore) {
      self.core = core
      core.bus.register(self)
    }

    func observe(_ notification: Notification, at moment: Moment) {
      switch notification {
      case .recorded(let event) where event.isHeard:
        let key = PendingAction.Key(seq: event.seq, number: 0)
        let command = Array("\(event.subject?.name ?? "")".utf8)
        core.journal.note(.called(PendingAction(key: key, command: command)))
      case .actionsCalled(let actions): called += actions
      default: break
      }
    }
  }

  private var clocks = EventSamples.Clocks()

  private func text(_ actions: [PendingAction]) -> [String] {
    actions.map {
      "\($0.key.seq)/\($0.key.number) \($0.attempt) \(String(decoding: $0.command, as: UTF8.self))"
    }
  }

  // MARK: In the database

  @Test func `A command is stored from the commit of its event to that of its end`() throws {
    let folder = try TestFolder()
    let state = try StateFolder(path: folder.path)
    let writer = try LedgerWriter(folder: state, retention: Retention())
    let reader = try LedgerReader(folder: state)
    func commit(_ number: Int64, _ changes: [ActionChange]) throws {
      try writer.write(.with(number, actions: changes))
    }
    let keys = [(7, 1), (7, 0), (3, 0)].map { PendingAction.Key(seq: $0.0, number: $0.1) }
    try commit(
      1,
      keys.map { .called(PendingAction(key: $0, command: Array(#"{"exec":["glöckchen"]}"#.utf8))) })
    #expect(
      try text(reader.pendingActions()) == [
        #"3/0 0 {"exec":["glöckchen"]}"#, #"7/0 0 {"exec":["glöckchen"]}"#,
        #"7/1 0 {"exec":["glöckchen"]}"#,
      ])
    try commit(2, [.begun(keys[0], attempt: 1), .begun(keys[2], attempt: 1), .over(keys[1])])
    try commit(3, [.begun(keys[0], attempt: 2), .over(keys[2]), .over(.init(seq: 99, number: 0))])
    #expect(try text(reader.pendingActions()) == [#"7/1 2 {"exec":["glöckchen"]}"#])
    // A command that is called, begun and over in one commit leaves no row.
    let whole = PendingAction(key: .init(seq: 8, number: 0), command: [])
    try commit(
      4, [.called(whole), .begun(whole.key, attempt: 1), .over(whole.key), .over(keys[0])])
    #expect(try reader.pendingActions().isEmpty)
  }

  @Test func `An impossible row of a command is damage`() throws {
    let folder = try TestFolder()
    let state = try StateFolder(path: folder.path)
    _ = try LedgerWriter(folder: state, retention: Retention())
    for values in ["-1, 0, 0", "1, -1, 0", "1, 0, -1", "1152921504606846976, 0, 0"] {
      try Connection(path: state.databasePath).execute(
        "DELETE FROM action; INSERT INTO action VALUES (\(values), 'x')")
      #expect(throws: StoreError.self) { try LedgerReader(folder: state).pendingActions() }
    }
  }

  // MARK: In the journal

  @Test mutating func `The runner is called when event and command are on disk, in one commit`()
    throws
  {
    let disk = SimulatedDisk()
    let (core, caller) = try begin(on: disk)
    try ring(core, disk, ["a", "b"], .durable)
    let commit = try #require(lastCommit)
    #expect(commit.rows.last?.lastSeq == 4 && commit.actions.count == 2)
    #expect(text(caller.called) == ["3/0 0 a", "4/0 0 b"])
  }

  @Test mutating func `While the disk fails, a command without a request is passed on once`() throws
  {
    let disk = SimulatedDisk()
    let (core, caller) = try begin(on: disk)
    try ring(core, disk, ["a"], .failed)
    #expect(caller.called.isEmpty)
    core.journal.publishUndurable(at: clocks.now)
    #expect(text(caller.called) == ["2/0 0 a"])
    core.journal.retry(at: clocks.now)
    try settle(core, disk, .durable)
    #expect(text(caller.called) == ["2/0 0 a"])
    // The row was written all the same, so the command's end has to delete it.
    #expect(lastCommit?.actions.count == 1)
  }

  @Test mutating func `A delayed command is undone with its request, or called again`() throws {
    let disk = SimulatedDisk()
    let (core, caller) = try begin(on: disk)
    core.beginIteration(at: clocks.now)
    _ = try core.engine.start("a", durationUsec: 1_000, clock: .elapsed, at: clocks.now)
    _ = core.endIteration(at: clocks.now)
    try settle(core, disk, .durable)
    clocks.run(2_000)
    core.beginIteration(at: clocks.now)
    _ = try core.engine.start("b", durationUsec: 1_000_000, clock: .elapsed, at: clocks.now)
    _ = core.endIteration(at: clocks.now)
    try settle(core, disk, .failed)
    // `b` never existed; `a` rang, again with the same number.
    core.journal.retry(at: clocks.now)
    try settle(core, disk, .durable)
    #expect(core.engine.slot(of: 3, named: "b") == nil)
    #expect(text(caller.called) == ["2/0 0 a"])
    #expect(lastCommit?.actions.count == 1)
  }

  private var lastCommit: Commit?

  private func begin(on disk: SimulatedDisk) throws -> (TimerCore, Caller) {
    let core = try TimerCore(
      reader: disk, committer: disk, calendar: NoCalendar(), maximumTimers: 100, at: clocks.now)
    let caller = Caller(core)
    core.start(at: clocks.now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    _ = core.endIteration(at: clocks.now)
    while let error = disk.settle(.durable) { try core.commitFinished(error, at: clocks.now) }
    return (core, caller)
  }

  /// Rings timers, and lets the commit of that end.
  private mutating func ring(
    _ core: TimerCore, _ disk: SimulatedDisk, _ names: [String], _ fate: SimulatedDisk.Fate
  ) throws {
    core.beginIteration(at: clocks.now)
    for name in names {
      _ = try core.engine.start(name, durationUsec: 1_000, clock: .elapsed, at: clocks.now)
    }
    _ = core.endIteration(at: clocks.now)
    try settle(core, disk, .durable)
    clocks.run(2_000)
    core.beginIteration(at: clocks.now)
    _ = core.endIteration(at: clocks.now)
    try settle(core, disk, fate)
  }

  private mutating func settle(
    _ core: TimerCore, _ disk: SimulatedDisk, _ fate: SimulatedDisk.Fate
  ) throws {
    while true {
      lastCommit = disk.underway ?? lastCommit
      guard let error = disk.settle(fate) else { return }
      try core.commitFinished(error, at: clocks.now)
      core.journal.commitPending(at: clocks.now)
    }
  }
}
