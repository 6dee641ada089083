internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem

/// From one process to the next. A daemon that ends closes its popups, and the next one shows the rings
/// again that nobody has answered. After a crash it shows none: some servers still have the popups of
/// the last process, and nobody can ask them.
extension Notifier {
  /// The daemon ends.
  package func end() { output.end() }

  /// The daemon is up again after a span.
  ///
  /// - Parameter isKnown: the last process had written that the span began.
  func started(after span: Span, isKnown: Bool) {
    guard span.causes == [.down] && isKnown || span.causes.contains(.reboot) else { return }
    // Behind what rings on the way out of the span.
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
