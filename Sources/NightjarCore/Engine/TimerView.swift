/// A timer as somebody sees it at one moment. Everything in microseconds.
public struct TimerView: Sendable {
  /// What is stored of it.
  public var record: TimerRecord
  /// What remains; 0 for one that fired.
  public var remainingUsec: Int64
  /// How far it has come.
  public var elapsedUsec: Int64
  /// When it rings, on CLOCK_REALTIME as it goes now; nil unless it runs.
  public var deadlineUsec: Int64?
  /// When it rings, on CLOCK_BOOTTIME; nil unless it runs on `elapsed`.
  public var deadlineBoottimeUsec: Int64?
  /// How long ago it fired.
  public var firedAgoUsec: Int64?

  /// From 0 to 1.
  public var progress: Double {
    guard record.durationUsec > 0 else { return 1 }
    return min(1, Double(elapsedUsec) / Double(record.durationUsec))
  }
}

extension Engine {
  /// A timer's record; the slot is in use.
  public func record(at slot: Int) -> TimerRecord { table[slot] }

  /// A timer's name.
  public func name(at slot: Int) -> String { table.name(slot) }

  /// The bytes of a timer's name; valid until it is removed.
  public func nameBytes(at slot: Int) -> UnsafeRawBufferPointer { table.nameBytes(slot) }

  /// What is attached to a timer.
  public func attachments(at slot: Int) -> Attachments? { table.attachments(slot) }

  /// What remains of a timer at `now`.
  func remainingUsec(_ slot: Int, at now: Moment) -> Int64 {
    let record = table[slot]
    switch record.state {
    case .running:
      return max(0, record.point - background.timelines.reading(record.timeline, at: now))
    case .paused, .cancelled: return record.held
    case .fired, nil: return 0
    }
  }

  /// A timer as it is seen at `now`. O(1).
  public func view(_ slot: Int, at now: Moment) -> TimerView {
    let record = table[slot]
    let timelines = background.timelines
    let remaining = remainingUsec(slot, at: now)
    var view = TimerView(
      record: record, remainingUsec: remaining,
      elapsedUsec: max(0, record.durationUsec - remaining))
    if record.state == .running {
      let left = record.point - timelines.reading(record.timeline, at: now)
      view.deadlineUsec = now.realtimeUsec + left
      if record.timeline == .elapsed {
        view.deadlineBoottimeUsec = timelines.kernelUsec(.elapsed, deadline: record.point)
      }
    } else if record.state == .fired {
      view.firedAgoUsec = max(0, timelines.reading(.elapsed, at: now) - record.point)
    }
    return view
  }

  /// The running timer that rings next, as REALTIME goes now, and when. O(1).
  public func next(at now: Moment) -> (slot: Int, realtimeUsec: Int64)? {
    let heads = [elapsedQueue.firstSlot, awakeQueue.firstSlot, wallQueue.firstSlot]
    return heads.compactMap { slot in
      slot.flatMap { slot in view(slot, at: now).deadlineUsec.map { (slot, $0) } }
    }.min { $0.1 < $1.1 }
  }
}

extension Engine {
  /// What is wrong with the engine's structures, or nil. O(n); for tests and simulation.
  public func violatedInvariant() -> String? {
    for queue in [elapsedQueue, awakeQueue, wallQueue, retentionQueue] {
      if let wrong = queue.violatedInvariant() { return wrong }
    }
    var seen = [0, 0, 0, 0]
    for slot in 0..<table.slotEnd where table.isOccupied(slot) {
      let record = table[slot]
      seen[Int(record.state!.rawValue)] += 1
      if table.slot(named: table.name(slot)) != slot { return "\(slot) is not found by its name" }
      let right = queue(of: record)
      for queue in [elapsedQueue, awakeQueue, wallQueue, retentionQueue]
      where queue.contains(slot) != (queue === right) {
        return "\(slot) is in the wrong queue"
      }
      for queue in [elapsedAlarms, wallAlarms]
      where queue.contains(slot) != (queue === alarmQueue(of: record)) {
        return "\(slot) is among the wrong alarms"
      }
    }
    return seen == counts ? nil : "counted \(counts), are \(seen)"
  }
}
