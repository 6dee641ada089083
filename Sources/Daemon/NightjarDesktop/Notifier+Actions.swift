internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem

/// Handles the buttons of popups. A button does the same as a client's request: the engine may
/// refuse it with the same errors, and it takes effect when it is committed.
extension Notifier {
  /// The most timers of a digest (a popup about several rings) that are dismissed in one loop
  /// iteration.
  private static let dismissedAtOnce = 512

  func pressed(_ popup: Popup, _ key: String) {
    switch popup.subject {
    case .timer(let id, let slot, let name): pressed(popup, key, id: id, slot: slot, name: name)
    case .digest: if let digest { dismissAll(digest, from: 0, on: popup) }
    // Popups about other machines' timers belong to `RemoteNotifier`.
    case .test, .remote: break
    case .loss, .failure: board.forget(popup)
    }
  }

  private func pressed(_ popup: Popup, _ key: String, id: Int64, slot: Int, name: String) {
    // If the timer of this popup no longer exists, its button does nothing. Its slot is empty then,
    // or has another timer.
    guard let timer = timers.timer(slot), timer.id == id else { return }
    guard timers.isRinging(slot), let card = cards[slot], card.band == nil else { return }
    let isWaiting = timer.state == .waiting
    let operation: Operation
    switch key {
    case "snooze": operation = .snooze
    case "restart": operation = .restart
    case "advance": operation = .advance
    case "default": operation = isWaiting ? .advance : .dismiss
    case "dismiss": operation = .dismiss
    default: return
    }
    guard perform(operation, slot, popup.expiry, name) else { return board.show(popup) }
  }

  /// - Returns: false if the engine refused the operation.
  private func perform(
    _ operation: Operation, _ slot: Int, _ expiry: Int64, _ name: String
  ) -> Bool {
    let snoozeUsec = settings().snoozeUsec
    guard
      let refusal = timers.perform(operation, slot, byUsec: snoozeUsec, expiry: expiry)
    else { return true }
    Log.write(
      .warning, "\(name): \(operation.name), pressed on its notification, was refused: \(refusal)",
      [("NIGHTJAR_TIMER", name)])
    return false
  }

  /// Dismisses the rings that the digest showed when its button was pressed. This takes several
  /// iterations if there are many.
  private func dismissAll(_ pressed: Digest, from first: Int, on popup: Popup) {
    var next = pressed.slots.first(from: first)
    var count = 0
    while let slot = next, count < Self.dismissedAtOnce {
      if timers.isRinging(slot), let ring = timers.timer(slot)?.ring,
        ring.sinceEvent <= pressed.shownSeq,
        !perform(.dismiss, slot, ring.number, timers.name(slot))
      {
        if digest?.popup === popup { board.show(popup) }
        return
      }
      count += 1
      next = pressed.slots.first(from: slot + 1)
    }
    guard let next else { return }
    loop.later { [weak self] in self?.dismissAll(pressed, from: next, on: popup) }
  }
}
