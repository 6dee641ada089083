extension CalendarExpression {
  /// The first instant after `usec` that the expression matches, both in microseconds since the
  /// epoch; nil: there is none. O(changes of clocks and months until then).
  ///
  /// If clocks are put forward, an expression for a skipped hour matches right after the change. If
  /// clocks are put back, an expression for an hour that occurs twice matches only the first time.
  /// An expression for every hour (`*`) is not affected: it matches in every hour that passes.
  ///
  /// - Parameter zone: the rules of the zone that `self.zone` names.
  public func next(afterUsec usec: Int64, in zone: ZoneRules) -> Int64? {
    // Local times are computed with the setting of the clocks before the instant. With the setting
    // at the instant, the code would miss a change of the clocks exactly at the instant.
    var (before, instant) = (usec, usec + 1)
    while true {
      let offset = Int64(zone.setting(atUsec: before).offset) * 1_000_000
      guard let civil = nextCivil(from: CivilTime(utcUsec: instant + offset)) else { return nil }
      let candidate = civil.utcUsec - offset
      if let change = zone.nextTransition(afterUsec: before, beforeUsec: candidate + 1) {
        let jump = change.second * 1_000_000
        let landing = jump + Int64(change.after.offset) * 1_000_000
        if !hour.isEvery, civil.utcUsec < landing { return jump }
        (before, instant) = (jump, jump)
        continue
      }
      if !hour.isEvery, case .twice(let first, _) = zone.read(civil), first < candidate {
        (before, instant) = (candidate, candidate + 1)
        continue
      }
      return candidate
    }
  }

  /// The shortest time between two matching seconds, in microseconds, computed as if every minute
  /// matched. Exact down to 0.1 s. O(1).
  public var shortestUsec: Int64 {
    let minute = 60_000_000
    guard !second.isEvery else { return 1_000_000 }
    guard let first = second.next(from: 0, through: minute - 1) else { return Int64(minute) }
    var (before, shortest, count) = (first, minute, 1)
    while let next = second.next(from: before + 1, through: minute - 1) {
      shortest = min(shortest, next - before)
      before = next
      count += 1
      // If more than 600 seconds of a minute match (with fractions), the shortest time is below 0.1
      // s, however they are distributed.
      if count > 600 { return Int64(minute / count) }
    }
    return Int64(min(shortest, first + minute - before))
  }

  /// The first local time that the expression matches and that is not before `start`.
  func nextCivil(from start: CivilTime) -> CivilTime? {
    let (first, last) = (start.date, Self.years.upperBound)
    var year = first.year
    while let found = self.year.next(from: max(year, Self.years.lowerBound), through: last) {
      year = found
      var month = year == first.year ? first.month : 1
      while let found = self.month.next(from: month, through: 12) {
        month = found
        let isFirst = year == first.year && month == first.month
        if let civil = nextCivil(year: year, month: month, from: isFirst ? start : nil) {
          return civil
        }
        month += 1
      }
      year += 1
    }
    return nil
  }

  private func nextCivil(year: Int, month: Int, from start: CivilTime?) -> CivilTime? {
    let days = CivilDate.daysInMonth(year: year, month: month)
    for day in (start?.date.day ?? 1)...31 where day <= days {
      let date = CivilDate(year: year, month: month, day: day)
      guard matches(date, of: days) else { continue }
      let usec = day == start?.date.day ? start?.usecOfDay ?? 0 : 0
      if let usec = nextTime(from: usec) { return CivilTime(date: date, usecOfDay: usec) }
    }
    return nil
  }

  private func matches(_ date: CivilDate, of days: Int) -> Bool {
    guard weekdays.isEmpty || weekdays.contains(date.weekday) else { return false }
    guard countsFromEnd else { return day.matches(date.day) }
    return day.components.contains { component in
      // Steps are counted towards the end of the month. They begin at the matching day that is
      // farthest from the end.
      let first = days - (component.stop ?? component.start) + 1
      let end = component.stop == nil && component.step > 0 ? days : days - component.start + 1
      return (first...max(first, end)).contains(date.day)
        && (date.day - first) % max(component.step, 1) == 0
    }
  }

  /// The first time of day that the expression matches and that is not before `start`, in
  /// microseconds.
  private func nextTime(from start: Int64) -> Int64? {
    let secondUsec = 1_000_000
    let (startMinute, startUsec) = (Int(start) / 60_000_000, Int(start) % 60_000_000)
    var hour = startMinute / 60
    while let found = self.hour.next(from: hour, through: 23) {
      hour = found
      var minute = hour == startMinute / 60 ? startMinute % 60 : 0
      while let found = self.minute.next(from: minute, through: 59) {
        minute = found
        let from = hour * 60 + minute == startMinute ? startUsec : 0
        let whole = second.isEvery ? (from + secondUsec - 1) / secondUsec * secondUsec : from
        if let usec = second.next(from: whole, through: 60 * secondUsec - 1) {
          return Int64((hour * 60 + minute) * 60 * secondUsec + usec)
        }
        minute += 1
      }
      hour += 1
    }
    return nil
  }
}
