import NightjarEngine
import NightjarModel
import NightjarTestSupport

/// The operations that clients can request, as in the manual: carried out or refused.
extension LiteralModel {
  private static let longestUsec: Int64 = 100 * 31_557_600 * 1_000_000

  /// Starts a timer. Returns nil if that was done or not needed.
  func start(
    _ name: String, durationUsec: Int64, atUsec: Int64?, clock: Timeline, spec: SharedSpec,
    data: [UInt8], replace: Bool, ifAbsent: Bool
  ) -> EngineError? {
    let clock = spec.kind == .alarm ? .wall : clock
    let usec: Int64
    switch beginning(spec, durationUsec, atUsec: atUsec, clock: clock) {
    case .success(let length): usec = length
    case .failure(let refused): return refused
    }
    let existing = world.timers.index(name)
    if let existing, world.timers.all[existing].isActive, !replace {
      return ifAbsent ? nil : .timerExists
    }
    if existing == nil, world.timers.all.count == maximumTimers {
      return .tooManyTimers(maximumTimers)
    }
    let isAlarm = spec.kind == .alarm
    var timer = LiteralTimer(
      name: existing.map { world.timers.all[$0].name } ?? name, id: world.lastSeq + 1, spec: spec,
      clock: clock, timeline: clock,
      originalUsec: isAlarm ? (spec.schedule == nil ? clocks.wallUsec + usec : 0) : usec,
      durationUsec: usec, remainingUsec: usec + backgroundUsec(clock), order: world.lastSeq + 1,
      setSeq: world.lastSeq + 1, startedUsec: clocks.wallUsec, data: data)
    timer.band = timer.band(usec)
    timer.startedCountedUsec = world.clock.countedUsec
    if spec.kind == .alarm, spec.schedule != nil { timer.originalUsec = 0 }
    recordRequest(
      "started", of: timer,
      [Int64(clock.rawValue), Int64(spec.kind.rawValue), usec, Int64(data.count)],
      before: existing.map { world.timers.all[$0] })
    if let existing {
      world.timers.all[existing] = timer
    } else {
      world.timers.all.append(timer)
    }
    return nil
  }

  /// The length of the first run.
  private func beginning(
    _ spec: SharedSpec, _ durationUsec: Int64, atUsec: Int64?, clock: Timeline
  ) -> Result<Int64, EngineError> {
    switch spec.kind {
    case .countdown:
      let shortestUsec: Int64 = spec.repeats ? 100_000 : 1
      guard (shortestUsec...Self.longestUsec).contains(durationUsec) else {
        return .failure(.senseless)
      }
      return .success(durationUsec)
    case .alarm:
      let instant =
        spec.schedule.map { FakeCalendar.next($0, afterUsec: clocks.wallUsec, zone: zone) }
        ?? atUsec
      guard let instant, instant > clocks.wallUsec else { return .failure(.neverElapses) }
      let usec = instant - clocks.wallUsec
      return usec > Self.longestUsec ? .failure(.durationTooLong(Self.longestUsec)) : .success(usec)
    case .stopwatch: return clock == .wall ? .failure(.senseless) : .success(0)
    case .sequence: return .success(Self.stepUsec(spec, 0))
    }
  }

  /// Carries out any other operation. Returns nil if that was done.
  func perform(_ operation: Operation, _ name: String, byUsec: Int64) -> EngineError? {
    guard let index = world.timers.index(name) else { return .timerNotFound }
    let timer = world.timers.all[index]
    let refused = EngineError.invalidTransition(timer.state, operation)
    let remaining = world.timers.visibleRemaining(timer)
    let remainingOrMeasured = timer.isStopwatch ? world.timers.measured(timer) : remaining
    let isInSnooze = timer.state == .running && timer.isSnoozed
    switch operation {
    case .pause:
      guard timer.state == .running else { return refused }
      let keepsSetSeq = !timer.isAlarmOnWall && isCountedInDoubt(timer, upTo: world.lastSeq + 1)
      let left = keepsSetSeq ? remainingInDoubt(timer, remainingOrMeasured) : remainingOrMeasured
      recordRequest("paused", of: timer, [left, timer.isStopwatch ? 1 : 0, keepsSetSeq ? 1 : 0])
      world.timers.all[index].state = .paused
      if !timer.isAlarmOnWall { world.timers.all[index].remainingUsec = left }
      world.timers.all[index].pausedSeq = keepsSetSeq ? world.lastSeq : 0
      if !keepsSetSeq {
        world.timers.all[index].setSeq = world.lastSeq
        world.timers.all[index].interruption = nil
      }
      world.timers.all[index].clearRing()
      world.timers.all[index].forgetBlame()
      world.timers.all[index].waitBlame = nil
      recordBandChange(index)
    case .resume:
      guard timer.state == .paused else { return refused }
      let isInDoubt = isOverdueInDoubt(timer)
      recordRequest("resumed", of: timer)
      if timer.isAlarmOnWall {
        run(index, timer.remainingUsec - backgroundUsec(.wall), on: .wall)
        world.timers.all[index].wasMuted = remaining == 0 && !isInDoubt
      } else {
        let isByClockInDoubt = timer.timeline == .wall && world.clock.isOpen
        if !timer.isSnoozed, !isByClockInDoubt { world.timers.all[index].rangAllOnWall() }
        run(
          index, timer.isStopwatch ? -max(0, timer.remainingUsec) : timer.remainingUsec,
          on: timer.timeline)
      }
      if isInDoubt || timer.pausedSeq != 0 && !timer.isStopwatch && timer.remainingUsec < 0 {
        let span = world.clock.reboots.last?.spanID ?? 0
        world.timers.all[index].waitBlame = Blame(cause: .reboot, span: span)
      }
      if timer.timeline == .elapsed { countOn(index, from: timer) }
    case .cancel:
      guard timer.isActive else { return refused }
      recordRequest("cancelled", of: timer, [remainingOrMeasured, timer.isStopwatch ? 1 : 0])
      cancel(index, remainingOrMeasured)
    case .restart:
      let refusal = restart(index)
      return refusal == .neverElapses && isInSnooze ? .snoozed(.restart) : refusal
    case .extend:
      if timer.isStopwatch || timer.spec.schedule != nil {
        return .notForKind(timer.spec.kind, .extend)
      }
      guard timer.state == .running || timer.state == .paused else { return refused }
      return extend(index, by: byUsec)
    case .snooze:
      let isLegal =
        timer.state == .fired || timer.state == .waiting
        || timer.state == .running && (timer.hasRung || timer.isSnoozed)
      if timer.isStopwatch { return .notForKind(.stopwatch, .snooze) }
      guard isLegal else { return refused }
      if timer.state == .running, !timer.repeats, !timer.isSnoozed {
        return .notForKind(.sequence, .snooze)
      }
      if let refused = refusal(byUsec) { return refused }
      recordRequest("snoozed", of: timer, [byUsec])
      snooze(index, byUsec)
    case .dismiss:
      if timer.isStopwatch { return .notForKind(.stopwatch, .dismiss) }
      let isOver =
        timer.state == .fired || isInSnooze && !timer.repeats && timer.spec.kind != .sequence
      guard isOver || timer.hasRung && (timer.state == .running || timer.state == .waiting)
      else { return isInSnooze ? .snoozed(.dismiss) : refused }
      if isOver {
        recordRequest("dismissed", of: timer)
        world.timers.all.remove(at: index)
      } else {
        recordRequest("acknowledged", of: timer)
        world.timers.all[index].clearRing()
      }
    case .remove:
      recordRequest("removed", of: timer)
      world.timers.all.remove(at: index)
    case .update:
      world.timers.all[index].data = Self.data(byUsec)
      recordRequest("updated", of: timer, [Int64(Self.data(byUsec).count), -1])
    case .advance:
      if timer.spec.kind != .sequence { return .notForKind(timer.spec.kind, .advance) }
      guard timer.isActive else { return refused }
      advance(index)
    case .lap:
      if !timer.isStopwatch { return .notForKind(timer.spec.kind, .lap) }
      guard timer.state == .running else { return refused }
      recordRequest("lapped", of: timer, [remainingOrMeasured])
      world.timers.all[index].laps.append(remainingOrMeasured)
    case .skip, .unskip:
      guard timer.repeats else { return .notForKind(timer.spec.kind, operation) }
      guard timer.state == .running || timer.state == .paused else { return refused }
      guard !timer.isSnoozed else { return .snoozed(operation) }
      return operation == .skip ? skip(index) : unskip(index)
    }
    return nil
  }

  /// Skips the next deadline, which counts as a round.
  private func skip(_ index: Int) -> EngineError? {
    let timer = world.timers.all[index]
    if timer.spec.rounds > 0, timer.position + 1 >= timer.spec.rounds {
      return .invalidTransition(timer.state, .skip)
    }
    let left =
      timer.remainingUsec
      - (timer.state == .running || timer.isMuted ? backgroundUsec(timer.timeline) : 0)
    let instant = clocks.wallUsec + left
    var by = timer.originalUsec
    var key = timer.position
    if let schedule = timer.spec.schedule {
      let instants = timer.skipped.map { FakeCalendar.usec(schedule, atWall: $0, zone: zone) }
      if instants.count(where: { $0 > clocks.wallUsec }) >= 64 { return .tooManySkips(64) }
      guard let next = next(timer, after: instant) else {
        return .invalidTransition(timer.state, .skip)
      }
      by = next - left
      key = FakeCalendar.wall(schedule, atUsec: instant, zone: zone)
    } else if timer.skips(before: timer.position) >= 64 {
      return .tooManySkips(64)
    }
    if timer.durationUsec + by > Self.longestUsec { return .durationTooLong(Self.longestUsec) }
    let storesRemaining = timer.state == .paused && !timer.isMuted
    recordRequest("passed_over", of: timer, [storesRemaining ? 0 : instant, by])
    world.timers.all[index].skipped.insert(key)
    if world.timers.all[index].skipped.count > 64, let first = world.timers.all[index].skipped.min()
    {
      world.timers.all[index].skipped.remove(first)
    }
    if timer.spec.schedule == nil, let rung = timer.roundsRung, rung < .max {
      world.timers.all[index].roundsRung = rung + 1
    }
    world.timers.all[index].position += 1
    move(index, by: by)
    return nil
  }

  /// Takes back the last skip.
  private func unskip(_ index: Int) -> EngineError? {
    let timer = world.timers.all[index]
    let none = EngineError.invalidTransition(timer.state, .unskip)
    let storesRemaining = timer.state == .paused && !timer.isMuted
    let left = timer.remainingUsec - (storesRemaining ? 0 : backgroundUsec(timer.timeline))
    var by = -timer.originalUsec
    var key = timer.position - 1
    if let schedule = timer.spec.schedule {
      let instants = timer.skipped.map { FakeCalendar.usec(schedule, atWall: $0, zone: zone) }
      let last = instants.filter { instant in
        instant > clocks.wallUsec && instant < clocks.wallUsec + left
          && timer.rang?.contains(instant) != true
          && FakeCalendar.next(schedule, afterUsec: instant - 1, zone: zone) == instant
      }.max()
      guard let last else { return none }
      key = FakeCalendar.wall(schedule, atUsec: last, zone: zone)
      by = last - clocks.wallUsec - left
    } else {
      guard timer.skipped.contains(key), left + by > 0 else { return none }
    }
    recordRequest("reinstated", of: timer, [storesRemaining ? 0 : clocks.wallUsec + left + by, by])
    world.timers.all[index].skipped.remove(key)
    if timer.spec.schedule == nil, let rung = timer.roundsRung, rung < .max, rung > 1 {
      world.timers.all[index].roundsRung = rung - 1
    }
    world.timers.all[index].position = max(0, timer.position - 1)
    move(index, by: by)
    return nil
  }

  /// Moves the next ring by this amount on the same timeline, without restarting the count.
  private func move(_ index: Int, by usec: Int64) {
    let timer = world.timers.all[index]
    world.timers.all[index].durationUsec += usec
    if timer.state == .running {
      run(index, timer.remainingUsec - backgroundUsec(timer.timeline) + usec, on: timer.timeline)
      world.timers.all[index].setSeq = timer.setSeq
      world.timers.all[index].interruption = timer.interruption
    } else {
      world.timers.all[index].remainingUsec += usec
    }
    recordBandChange(index)
  }

  private func restart(_ index: Int) -> EngineError? {
    let timer = world.timers.all[index]
    let usec: Int64
    switch beginning(timer.spec, timer.originalUsec, atUsec: timer.originalUsec, clock: timer.clock)
    {
    case .success(let length): usec = length
    case .failure(let refused): return refused
    }
    recordRequest("restarted", of: timer)
    world.timers.all[index].position = 0
    world.timers.all[index].mark = 0
    if timer.spec.kind == .alarm {
      world.timers.all[index].sinceLastRingUsec = -backgroundUsec(.elapsed)
      world.timers.all[index].rangSeq = world.lastSeq
    }
    world.timers.all[index].rang = nil
    world.timers.all[index].roundsRung = nil
    world.timers.all[index].isSnoozed = false
    world.timers.all[index].gridUsec = nil
    world.timers.all[index].wasMuted = false
    world.timers.all[index].laps = []
    world.timers.all[index].skipped = []
    begin(index, usec, on: timer.clock)
    return nil
  }

  private func snooze(_ index: Int, _ byUsec: Int64) {
    let timer = world.timers.all[index]
    if timer.state == .running, !timer.isSnoozed {
      if timer.spec.repeats { world.timers.all[index].gridUsec = timer.remainingUsec }
      world.timers.all[index].gridSeq = timer.setSeq
    }
    world.timers.all[index].isSnoozed = true
    begin(index, byUsec, on: .elapsed)
    // After the snooze it continues as it was set before.
    world.timers.all[index].interruption = timer.interruption
  }

  private func advance(_ index: Int) {
    let timer = world.timers.all[index]
    world.timers.all[index].isSnoozed = false
    if Self.isLast(timer.spec, timer.position) {
      recordRequest("advanced", of: timer, [timer.position, 0, 0])
      cancel(index, 0)
      world.timers.all[index].state = .fired
      world.timers.all[index].firedUsec = clocks.wallUsec
      return
    }
    let usec = Self.stepUsec(timer.spec, timer.position + 1)
    recordRequest("advanced", of: timer, [timer.position + 1, 0, 2, usec])
    world.timers.all[index].position += 1
    world.timers.all[index].durationUsec = usec
    world.timers.all[index].band = timer.band(usec)
    world.timers.all[index].clearRing()
    world.timers.all[index].rangAllOnWall()
    run(index, usec, on: timer.clock)
  }

  func update(_ name: String, bands: [Band]) -> EngineError? {
    guard let index = world.timers.index(name) else { return .timerNotFound }
    let timer = world.timers.all[index]
    var changed = TimerSpec.plain
    changed.shared = timer.spec.content
    changed.shared.bands = bands
    do throws(SpecProblem) { try changed.shared.check() } catch let problem {
      return EngineError.problem(problem).withoutReason
    }
    let spec = SharedSpec(changed.shared)
    // An update to the same specification does not change its bands.
    guard spec != timer.spec else {
      recordRequest("updated", of: timer, [Int64(timer.data.count), -1])
      return nil
    }
    recordRequest("updated", of: timer, [Int64(timer.data.count), Int64(bands.count)])
    world.timers.all[index].spec = spec
    world.timers.all[index].band = 0
    recordBandChange(index)
    return nil
  }

  /// Replaces an alarm's excluded days, its last day and its calendar.
  func update(
    _ name: String, except: [DayRange], until: Int32?, expression: String?
  ) -> EngineError? {
    guard let index = world.timers.index(name) else { return .timerNotFound }
    let timer = world.timers.all[index]
    var changed = timer.spec.content
    changed.schedule?.except = except
    changed.schedule?.until = until
    if let expression { changed.schedule?.expression = expression }
    guard changed != timer.spec.content else {
      recordRequest("updated", of: timer, [Int64(timer.data.count), -1])
      return nil
    }
    var new = timer
    new.spec = SharedSpec(changed)
    let isCounting = timer.state == .running || timer.state == .paused
    if isCounting, next(new, after: clocks.wallUsec) == nil { return .neverElapses }
    recordRequest("updated", of: timer, [Int64(timer.data.count), Int64(new.spec.bands.count)])
    world.timers.all[index].spec = new.spec
    if isCounting, timer.isAlarmOnWall, timer.remainingUsec - backgroundUsec(.wall) > 0,
      let usec = next(new, after: handledUpTo(new)),
      usec != timer.remainingUsec - backgroundUsec(.wall)
    {
      reschedule(world.timers.all[index], to: usec)
      world.timers.all[index].remainingUsec += backgroundUsec(.wall)
      if usec <= 0 { world.timers.all[index].waitBlame = Blame(cause: .step, span: 0) }
    }
    recordBandChange(index)
    return nil
  }

  /// The data that an update of the scenario sets.
  static func data(_ byUsec: Int64) -> [UInt8] {
    Array(repeating: UInt8(ascii: "x"), count: Int(byUsec.magnitude % 5))
  }

  private func refusal(_ durationUsec: Int64) -> EngineError? {
    if durationUsec <= 0 { return .durationNotPositive(durationUsec) }
    return durationUsec > Self.longestUsec ? .durationTooLong(Self.longestUsec) : nil
  }

  /// The time that will be subtracted at the end of the span, though it has passed already.
  func backgroundUsec(_ timeline: Timeline) -> Int64 { world.timers.backgroundTime?[timeline] ?? 0 }

  private func run(_ index: Int, _ remainingUsec: Int64, on timeline: Timeline) {
    world.timers.all[index].state = .running
    world.timers.all[index].timeline = timeline
    world.timers.all[index].remainingUsec = remainingUsec + backgroundUsec(timeline)
    world.timers.all[index].order = world.lastSeq
    world.timers.all[index].setSeq = world.lastSeq
    world.timers.all[index].interruption = nil
    world.timers.all[index].forgetBlame()
    world.timers.all[index].waitBlame = nil
  }

  /// Continues a timer that was paused after a reboot whose length may still be corrected.
  private func countOn(_ index: Int, from timer: LiteralTimer) {
    guard timer.pausedSeq != 0 else { return }
    let counted = countedInDoubt(timer, upTo: timer.pausedSeq)
    guard counted.first || counted.again else { return }
    let before = timer.interruption.flatMap { $0.pausedSeq < $0.resumedSeq ? $0 : nil }
    world.timers.all[index].setSeq = timer.setSeq
    if !world.clock.reboots.contains(where: { $0.leftSeq >= timer.pausedSeq }) {
      world.timers.all[index].interruption = before ?? (world.lastSeq, world.lastSeq)
    } else if counted.again, let before {
      world.timers.all[index].setSeq = before.resumedSeq
      world.timers.all[index].interruption = (timer.pausedSeq, world.lastSeq)
    } else {
      world.timers.all[index].interruption = (before?.pausedSeq ?? timer.pausedSeq, world.lastSeq)
    }
  }

  /// Whether it ran over a reboot in doubt before an event, separately before its interruption and
  /// since.
  private func countedInDoubt(
    _ timer: LiteralTimer, upTo seq: Int64
  ) -> (first: Bool, again: Bool) {
    // The same boot may be synchronised again, and `elapsed` corrected once more.
    guard !timer.timeline.countsUptime, world.clock.isOpen || timer.timeline == .elapsed
    else { return (false, false) }
    let left = world.clock.reboots.map(\.leftSeq)
    guard let pause = timer.interruption, pause.pausedSeq < pause.resumedSeq else {
      return (left.contains { $0 >= timer.setSeq && $0 < seq }, false)
    }
    let end = min(seq, pause.pausedSeq)
    return (
      left.contains { $0 >= timer.setSeq && $0 < end },
      left.contains { $0 >= pause.resumedSeq && $0 < seq }
    )
  }

  func isCountedInDoubt(_ timer: LiteralTimer, upTo seq: Int64) -> Bool {
    let counted = countedInDoubt(timer, upTo: seq)
    return counted.first || counted.again
  }

  /// The time that a pause stores for a timer that ran over a reboot in doubt.
  private func remainingInDoubt(_ timer: LiteralTimer, _ remainingOrMeasured: Int64) -> Int64 {
    let left = timer.remainingUsec - backgroundUsec(timer.timeline)
    if timer.timeline == .wall, let base = world.clock.base,
      let first = world.clock.reboots.first, timer.setSeq < first.leftSeq
    {
      // Its deadline was set by a right clock; the time since then is counted.
      let deadline = clocks.wallUsec + left
      return deadline - base.wallUsec - (world.clock.countedUsec - base.countedUsec)
    }
    return isOverdueInDoubt(timer) ? left : remainingOrMeasured
  }

  private func begin(_ index: Int, _ durationUsec: Int64, on timeline: Timeline) {
    run(index, durationUsec, on: timeline)
    world.timers.all[index].durationUsec = durationUsec
    world.timers.all[index].startedUsec = clocks.wallUsec
    world.timers.all[index].band = world.timers.all[index].band(durationUsec)
    world.timers.all[index].clearRing()
  }

  /// Whether its time is over only by a clock in doubt.
  private func isOverdueInDoubt(_ timer: LiteralTimer) -> Bool {
    guard !timer.isStopwatch else { return false }
    if timer.state == .paused, !timer.isMuted {
      return world.clock.isOpen && timer.remainingUsec < 0
    }
    guard timer.state == .running || timer.isMuted else { return false }
    var seen = timer
    seen.remainingUsec -= backgroundUsec(timer.timeline)
    return seen.remainingUsec <= 0 && isEstimated(seen)
  }

  private func cancel(_ index: Int, _ remainingUsec: Int64) {
    world.timers.all[index].state = .cancelled
    world.timers.all[index].isSnoozed = false
    world.timers.all[index].remainingUsec = remainingUsec
    world.timers.all[index].sinceEndUsec = -backgroundUsec(.elapsed)
    world.timers.all[index].waitBlame = nil
    world.timers.all[index].order = world.lastSeq
    world.timers.all[index].setSeq = world.lastSeq
    world.timers.all[index].interruption = nil
    world.timers.all[index].clearRing()
    world.timers.all[index].forgetBlame()
  }

  private func extend(_ index: Int, by byUsec: Int64) -> EngineError? {
    let timer = world.timers.all[index]
    if isOverdueInDoubt(timer) {
      // The clock may be wrong, so the remaining time is unknown: only the deadline moves.
      let by = max(byUsec, -timer.durationUsec)
      guard timer.durationUsec + min(by, Self.longestUsec) <= Self.longestUsec,
        by <= Self.longestUsec
      else { return .durationTooLong(Self.longestUsec) }
      recordRequest("extended", of: timer, [by])
      world.timers.all[index].durationUsec += by
      if timer.state == .paused {
        world.timers.all[index].remainingUsec += by
        return nil
      }
      run(index, timer.remainingUsec - backgroundUsec(timer.timeline) + by, on: timer.timeline)
      world.timers.all[index].setSeq = timer.setSeq
      world.timers.all[index].interruption = timer.interruption
      return nil
    }
    let remaining = world.timers.visibleRemaining(timer)
    // At most the remaining time can be taken.
    let by = max(byUsec, -remaining)
    if by > Self.longestUsec || timer.durationUsec + by > Self.longestUsec {
      return .durationTooLong(Self.longestUsec)
    }
    recordRequest("extended", of: timer, [by])
    world.timers.all[index].durationUsec += by
    if timer.state == .paused {
      world.timers.all[index].remainingUsec =
        remaining + by + (timer.isMuted ? backgroundUsec(.wall) : 0)
    } else {
      run(index, remaining + by, on: timer.timeline)
      // An extension does not restart the count.
      world.timers.all[index].setSeq = timer.setSeq
      world.timers.all[index].interruption = timer.interruption
    }
    recordBandChange(index)
    return nil
  }
}

extension EngineError {
  /// Stands for any invalid specification; only the real core says what is wrong.
  static let senseless: EngineError = {
    do throws(SpecProblem) {
      _ = try SharedSpec(kind: .countdown, rounds: 1)
      preconditionFailure("a countdown that does not repeat has no rounds")
    } catch { return .problem(error) }
  }()

  var withoutReason: EngineError { if case .problem = self { .senseless } else { self } }
}
