import NightjarEngine
import NightjarModel

/// A change that can be undone. It has a copy of the timer before the change, from which time is
/// subtracted as from every other timer.
struct LiteralUndo {
  var group: Int
  /// The number of its event.
  var seq: Int64
  var isUpdate: Bool
  /// Whether it changed only attachments or the name, which the undo of an older change leaves.
  var isLabel: Bool
  var name: String
  var id: Int64
  /// The count of `elapsed` at the change.
  var countedUsec: Int64
  /// The timer as it would be, alone; empty: there was none.
  var timers: LiteralTimers
  /// Whether it started a timer and replaced no active one: that is never undone.
  var isStart: Bool
  /// Why it cannot be undone.
  var refusal: UndoRefusal?
  /// The name of the timer before a rename.
  var oldName: String?

  var before: LiteralTimer? { timers.all.first }

  mutating func apply(_ passage: Passage) {
    switch passage {
    case .time, .stepped, .entered, .left, .forgotBlame: timers.apply(passage)
    case .corrected, .blamed, .event, .requested: break
    }
  }
}

/// Undo of a person's changes, as in the manual.
extension LiteralModel {
  /// A timer is about to be changed; nil: it does not exist yet.
  func noteUndoable(
    _ type: String, _ timer: LiteralTimer, _ before: LiteralTimer?, isLabel: Bool
  ) {
    guard type != "undone", !(isUndoing && type == "renamed_to") else { return }
    guard let group = person else { return forgetUndo(id: timer.id) }
    forgetOldUndo()
    // A rename is undone by another rename, whatever the timer does meanwhile.
    var timers = LiteralTimers(all: type == "renamed_to" ? [] : before.map { [$0] } ?? [])
    timers.backgroundTime = world.timers.backgroundTime
    undoable.append(
      LiteralUndo(
        group: group, seq: world.lastSeq + 1, isUpdate: type == "updated", isLabel: isLabel,
        name: timer.name,
        id: timer.id, countedUsec: world.clock.countedUsec, timers: timers,
        isStart: type == "started" && before?.isActive != true,
        oldName: type == "renamed_to" ? timer.name : nil))
  }

  /// Handles an event that no client requested.
  func forgetUndo(after event: LiteralEvent) {
    switch event.type {
    case "span_corrected": undoable = []
    case "clock_stepped", "zone_changed":
      refuseUndo { change in
        change.before.map { $0.clock == .wall || $0.timeline == .wall } ?? false
          ? .clockSet(change.name) : nil
      }
    case "rescheduled" where person != nil, "band_crossed": break
    default: forgetUndo(id: event.id)
    }
  }

  private func forgetUndo(id: Int64) {
    refuseUndo { $0.id == id && id != 0 ? .changedSince($0.name) : nil }
  }

  func refuseUndo(_ why: (LiteralUndo) -> UndoRefusal?) {
    for index in undoable.indices where undoable[index].refusal == nil && !undoable[index].isStart {
      undoable[index].refusal = why(undoable[index])
    }
  }

  private func forgetOldUndo() {
    undoable.removeAll { world.clock.countedUsec - $0.countedUsec > 60_000_000 }
  }

  /// Undoes the newest change. Returns nil if that was done.
  func undo() -> EngineError? {
    forgetOldUndo()
    isUndoing = true
    defer { isUndoing = false }
    guard let newest = undoable.last else { return .nothingToUndo(.noChange) }
    var refusal: UndoRefusal?
    var isAny = false
    var kept: [LiteralUndo] = []
    let changes = undoable.filter { $0.group == newest.group }
    for var change in changes.reversed() {
      // Its name may be another one since a later change was undone.
      change.name = world.timers.all.first { $0.id == change.id }?.name ?? change.name
      if let why = self.refusal(of: change) {
        refusal = refusal ?? why
        kept.append(change)
        continue
      }
      isAny = true
      undoable.removeAll { $0.group == newest.group }
      revert(change)
    }
    if isAny {
      lastUndoneSeq = world.lastSeq
      // What stays of it has changed its timer.
      for other in kept {
        refuseUndo {
          $0.id == other.id && $0.seq < other.seq ? .changedSince($0.name) : nil
        }
      }
    }
    // The next undo concerns the change before the start.
    if !isAny, changes.allSatisfy(\.isStart) { undoable.removeAll { $0.group == newest.group } }
    return isAny ? nil : .nothingToUndo(refusal ?? .noChange)
  }

  /// Renames a timer, also in the changes that can be undone.
  func rename(_ index: Int, to name: String) {
    let before = world.timers.all[index]
    renameUndoable(before.id, to: name)
    recordRequest("renamed_to", of: before)
    world.timers.all[index].name = name
    renameUndoable(before.id, to: name)
    recordRequest("renamed_from", of: world.timers.all[index])
  }

  private func renameUndoable(_ id: Int64, to name: String) {
    for place in undoable.indices where undoable[place].id == id {
      undoable[place].name = name
    }
  }

  /// A client renames a timer. Returns the refusal.
  func rename(_ name: String, to newName: String) -> EngineError? {
    guard let index = world.timers.index(name) else { return .timerNotFound }
    guard name != newName else { return nil }
    guard world.timers.index(newName) == nil else { return .timerExists }
    rename(index, to: newName)
    return nil
  }

  private func refusal(of change: LiteralUndo) -> UndoRefusal? {
    if change.isStart {
      guard let present = world.timers.index(change.name) else { return .changedSince(change.name) }
      return world.timers.all[present].id == change.id
        ? .started(change.name) : .nameTaken(change.name)
    }
    if case .changedSince = change.refusal { return .changedSince(change.name) }
    if let refusal = change.refusal { return refusal }
    // Somebody else changed it since.
    let isChanged = undoable.contains {
      $0.id == change.id && $0.seq > change.seq && $0.group != change.group
        && (!$0.isLabel || change.isLabel)
    }
    if isChanged { return .changedSince(change.name) }
    if let oldName = change.oldName, world.timers.index(oldName) != nil {
      return .nameTaken(oldName)
    }
    if let present = world.timers.index(change.name) {
      return world.timers.all[present].id == change.id ? nil : .nameTaken(change.name)
    }
    if change.before == nil { return .changedSince(change.name) }
    return world.timers.all.count < maximumTimers ? nil : .tooMany
  }

  private func revert(_ change: LiteralUndo) {
    let present = world.timers.index(change.name)
    if let oldName = change.oldName {
      if let present { rename(present, to: oldName) }
      return
    }
    guard var timer = change.before else { return }
    if let present, !change.isUpdate, change.id == timer.id {
      timer.data = world.timers.all[present].data
    }
    timer.name = change.name
    recordRequest("undone", of: timer, [change.seq])
    timer.lastSeq = world.lastSeq
    timer.forgetBlame()
    timer.waitBlame = nil
    let index = present ?? world.timers.all.count
    if present == nil { world.timers.all.append(timer) } else { world.timers.all[index] = timer }
    guard timer.state == .running, !timer.isStopwatch else { return }
    if timer.remainingUsec - backgroundUsec(timer.timeline) <= 0 {
      world.timers.all[index].waitBlame = Blame(cause: .undone, span: 0)
    } else {
      recordBandChange(index)
    }
  }
}
