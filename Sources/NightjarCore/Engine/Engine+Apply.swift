/// The one way in which timers change: now, and when the ledger is read back.
extension Engine {
  /// Does what an event says, except to slots that are `done`. O(log n) in the timers of its
  /// timeline; O(n) for the correction of a reboot.
  func apply(_ event: Event, done: (_ slot: Int) -> Bool = { _ in false }) {
    lastSeq = event.seq
    guard let subject = event.subject else { return applyToAll(event, done: done) }
    let slot = subject.slot
    switch event.kind {
    case .started(let clock, let durationUsec, let deadline, let attachments, let wakes):
      if table.isOccupied(slot) { discard(slot) }
      var record = TimerRecord(
        id: subject.id, lastSeq: event.seq, originalUsec: durationUsec,
        durationUsec: durationUsec, point: deadline, held: 0, startedUsec: event.timeUsec,
        firedUsec: 0, state: .running, clock: clock, timeline: clock, lateCause: nil,
        setSeq: event.seq)
      record.wakes = wakes
      table.insert(record, named: subject.name, at: slot)
      table.attach(attachments, to: slot)
      counts[Int(TimerState.running.rawValue)] += 1
      enqueue(slot, order: event.seq)
    case .updated(let attachments):
      table[slot].lastSeq = event.seq
      table.attach(attachments, to: slot)
    case .dismissed, .removed, .expired:
      discard(slot)
    case .paused(let remainingUsec):
      change(slot, event) { $0.pause(remainingUsec) }
    case .resumed(let deadline):
      change(slot, event) { $0.run(until: deadline) }
    case .extended(let byUsec, let point):
      // What it is counted from stays.
      change(slot, event, sets: false) { $0.extend(byUsec: byUsec, to: point) }
    case .restarted(let deadline):
      change(slot, event) { record in
        record.timeline = record.clock
        record.begin(durationUsec: record.originalUsec, until: deadline, at: event.timeUsec)
      }
    case .snoozed(let byUsec, let deadline):
      change(slot, event) { record in
        record.timeline = .elapsed
        record.begin(durationUsec: byUsec, until: deadline, at: event.timeUsec)
      }
    case .fired(let atElapsed, let lateUsec, let cause, _):
      change(slot, event) { record in
        record.end(.fired, atElapsed: atElapsed, held: lateUsec)
        record.firedUsec = event.timeUsec
        record.lateCause = cause
      }
    case .cancelled(let atElapsed, let remainingUsec):
      change(slot, event) { $0.end(.cancelled, atElapsed: atElapsed, held: remainingUsec) }
    case .enteredBackground, .leftBackground, .spanCorrected, .clockStepped:
      preconditionFailure("an event about the machine has no subject")
    }
  }

  /// The `elapsed` counter was corrected by `byUsec`: what was set by it since goes along, or it
  /// would fire early or late by as much.
  private func applyToAll(_ event: Event, done: (_ slot: Int) -> Bool) {
    guard case .spanCorrected(_, let byUsec, let sinceSeq) = event.kind else { return }
    for slot in 0..<table.slotEnd where table.isOccupied(slot) && !done(slot) {
      let record = table[slot]
      guard let queue = queue(of: record), queue === elapsedQueue || queue === retentionQueue,
        record.setSeq > sinceSeq, let order = queue.order(of: slot)
      else { continue }
      dequeue(slot, record)
      table[slot].point += byUsec
      enqueue(slot, order: order)
    }
  }

  private func change(
    _ slot: Int, _ event: Event, sets: Bool = true, _ body: (inout TimerRecord) -> Void
  ) {
    var record = table[slot]
    dequeue(slot, record)
    count(record.state, -1)
    body(&record)
    record.lastSeq = event.seq
    if sets { record.setSeq = event.seq }
    table[slot] = record
    count(record.state, 1)
    enqueue(slot, order: event.seq)
  }

  private func discard(_ slot: Int) {
    let record = table[slot]
    dequeue(slot, record)
    count(record.state, -1)
    table.remove(slot)
  }

  private func count(_ state: TimerState?, _ by: Int) {
    if let state { counts[Int(state.rawValue)] += by }
  }

  private func dequeue(_ slot: Int, _ record: TimerRecord) {
    queue(of: record)?.remove(slot)
    alarmQueue(of: record)?.remove(slot)
  }

  func enqueue(_ slot: Int, order: Int64) {
    let record = table[slot]
    queue(of: record)?.insert(slot, deadline: record.queueDeadline, order: order)
    alarmQueue(of: record)?.insert(slot, deadline: record.queueDeadline, order: order)
  }

  /// Where a timer that is to wake the machine waits as well; nil for any other, and on a timeline
  /// that stands still while the machine sleeps.
  func alarmQueue(of record: TimerRecord) -> DeadlineQueue? {
    guard record.wakes, record.state == .running else { return nil }
    switch record.timeline {
    case .elapsed: return elapsedAlarms
    case .wall: return wallAlarms
    case .awake: return nil
    }
  }

  /// Where a timer waits for what is due next; a paused one waits for nothing.
  func queue(of record: TimerRecord) -> DeadlineQueue? {
    switch record.state {
    case .running: queue(record.timeline)
    case .fired, .cancelled: retentionQueue
    case .paused, nil: nil
    }
  }

  func queue(_ timeline: Timeline) -> DeadlineQueue {
    switch timeline {
    case .elapsed: elapsedQueue
    case .awake: awakeQueue
    case .wall: wallQueue
    }
  }
}

extension TimerRecord {
  /// The deadline of a running timer, the end of the retention of one that is over.
  var queueDeadline: Int64 {
    state == .running ? point : point + Engine.retentionUsec
  }

  fileprivate mutating func pause(_ remainingUsec: Int64) {
    state = .paused
    point = 0
    held = remainingUsec
  }

  fileprivate mutating func run(until deadline: Int64) {
    state = .running
    point = deadline
    held = 0
  }

  fileprivate mutating func begin(durationUsec: Int64, until deadline: Int64, at timeUsec: Int64) {
    self.durationUsec = durationUsec
    startedUsec = timeUsec
    firedUsec = 0
    lateCause = nil
    run(until: deadline)
  }

  fileprivate mutating func extend(byUsec: Int64, to newPoint: Int64) {
    durationUsec += byUsec
    if state == .running { point = newPoint } else { held = newPoint }
  }

  fileprivate mutating func end(_ state: TimerState, atElapsed: Int64, held: Int64) {
    self.state = state
    point = atElapsed
    self.held = held
  }
}
