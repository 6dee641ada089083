import CDiskRecord
import Foundation
import NightjarTestSupport

extension Round {
  /// Records two or three lives of a daemon, in some of which syncs fail, and starts it on what
  /// power cuts would have left at many points of that.
  func runCuts() throws {
    let path = "\(workshop.path)/log"
    let story = try recordLives(log: path)
    add(.acknowledged, story.acknowledged)
    let log = try DiskLog(path: path)
    guard log.replies.last ?? 0 > 0 else {
      throw Unmet(description: "nothing was recorded: is \(workshop.tools.library) preloaded?")
    }
    var replay = DiskReplay()
    var applied = 0
    for cut in cuts(of: log, count: 60) {
      guard !tally.isOver else { return }
      for record in log.records[applied..<cut] { replay.apply(record, of: log) }
      applied = cut
      let found = try cutPower(replay, at: cut, log, story)
      guard found.isEmpty else { return tally.report(found, in: self) }
    }
  }

  private func recordLives(log: String) throws -> Story {
    let load = load("a")
    let fault = try FaultSwitch(path: "\(workshop.path)/fault")
    for life in 1...2 + random.below(2) {
      situation = "recording life \(life)"
      let daemon = try start(workshop.tools.environment(workshop, log: log, fault: fault.path))
      let wire = try CallSocket(path: daemon.socketPath)
      _ = try load.run(on: wire, changes: 100 + random.below(500))
      try expectAlive(daemon)
      let before = fault.failed
      if random.oneIn(3) {
        fault.arm(.syncFails, skip: Int32(random.below(10)), count: 1)
        _ = try load.run(on: wire, changes: 50)
        fault.disarm()
        // Some see a retry succeed, which must write again what the sync has abandoned.
        if random.oneIn(2) { try runUntilWritable(load, wire) }
      }
      add(.injected, fault.failed - before)
      if random.oneIn(2) { try kill(daemon) } else { try stop(daemon, canFail: fault.failed > 0) }
    }
    return load.story
  }

  /// Asks for one change after the other until the disk takes one again.
  func runUntilWritable(_ load: Load, _ wire: CallSocket) throws {
    let endUsec = Now.boottimeUsec + 10 * second
    var isWritable = false
    while !isWritable {
      let start = load.story.changes.count
      let acknowledged = load.story.acknowledged
      guard try load.run(on: wire, changes: 1) else { return }
      isWritable = load.story.acknowledged > acknowledged && load.story.failures(since: start) == 0
      if !isWritable, Now.boottimeUsec > endUsec {
        throw Unmet(description: "stays refused: the disk is good again since 10 s")
      }
    }
  }

  /// Where to cut: behind records, mostly where a reply or a sync is near.
  private func cuts(of log: DiskLog, count: Int) -> [Int] {
    let marked = log.records.indices.filter {
      [Int(NJ_DISK_SENT), Int(NJ_DISK_SYNCED)].contains(log.records[$0].kind)
    }
    let cuts = (0..<count).map { _ in
      random.oneIn(3) || marked.isEmpty
        ? 1 + random.below(log.records.count)
        : min(log.records.count, max(1, random.pick(marked) + random.below(3)))
    }
    return cuts.sorted()
  }

  private func cutPower(
    _ replay: DiskReplay, at cut: Int, _ log: DiskLog, _ story: Story
  ) throws -> [String] {
    let survival = Survival.random(&random)
    situation = "cut behind record \(cut) of \(log.records.count), left: \(survival)"
    let image = replay.image(survival, &random)
    try workshop.replaceFiles(with: image)
    add(.cuts)
    let replies = cut < log.replies.count ? log.replies[cut] : log.allReplies
    func check() throws -> [String] {
      let daemon = try start()
      let found = faults(of: try read(daemon), [story], replies: replies)
      try kill(daemon)
      return found
    }
    var found: [String] = []
    do {
      found = try check()
      // What was taken up must be there to stay.
      if found.isEmpty, random.oneIn(8) {
        found = try check().map { "at the second start: \($0)" }
      }
    } catch {
      found = ["\(error)"]
    }
    if !found.isEmpty { try workshop.replaceFiles(with: image) }
    return found
  }
}
