internal import NightjarActions
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarService
internal import NightjarStore
internal import NightjarSystem

/// Gives the code that runs commands access to the engine, the journal and the database.
final class StoredActions: ActionStore {
  private let core: TimerCore
  private let reader: LedgerReader
  private let commits: Commits
  private let clock: LoopClock
  private let rings: RingDecoder
  private let socketPath: String

  init(
    core: TimerCore, reader: LedgerReader, commits: Commits, clock: LoopClock,
    rings: RingDecoder, socketPath: String
  ) {
    self.core = core
    self.reader = reader
    self.commits = commits
    self.clock = clock
    self.rings = rings
    self.socketPath = socketPath
  }

  var hasRings: Bool { core.engine.ringSettingsCount > 0 }

  func plan(of subject: Event.Subject) -> RingPlan? { rings.plan(of: subject) }

  func environment(of event: Event, at moment: Moment) -> [RingPlan.Variable] {
    ActionEnvironment(event, engine: core.engine, socketPath: socketPath, at: moment).variables
  }

  func save(_ change: ActionChange) { core.journal.note(change) }

  func record(_ note: ActionNote, end: ActionEnd?, timer: (name: String, id: Int64)?) {
    core.engine.recordAction(note, end: end, timer: timer, at: clock.now)
  }

  func whenDurable(_ body: @escaping () -> Void) { commits.whenDurable { _ in body() } }

  func forEachEvent(after seq: Int64, _ body: (Event) -> Void) throws {
    try reader.forEachEvent(after: seq) { event in
      body(event)
      return true
    }
  }

  func begun() throws -> [PendingAction] { try reader.begunActions() }

  func waiting(
    after key: PendingAction.Key?, isStart: Bool, limit: Int
  ) throws -> [PendingAction] {
    let lastSeq = isStart ? .max : core.journal.durableSeq
    return try reader.waitingActions(after: key, through: lastSeq, limit: limit)
  }

  func waitingCount(after key: PendingAction.Key) throws -> Int {
    try reader.waitingActionCount(after: key)
  }
}
