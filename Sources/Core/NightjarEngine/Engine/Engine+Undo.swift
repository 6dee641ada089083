public import NightjarModel

/// The state of a timer before a change that was undone.
public final class StoredImage: TimerImage {
  /// The stored timer.
  public let timer: Engine.StoredTimer

  /// Makes an image of `timer`.
  public init(_ timer: Engine.StoredTimer) { self.timer = timer }

  /// Whether all stored values of both timers are equal.
  public func isEqual(to other: any TimerImage) -> Bool {
    (other as? StoredImage).map { $0.timer == timer } ?? false
  }
}

/// Undo of a person's last change.
extension Engine {
  /// The result of an undo.
  public struct Undoing: Sendable {
    /// The event type of the change that was undone.
    public var type: StaticString
    /// How long ago the change was made, on `elapsed`, in microseconds.
    public var agoUsec: Int64
    /// The slots of the timers that are restored.
    public var slots: [Int] = []
    /// The names of the timers that were not restored, and keep their present state.
    public var kept: [String] = []
  }

  /// Runs `body`, and marks the changes that it makes as changes by a person. An undo takes back
  /// all changes with the same id together.
  public func asPerson<Result>(
    _ undoID: String?, _ body: () throws(EngineError) -> Result
  ) throws(EngineError) -> Result {
    personalChange = undoID
    defer { personalChange = nil }
    return try body()
  }

  /// Undoes the newest change, or throws if it cannot be undone. Deadlines get their old values on
  /// their timelines, so the time since the change counts. A start is never undone: it is only
  /// dropped from the history, and the person's change before it becomes the newest. O(changes in
  /// the history).
  public func undo(at now: Moment) throws(EngineError) -> Undoing {
    let elapsed = background.timelines.reading(.elapsed, at: now)
    undoHistory.removeOld(atElapsed: elapsed)
    guard let newest = undoHistory.entries.last else { throw .nothingToUndo(.noChange) }
    isUndoing = true
    defer {
      isUndoing = false
      beginAbsenceIfNeeded(at: now)
    }
    var undoing = Undoing(type: newest.type, agoUsec: elapsed - newest.atElapsed)
    var refusal: UndoRefusal?
    // If the person changed a timer twice with one change, the newer step is undone first.
    let change = undoHistory.changes(of: newest.group)
    var names: [Int64: String] = [:]
    for (entry, _) in change { names[entry.id] = undoHistory.name(of: entry) }
    var kept: Set<Int64> = []
    var changedBack: Set<Int64> = []
    for (entry, isChangedSince) in change.reversed() {
      let name = names[entry.id] ?? ""
      let known = knownRefusal(of: entry, name, isChangedSince)
      if let why = entry.isStart
        ? refusalOfStart(entry, name) : known ?? self.refusal(of: entry, name)
      {
        refusal = refusal ?? why
        // If the change started a timer and then changed it, the timer returns to its state at the
        // start.
        if !changedBack.contains(entry.id) { undoing.kept.append(name) }
        kept.insert(entry.seq)
      } else {
        revert(entry, named: name, &undoing, at: now)
        changedBack.insert(entry.id)
        if let oldName = entry.oldName { names[entry.id] = oldName }
      }
    }
    guard !undoing.slots.isEmpty else {
      if change.allSatisfy(\.entry.isStart) { undoHistory.take(group: newest.group) }
      throw .nothingToUndo(refusal ?? .noChange)
    }
    undoHistory.take(group: newest.group) { kept.contains($0.seq) }
    undoHistory.noteUndone(lastSeq)
    undoing.kept.reverse()
    var seen: Set<Int> = []
    undoing.slots = undoing.slots.reversed().filter { seen.insert($0).inserted && isOccupied($0) }
    return undoing
  }

  /// Why a change cannot be undone, as far as the history knows.
  private func knownRefusal(
    of entry: UndoHistory.Entry, _ name: String, _ isChangedSince: Bool
  ) -> UndoRefusal? {
    switch entry.refusal {
    case .changedSince?: .changedSince(name)
    case let refusal?: refusal
    case nil: isChangedSince ? .changedSince(name) : nil
    }
  }

  private func refusalOfStart(_ entry: UndoHistory.Entry, _ name: String) -> UndoRefusal {
    guard let slot = table.slot(named: name) else { return .changedSince(name) }
    return table[slot].id == entry.id ? .started(name) : .nameTaken(name)
  }

  /// Why the timer, which is now called `name`, cannot be changed back; nil: it can.
  private func refusal(of entry: UndoHistory.Entry, _ name: String) -> UndoRefusal? {
    if let oldName = entry.oldName, table.slot(named: oldName) != nil { return .nameTaken(oldName) }
    guard let slot = table.slot(named: name) else {
      guard entry.before != nil else { return .changedSince(name) }
      return table.count < maximumTimers ? nil : .tooMany
    }
    return table[slot].id == entry.id ? nil : .nameTaken(name)
  }

  private func revert(
    _ entry: UndoHistory.Entry, named name: String, _ undoing: inout Undoing, at now: Moment
  ) {
    let present = table.slot(named: name)
    if let oldName = entry.oldName {
      guard let present else { return }
      recordName(oldName, of: present, at: now)
      undoing.slots.append(present)
      return
    }
    // Only a start has no `before`, and a start is not undone.
    guard let before = entry.before else { return }
    let slot = present ?? table.nextSlot
    var image = before
    image.slot = slot
    image.timer.name = name
    if let present, entry.id == before.timer.id {
      addLaterChanges(present, entry, in: &image)
    }
    image.timer.ring = image.timer.ring?.withoutSound
    if let present, entry.id == before.timer.id, !entry.changesRing {
      image.timer.keepRing(of: table[present], since: entry.seq)
    }
    let subject = Event.Subject(
      slot: slot, id: before.timer.id, name: name,
      previous: present.map { table[$0].lastEvent } ?? entry.seq)
    let ring = entry.changesRing ? image.timer.ring?.number ?? 0 : 0
    record(
      .undone(
        Event.Undone(
          seq: entry.seq, type: "\(entry.type)", before: StoredImage(image), ring: ring)),
      subject: subject, at: now)
    undoing.slots.append(slot)
    handleMissed(slot, ofRing: entry.changesRing, at: now)
  }

  /// Copies into `image` the later changes of the timer that the undo must not take back.
  private func addLaterChanges(_ slot: Int, _ entry: UndoHistory.Entry, in image: inout StoredTimer)
  {
    // Attachments that a program has changed since then stay.
    if !entry.replacesAttachments { image.timer.attachments = table[slot].attachments }
    // The number of an expiry never goes back.
    image.timer.expiries.lastNumber = max(
      image.timer.expiries.lastNumber, table[slot].expiries.lastNumber)
    if let failure = table[slot].failure { image.timer.failure = failure }
  }

  /// Handles an expiry, the end of a snooze or a band that a restored timer missed: the timer rings
  /// late, or the engine announces the band.
  private func handleMissed(_ slot: Int, ofRing: Bool, at now: Moment) {
    let undone = WaitCause(cause: .undone, span: 0)
    if ofRing {
      let isOver =
        table[slot].ring?.deadline ?? .max <= background.timelines.reading(.elapsed, at: now)
      // In a background span, an undo before this one may have left a cause.
      ringWaitCauses[slot] = isOver ? undone : nil
    }
    guard case .running(let deadline) = table[slot].phase else { return }
    if deadline <= background.timelines.reading(table[slot].clock, at: now) {
      clockWaitCauses[slot] = undone
    } else {
      recordBandChange(slot, at: now)
    }
  }

  /// Applies an event of a person's change, and adds an entry to the history, so that the change
  /// can be undone.
  func applyPersonally(_ event: Event) {
    let entry = undoEntry(for: event)
    apply(event)
    if let entry {
      undoHistory.add(entry, named: event.subject?.name ?? "")
      if case .renamedTo(let name) = event.kind { undoHistory.rename(id: entry.id, to: name) }
    } else if !undoHistory.isEmpty {
      forgetUndo(after: event)
    }
  }

  /// The history's entry for an event that is not applied yet. Nil: the event cannot be undone.
  private func undoEntry(for event: Event) -> UndoHistory.Entry? {
    guard let personalChange, event.kind.traits.contains(.isRequested),
      let subject = event.subject
    else { return nil }
    var oldName: String?
    switch event.kind {
    case .undone, .renamedFrom: return nil
    case .renamedTo: oldName = subject.name
    default: break
    }
    let replacesAttachments = if case .updated = event.kind { true } else { false }
    let before =
      table.isOccupied(subject.slot) && oldName == nil ? stored(at: subject.slot) : nil
    let hasReplaced = before?.timer.keepsName == true
    let isStart = if case .started = event.kind { !hasReplaced } else { false }
    return UndoHistory.Entry(
      group: personalChange, seq: event.seq, type: event.kind.name,
      replacesAttachments: replacesAttachments, changesRing: changesRing(event),
      isLabel: event.isUpdate,
      atElapsed: event.counters.elapsedUsec,
      id: subject.id, oldName: oldName, isStart: isStart,
      before: isStart ? nil : before)
  }

  private func changesRing(_ event: Event) -> Bool {
    switch event.kind {
    case .dismissed, .snoozed: true
    default: event.kind.answeredRing > 0
    }
  }

  /// Refuses to undo changes that cannot be undone any more because `event` followed them. The
  /// history has no entry for `event`.
  func forgetUndo(after event: Event) {
    switch event.kind {
    // The correction changes the counter by which the age of changes is measured.
    case .spanCorrected: undoHistory = UndoHistory()
    // After a step or a change of the zone, another instant of the timer's calendar may be the
    // next.
    case .clockStepped, .zoneChanged:
      undoHistory.refuse(as: UndoRefusal.clockSet) { $0.clock == .wall }
    // This event is part of a person's change of the timer's schedule.
    case .rescheduled where personalChange != nil: break
    case .rang(_, _, nil), .stayedQuiet:
      if let id = event.subject?.id { undoHistory.noteRing(event.seq, id: id) }
    case let kind where kind.traits.contains(.keepsUndo): break
    case .renamedTo(let name):
      guard let id = event.subject?.id else { break }
      undoHistory.rename(id: id, to: name)
      if !isUndoing { undoHistory.noteOther(event.seq, id: id) }
    default: if let id = event.subject?.id { undoHistory.noteOther(event.seq, id: id) }
    }
  }
}

extension Timer {
  /// Takes over what `present` knows of expiries and rings.
  ///
  /// - Parameter seq: the event whose change is undone. If the ring has not sounded since, the
  ///   change itself may have made the timer forget for which instants it rang.
  fileprivate mutating func keepRing(of present: Timer, since seq: Int64) {
    expiries = present.expiries
    guard present.ring?.sinceEvent ?? 0 > seq else { return }
    let other = present.course
    self.course.rangFor = other.rangFor
    (self.course.rangAtElapsed, self.course.rangEvent) = (other.rangAtElapsed, other.rangEvent)
  }
}
