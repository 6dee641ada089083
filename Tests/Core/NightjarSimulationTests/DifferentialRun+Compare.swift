import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport

/// The comparisons after each action and at the end.
extension DifferentialRun {
  func compare() throws {
    try comparePublished()
    try compareSpans()
    guard let core = machine.core else { return }
    let engine = core.engine
    if engine.lastSeq != model.world.lastSeq {
      try fail("the last event is \(engine.lastSeq), not \(model.world.lastSeq)")
    }
    if core.journal.durableSeq != model.durable?.world.lastSeq ?? 0 {
      try fail("durable up to \(core.journal.durableSeq)")
    }
    let open = core.background.open.map { LiteralSpan($0) }
    if open != model.world.span {
      try fail("in \(text(open)), not in \(text(model.world.span))")
    }
    let absence = core.background.absence.map { LiteralSpan($0) }
    if absence != model.world.absence?.span {
      try fail("in \(text(absence)), not in \(text(model.world.absence?.span))")
    }
    let counts = TimerState.allCases.map { state in
      model.world.timers.all.count { $0.state.engineState == state }
    }
    if engine.counts != counts { try fail("counts \(engine.counts), not \(counts)") }
    let rings = engine.ringCounts
    let ringCounts = [rings.ringing, rings.snoozed, rings.unanswered]
    let should = ["ringing", "snoozed", "unanswered"].map { word in
      model.world.timers.all.count { $0.ringWord == word }
    }
    if ringCounts != should { try fail("counts the rings \(ringCounts), not \(should)") }
    for timer in model.world.timers.all { try compare(timer, in: engine) }
    // This check costs as much as all the others together.
    if actions.count % 4 == 0, let wrong = engine.violatedInvariant() { try fail(wrong) }
  }

  private func comparePublished() throws {
    let published = machine.takePublished().map { ModelEvent($0) }
    let expected = model.takePublished()
    guard published != expected else {
      if !model.isFailing { publishedDurable += published }
      for event in published { meet(event) }
      meetRings(published)
      if let corrected = published.first(where: { $0.type == "span_corrected" }),
        published.contains(where: { $0.type == "rang" && $0["span"] == corrected["span"] })
      {
        met.insert("correction with cause")
      }
      return
    }
    let index = zip(published, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let at = index ?? min(published.count, expected.count)
    let was = at < published.count ? published[at].description : "nothing"
    let should = at < expected.count ? expected[at].description : "nothing"
    try fail("showed \(was), not \(should)")
  }

  /// Notes which events the run had, so that the runs can show that they cover everything.
  private func meet(_ event: ModelEvent) {
    let type =
      switch event.type {
      case "rang" where event.isSnooze: "rang at the end of a snooze"
      case "stayed_quiet": "\(event.type) \(event["snoozed"] == 1 ? "snooze" : "insist")"
      case "undone" where event["ring"] != 0: "undone with a ring"
      default: event.type
      }
    met.insert(model.isFailing ? "\(event.type) undurably" : type)
    if event.type == "rang" || event.type == "did_not_ring" {
      let cause = LateCause(rawValue: UInt8(event["cause"]))
      let late = cause.map { "late by \($0.name)" } ?? "on time"
      met.insert(event.isSnooze ? "a snooze \(late)" : late)
      if event["span"] != 0 { met.insert("late by a span") }
    }
    if ["rang", "did_not_ring"].contains(event.type), !event.isSnooze {
      met.insert("\(event.type) for \(event["missed"] > 0 ? "several" : "itself")")
    }
    if event.type == "joined" {
      met.insert("joined by \(event["joined"] > 1 ? "several" : "one")")
    }
    if event.type == "will_enter_foreground" {
      for cause in event.causes { met.insert("span with cause \(cause.rawValue)") }
      if event.causes.count > 1 { met.insert("span with several causes") }
      met.insert(event["estimated"] == 1 ? "span estimated" : "span exact")
    }
  }

  /// The same for what happened beside the rings that are open now.
  private func meetRings(_ events: [ModelEvent]) {
    for timer in model.world.timers.all {
      guard let ring = timer.ring else { continue }
      let own = events.filter { $0.id == timer.id }
      if own.contains(where: { $0.type == "did_not_ring" }) {
        met.insert("a miss beside a ring")
      }
      let isHeard = own.contains { $0.type == "rang_again" || $0.isSnooze }
      if timer.state == .paused, isHeard { met.insert("a ring of a paused timer") }
      guard ring.state == .snoozed else { continue }
      met.formUnion([
        "a snoozed \(timer.spec.kind)", "a snooze with missed \(timer.spec.missed)",
        timer.spec.late == .fire ? "a snooze that rings late" : "a snooze with a late policy",
      ])
      for event in events where ["clock_stepped", "zone_changed"].contains(event.type) {
        met.insert("a snooze over \(event.type)")
      }
    }
  }

  private func compareSpans() throws {
    let spans = machine.disk.spans.values.sorted { $0.id < $1.id }.map { LiteralSpan($0) }
    let expected = model.durable?.world.spans ?? []
    guard spans != expected else { return }
    let index = zip(spans, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let at = index ?? min(spans.count, expected.count)
    try fail(
      "on the disk is \(text(at < spans.count ? spans[at] : nil)), not "
        + text(at < expected.count ? expected[at] : nil))
  }

  private func text(_ span: LiteralSpan?) -> String {
    guard let span else { return "no span" }
    let causes = span.causes.map { "\($0.name)" }.joined(separator: "+")
    return "span \(span.id) \(causes) of \(span.elapsedUsec)\(span.estimated ? " estimated" : "")"
      + (span.isOpen ? " open" : "")
  }

  private func compare(_ timer: ModelTimer, in engine: Engine) throws {
    let now = machine.clocks.now
    guard let slot = try? engine.require(timer.name) else { try fail("\(timer.name) is not there") }
    model.slots[timer.id] = slot
    let (seen, should) = (Seen(engine.view(slot, at: now)), Seen(timer, of: model))
    if seen != should { try fail("\(timer.name) is \(seen), not \(should)") }
    if !engine.name(at: slot).utf8.elementsEqual(timer.name.utf8) {
      try fail("\(timer.name) has another spelling")
    }
  }

  /// Checks that a daemon that is started from this disk has the same timers.
  func compareReloaded() throws {
    guard let live = machine.core?.engine else { return }
    let fresh: TimerCore
    do {
      fresh = try TimerCore(
        reader: machine.disk, committer: machine.disk, calendar: machine.calendar,
        maximumTimers: live.maximumTimers,
        at: machine.clocks.now)
    } catch {
      try fail("cannot be read back: \(error)")
    }
    let (was, read) = (stored(live), stored(fresh.engine))
    if was != read { try fail("read back \(read), not \(was)") }
    if let wrong = fresh.engine.violatedInvariant() { try fail("read back: \(wrong)") }
  }

  private func stored(_ engine: Engine) -> [Engine.StoredTimer] {
    (0..<engine.slotEnd).compactMap { engine.stored($0) }
  }

  /// Checks the ledger: it has no gap, the numbers of each timer's expiries have none, no timer
  /// expires after its end, and it has every event that clients were shown.
  func readLedger() throws {
    let isWhole = !machine.disk.keepsNeededRowsOnly
    var expected: Int64? = isWhole ? 1 : nil
    var running: Set<Int64> = []
    var numbers: [Int64: Int64] = [:]
    var found: [Int64: ModelEvent] = [:]
    var wrong: String?
    try machine.disk.forEachEvent(after: 0) { event in
      if let seq = expected, event.seq != seq { wrong = "event \(event.seq) follows \(seq - 1)" }
      expected = event.seq + 1
      let read = ModelEvent(event)
      found[event.seq] = read
      if isWhole, read.expiryCount > 0 {
        let before = numbers.updateValue(read["expiry"], forKey: read.id) ?? 0
        if read["expiry"] != before + read.expiryCount {
          wrong = "event \(event.seq) has number \(read["expiry"]) after \(before)"
        }
      }
      switch read.type {
      case "started", "restarted", "resumed", "restarted_after_span", "undone":
        running.insert(read.id)
      case "paused", "paused_after_span", "cancelled", "removed", "ran_out":
        running.remove(read.id)
      case "advanced":
        if read["then"] == 2 { running.insert(read.id) } else { running.remove(read.id) }
      case "joined", "did_not_ring", "rang":
        if read.isSnooze { break }
        if isWhole, !running.contains(read.id) { wrong = "event \(event.seq) expires again" }
        if read["then"] != 2 { running.remove(read.id) }
      default: break
      }
      return true
    }
    if let wrong { try fail(wrong) }
    for event in publishedDurable where found[event.seq] != event {
      if found[event.seq] == nil, !isWhole { continue }
      try fail("showed \(event), the ledger has \(found[event.seq].map { "\($0)" } ?? "nothing")")
    }
  }
}

extension ModelEvent {
  /// How many expiries it records, with those for which one stands.
  fileprivate var expiryCount: Int64 {
    switch type {
    case "rang": isSnooze ? 0 : self["missed"] + 1
    case "did_not_ring": self["missed"] + 1
    case "joined": self["joined"]
    case "skipped": 1
    default: 0
    }
  }
}
