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
      model.world.timers.all.count {
        ($0.state == .running && $0.hasRung ? .fired : $0.state) == state
      }
    }
    if engine.counts != counts { try fail("counts \(engine.counts), not \(counts)") }
    for timer in model.world.timers.all { try compare(timer, in: engine) }
    // This check costs as much as all the others together.
    if actions.count % 4 == 0, let wrong = engine.violatedInvariant() { try fail(wrong) }
  }

  private func comparePublished() throws {
    let published = machine.takePublished().map { LiteralEvent($0) }
    let expected = model.takePublished()
    guard published != expected else {
      if !model.isFailing { publishedDurable += published }
      for event in published { meet(event) }
      if let corrected = published.first(where: { $0.type == "span_corrected" }),
        published.contains(where: { $0.type == "fired" && $0.numbers[2] == corrected.numbers[0] })
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
  private func meet(_ event: LiteralEvent) {
    met.insert(model.isFailing ? "\(event.type) undurably" : event.type)
    if event.type == "fired" {
      let cause = LateCause(rawValue: UInt8(event.numbers[1]))
      met.insert(cause.map { "late by \($0.name)" } ?? "on time")
      if event.numbers[2] != 0 { met.insert("late by a span") }
    }
    if ["fired", "skipped", "stepped", "step_ended"].contains(event.type), event.numbers.count > 5 {
      met.insert(event.numbers[4] > 0 ? "\(event.type) for several" : "\(event.type) for itself")
    }
    if event.type == "will_enter_foreground" {
      for cause in event.numbers[3...] { met.insert("span with cause \(cause)") }
      if event.numbers.count > 4 { met.insert("span with several causes") }
      met.insert(event.numbers[2] == 1 ? "span estimated" : "span exact")
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

  private func compare(_ timer: LiteralTimer, in engine: Engine) throws {
    let now = machine.clocks.now
    guard let slot = try? engine.require(timer.name) else { try fail("\(timer.name) is not there") }
    model.slots[timer.id] = slot
    let view = engine.view(slot, at: now)
    let seen = Seen(
      view, data: engine.attachments(at: slot)?.data ?? [], laps: engine.laps(at: slot))
    let should = Seen(timer, of: model)
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

  private func stored(_ engine: Engine) -> [NamedTimer] {
    (0..<engine.slotEnd).compactMap { engine.stored($0) }
  }

  /// Checks the ledger: it has no gap, no timer fires twice, and it has every event that clients
  /// were shown.
  func readLedger() throws {
    var expected: Int64? = machine.disk.keepsNeededRowsOnly ? nil : 1
    var running: Set<Int64> = []
    var found: [Int64: LiteralEvent] = [:]
    var wrong: String?
    try machine.disk.forEachEvent(after: 0) { event in
      if let seq = expected, event.seq != seq { wrong = "event \(event.seq) follows \(seq - 1)" }
      expected = event.seq + 1
      found[event.seq] = LiteralEvent(event)
      let id = event.subject?.id ?? 0
      switch event.kind {
      case .started, .restarted, .snoozed, .resumed, .restartedAfterSleep, .undone:
        running.insert(id)
      case .paused, .pausedAfterSleep, .cancelled, .removed: running.remove(id)
      case .advanced(_, let next):
        if next.continuation == .ends { running.remove(id) } else { running.insert(id) }
      case .fired(let ring), .skipped(let ring), .stepped(let ring), .stepEnded(let ring):
        let isFirst = running.contains(id) || machine.disk.keepsNeededRowsOnly
        if !isFirst { wrong = "event \(event.seq) fires again" }
        if case .runs? = ring.next?.continuation { break }
        running.remove(id)
      case .extended, .updated, .acknowledged, .unanswered, .rangAgain, .bandCrossed,
        .passedOver, .reinstated,
        .lapped, .rescheduled, .dismissed,
        .expired, .enteredBackground, .leftBackground, .spanCorrected, .clockStepped, .cameDue,
        .zoneChanged, .actionStarted, .actionEnded, .renamedTo, .renamedFrom:
        break
      }
      return true
    }
    if let wrong { try fail(wrong) }
    for event in publishedDurable where found[event.seq] != event {
      if found[event.seq] == nil, machine.disk.keepsNeededRowsOnly { continue }
      try fail("showed \(event), the ledger has \(found[event.seq].map { "\($0)" } ?? "nothing")")
    }
  }
}

/// A timer as a client sees it.
private struct Seen: Equatable, CustomStringConvertible {
  var state: TimerState
  var clocks: [Timeline]
  var remainingUsec: Int64
  var durations: [Int64]
  var deadlineUsec: Int64?
  var startedUsec: Int64
  var firedUsec: Int64?
  var firedAgoUsec: Int64?
  var lateUsec: Int64?
  var lateCause: LateCause?
  var data: [UInt8]
  var elapsedUsec: Int64
  var kind: TimerKind
  var bands: [Int]
  var position: Int64
  var isSnoozed: Bool
  var laps: [Int64]
  var isEstimated: Bool
  var waitsForClock: Bool

  var description: String {
    var text =
      "\(state) \(clocks[0].name)/\(clocks[1].name), remaining \(remainingUsec) of \(durations)"
    if let deadlineUsec { text += ", rings at \(deadlineUsec)" }
    if let firedUsec { text += ", fired at \(firedUsec), ago \(firedAgoUsec ?? -1)" }
    if let lateUsec { text += ", late \(lateUsec) by \(lateCause.map { "\($0)" } ?? "nothing")" }
    text += ", \(kind) at \(position), bands \(bands)\(isSnoozed ? ", snoozed" : ""), laps \(laps)"
    text += "\(isEstimated ? ", estimated" : "")\(waitsForClock ? ", waits for the clock" : "")"
    return text + ", data \(data), started \(startedUsec), elapsed \(elapsedUsec)"
  }

  init(_ view: TimerView, data: [UInt8], laps: [Int64]) {
    let record = view.record
    state = record.state
    clocks = [record.clock, record.timeline]
    remainingUsec = view.remainingUsec
    let isRepeatingAlarm = view.spec.schedule != nil
    durations = [isRepeatingAlarm ? 0 : record.originalUsec, record.durationUsec]
    deadlineUsec = view.deadlineUsec
    startedUsec = record.startedUsec
    firedAgoUsec = view.firedAgoUsec
    if record.firedUsec != 0 {
      firedUsec = record.firedUsec
      lateUsec = record.remainingOrLateUsec
      lateCause = record.lateCause
    }
    self.data = data
    elapsedUsec = view.elapsedUsec
    kind = view.spec.kind
    let seen = view.band.flatMap { view.spec.bands.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    bands = [seen, Int(view.detail?.band ?? 0)]
    position = Int64(view.detail?.position ?? 0)
    isSnoozed = record.isSnoozed
    self.laps = laps
    isEstimated = record.isEstimated
    waitsForClock = view.waitsForClock
  }

  init(_ timer: LiteralTimer, of model: LiteralModel) {
    let timers = model.world.timers
    state = timer.state
    clocks = [timer.clock, timer.timeline]
    remainingUsec = timers.visibleRemaining(timer)
    durations = [timer.originalUsec, timer.durationUsec]
    startedUsec = timer.startedUsec
    data = timer.data
    let hidden = timers.backgroundTime?.elapsed ?? 0
    if state == .running, !timer.isStopwatch {
      let left = timer.remainingUsec - (timers.backgroundTime?[timer.timeline] ?? 0)
      deadlineUsec = model.clocks.wallUsec + left
    }
    if timer.hasRung {
      firedUsec = timer.firedUsec
      firedAgoUsec = max(0, (timer.sinceRingUsec ?? timer.sinceEndUsec) + hidden)
      lateUsec = timer.lateUsec
      lateCause = timer.lateCause
    }
    elapsedUsec =
      timer.isStopwatch ? timers.measured(timer) : max(0, timer.durationUsec - remainingUsec)
    kind = timer.spec.kind
    bands = [timer.band(remainingUsec), timer.band]
    position = timer.position
    isSnoozed = timer.isSnoozed
    laps = timer.laps
    isEstimated = timer.isEstimated
    waitsForClock =
      timers.backgroundTime == nil && timer.remainingUsec <= 0 && model.isWaiting(timer)
  }
}
