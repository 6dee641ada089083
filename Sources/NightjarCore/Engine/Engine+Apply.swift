/// The one way in which timers change: now, and when the ledger is read back.
extension Engine {
  /// Does what an event says, except to slots that are `done`. O(log n) in the timers of its
  /// timeline; O(n) for the correction of a reboot.
  func apply(_ event: Event, done: (_ slot: Int) -> Bool = { _ in false }) {
    lastSeq = event.seq
    guard let subject = event.subject else { return applyToAll(event, done: done) }
    let slot = subject.slot
    switch event.kind {
    case .started(let clock, let durationUsec, let deadline, let attachments, let wakes, let recipe):
      start(
        event, clock: clock, durationUsec: durationUsec, deadline: deadline,
        attachments: attachments, wakes: wakes, recipe: recipe ?? .plain)
    case .updated(let attachments, let recipe):
      table.attach(attachments, to: slot)
      if let recipe {
        changeQuietly(slot, event) {
          table.give(recipe, table.detail(slot) ?? TimerDetail(), to: slot)
          beginBands(slot, remainingUsec: .max)
        }
      } else {
        table[slot].lastSeq = event.seq
      }
    case .dismissed, .removed, .expired:
      discard(slot)
    case .paused(let remainingUsec, _), .pausedAfterSleep(let remainingUsec, _):
      let keepsPoint = keepsPointWhilePaused(slot)
      change(slot, event) { $0.pause(remainingUsec, keepsPoint: keepsPoint) }
    case .resumed(let deadline):
      if keepsPointWhilePaused(slot) {
        table.changeDetail(slot) { $0.wasMuted = deadline <= event.timeUsec }
      }
      change(slot, event) { $0.run(until: deadline) }
    case .extended(let byUsec, let point):
      let keepsPoint = keepsPointWhilePaused(slot)
      // What it is counted from stays.
      change(slot, event, sets: false) {
        $0.extend(byUsec: byUsec, to: point, keepsPoint: keepsPoint)
      }
    case .restarted(let deadline): restart(slot, event, deadline: deadline)
    case .snoozed(let byUsec, let deadline):
      snooze(slot, byUsec: byUsec, deadline: deadline, event)
    case .fired(let ring), .stepped(let ring), .stepEnded(let ring):
      comeDue(slot, ring, isHeard: true, event)
    case .skipped(let ring): comeDue(slot, ring, isHeard: false, event)
    case .advanced(let atElapsed, let next): advance(slot, next, atElapsed: atElapsed, event)
    case .restartedAfterSleep(let next, _): advance(slot, next, atElapsed: 0, event)
    case .rescheduled(let deadline, let durationUsec):
      beginBands(slot, remainingUsec: durationUsec)
      change(slot, event, sets: false) { record in
        record.point = deadline
        record.durationUsec = durationUsec
      }
    case .bandCrossed(let begun, _, _):
      changeQuietly(slot, event) { table.changeDetail(slot) { $0.band = UInt8(clamping: begun) } }
    case .acknowledged:
      table[slot].lastSeq = event.seq
      table[slot].beHeard()
    case .actionStarted, .actionEnded: table[slot].lastSeq = event.seq
    case .lapped(let elapsedUsec):
      table[slot].lastSeq = event.seq
      table.setLaps(table.laps(slot) + [elapsedUsec], slot)
    case .cancelled(let atElapsed, let remainingUsec, _):
      change(slot, event) { $0.end(.cancelled, atElapsed: atElapsed, held: remainingUsec) }
    case .enteredBackground, .leftBackground, .spanCorrected, .clockStepped, .cameDue, .zoneChanged:
      preconditionFailure("an event about the machine has no subject")
    }
  }

  /// The `elapsed` counter was corrected by `byUsec`: what was set by it since goes along, or it
  /// would fire early or late by as much.
  private func applyToAll(_ event: Event, done: (_ slot: Int) -> Bool) {
    guard case .spanCorrected(_, let byUsec, let sinceSeq) = event.kind else { return }
    for slot in 0..<table.slotEnd where table.isOccupied(slot) && !done(slot) {
      let record = table[slot]
      if record.pointIsElapsed, record.setSeq > sinceSeq {
        let places = places(slot)
        table[slot].point += byUsec
        enqueue(slot, order: places.turn?.order(of: slot) ?? 0, from: places)
      }
      guard let detail = table.detail(slot) else { continue }
      table.changeDetail(slot) { changed in
        if detail.rangSeq > sinceSeq { changed.rangAtElapsed += byUsec }
        if detail.isSnoozed, record.clock == .elapsed, detail.markSeq > sinceSeq,
          table.recipe(slot).repeats
        {
          changed.mark += byUsec
        }
      }
    }
  }

  private func start(
    _ event: Event, clock: Timeline, durationUsec: Int64, deadline: Int64,
    attachments: Attachments, wakes: Bool, recipe: Recipe
  ) {
    guard let subject = event.subject else { return }
    let slot = subject.slot
    let originalUsec =
      recipe.kind == .alarm ? (recipe.schedule == nil ? deadline : 0) : durationUsec
    var record = TimerRecord(
      id: subject.id, lastSeq: event.seq, originalUsec: originalUsec,
      durationUsec: durationUsec, point: deadline, held: 0, startedUsec: event.timeUsec,
      firedUsec: 0, state: .running, clock: clock, timeline: clock, lateCause: nil,
      setSeq: event.seq)
    record.wakes = wakes
    var places = Places()
    if table.isOccupied(slot) {
      // One of the same name: where that is found stays.
      departed = (table[slot].id, table.attachments(slot))
      places = self.places(slot)
      count(table[slot].state, -1)
      table.renew(record, named: subject.name, at: slot)
    } else {
      table.insert(record, named: subject.name, at: slot)
    }
    table.give(recipe, to: slot)
    beginBands(slot, remainingUsec: durationUsec)
    table.attach(attachments, to: slot)
    count(.running, 1)
    enqueue(slot, order: event.seq, from: places)
  }

  private func restart(_ slot: Int, _ event: Event, deadline: Int64) {
    let recipe = table.recipe(slot)
    let record = table[slot]
    let durationUsec = recipe.kind == .alarm ? deadline - event.timeUsec : record.originalUsec
    if record.hasDetail { table.changeDetail(slot) { $0.begin() } }
    table.setLaps([], slot)
    beginBands(slot, remainingUsec: durationUsec)
    change(slot, event) { record in
      record.timeline = record.clock
      record.begin(durationUsec: durationUsec, until: deadline, at: event.timeUsec)
    }
  }

  private func snooze(_ slot: Int, byUsec: Int64, deadline: Int64, _ event: Event) {
    let record = table[slot]
    if record.hasDetail {
      let isCounting = record.state == .running && !isSnoozed(slot)
      let repeats = table.recipe(slot).repeats
      table.changeDetail(slot) { detail in
        if isCounting {
          if repeats { detail.mark = record.point }
          detail.markSeq = record.setSeq
        }
        detail.isSnoozed = true
        detail.wasSkipped = false
      }
      beginBands(slot, remainingUsec: byUsec)
    }
    change(slot, event) { record in
      record.timeline = .elapsed
      record.begin(durationUsec: byUsec, until: deadline, at: event.timeUsec)
    }
  }

  private func comeDue(_ slot: Int, _ ring: Ring, isHeard: Bool, _ event: Event) {
    let before = table.detail(slot)
    let markSeq = before?.isSnoozed == true ? before?.markSeq : nil
    if table[slot].hasDetail { noteInDetail(slot, ring, isHeard: isHeard, event) }
    switch ring.next?.going {
    case nil, .ends?: end(slot, .fired, ring, event, from: before?.position)
    case .waits?: end(slot, .waiting, ring, event, from: before?.position)
    case .on(let deadline, let durationUsec)?:
      beginBands(slot, remainingUsec: durationUsec)
      change(slot, event, sets: false, keepsTurn: true) { record in
        let held = record.held
        record.run(until: deadline)
        record.held = isHeard ? ring.lateUsec : held
        record.timeline = record.clock
        record.durationUsec = durationUsec
        if let markSeq { record.setSeq = markSeq }
        guard isHeard else { return }
        record.firedUsec = event.timeUsec
        record.lateCause = ring.cause
      }
    }
  }

  private func noteInDetail(_ slot: Int, _ ring: Ring, isHeard: Bool, _ event: Event) {
    let bands = table.recipe(slot).bands.count
    table.changeDetail(slot) { detail in
      detail.isSnoozed = false
      detail.wasMuted = false
      detail.wasSkipped = !isHeard
      detail.band = UInt8(clamping: bands)
      guard let next = ring.next else { return }
      detail.position = UInt32(clamping: next.position)
      detail.mark = next.mark
      guard isHeard else { return }
      detail.rangAtElapsed = ring.atElapsed
      detail.rangSeq = event.seq
    }
  }

  /// - Parameter position: where it was before the ring.
  private func end(
    _ slot: Int, _ state: TimerState, _ ring: Ring, _ event: Event, from position: UInt32? = nil
  ) {
    let durationUsec = position.flatMap { stepUsec(slot, from: $0) }
    change(slot, event) { record in
      record.end(state, atElapsed: ring.atElapsed, held: ring.lateUsec)
      if let durationUsec { record.durationUsec = durationUsec }
      record.firedUsec = event.timeUsec
      record.lateCause = ring.cause
    }
  }

  /// How long the step of a sequence takes that it has come to from `position`, through others; nil:
  /// it is where it was, and as long as it has become there.
  private func stepUsec(_ slot: Int, from position: UInt32) -> Int64? {
    let recipe = table.recipe(slot)
    guard recipe.kind == .sequence, let present = table.detail(slot)?.position, present != position
    else { return nil }
    return recipe.stepUsec(at: Int64(present))
  }

  private func advance(_ slot: Int, _ next: Recurrence, atElapsed: Int64, _ event: Event) {
    table.changeDetail(slot) { detail in
      detail.position = UInt32(clamping: next.position)
      detail.isSnoozed = false
      detail.wasSkipped = false
    }
    switch next.going {
    case .on(let deadline, let durationUsec):
      beginBands(slot, remainingUsec: durationUsec)
      change(slot, event) { record in
        record.timeline = record.clock
        record.durationUsec = durationUsec
        record.run(until: deadline)
        record.beHeard()
      }
    case .waits, .ends:
      end(
        slot, .fired, Ring(atElapsed: atElapsed, lateUsec: 0, cause: nil, span: 0), event)
    }
  }

  /// A new beginning is in the band that it begins in, without a word.
  private func beginBands(_ slot: Int, remainingUsec: Int64) {
    guard table[slot].hasDetail else { return }
    let begun = table.recipe(slot).band(remainingUsec: remainingUsec)
    table.changeDetail(slot) { $0.band = UInt8(clamping: begun) }
  }

  private func change(
    _ slot: Int, _ event: Event, sets: Bool = true, keepsTurn: Bool = false,
    _ body: (inout TimerRecord) -> Void
  ) {
    var record = table[slot]
    let places = places(slot)
    count(record.state, -1)
    body(&record)
    record.lastSeq = event.seq
    if sets { record.setSeq = event.seq }
    table[slot] = record
    count(record.state, 1)
    enqueue(slot, order: keepsTurn ? record.setSeq : event.seq, from: places)
  }

  /// Changes what decides when its turn comes, but not its turn among those with the same deadline.
  private func changeQuietly(_ slot: Int, _ event: Event, _ body: () -> Void) {
    let places = places(slot)
    let order = places.turn?.order(of: slot) ?? event.seq
    body()
    table[slot].lastSeq = event.seq
    enqueue(slot, order: order, from: places)
  }

  private func discard(_ slot: Int) {
    let record = table[slot]
    departed = (record.id, table.attachments(slot))
    leave(slot, places(slot))
    count(record.state, -1)
    table.remove(slot)
  }

  private func count(_ state: TimerState?, _ by: Int) {
    if let state { counts[Int(state.rawValue)] += by }
  }
}

// MARK: - The queues

extension Engine {
  /// The queues that a timer is in.
  struct Places {
    /// Where it waits for what is due next.
    var turn: DeadlineQueue?
    /// Where it waits as well if it is to wake the machine.
    var alarm: DeadlineQueue?
    /// A sleep is more than time that passed.
    var isSleeper = false
  }

  /// Where a timer is. What decides about its sleep may have been changed already.
  private func places(_ slot: Int) -> Places {
    let record = table[slot]
    let recipe = table.recipeBeyondCountdown(slot)
    return Places(
      turn: queue(of: record, recipe), alarm: alarmQueue(of: record, recipe),
      isSleeper: record.hasDetail && sleepers.contains(slot))
  }

  private func leave(_ slot: Int, _ places: Places) {
    places.turn?.remove(slot)
    places.alarm?.remove(slot)
    if places.isSleeper { sleepers.remove(slot) }
  }

  /// Puts a timer where it belongs as it is now.
  ///
  /// - Parameter old: where it was before it was changed.
  func enqueue(_ slot: Int, order: Int64, from old: Places = Places()) {
    let record = table[slot]
    let recipe = table.recipeBeyondCountdown(slot)
    Self.move(
      slot, from: old.turn, to: queue(of: record, recipe),
      deadline: queueDeadline(slot, record, recipe), order: order)
    Self.move(
      slot, from: old.alarm, to: alarmQueue(of: record, recipe), deadline: record.point,
      order: order)
    guard let recipe else {
      if old.isSleeper { sleepers.remove(slot) }
      return
    }
    Self.move(
      slot, from: old.isSleeper ? sleepers : nil,
      to: isSleeper(slot, record, recipe) ? sleepers : nil, deadline: 0, order: order)
  }

  private static func move(
    _ slot: Int, from old: DeadlineQueue?, to new: DeadlineQueue?, deadline: Int64, order: Int64
  ) {
    if old === new {
      new?.move(slot, deadline: deadline, order: order)
    } else {
      old?.remove(slot)
      new?.insert(slot, deadline: deadline, order: order)
    }
  }

  /// When its turn comes: its next band or its deadline; the end of the retention of one that is
  /// over.
  func queueDeadline(_ slot: Int, _ record: TimerRecord, _ recipe: Recipe?) -> Int64 {
    guard record.state == .running else { return record.point + Engine.retentionUsec }
    guard let bands = recipe?.bands, !bands.isEmpty, let detail = table.detail(slot) else {
      return record.point
    }
    let next = Int(detail.band)
    return next < bands.count ? record.point - bands[next].remainingUsec : record.point
  }

  /// Where a timer that is to wake the machine waits as well; nil for any other, and on a timeline
  /// that stands still while the machine sleeps.
  func alarmQueue(of record: TimerRecord, _ recipe: Recipe?) -> DeadlineQueue? {
    guard record.wakes, record.state == .running, recipe?.kind != .stopwatch else { return nil }
    switch record.timeline {
    case .elapsed: return elapsedAlarms
    case .wall: return wallAlarms
    case .awake: return nil
    }
  }

  /// Where the timer in `slot`, which is in use, waits for what is due next.
  func queue(of slot: Int) -> DeadlineQueue? {
    precondition(table.isOccupied(slot))
    return queue(of: table[slot], table.recipeBeyondCountdown(slot))
  }

  /// Where a timer waits for what is due next; a paused one waits for nothing.
  func queue(of record: TimerRecord, _ recipe: Recipe?) -> DeadlineQueue? {
    switch record.state {
    case .running: recipe?.kind == .stopwatch ? nil : queue(record.timeline)
    case .fired, .cancelled: retentionQueue
    case .paused, .waiting, nil: nil
    }
  }

  /// A running sequence for which a sleep means something else than time that passed.
  func isSleeper(_ slot: Int, _ record: TimerRecord, _ recipe: Recipe?) -> Bool {
    guard let recipe, record.state == .running else { return false }
    return recipe.afterSleep != .continue && !isSnoozed(slot)
  }

  /// It was snoozed and has not rung again.
  func isSnoozed(_ slot: Int) -> Bool { table.detail(slot)?.isSnoozed ?? false }

  /// An alarm is muted, not held, while it is paused.
  func keepsPointWhilePaused(_ slot: Int) -> Bool {
    let record = table[slot]
    return record.hasDetail && record.timeline == .wall && table.recipe(slot).kind == .alarm
  }

  func queue(_ timeline: Timeline) -> DeadlineQueue {
    switch timeline {
    case .elapsed: elapsedQueue
    case .awake: awakeQueue
    case .wall: wallQueue
    }
  }
}

extension TimerDetail {
  /// As at a start, with the same recipe.
  fileprivate mutating func begin() {
    let recipe = recipe
    self = TimerDetail()
    self.recipe = recipe
  }
}

extension TimerRecord {
  /// Whether `point` is a counter of `elapsed`.
  fileprivate var pointIsElapsed: Bool {
    switch state {
    case .running: timeline == .elapsed
    case .fired, .cancelled, .waiting: true
    case .paused, nil: false
    }
  }

  fileprivate mutating func pause(_ remainingUsec: Int64, keepsPoint: Bool) {
    state = .paused
    if !keepsPoint { point = 0 }
    beHeard()
    held = remainingUsec
  }

  fileprivate mutating func run(until deadline: Int64) {
    state = .running
    point = deadline
    held = 0
  }

  /// What rang before is over.
  fileprivate mutating func beHeard() {
    firedUsec = 0
    lateCause = nil
    held = 0
  }

  fileprivate mutating func begin(durationUsec: Int64, until deadline: Int64, at timeUsec: Int64) {
    self.durationUsec = durationUsec
    startedUsec = timeUsec
    run(until: deadline)
    beHeard()
  }

  fileprivate mutating func extend(byUsec: Int64, to newPoint: Int64, keepsPoint: Bool) {
    durationUsec += byUsec
    if state == .running || keepsPoint { point = newPoint } else { held = newPoint }
  }

  fileprivate mutating func end(_ state: TimerState, atElapsed: Int64, held: Int64) {
    self.state = state
    point = atElapsed
    firedUsec = 0
    lateCause = nil
    self.held = held
  }
}
