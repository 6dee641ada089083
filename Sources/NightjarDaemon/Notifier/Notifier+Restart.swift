internal import NightjarCore
internal import NightjarLedger
internal import NightjarMethods
internal import NightjarSystem

/// From one process to the next: a daemon that is restarted finds the popups of the last one.
extension Notifier {
  /// Which popups there are is to be written down.
  func changed() {
    guard !isWriteDue else { return }
    isWriteDue = true
    loop.later { [weak self] in self?.write() }
  }

  private func write() {
    isWriteDue = false
    // What was left and not taken over yet is still what is on the screen.
    var contents = left ?? PopupFile.Contents(place: board.place ?? "")
    for popup in board.popups {
      switch popup.subject {
      case .timer(let id, _, let name):
        contents.timers.append((popup.id, id, name))
      case .digest:
        guard let seqs = digest?.seqs else { continue }
        contents.digest = (popup.id, seqs.lowerBound, seqs.upperBound)
      case .test, .loss: continue
      }
    }
    guard contents != written else { return }
    // What could not be written is tried again with the next change, be it back to what was written.
    written = file.write(contents) ? contents : nil
  }

  /// Goes on with the popups of the last process: those that still say what is so are made our own,
  /// for what is pressed on a popup is told to whoever has put it up; the others are closed.
  func takeOver(in place: String) {
    guard let left else { return }
    self.left = nil
    written = left
    defer { changed() }
    let isSame = left.place == place
    for (id, timer, name) in left.timers {
      guard let slot = engine.slot(of: name), engine.record(at: slot).id == timer,
        engine.isRinging(slot), cards[slot] == nil, cards.count < Stampede.singles,
        !(digest?.slots.contains(slot) ?? false), settings.current.notifies
      else {
        if isSame, id != 0 { board.close(id) }
        continue
      }
      let popup = Popup(.timer(id: timer, slot: slot, name: name))
      cards[slot] = Card(popup: popup, told: .ringing)
      if isSame, id != 0 { board.adopt(popup, as: id) }
      board.show(popup)
    }
    if let digest = left.digest { takeOver(digest, isSame: isSame) }
  }

  private func takeOver(
    _ left: (popup: UInt32, firstSeq: Int64, lastSeq: Int64), isSame: Bool
  ) {
    var found = SlotSet()
    if digest == nil, settings.current.notifies, left.firstSeq <= left.lastSeq {
      let seqs = left.firstSeq...left.lastSeq
      for slot in 0..<engine.slotEnd
      where engine.isRinging(slot) && seqs.contains(engine.rangSeq(slot, at: clock.now)) {
        if cards[slot] == nil { found.insert(slot) }
      }
    }
    guard !found.isEmpty else {
      if isSame, left.popup != 0 { board.close(left.popup) }
      return
    }
    var new = Digest(span: nil)
    (new.slots, new.seqs) = (found, left.firstSeq...left.lastSeq)
    digest = new
    if isSame, left.popup != 0 { board.adopt(new.popup, as: left.popup) }
    board.show(new.popup)
  }
}
