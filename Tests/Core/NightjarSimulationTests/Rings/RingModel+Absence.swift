import NightjarModel

/// The user is away: time that passes then is not subtracted on `present`.
extension RingModel {
  /// logind reports that the user is away or there, or has gone.
  func note(isAway: Bool) {
    guard isAway != world.isAway else { return }
    world.isAway = isAway
    guard !isAway else { return beginAbsenceIfNeeded() }
    let elapsed = world.absence?.elapsed ?? 0
    let enteredSeq = world.absence?.enteredSeq ?? 0
    guard let span = endAbsence() else { return }
    applyPolicy(
      \.afterAway, for: span, passed: Amount(elapsed: elapsed, awake: 0, present: 0),
      enteredSeq: enteredSeq)
  }

  /// Records an absence as soon as it hides time from a timer.
  func beginAbsenceIfNeeded() {
    let isAnyHidden = world.timers.all.contains { $0.state == .running && $0.timeline == .present }
    guard !isUndoing, world.isAway, world.absence == nil, isAnyHidden else { return }
    let span = LiteralSpan(id: (world.spans.last?.id ?? 0) + 1, causes: [.away])
    world.absence = (span, 0, world.lastSeq + 1)
    world.spans.append(span)
    isCommitWanted = true
    record("did_enter_background", Self.facts(span), causes: span.causes)
  }

  @discardableResult func endAbsence() -> LiteralSpan? {
    guard var span = world.absence?.span, let elapsed = world.absence?.elapsed else { return nil }
    world.absence = nil
    span.elapsedUsec = max(0, elapsed)
    span.isOpen = false
    if let index = world.spans.firstIndex(where: { $0.id == span.id }) { world.spans[index] = span }
    isCommitWanted = true
    record("will_enter_foreground", Self.facts(span), causes: span.causes)
    return span
  }
}
