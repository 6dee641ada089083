import NightjarClient
import NightjarModel
import NightjarParameters
import NightjarTime

extension Examination {
  /// The finding about the next alarm: which alarm rings next, when, and whether it wakes the
  /// machine. O(timers).
  func nextAlarm(_ timers: [Wire.Timer], _ status: Wire.Status.Reply, nowUsec: Int64) -> Finding {
    let check = "next_alarm"
    let alarms = timers.filter { $0.kind == .alarm && ($0.state == .running || $0.isSnoozed) }
    guard let alarm = alarms.min(by: { TimerOrder.Key(next: $0) < TimerOrder.Key(next: $1) }) else {
      return .fine(check, "none is set")
    }
    let text = TimerText(alarm, nowUsec: nowUsec)
    let leftUsec = (alarm.nextRingUsec ?? nowUsec) - nowUsec
    let rings = (alarm.isSnoozed ? text.ring : nil) ?? text.rings
    let distance =
      leftUsec < 1_000_000 ? "" : ", in \(SpanFormat.text(usec: leftUsec, units: 2))"
    let wake = alarm.wake == nil ? ", and does not wake a machine that sleeps" : text.wake
    let isWoken = alarm.wake?.can ?? false
    return Finding(
      check: check, level: isWoken ? .fine : .advice,
      text: "\(alarm.name) \(rings)\(distance)\(wake)",
      remedy: isWoken ? nil : remedy(for: alarm, status.wake))
  }

  /// The advice for an alarm that does not wake the machine: what the user can do to hear it.
  ///
  /// - Parameter wake: whether any timer can wake the machine.
  private func remedy(for alarm: Wire.Timer, _ wake: Wire.Wake) -> String {
    var ways = [wakeRemedy(wake)].compactMap(\.self)
    if alarm.wake == nil, wake.can || !ways.isEmpty {
      ways.append("start the alarm again with --wake and --replace")
    }
    let on = "leave the machine on"
    return ways.isEmpty ? on : "\(on), or \(ways.joined(separator: ", then "))"
  }

  /// The open rings that nobody could see or hear. O(timers).
  static func unnoticed(_ timers: [Wire.Timer], nowUsec: Int64) -> [Finding] {
    timers.compactMap { timer in
      guard let ring = timer.openRing, ring.unseen != nil, ring.unheard != nil,
        let lack = TimerText.unnoticed(unseen: ring.unseen, unheard: ring.unheard)
      else { return nil }
      return .advice(
        "ring",
        "\(timer.name) rang \(LocalTime.short(ring.rangUsec, nowUsec: nowUsec)), and was \(lack)",
        "nightjar why \(Quoting.quoted(timer.name)) says why")
    }
  }

  /// Finds alarms whose next ring is later than the next time of their calendar. The cause is a
  /// clock that was set back: the daemon skips times for which the alarm rang already. O(timers).
  static func alarms(_ timers: [Wire.Timer], nowUsec: Int64) -> [Finding] {
    let alarms = timers.filter { $0.state == .running && $0.calendar != nil }
    let findings = alarms.compactMap { alarm -> Finding? in
      guard let ringsUsec = alarm.deadlineUsec,
        ringsUsec > nowUsec, let nextUsec = next(alarm, afterUsec: nowUsec), nextUsec < ringsUsec
      else { return nil }
      func point(_ usec: Int64) -> String { LocalTime.short(usec, nowUsec: nowUsec) }
      return .advice(
        "alarms",
        "\(alarm.name) rings next \(point(ringsUsec)), and not \(point(nextUsec)) as its "
          + "calendar says: it rang for that time already, before the clock was set back",
        "nightjar restart \(Quoting.quoted(alarm.name)) has it ring by its calendar again")
    }
    guard findings.isEmpty else { return findings }
    return [
      .fine(
        "alarms",
        alarms.isEmpty ? "none repeats by a calendar" : "each rings next when its calendar says")
    ]
  }

  /// The next time of an alarm's calendar at which the alarm should ring. Excepted days and skipped
  /// times are left out. Nil if this version cannot read the calendar.
  private static func next(_ alarm: Wire.Timer, afterUsec: Int64) -> Int64? {
    guard let schedule = alarm.schedule else { return nil }
    let calendar = ZoneCalendar()
    var after = afterUsec
    while let next = calendar.next(schedule, afterUsec: after) {
      guard alarm.skippedUsec.contains(next) else { return next }
      after = next
    }
    return nil
  }
}
