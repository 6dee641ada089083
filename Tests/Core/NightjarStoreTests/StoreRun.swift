import Foundation
import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// A run of a daemon's storage: the core on a real database, with a commit thread.
final class StoreRun: NotificationObserver {
  /// The files exist as long as the run does.
  private let folder: TestFolder
  let state: StateFolder
  let thread: CommitThread
  let reader: LedgerReader
  let core: TimerCore
  private(set) var clocks = EventSamples.Clocks()
  /// The losses that were found while it ran.
  private(set) var losses: [StorageLoss] = []
  /// The failed commits as reported to clients.
  private(set) var failures: [(reason: String, inDoubt: Bool)] = []
  private(set) var published: [Int64] = []

  init(_ folder: TestFolder) throws {
    self.folder = folder
    state = try StateFolder(path: folder.path)
    thread = try CommitThread(folder: state, stamp: 1)
    reader = try LedgerReader(folder: state)
    clocks.run(1_000_000)
    core = try TimerCore(
      reader: reader, committer: thread, calendar: NoCalendar(), maximumTimers: 100_000,
      at: clocks.now)
    core.bus.register(self)
    core.start(at: clocks.now, downSince: nil, synchronized: true, zone: ("UTC", 1))
    _ = core.endIteration(at: clocks.now)
    try settle()
  }

  func observe(_ notification: NightjarEngine.Notification, at moment: Moment) {
    switch notification {
    case .commitFailed(let reason, let inDoubt): failures.append((reason, inDoubt))
    case .committed(let events, _): published += events.map(\.seq)
    default: break
    }
  }

  /// Waits for the commits in progress, as the daemon's loop does.
  func settle() throws {
    while core.journal.hasUnfinished, core.journal.failure == nil { try collect() }
  }

  func retry() throws {
    core.journal.retry(at: clocks.now)
    try collect()
    try settle()
  }

  private func collect() throws {
    var readable = pollfd(fd: thread.descriptor, events: Int16(POLLIN), revents: 0)
    try #require(poll(&readable, 1, 20_000) == 1)
    switch try #require(thread.takeOutcome()) {
    case .durable: try core.commitFinished(nil, at: clocks.now)
    case .durableAnew(let loss):
      losses.append(loss)
      try reader.reopen()
      try core.commitFinished(nil, at: clocks.now)
    case .failed(let error): try core.commitFinished(error, at: clocks.now)
    }
    core.journal.commitPending(at: clocks.now)
  }

  /// Iterations of the loop that start a timer each.
  func start(_ names: String..., data: Int = 0) throws {
    let attachments = Attachments(data: [UInt8](repeating: 0x20, count: data))
    for name in names {
      clocks.run(1000)
      core.beginIteration(at: clocks.now)
      _ = try core.engine.start(
        name, durationUsec: 3_600_000_000, clock: .elapsed, attachments: attachments, replace: true,
        at: clocks.now)
      _ = core.endIteration(at: clocks.now)
      try settle()
    }
  }

  /// An iteration of the loop in which the timers started before expire, and a timer is started.
  func expire(andStart other: String) throws {
    clocks.run(3_600_000_000)
    core.beginIteration(at: clocks.now)
    _ = try core.engine.start(other, durationUsec: 3_600_000_000, clock: .elapsed, at: clocks.now)
    _ = core.endIteration(at: clocks.now)
    try settle()
  }

  func cancel(_ name: String) throws {
    core.beginIteration(at: clocks.now)
    try core.engine.cancel(try core.engine.require(name), at: clocks.now)
    _ = core.endIteration(at: clocks.now)
    try settle()
  }

  var running: Set<String> {
    let engine = core.engine
    let slots = (0..<engine.slotEnd).filter {
      engine.isOccupied($0) && engine.timer(at: $0).state == .running
    }
    return Set(slots.map { engine.name(at: $0) })
  }

  /// The numbers of the events that can be read.
  func seqs() throws -> [Int64] { try reader.seqs() }

  /// Ends cleanly.
  func end() { _ = thread.close() }

  /// The present files in another folder, as after a kill.
  func copy() throws -> TestFolder {
    let other = try TestFolder()
    for file in try FileManager.default.contentsOfDirectory(atPath: state.path)
    where !file.hasSuffix("-shm") && file != "lock" {
      try FileManager.default.copyItem(
        atPath: "\(state.path)/\(file)", toPath: "\(other.path)/\(file)")
    }
    return other
  }
}

extension TestFolder {
  func url(_ name: String) -> URL { URL(fileURLWithPath: "\(path)/\(name)") }

  func flip(bit: Int, of name: String) throws {
    var bytes = try Data(contentsOf: url(name))
    bytes[bit / 8] ^= 1 << UInt8(bit % 8)
    try bytes.write(to: url(name))
  }

  func truncate(_ name: String, to count: Int) throws {
    try Data(contentsOf: url(name)).prefix(count).write(to: url(name))
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(at: url(name)) }
}
