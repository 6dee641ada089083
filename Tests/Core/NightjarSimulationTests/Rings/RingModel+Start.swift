import NightjarModel

/// The start: takes the copy from the disk, and subtracts the time that passed since.
extension RingModel {
  /// Starts the daemon. `downSince` is when the service manager saw the last run end. The span
  /// begins as if the machine had been awake until then: all sleep since the copy is in it.
  func boot(downSince: LiteralClocks?, synchronized: Bool, settles: Bool) {
    world = durable?.world ?? World()
    isUp = true
    seen = clocks
    startedBoottimeUsec = clocks.boottimeUsec
    armedIn = Self.disarmed
    isRecomputeWanted = false
    let zoneBefore = world.zone
    world.zone = zone
    if let then = durable?.clocks {
      resume(then, downSince: then.boot == clocks.boot ? downSince : nil, synchronized)
      if let zoneBefore, zoneBefore != zone {
        note(zone: zone)
      } else if zoneBefore == nil || clocks.wallUsec < then.wallUsec {
        recomputeWallDeadlines()
      }
    } else {
      isCommitWanted = true
      note(synchronized: synchronized)
    }
    note(isAway: isAwayInTruth)
    finishIteration(settles: settles)
  }

  private func resume(_ then: LiteralClocks, downSince: LiteralClocks?, _ synchronized: Bool) {
    let isSameBoot = then.boot == clocks.boot
    var since = then
    forgetBlame()
    forgetWaits()
    if !isSameBoot {
      // Every session ends with its boot.
      world.isAway = false
      endAbsence()
    }
    if var span = world.span {
      if isSameBoot {
        span.add(.down)
      } else if span.causes == [.down] {
        span.causes = [.reboot]
        span.estimated = true
      } else {
        span.add(.reboot)
        span.estimated = true
      }
      world.span = span
      noteSpan()
    } else {
      if let downSince {
        let ran = downSince.since(then).awake
        since.pass(.ran(ran))
        happen(.time(since.since(then)))
      }
      enter([isSameBoot ? .down : .reboot], estimated: downSince == nil)
    }
    if isSameBoot {
      resumeInSameBoot(then, since: since, downSince: downSince)
      leave()
    } else {
      resumeInAnotherBoot(then)
    }
    note(synchronized: synchronized)
  }

  private func resumeInSameBoot(
    _ then: LiteralClocks, since: LiteralClocks, downSince: LiteralClocks?
  ) {
    var passed = clocks.since(since)
    // The daemon was killed while it was stopped. It counts as stopped until its end, or until now
    // if its end is not known.
    if world.isStopped { passed.awake = downSince.map { clocks.since($0).awake } ?? 0 }
    world.isStopped = false
    world.clock.countedUsec += clocks.since(then).elapsed
    happen(.time(passed))
    let all = clocks.since(then)
    if all.elapsed - all.awake > 100_000 { addCauses([.sleep]) }
    if abs(all.wall - all.elapsed) >= 10_000 { noteStep(all.wall - all.elapsed) }
  }

  private func resumeInAnotherBoot(_ then: LiteralClocks) {
    guard let id = world.span?.id else { return }
    let counted = world.clock.reboot(spanID: id, wallBefore: then.wallUsec, now: clocks)
    world.isStopped = false
    world.isSynchronized = false
    happen(.time(Amount(elapsed: counted, awake: 0, wall: clocks.wallUsec - then.wallUsec)))
    let seq = leave()
    world.clock.note(left: id, seq: seq)
  }
}
