import NightjarModel

/// What is due only by a clock in doubt waits for a right one (section 8).
extension RingModel {
  static let clockWaitUsec: Int64 = 60_000_000

  /// How long timers that are due only by a clock in doubt still wait; nil: they do not wait.
  var clockWaitLeft: Int64? {
    guard world.clock.isOpen else { return nil }
    let left = startedBoottimeUsec + Self.clockWaitUsec - clocks.boottimeUsec
    return left > 0 ? left : nil
  }

  /// The time until a running timer is certainly due, even if a reboot was shorter
  /// than counted; nil: nothing is certain.
  func untilCertain(_ timer: ModelTimer) -> Int64? {
    guard let left = timer.untilDue else { return nil }
    switch timer.timeline {
    case .awake, .present: return left
    case .elapsed: return left + uncertainUsec(timer.deadline)
    case .wall:
      guard let base = world.clock.base else { return nil }
      let least =
        world.clock.countedUsec - base.countedUsec
        - world.clock.reboots.reduce(0) { $0 + $1.countedUsec - $1.uptimeUsec }
      return clocks.wallUsec + ringingInstant(timer, left) - (base.wallUsec + least)
    }
  }

  /// The same for a deadline of a ring.
  func untilCertain(_ deadline: ModelDeadline) -> Int64 {
    deadline.remainingUsec + uncertainUsec(deadline)
  }

  /// How much of what was counted for a deadline on `elapsed` may not have passed.
  private func uncertainUsec(_ deadline: ModelDeadline) -> Int64 {
    world.clock.reboots.filter { deadline.setSeq < $0.leftSeq }
      .reduce(0) { $0 + $1.countedUsec - $1.uptimeUsec }
  }

  /// Whether it is due only because of a wall clock in doubt.
  func isEstimated(_ timer: ModelTimer) -> Bool {
    world.clock.isOpen && !timer.timeline.countsUptime && untilCertain(timer).map { $0 > 0 } ?? true
  }

  /// Whether only a wall clock in doubt says how late it is.
  func isInDoubt(_ deadline: ModelDeadline) -> Bool {
    guard world.clock.isOpen else { return false }
    return switch deadline.timeline {
    case .awake, .present: false
    case .elapsed: world.clock.reboots.contains { deadline.setSeq < $0.leftSeq }
    case .wall: true
    }
  }

  /// Whether it is due and waits for a right clock.
  func isWaiting(_ timer: ModelTimer) -> Bool {
    timer.state == .running && clockWaitLeft != nil && (timer.untilDue ?? .max) <= 0
      && (isEstimated(timer) || isUndecided(timer))
  }

  func isWaiting(_ deadline: ModelDeadline) -> Bool {
    clockWaitLeft != nil && deadline.remainingUsec <= 0 && untilCertain(deadline) > 0
  }

  /// Whether it waits, or would wait if the clock had not been set back by less than the daemon
  /// notices.
  func isDeferred(_ timer: ModelTimer) -> Bool {
    isWaiting(timer)
      || timer.deadline.isDeadlineWaiting && timer.deadline.waitBlame != nil
        && timer.state == .running && clockWaitLeft != nil
        && (timer.untilDue ?? .max) < 10_000 && (isEstimated(timer) || isUndecided(timer))
  }

  func isDeferred(_ deadline: ModelDeadline) -> Bool { isWaiting(deadline) }

  func isAnythingDeferred(_ timer: ModelTimer) -> Bool {
    isDeferred(timer) || timer.ring?.deadline.map { isDeferred($0) } ?? false
  }

  /// Notes the cause of lateness of timers that begin to wait.
  func noteWaiting() {
    let reboot = Blame(cause: .reboot, span: world.clock.reboots.last?.spanID ?? 0)
    for index in world.timers.all.indices {
      let timer = world.timers.all[index]
      if isWaiting(timer) {
        world.timers.all[index].deadline.isDeadlineWaiting = true
        if timer.deadline.waitBlame == nil {
          // A timer that expires while it waits for a band is late because of the reboot.
          let blame = timer.remainingUsec > 0 ? reboot : timer.lateness().blame ?? reboot
          world.timers.all[index].deadline.waitBlame = blame.cause == .busy ? reboot : blame
        }
      }
      if let deadline = timer.ring?.deadline, isWaiting(deadline), deadline.waitBlame == nil {
        let blame = deadline.lateness().blame ?? reboot
        world.timers.all[index].ring?.deadline?.waitBlame = blame.cause == .busy ? reboot : blame
      }
    }
  }

  /// A timer before whose deadline the clock was set back expires again later, with its own cause.
  func forgetWaitsThatAreOver() {
    areWaitsStale = false
    for index in world.timers.all.indices where (world.timers.all[index].untilDue ?? .max) > 0 {
      world.timers.all[index].deadline.waitBlame = nil
    }
  }

  func forgetWaits() {
    for index in world.timers.all.indices {
      world.timers.all[index].deadline.waitBlame = nil
      world.timers.all[index].ring?.deadline?.waitBlame = nil
    }
  }
}
