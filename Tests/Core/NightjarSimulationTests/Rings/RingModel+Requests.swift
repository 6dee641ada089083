import NightjarEngine
import NightjarModel
import NightjarTestSupport

/// The operations that clients can request, as in the manual: carried out or refused.
extension RingModel {
  private static let longestUsec: Int64 = 100 * 31_557_600 * 1_000_000

  /// Starts a timer. Returns nil if that was done or not needed.
  func start(
    _ name: String, durationUsec: Int64, atUsec: Int64? = nil, clock: Timeline = .elapsed,
    spec: SharedSpec = .plain, course: ModelCourse = ModelCourse(), data: [UInt8] = [],
    replace: Bool = false, ifAbsent: Bool = false
  ) -> EngineError? {
    let clock = spec.kind == .alarm ? .wall : clock
    let usec: Int64
    switch beginning(spec, durationUsec, atUsec: atUsec, clock: clock) {
    case .success(let length): usec = length
    case .failure(let refused): return refused
    }
    let existing = world.timers.index(name)
    // Rule 7: a name with a snoozed ring is not free.
    if let existing, !world.timers.all[existing].isNameFree, !replace {
      return ifAbsent ? nil : .timerExists
    }
    if existing == nil, world.timers.all.count == maximumTimers {
      return .tooManyTimers(maximumTimers)
    }
    let isAlarm = spec.kind == .alarm
    let seq = world.lastSeq + 1
    var timer = ModelTimer(
      name: existing.map { world.timers.all[$0].name } ?? name, id: seq, spec: spec,
      course: course, clock: clock,
      deadline: ModelDeadline(
        timeline: clock, remainingUsec: usec + backgroundUsec(clock), order: seq, setSeq: seq),
      originalUsec: isAlarm ? (spec.schedule == nil ? clocks.wallUsec + usec : 0) : usec,
      durationUsec: usec, startedUsec: clocks.wallUsec, data: data)
    timer.band = timer.band(usec)
    timer.startedCountedUsec = world.clock.countedUsec
    timer.spentUsec = -backgroundUsec(clock)
    let old = existing.map { world.timers.all[$0] }
    // Rule 5: a start that replaces its timer ends the ring.
    recordRequest(
      "started", of: timer,
      [
        "clock": Int64(clock.rawValue), "kind": Int64(spec.kind.rawValue), "duration": usec,
        "data": Int64(data.count), "replaced": old?.id ?? 0, "ring": old?.ring?.number ?? 0,
      ],
      before: old, endsRing: old?.ring != nil)
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

  /// Carries out any other operation. Returns nil if that was done. Rule 5: a refused one changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - expiry: the number of the expiry that an answer is about (rule 12); nil: the newest.
  ///   - agoUsec: how long ago an answer from elsewhere was given.
  func perform(
    _ operation: NightjarModel.Operation, _ name: String, byUsec: Int64 = 0,
    expiry: Int64? = nil, agoUsec: Int64 = 0
  ) -> EngineError? {
    if operation == .stop { return stop(name, expiry: expiry) }
    guard let index = world.timers.index(name) else { return .timerNotFound }
    let timer = world.timers.all[index]
    if let expiry, timer.ring?.number ?? .max > expiry { return nil }
    let refused = EngineError.invalidTransition(timer.state.engineState, operation)
    let remaining = world.timers.visibleRemaining(timer)
    let remainingOrMeasured = timer.isStopwatch ? world.timers.measured(timer) : remaining
    let ringNumber = timer.ring?.number ?? 0
    switch operation {
    case .pause:
      guard timer.state == .running else { return refused }
      pause(index, remainingOrMeasured)
    case .resume:
      guard timer.state == .paused else { return refused }
      resume(index)
    case .cancel:
      // Rule 11: it ends both. Rule 6: a timer that is over is then removed.
      guard timer.isActive || timer.isOver && timer.ring != nil else { return refused }
      recordRequest(
        "cancelled", of: timer,
        [
          "left": remainingOrMeasured, "is_up": timer.isStopwatch ? 1 : 0, "ring": ringNumber,
          "removes": timer.isOver ? 1 : 0,
        ],
        endsRing: timer.ring != nil)
      if timer.isOver {
        world.timers.all.remove(at: index)
      } else {
        end(index, .cancelled, remainingOrMeasured)
      }
    case .restart: return restart(index)
    case .extend:
      if timer.isStopwatch || timer.spec.schedule != nil {
        return .notForKind(timer.spec.kind, .extend)
      }
      guard timer.state == .running || timer.state == .paused else { return refused }
      return extend(index, by: byUsec)
    case .snooze:
      if timer.isStopwatch { return .notForKind(.stopwatch, .snooze) }
      // Rule 7: on every open ring.
      guard timer.ring != nil else { return refused }
      if let refused = refusal(byUsec) { return refused }
      snooze(index, byUsec, agoUsec)
    case .dismiss:
      if timer.isStopwatch { return .notForKind(.stopwatch, .dismiss) }
      // Rule 11: it ends a ring or a miss, and never a timer that continues.
      guard timer.ring != nil || timer.miss != nil else { return refused }
      recordRequest(
        "dismissed", of: timer,
        [
          "ring": ringNumber, "miss": timer.miss?.number ?? 0, "removes": timer.isOver ? 1 : 0,
        ], endsRing: true)
      endRing(index)
      if !timer.isOver {
        world.timers.all[index].miss = nil
        world.timers.all[index].misses = 0
      }
    case .remove:
      recordRequest("removed", of: timer, ["ring": ringNumber], endsRing: timer.ring != nil)
      world.timers.all.remove(at: index)
    case .update:
      world.timers.all[index].data = Self.data(byUsec)
      recordRequest("updated", of: timer, ["data": Int64(Self.data(byUsec).count)])
    case .advance:
      if timer.spec.kind != .sequence { return .notForKind(timer.spec.kind, .advance) }
      guard timer.isActive else { return refused }
      advance(index)
    case .lap:
      if !timer.isStopwatch { return .notForKind(timer.spec.kind, .lap) }
      guard timer.state == .running else { return refused }
      recordRequest("lapped", of: timer, ["elapsed": remainingOrMeasured])
      world.timers.all[index].laps.append(remainingOrMeasured)
    case .skip, .unskip:
      guard timer.repeats else { return .notForKind(timer.spec.kind, operation) }
      guard timer.state == .running || timer.state == .paused else { return refused }
      return operation == .skip ? skip(index) : unskip(index)
    case .stop: preconditionFailure("it ends the ring or is a cancellation")
    }
    return nil
  }

  /// Rule 11: with an open ring, `stop` ends the ring only. Without one, it ends the timer.
  private func stop(_ name: String, expiry: Int64?) -> EngineError? {
    guard let index = world.timers.index(name) else { return .timerNotFound }
    let timer = world.timers.all[index]
    guard let ring = timer.ring else {
      if expiry != nil { return nil }
      return timer.isActive
        ? perform(.cancel, name) : .invalidTransition(timer.state.engineState, .stop)
    }
    if let expiry, ring.number > expiry { return nil }
    recordRequest(
      "stopped", of: timer, ["ring": ring.number, "removes": timer.isOver ? 1 : 0], endsRing: true)
    endRing(index)
    return nil
  }

  /// Rule 11: with `--all` or a path, `dismiss` and `snooze` leave snoozed rings alone.
  func performOnAll(_ operation: NightjarModel.Operation, byUsec: Int64 = 0) {
    for timer in world.timers.all.sorted(by: { $0.id < $1.id }) where !timer.isStopwatch {
      if operation == .dismiss || operation == .snooze, timer.ring?.state == .snoozed { continue }
      _ = perform(operation, timer.name, byUsec: byUsec)
    }
  }

  /// Rule 6: a timer that is over is removed when its ring is ended by an answer.
  private func endRing(_ index: Int) {
    if world.timers.all[index].isOver {
      world.timers.all.remove(at: index)
    } else {
      world.timers.all[index].ring = nil
    }
  }

  private func pause(_ index: Int, _ remainingOrMeasured: Int64) {
    let timer = world.timers.all[index]
    let keepsSetSeq = !timer.isAlarmOnWall && isCountedInDoubt(timer, upTo: world.lastSeq + 1)
    let left = keepsSetSeq ? remainingInDoubt(timer, remainingOrMeasured) : remainingOrMeasured
    recordRequest(
      "paused", of: timer,
      ["left": left, "is_up": timer.isStopwatch ? 1 : 0, "keeps_set_seq": keepsSetSeq ? 1 : 0])
    world.timers.all[index].state = .paused
    world.timers.all[index].pauseSeq = world.lastSeq
    world.timers.all[index].pausedUsec -= backgroundUsec(.elapsed)
    if !timer.isAlarmOnWall {
      world.timers.all[index].spentUsec =
        timer.isStopwatch ? left : timer.spentUsec + timer.remainingUsec - left
      world.timers.all[index].remainingUsec = left
    }
    world.timers.all[index].deadline.pausedSeq = keepsSetSeq ? world.lastSeq : 0
    if !keepsSetSeq {
      world.timers.all[index].deadline.setSeq = world.lastSeq
      world.timers.all[index].deadline.interruption = nil
    }
    world.timers.all[index].deadline.forgetBlame()
    world.timers.all[index].deadline.waitBlame = nil
    recordBandChange(index)
  }

  private func resume(_ index: Int) {
    let timer = world.timers.all[index]
    let remaining = world.timers.visibleRemaining(timer)
    let isInDoubt = isOverdueInDoubt(timer)
    recordRequest("resumed", of: timer)
    world.timers.all[index].pausedUsec += backgroundUsec(.elapsed)
    world.timers.all[index].spentUsec -= backgroundUsec(timer.timeline)
    if timer.isAlarmOnWall {
      run(index, timer.remainingUsec - backgroundUsec(.wall), on: .wall)
      world.timers.all[index].wasMuted = remaining == 0 && !isInDoubt
    } else {
      let isByClockInDoubt = timer.timeline == .wall && world.clock.isOpen
      if !isByClockInDoubt { world.timers.all[index].rangAllOnWall() }
      run(
        index, timer.isStopwatch ? -max(0, timer.remainingUsec) : timer.remainingUsec,
        on: timer.timeline)
    }
    if isInDoubt
      || timer.deadline.pausedSeq != 0 && !timer.isStopwatch && timer.remainingUsec < 0
    {
      let span = world.clock.reboots.last?.spanID ?? 0
      world.timers.all[index].deadline.waitBlame = Blame(cause: .reboot, span: span)
    }
    if timer.timeline == .elapsed { countOn(index, from: timer) }
  }

  /// Skips the next deadline, which counts as a round.
  private func skip(_ index: Int) -> EngineError? {
    let timer = world.timers.all[index]
    if timer.spec.rounds > 0, timer.position + 1 >= timer.spec.rounds {
      return .invalidTransition(timer.state.engineState, .skip)
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
        return .invalidTransition(timer.state.engineState, .skip)
      }
      by = next - left
      key = FakeCalendar.wall(schedule, atUsec: instant, zone: zone)
    } else if timer.skips(before: timer.position) >= 64 {
      return .tooManySkips(64)
    }
    if timer.durationUsec + by > Self.longestUsec { return .durationTooLong(Self.longestUsec) }
    let storesRemaining = timer.state == .paused && !timer.isMuted
    // The skipped expiry has a number, too.
    let number = timer.lastNumber + 1
    recordRequest(
      "skipped", of: timer, ["expiry": number, "at": storesRemaining ? 0 : instant, "by": by])
    world.timers.all[index].lastNumber = number
    world.timers.all[index].skipped.insert(key)
    if world.timers.all[index].skipped.count > 64, let first = world.timers.all[index].skipped.min()
    {
      world.timers.all[index].skipped.remove(first)
    }
    if let rung = timer.rangRounds, rung.upperBound == timer.position - 1 {
      world.timers.all[index].rangRounds = rung.lowerBound...timer.position
    }
    world.timers.all[index].position += 1
    move(index, by: by)
    return nil
  }

  /// Takes back the last skip.
  private func unskip(_ index: Int) -> EngineError? {
    let timer = world.timers.all[index]
    let none = EngineError.invalidTransition(timer.state.engineState, .unskip)
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
    recordRequest(
      "unskipped", of: timer,
      ["at": storesRemaining ? 0 : clocks.wallUsec + left + by, "by": by])
    world.timers.all[index].skipped.remove(key)
    if let rung = timer.rangRounds, rung.upperBound == timer.position - 1,
      rung.lowerBound < rung.upperBound
    {
      world.timers.all[index].rangRounds = rung.lowerBound...rung.upperBound - 1
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
      world.timers.all[index].deadline.setSeq = timer.deadline.setSeq
      world.timers.all[index].deadline.interruption = timer.deadline.interruption
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
    recordRequest(
      "restarted", of: timer, ["ring": timer.ring?.number ?? 0], endsRing: timer.ring != nil)
    world.timers.all[index].position = 0
    world.timers.all[index].mark = 0
    if timer.spec.kind == .alarm {
      world.timers.all[index].sinceLastRingUsec = -backgroundUsec(.elapsed)
      world.timers.all[index].rangSeq = world.lastSeq
    }
    world.timers.all[index].rang = nil
    world.timers.all[index].rangRounds = nil
    world.timers.all[index].wasMuted = false
    world.timers.all[index].laps = []
    world.timers.all[index].skipped = []
    world.timers.all[index].ring = nil
    run(index, usec, on: timer.clock)
    world.timers.all[index].spentUsec = -backgroundUsec(timer.clock)
    world.timers.all[index].pausedUsec = 0
    world.timers.all[index].durationUsec = usec
    world.timers.all[index].startedUsec = clocks.wallUsec
    world.timers.all[index].band = timer.band(usec)
    return nil
  }

  /// Rule 7: a snooze moves the ring, and never the schedule.
  private func snooze(_ index: Int, _ byUsec: Int64, _ agoUsec: Int64) {
    let timer = world.timers.all[index]
    let left = byUsec - agoUsec
    recordRequest(
      "snoozed", of: timer, ["ring": timer.ring?.number ?? 0, "by": byUsec, "left": left],
      endsRing: true)
    let deadline = ModelDeadline(
      timeline: .elapsed, remainingUsec: left + backgroundUsec(.elapsed), order: world.lastSeq,
      setSeq: world.lastSeq)
    world.timers.all[index].ring?.state = .snoozed
    world.timers.all[index].ring?.deadline = deadline
  }

  private func advance(_ index: Int) {
    let timer = world.timers.all[index]
    let ring = timer.ring?.number ?? 0
    let isLast = Self.isLast(timer.spec, timer.position)
    let position = isLast ? timer.position : timer.position + 1
    let usec = isLast ? 0 : Self.stepUsec(timer.spec, position)
    recordRequest(
      "advanced", of: timer,
      ["position": position, "then": isLast ? 0 : 2, "duration": usec, "ring": ring],
      endsRing: timer.ring != nil)
    world.timers.all[index].ring = nil
    if isLast {
      // The last step is as long as it ran.
      let left = world.timers.visibleRemaining(timer)
      world.timers.all[index].durationUsec = max(0, timer.durationUsec - left)
      return end(index, .over, 0)
    }
    world.timers.all[index].position = position
    world.timers.all[index].durationUsec = usec
    world.timers.all[index].band = timer.band(usec)
    world.timers.all[index].rangAllOnWall()
    stand(index)
    run(index, usec, on: timer.clock)
    world.timers.all[index].spentUsec -= backgroundUsec(timer.clock)
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
      recordRequest("updated", of: timer, ["data": Int64(timer.data.count)])
      return nil
    }
    recordRequest(
      "updated", of: timer,
      ["data": Int64(timer.data.count), "spec": 1, "bands": Int64(bands.count)])
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
      recordRequest("updated", of: timer, ["data": Int64(timer.data.count)])
      return nil
    }
    var new = timer
    new.spec = SharedSpec(changed)
    let isCounting = timer.state == .running || timer.state == .paused
    if isCounting, next(new, after: clocks.wallUsec) == nil { return .neverElapses }
    recordRequest(
      "updated", of: timer,
      ["data": Int64(timer.data.count), "spec": 1, "bands": Int64(new.spec.bands.count)])
    world.timers.all[index].spec = new.spec
    if isCounting, timer.isAlarmOnWall, timer.remainingUsec - backgroundUsec(.wall) > 0,
      let usec = next(new, after: handledUpTo(new)),
      usec != timer.remainingUsec - backgroundUsec(.wall)
    {
      reschedule(world.timers.all[index], to: usec)
      world.timers.all[index].remainingUsec += backgroundUsec(.wall)
      if usec <= 0 { world.timers.all[index].deadline.waitBlame = Blame(cause: .step, span: 0) }
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

  /// What a timer has counted until now stays.
  private func stand(_ index: Int) {
    let sums = world.timers.sums(world.timers.all[index])
    if !world.timers.all[index].isAlarmOnWall { world.timers.all[index].spentUsec = sums[0] }
    world.timers.all[index].pausedUsec = sums[1]
  }

  private func run(_ index: Int, _ remainingUsec: Int64, on timeline: Timeline) {
    world.timers.all[index].state = .running
    world.timers.all[index].deadline = ModelDeadline(
      timeline: timeline, remainingUsec: remainingUsec + backgroundUsec(timeline),
      order: world.lastSeq, setSeq: world.lastSeq)
  }

  /// Continues a timer that was paused after a reboot whose length may still be corrected.
  private func countOn(_ index: Int, from timer: ModelTimer) {
    guard timer.deadline.pausedSeq != 0 else { return }
    let counted = countedInDoubt(timer, upTo: timer.deadline.pausedSeq)
    guard counted.first || counted.again else { return }
    let before = timer.deadline.interruption.flatMap { $0.pausedSeq < $0.resumedSeq ? $0 : nil }
    world.timers.all[index].deadline.setSeq = timer.deadline.setSeq
    if !world.clock.reboots.contains(where: { $0.leftSeq >= timer.deadline.pausedSeq }) {
      world.timers.all[index].deadline.interruption = before ?? (world.lastSeq, world.lastSeq)
    } else if counted.again, let before {
      world.timers.all[index].deadline.setSeq = before.resumedSeq
      world.timers.all[index].deadline.interruption = (timer.deadline.pausedSeq, world.lastSeq)
    } else {
      world.timers.all[index].deadline.interruption = (
        before?.pausedSeq ?? timer.deadline.pausedSeq, world.lastSeq
      )
    }
  }

  /// Whether it ran over a reboot in doubt before an event, separately before its interruption and
  /// since.
  private func countedInDoubt(
    _ timer: ModelTimer, upTo seq: Int64
  ) -> (first: Bool, again: Bool) {
    // The same boot may be synchronised again, and `elapsed` corrected once more.
    guard !timer.timeline.countsUptime, world.clock.isOpen || timer.timeline == .elapsed
    else { return (false, false) }
    let left = world.clock.reboots.map(\.leftSeq)
    guard let pause = timer.deadline.interruption, pause.pausedSeq < pause.resumedSeq else {
      return (left.contains { $0 >= timer.deadline.setSeq && $0 < seq }, false)
    }
    let end = min(seq, pause.pausedSeq)
    return (
      left.contains { $0 >= timer.deadline.setSeq && $0 < end },
      left.contains { $0 >= pause.resumedSeq && $0 < seq }
    )
  }

  func isCountedInDoubt(_ timer: ModelTimer, upTo seq: Int64) -> Bool {
    let counted = countedInDoubt(timer, upTo: seq)
    return counted.first || counted.again
  }

  /// The time that a pause stores for a timer that ran over a reboot in doubt.
  private func remainingInDoubt(_ timer: ModelTimer, _ remainingOrMeasured: Int64) -> Int64 {
    let left = timer.remainingUsec - backgroundUsec(timer.timeline)
    if timer.timeline == .wall, let base = world.clock.base,
      let first = world.clock.reboots.first, timer.deadline.setSeq < first.leftSeq
    {
      // Its deadline was set by a right clock; the time since then is counted.
      let deadline = clocks.wallUsec + left
      return deadline - base.wallUsec - (world.clock.countedUsec - base.countedUsec)
    }
    return isOverdueInDoubt(timer) ? left : remainingOrMeasured
  }

  /// Whether its time is over only by a clock in doubt.
  private func isOverdueInDoubt(_ timer: ModelTimer) -> Bool {
    guard !timer.isStopwatch else { return false }
    if timer.state == .paused, !timer.isMuted {
      return world.clock.isOpen && timer.remainingUsec < 0
    }
    guard timer.state == .running || timer.isMuted else { return false }
    var seen = timer
    seen.remainingUsec -= backgroundUsec(timer.timeline)
    return seen.remainingUsec <= 0 && isEstimated(seen)
  }

  private func end(_ index: Int, _ state: ModelTimer.State, _ remainingUsec: Int64) {
    stand(index)
    world.timers.all[index].state = state
    world.timers.all[index].ring = nil
    world.timers.all[index].sinceEndUsec = -backgroundUsec(.elapsed)
    world.timers.all[index].endedSeq = world.lastSeq
    world.timers.all[index].deadline = ModelDeadline(
      timeline: world.timers.all[index].timeline, remainingUsec: remainingUsec,
      order: world.lastSeq, setSeq: world.lastSeq)
  }

  private func extend(_ index: Int, by byUsec: Int64) -> EngineError? {
    let timer = world.timers.all[index]
    if isOverdueInDoubt(timer) {
      // The clock may be wrong, so the remaining time is unknown: only the deadline moves.
      let by = max(byUsec, -timer.durationUsec)
      guard timer.durationUsec + min(by, Self.longestUsec) <= Self.longestUsec,
        by <= Self.longestUsec
      else { return .durationTooLong(Self.longestUsec) }
      recordRequest("extended", of: timer, ["by": by])
      world.timers.all[index].durationUsec += by
      if timer.state == .paused {
        world.timers.all[index].remainingUsec += by
        return nil
      }
      run(index, timer.remainingUsec - backgroundUsec(timer.timeline) + by, on: timer.timeline)
      world.timers.all[index].deadline.setSeq = timer.deadline.setSeq
      world.timers.all[index].deadline.interruption = timer.deadline.interruption
      return nil
    }
    let remaining = world.timers.visibleRemaining(timer)
    // At most the remaining time can be taken.
    let by = max(byUsec, -remaining)
    if by > Self.longestUsec || timer.durationUsec + by > Self.longestUsec {
      return .durationTooLong(Self.longestUsec)
    }
    recordRequest("extended", of: timer, ["by": by])
    world.timers.all[index].durationUsec += by
    if timer.state == .paused {
      world.timers.all[index].settle()
      world.timers.all[index].remainingUsec =
        remaining + by + (timer.isMuted ? backgroundUsec(.wall) : 0)
    } else {
      stand(index)
      run(index, remaining + by, on: timer.timeline)
      world.timers.all[index].spentUsec -= backgroundUsec(timer.timeline)
      // An extension does not restart the count.
      world.timers.all[index].deadline.setSeq = timer.deadline.setSeq
      world.timers.all[index].deadline.interruption = timer.deadline.interruption
    }
    recordBandChange(index)
    return nil
  }
}

extension ModelTimer.State {
  /// The same state of the real core.
  var engineState: TimerState {
    switch self {
    case .running: .running
    case .paused: .paused
    case .waiting: .waiting
    case .over: .over
    case .cancelled: .cancelled
    }
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
