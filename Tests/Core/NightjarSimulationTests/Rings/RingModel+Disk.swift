import NightjarModel

/// The disk: a copy of everything, and the log of what passed since.
extension RingModel {
  func commitPending() {
    guard !isFailing, isCommitWanted || !pending.isEmpty,
      underway == nil || pending.count >= eventsPerCommit && waiting.count < 7
    else { return }
    submit()
  }

  private func submit() {
    let snapshot = Snapshot(world: world, clocks: clocks, events: pending, logEnd: log.count)
    if underway == nil { underway = snapshot } else { waiting.append(snapshot) }
    pending = []
    isCommitWanted = false
  }

  func retry() {
    guard isUp, underway == nil, isFailing else { return }
    submit()
  }

  /// The submitted commit and those after it are on the disk.
  func settle() {
    while let commit = underway {
      underway = waiting.isEmpty ? nil : waiting.removeFirst()
      isFailing = false
      store(commit)
      published += commit.events.filter { $0.seq > publishedSeq }
      commitPending()
    }
  }

  private func store(_ commit: Snapshot) {
    durable = commit
    log.removeSubrange(..<commit.logEnd)
    underway?.logEnd -= commit.logEnd
    for index in waiting.indices { waiting[index].logEnd -= commit.logEnd }
    durable?.logEnd = 0
  }

  /// The disk is full: changes that clients requested since the last commit do not happen. Returns
  /// whether there were any.
  func fail() -> Bool {
    guard let commit = underway else { return false }
    pending = commit.events + waiting.flatMap(\.events) + pending
    (underway, waiting) = (nil, [])
    isFailing = true
    isCommitWanted = true
    guard pending.contains(where: { $0.isRequested }) else { return false }
    undoRequests()
    return true
  }

  private func undoRequests() {
    let before = log
    var asked: Set<Int64> = []
    var renumbered: [Int64: Int64] = [:]
    log = []
    pending = []
    world.timers = durable?.world.timers ?? ModelTimers()
    world.lastSeq = durable?.world.lastSeq ?? 0
    let lastSeq = world.lastSeq
    // If an undo is lost, an older change would be the newest.
    if lastUndoneSeq > lastSeq { (undoable, lastUndoneSeq) = ([], 0) }
    undoable.removeAll { $0.seq > lastSeq }
    for index in undoable.indices {
      let timer = world.timers.all.first { $0.id == undoable[index].id }
      undoable[index].name = timer?.name ?? undoable[index].name
    }
    world.answered.removeAll { $0.seq > lastSeq }
    recomputeWallDeadlines()
    for passage in before {
      switch passage {
      case .requested(let id): asked.insert(id)
      case .event(var event):
        if event.id != 0, asked.contains(event.id) { continue }
        if let timer = world.timers.all.first(where: { $0.id == event.id }) {
          // A rename was taken back.
          event.name = timer.name
          if event.type == "forgotten" { noteAnswer(timer) }
        }
        world.lastSeq += 1
        renumbered[event.seq] = world.lastSeq
        event.seq = world.lastSeq
        if event.type == "will_enter_foreground" {
          world.clock.note(left: event["span"], seq: event.seq)
        }
        pending.append(event)
        happenAgain(.event(event))
        if event.type == "did_enter_background", event.causes.first == .away {
          world.absence?.enteredSeq = event.seq
        } else if event.type == "did_enter_background" {
          world.enteredSeq = event.seq
          for index in world.undecided.indices
          where renumbered[world.undecided[index].enteredSeq] == event.seq {
            world.undecided[index].enteredSeq = event.seq
          }
        }
        beginAbsenceIfNeeded()
      case .corrected(let by, let since, let until):
        let (since, until) = (renumbered[since] ?? since, renumbered[until] ?? until)
        happenAgain(.corrected(by: by, since: since, until: until))
      case .time, .stepped, .entered, .left, .blamed, .forgotBlame: happenAgain(passage)
      }
    }
    forgetWaits()
    beginAbsenceIfNeeded()
  }

  /// The disk stays full: events that no client requested are shown all the same.
  func publishUndurable() {
    guard isUp, isFailing, underway == nil else { return }
    let unpublished = pending.prefix { !$0.isRequested }.filter { $0.seq > publishedSeq }
    publishedSeq = unpublished.last?.seq ?? publishedSeq
    published += unpublished
  }

  func crash(underwayIsDurable: Bool) {
    if underwayIsDurable, let underway { durable = underway }
    (underway, waiting) = (nil, [])
    isFailing = false
    isUp = false
    pending = []
    isCommitWanted = false
    log = []
    undoable = []
    publishedSeq = 0
    ongoing = []
    durable?.logEnd = 0
  }
}
