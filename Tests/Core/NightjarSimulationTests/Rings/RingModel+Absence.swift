import NightjarModel

/// The user is away: time that passes then is not subtracted on `present`.
extension RingModel {
  /// logind reports that the user is away or there, or has gone.
  func note(isAway: Bool) {
    guard isAway != world.isAway else { return }
    world.isAway = isAway
    if isAway { beginAbsenceIfNeeded() } else { endAbsence() }
  }

  /// Records an absence as soon as it hides time from a timer.
  func beginAbsenceIfNeeded() {
    let isAnyHidden = world.timers.all.contains { $0.state == .running && $0.timeline == .present }
    guard !isUndoing, world.isAway, world.absence == nil, isAnyHidden else { return }
    let span = LiteralSpan(id: (world.spans.last?.id ?? 0) + 1, causes: [.away])
    world.absence = (span, 0)
    world.spans.append(span)
    isCommitWanted = true
    record("did_enter_background", Self.facts(span), causes: span.causes)
  }

  func endAbsence() {
    guard var span = world.absence?.span, let elapsed = world.absence?.elapsed else { return }
    world.absence = nil
    span.elapsedUsec = max(0, elapsed)
    span.isOpen = false
    if let index = world.spans.firstIndex(where: { $0.id == span.id }) { world.spans[index] = span }
    isCommitWanted = true
    record("will_enter_foreground", Self.facts(span), causes: span.causes)
  }
}
