import NightjarEngine
import NightjarModel

/// A change that can be undone. It has a copy of the timer before the change, from which time is
/// subtracted as from every other timer.
struct ModelUndo {
  var group: Int
  /// The number of its event.
  var seq: Int64
  var isUpdate: Bool
  /// Whether it changed only attachments or the name, which the undo of an older change leaves.
  var isLabel: Bool
  /// Whether it ended or moved the ring. Other changes leave it as it is (rule 5), and so does
  /// their undo.
  var changesRing: Bool
  var name: String
  var id: Int64
  /// The count of `elapsed` at the change.
  var countedUsec: Int64
  /// The timer as it would be, alone; empty: there was none.
  var timers: ModelTimers
  /// Whether it started a timer and replaced no active one: that is never undone.
  var isStart: Bool
  /// Why it cannot be undone.
  var refusal: UndoRefusal?
  /// The name of the timer before a rename.
  var oldName: String?

  var before: ModelTimer? { timers.all.first }

  mutating func apply(_ passage: ModelPassage) {
    switch passage {
    case .time, .stepped, .entered, .left, .forgotBlame: timers.apply(passage)
    case .corrected, .blamed, .event, .requested: break
    }
  }
}

/// Undo of a person's changes, as in the manual.
extension RingModel {
  /// A timer is about to be changed; nil: it does not exist yet.
  func noteUndoable(
    _ type: String, _ timer: ModelTimer, _ before: ModelTimer?, isLabel: Bool, changesRing: Bool
  ) {
    guard type != "undone", !(isUndoing && type == "renamed_to") else { return }
    guard let group = person else { return forgetUndo(id: timer.id) }
    forgetOldUndo()
    // A rename is undone by another rename, whatever the timer does meanwhile.
    var timers = ModelTimers(all: type == "renamed_to" ? [] : before.map { [$0] } ?? [])
    timers.backgroundTime = world.timers.backgroundTime
    undoable.append(
      ModelUndo(
        group: group, seq: world.lastSeq + 1, isUpdate: type == "updated", isLabel: isLabel,
        changesRing: changesRing, name: timer.name, id: timer.id,
        countedUsec: world.clock.countedUsec,
        timers: timers,
        isStart: type == "started" && before?.isNameFree ?? true,
        oldName: type == "renamed_to" ? timer.name : nil))
  }

  /// Handles an event that no client requested.
  func forgetUndo(after event: ModelEvent) {
    switch event.type {
    case "span_corrected": undoable = []
    case "clock_stepped", "zone_changed":
      refuseUndo { $0.before?.clock == .wall ? .clockSet($0.name) : nil }
    // Rule 13: it is refused if the timer has expired since. The end of a snooze is no expiry, but
    // concerns the ring.
    case "rang" where event.isSnooze, "stayed_quiet":
      refuseUndo { $0.id == event.id && $0.changesRing ? .changedSince($0.name) : nil }
    case "rescheduled" where person != nil, "band_crossed", "unanswered", "rang_again",
      "left_ring":
      break
    default: forgetUndo(id: event.id)
    }
  }

  private func forgetUndo(id: Int64) {
    refuseUndo { $0.id == id && id != 0 ? .changedSince($0.name) : nil }
  }

  func refuseUndo(_ why: (ModelUndo) -> UndoRefusal?) {
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
    var kept: [ModelUndo] = []
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
    for place in undoable.indices where undoable[place].id == id { undoable[place].name = name }
  }

  /// A client renames a timer. Returns the refusal.
  func rename(_ name: String, to newName: String) -> EngineError? {
    guard let index = world.timers.index(name) else { return .timerNotFound }
    guard name != newName else { return nil }
    guard world.timers.index(newName) == nil else { return .timerExists }
    rename(index, to: newName)
    return nil
  }

  private func refusal(of change: ModelUndo) -> UndoRefusal? {
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

  private func revert(_ change: ModelUndo) {
    let present = world.timers.index(change.name)
    if let oldName = change.oldName {
      if let present { rename(present, to: oldName) }
      return
    }
    guard var timer = change.before else { return }
    // Rule 13: the ring as it was, without its sound.
    timer.ring = timer.ringWithoutSound
    if let present, change.id == timer.id {
      let now = world.timers.all[present]
      if !change.isUpdate { timer.data = now.data }
      // The number of an expiry never goes back.
      timer.lastNumber = max(timer.lastNumber, now.lastNumber)
      if !change.changesRing { timer.keepRing(of: now, since: change.seq) }
    }
    timer.name = change.name
    let isRingBack = change.changesRing && timer.ring != nil
    recordRequest(
      "undone", of: timer, ["undone": change.seq, "ring": isRingBack ? timer.ring?.number ?? 0 : 0])
    timer.lastSeq = world.lastSeq
    timer.deadline.forgetBlame()
    timer.deadline.waitBlame = nil
    if change.changesRing, let deadline = timer.ring?.deadline {
      timer.ring?.deadline?.forgetBlame()
      let isOver = deadline.remainingUsec - backgroundUsec(.elapsed) <= 0
      timer.ring?.deadline?.waitBlame = isOver ? Blame(cause: .undone, span: 0) : nil
    }
    let index = present ?? world.timers.all.count
    if present == nil { world.timers.all.append(timer) } else { world.timers.all[index] = timer }
    guard timer.state == .running, !timer.isStopwatch else { return }
    if timer.remainingUsec - backgroundUsec(timer.timeline) <= 0 {
      world.timers.all[index].deadline.waitBlame = Blame(cause: .undone, span: 0)
    } else {
      recordBandChange(index)
    }
  }
}

extension ModelTimer {
  /// Takes over the ring of the timer as it is now.
  fileprivate mutating func keepRing(of now: ModelTimer, since seq: Int64) {
    (ring, miss, misses, lastExpiry) = (now.ring, now.miss, now.misses, now.lastExpiry)
    guard now.ring?.sinceSeq ?? 0 > seq else { return }
    (rang, sinceLastRingUsec, rangSeq) = (now.rang, now.sinceLastRingUsec, now.rangSeq)
  }
}
