import NightjarModel

/// The model's knowledge of the wall clock: when it was right, and what was counted for the reboots
/// since.
struct LiteralClock {
  /// A reading at which the wall clock was right, and the count at that time.
  struct Right {
    var wallUsec: Int64
    var countedUsec: Int64
    /// The sum of its steps since then, forwards and backwards.
    var steppedUsec: Int64 = 0
  }

  struct Reboot {
    var spanID: Int64
    var leftSeq: Int64
    /// The difference of the wall clock, the uptime, and the time that was counted.
    var wallUsec: Int64
    var uptimeUsec: Int64
    var countedUsec: Int64

    var isPlausible: Bool { wallUsec >= uptimeUsec && wallUsec <= 400 * RingModel.dayUsec }
  }

  /// The time counted on `elapsed` since the first start.
  var countedUsec: Int64 = 0
  var last: Right?
  var hasBeenSynchronized = false
  var isRight = false
  /// The last right reading before the reboots.
  var base: Right?
  var reboots: [Reboot] = []
  var inDoubtSinceUsec: Int64?

  var isOpen: Bool { !hasBeenSynchronized && !reboots.isEmpty }

  /// The wall clock was set and now shows `wallUsec`.
  mutating func step(_ by: Int64, wallUsec: Int64) {
    advanceLast(wallUsec - by, countedUsec)
    last?.steppedUsec += abs(by)
    base?.steppedUsec += abs(by)
    noteDoubt(wallUsec - by, countedUsec)
  }

  private mutating func advanceLast(_ wallUsec: Int64, _ countedUsec: Int64) {
    guard isRight else { return }
    last?.wallUsec = wallUsec
    last?.countedUsec = countedUsec
  }

  private mutating func noteDoubt(_ wallUsec: Int64, _ countedUsec: Int64) {
    if isBack(wallUsec, countedUsec) { inDoubtSinceUsec = wallUsec }
    isRight = false
  }

  /// Whether the clock shows what it would if it had never been set, within a minute.
  func isBack(_ wallUsec: Int64, _ countedUsec: Int64) -> Bool {
    guard hasBeenSynchronized, let last else { return false }
    let right = last.wallUsec + countedUsec - last.countedUsec
    return isRight || abs(right - wallUsec) <= 60_000_000
  }

  /// A reboot. Returns the time that is counted for it.
  mutating func reboot(spanID: Int64, wallBefore: Int64, now: LiteralClocks) -> Int64 {
    advanceLast(wallBefore, countedUsec)
    if hasBeenSynchronized {
      base = last
      reboots = []
    }
    noteDoubt(wallBefore, countedUsec)
    hasBeenSynchronized = false
    var reboot = Reboot(
      spanID: spanID, leftSeq: 0, wallUsec: now.wallUsec - wallBefore,
      uptimeUsec: now.boottimeUsec, countedUsec: 0)
    reboot.countedUsec = reboot.isPlausible ? reboot.wallUsec : reboot.uptimeUsec
    reboots.append(reboot)
    countedUsec += reboot.countedUsec
    return reboot.countedUsec
  }

  /// Notes the event at the end of the span over the last reboot.
  mutating func note(left spanID: Int64, seq: Int64) {
    guard let index = reboots.indices.last, reboots[index].spanID == spanID else { return }
    reboots[index].leftSeq = seq
  }

  /// The clock is synchronised. Returns by how much each reboot was miscounted.
  mutating func synchronize(wallUsec: Int64) -> [Correction] {
    var corrections: [Correction] = []
    if let base, !reboots.isEmpty {
      let truth = wallUsec - base.wallUsec
      let wrong = truth - (countedUsec - base.countedUsec)
      if abs(wrong) >= 10_000 {
        corrections = distribute(wrong, stepped: base.steppedUsec)
      } else if !hasBeenSynchronized, reboots.count > 1 {
        // Errors of several reboots may cancel out.
        corrections = distribute(0, stepped: base.steppedUsec)
      }
    }
    last = Right(wallUsec: wallUsec, countedUsec: countedUsec)
    hasBeenSynchronized = true
    isRight = true
    return corrections
  }

  /// The error of the count for a reboot. If an event is given, the correction also concerns timers
  /// that did not run until that event, the end of the last reboot; 0: it does not matter.
  struct Correction {
    var reboot: Reboot
    var by: Int64
    var until: Int64 = 0
  }

  private mutating func distribute(_ wrong: Int64, stepped: Int64) -> [Correction] {
    let all = reboots.map(\.countedUsec).reduce(0, +) + wrong
    var shares = reboots.map(\.uptimeUsec)
    if stepped <= 60_000_000, reboots.allSatisfy(\.isPlausible) {
      let believed = reboots.map { max($0.uptimeUsec, $0.wallUsec - stepped) }
      if believed.dropFirst().reduce(shares[0], +) <= all {
        shares = believed
      }
    }
    let rest = max(reboots[0].uptimeUsec, all - shares.dropFirst().reduce(0, +))
    // If the clock is synchronised again in the same boot, all timers move alike.
    shares[0] = reboots.count == 1 || hasBeenSynchronized ? rest : min(shares[0], rest)
    var corrections: [Correction] = []
    for index in reboots.indices {
      let by = shares[index] - reboots[index].countedUsec
      let more = index == 0 ? rest - shares[0] : 0
      reboots[index].countedUsec = shares[index] + more
      countedUsec += by + more
      if by != 0 { corrections.append(Correction(reboot: reboots[index], by: by)) }
      if more != 0, let last = reboots.last {
        corrections.append(Correction(reboot: reboots[index], by: more, until: last.leftSeq))
      }
    }
    return corrections
  }
}
