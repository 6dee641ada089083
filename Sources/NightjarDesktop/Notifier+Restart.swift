internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem

/// The rings across a restart of the daemon. A daemon that exits closes its popups, and the next
/// one shows the unanswered rings again. After a crash without a reboot it shows none. Some servers
/// still show the popups of the last process then, and there is no call to ask for them.
extension Notifier {
  /// Closes popups and stops sounds, because the daemon exits.
  package func end() { output.end() }

  /// Shows unanswered rings again after a restart.
  ///
  /// - Parameter isKnown: the last process had recorded the beginning of the span.
  func started(after span: Span, isKnown: Bool) {
    guard span.causes == [.down] && isKnown || span.causes.contains(.reboot) else { return }
    // After the rings of timers that expire at the end of the span.
    loop.later { [weak self] in self?.showAgain() }
  }

  private func showAgain() {
    guard settings().notifies else { return }
    let slots = (0..<keeper.slotEnd).filter { slot in
      keeper.isRinging(slot) && cards[slot] == nil && !(digest?.slots.contains(slot) ?? false)
        && keeper.view(slot).detail?.wasSkipped != true
    }
    guard digest == nil, slots.count <= Stampede.singlesAtOnce else {
      var all = digest ?? Digest(span: nil)
      for slot in slots { all.slots.insert(slot) }
      digest = all
      return board.show(all.popup)
    }
    for slot in slots {
      guard let id = keeper.record(slot)?.id else { continue }
      let popup = Popup(.timer(id: id, slot: slot, name: keeper.name(slot)))
      cards[slot] = Card(popup: popup, told: .ringing)
      board.show(popup)
    }
  }
}
