internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem

/// A daemon that exits closes its popups, and the next daemon shows the unanswered rings again.
/// After a crash of the daemon without a reboot, the next daemon does not show them again: some
/// servers still show the popups of the last process, and a program cannot ask a server for its
/// popups.
extension Notifier {
  /// Closes popups and stops sounds, because the daemon exits.
  package func end() { output.end() }

  /// Shows unanswered rings again after a restart.
  ///
  /// - Parameter isKnown: whether the last process had recorded the beginning of the span.
  func started(after span: Span, isKnown: Bool) {
    guard span.causes == [.down] && isKnown || span.causes.contains(.reboot) else { return }
    // Do this after the timers that expire at the end of the span have rung.
    loop.later { [weak self] in self?.showAgain() }
  }

  private func showAgain() {
    guard settings().notifies else { return }
    let slots = (0..<timers.slotEnd).filter { slot in
      timers.isRinging(slot) && cards[slot] == nil && !(digest?.slots.contains(slot) ?? false)
        && timers.view(slot).detail?.wasSkipped != true
    }
    guard digest == nil, slots.count <= DigestPolicy.singlesAtOnce else {
      var all = digest ?? Digest(span: nil)
      for slot in slots { all.slots.insert(slot) }
      digest = all
      return board.show(all.popup)
    }
    for slot in slots {
      guard let id = timers.record(slot)?.id else { continue }
      let popup = Popup(.timer(id: id, slot: slot, name: timers.name(slot)))
      cards[slot] = Card(popup: popup, trigger: .ringing)
      board.show(popup)
    }
  }
}
