public import NightjarModel

/// A timer as it stood before a change that was taken back.
public final class StoredImage: TimerImage {
  /// The timer.
  public let timer: Engine.StoredTimer

  /// Makes one.
  public init(_ timer: Engine.StoredTimer) { self.timer = timer }

  /// Equal in all that is stored.
  public func isEqual(to other: any TimerImage) -> Bool {
    (other as? StoredImage).map { $0.timer == timer } ?? false
  }
}

extension TimerRecord {
  fileprivate var isOnWall: Bool { clock == .wall || timeline == .wall }
}

/// Taking back the last change of a person.
extension Engine {
  /// What was taken back.
  public struct Undoing: Sendable {
    /// What its events are called.
    public var type: StaticString
    /// How long ago it was, on `elapsed`.
    public var agoUsec: Int64
    /// Where the timers are that are back, or changed back.
    public var slots: [Int] = []
    /// The names of those that stay as they are.
    public var kept: [String] = []
  }

  /// Carries out changes as those of a person, to be taken back together with all others of this id.
  public func asPerson<Result>(
    _ undoID: String?, _ body: () throws(EngineError) -> Result
  ) throws(EngineError) -> Result {
    personalChange = undoID
    defer { personalChange = nil }
    return try body()
  }

  /// Takes back the newest change, or nothing if that has to stay. Time went on meanwhile: deadlines are points on
  /// a timeline, and stay where they were. A start stays, and is forgotten: what a person did before it is then the
  /// newest change. O(changes that are kept).
  public func undo(at now: Moment) throws(EngineError) -> Undoing {
    let elapsed = background.timelines.reading(.elapsed, at: now)
    undoHistory.expire(atElapsed: elapsed)
    guard let newest = undoHistory.entries.last else { throw .nothingToUndo(.noChange) }
    isUndoing = true
    defer {
      isUndoing = false
      settleAbsence(at: now)
    }
    var undoing = Undoing(type: newest.type, agoUsec: elapsed - newest.atElapsed)
    var refusal: UndoRefusal?
    // What was changed twice goes back step by step.
    var names: [Int64: String] = [:]
    var changedBack: Set<Int64> = []
    let change = undoHistory.entries.filter { $0.group == newest.group }
    for var entry in change.reversed() {
      if let name = names[entry.id] { entry.name = name }
      if let why = self.refusal(of: entry) {
        refusal = refusal ?? why
        // What one change started and then changed is as it was started.
        if !changedBack.contains(entry.id) { undoing.kept.append(entry.name) }
      } else {
        undoHistory.take(group: entry.group)
        takeBack(entry, &undoing, at: now)
        changedBack.insert(entry.id)
        if let oldName = entry.oldName { names[entry.id] = oldName }
      }
    }
    guard !undoing.slots.isEmpty else {
      if change.allSatisfy(\.isStart) { undoHistory.take(group: newest.group) }
      throw .nothingToUndo(refusal ?? .noChange)
    }
    undoing.kept.reverse()
    var seen: Set<Int> = []
    undoing.slots = undoing.slots.reversed().filter { seen.insert($0).inserted && isOccupied($0) }
    return undoing
  }

  /// Why a change has to stay; nil: it can be taken back.
  private func refusal(of entry: UndoHistory.Entry) -> UndoRefusal? {
    if entry.isStart {
      guard let slot = table.slot(named: entry.name) else { return .changedSince(entry.name) }
      return table[slot].id == entry.id ? .started(entry.name) : .nameTaken(entry.name)
    }
    if let refusal = entry.refusal { return refusal }
    if let oldName = entry.oldName, table.slot(named: oldName) != nil { return .nameTaken(oldName) }
    guard let slot = table.slot(named: entry.name) else {
      guard entry.before != nil else { return .changedSince(entry.name) }
      return table.count < maximumTimers ? nil : .tooMany
    }
    return table[slot].id == entry.id ? nil : .nameTaken(entry.name)
  }

  private func takeBack(_ entry: UndoHistory.Entry, _ undoing: inout Undoing, at now: Moment) {
    let present = table.slot(named: entry.name)
    if let oldName = entry.oldName {
      guard let present else { return }
      recordName(oldName, of: present, at: now)
      undoing.slots.append(present)
      return
    }
    // Without it the change has been refused.
    guard let before = entry.before else { return }
    let slot = present ?? table.nextSlot
    var image = before
    image.slot = slot
    if let present, entry.id == before.record.id { keep(present, entry, in: &image) }
    let subject = Event.Subject(
      slot: slot, id: before.record.id, name: entry.name,
      previous: present.map { table[$0].lastSeq } ?? entry.seq)
    record(
      .undone(
        Event.Undone(seq: entry.seq, type: "\(entry.type)", before: StoredImage(image))),
      subject: subject, at: now)
    undoing.slots.append(slot)
    settle(slot, at: now)
  }

  /// Adds what has happened to a timer since a change, if the change has nothing to do with it.
  private func keep(_ slot: Int, _ entry: UndoHistory.Entry, in image: inout StoredTimer) {
    // What a program has attached since stays.
    if !entry.replacesAttachments { image.attachments = table.attachments(slot) }
    let record = table[slot]
    if record.firedUsec == image.record.firedUsec {
      // It does not ring again as often.
      image.record.ringTurn = max(image.record.ringTurn, record.ringTurn)
    }
    if let failure = table.failure(slot) { image.failure = failure }
  }

  /// What was missed while it was not there.
  private func settle(_ slot: Int, at now: Moment) {
    let record = table[slot]
    guard record.state == .running, !isCountingUp(slot) else { return }
    if record.point <= background.timelines.reading(record.timeline, at: now) {
      clockWaitCauses[slot] = (.undone, 0)
    } else {
      settleBand(slot, at: now)
    }
  }

  /// The timer in `slot`, which is in use, as it stands.
  package func storedTimer(at slot: Int) -> StoredTimer {
    StoredTimer(
      slot: slot, record: table[slot], order: order(at: slot),
      attachments: table.attachments(slot), spec: table.specBeyondCountdown(slot),
      detail: table.detail(slot) ?? TimerDetail(), laps: table.laps(slot),
      interruption: table.interruption(slot), ringSeq: estimatedRingSeq(at: slot),
      failure: table.failure(slot), passedOver: table.passedOver(slot))
  }

  /// Does what an event says that a person's change has brought about, and keeps what is needed to take it back.
  func applyPersonally(_ event: Event) {
    let entry = undoEntry(for: event)
    apply(event)
    if let entry {
      undoHistory.add(entry)
      if case .renamedTo(let name) = event.kind { undoHistory.rename(id: entry.id, to: name) }
    } else if !undoHistory.isEmpty {
      forgetUndo(after: event)
    }
  }

  /// Before an event: what is needed to take it back; nil if it cannot be.
  private func undoEntry(for event: Event) -> UndoHistory.Entry? {
    guard let personalChange, event.kind.traits.contains(.isRequested),
      let subject = event.subject, let counters = event.counters
    else { return nil }
    var oldName: String?
    switch event.kind {
    case .undone, .renamedFrom: return nil
    case .renamedTo: oldName = subject.name
    default: break
    }
    let replacesAttachments = if case .updated = event.kind { true } else { false }
    let before =
      table.isOccupied(subject.slot) && oldName == nil ? storedTimer(at: subject.slot) : nil
    let hasReplaced = before?.record.state?.isActive == true
    let isStart = if case .started = event.kind { !hasReplaced } else { false }
    return UndoHistory.Entry(
      group: personalChange, seq: event.seq, type: event.kind.name,
      replacesAttachments: replacesAttachments, atElapsed: counters.elapsedUsec,
      id: subject.id, name: subject.name, oldName: oldName, isStart: isStart,
      before: isStart ? nil : before)
  }

  /// After an event that cannot be taken back: what it makes impossible to take back.
  func forgetUndo(after event: Event) {
    switch event.kind {
    // The counter of `elapsed` by which they are a minute old is another.
    case .spanCorrected: undoHistory = UndoHistory()
    // Another instant of its calendar would be the next.
    case .clockStepped, .zoneChanged:
      undoHistory.refuse(as: UndoRefusal.clockSet) { $0.record.isOnWall }
    // It is what a change of its calendar did.
    case .rescheduled where personalChange != nil: break
    case .bandCrossed, .actionStarted, .actionEnded, .unanswered, .rangAgain, .undone,
      .renamedFrom:
      break
    case .renamedTo(let name):
      guard let id = event.subject?.id else { break }
      undoHistory.rename(id: id, to: name)
      if !isUndoing { undoHistory.refuse(id: id) }
    default: if let id = event.subject?.id { undoHistory.refuse(id: id) }
    }
  }
}
