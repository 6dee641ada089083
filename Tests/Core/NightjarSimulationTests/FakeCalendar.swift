import NightjarEngine
import NightjarModel

/// A calendar with a fixed period: `PERIOD/OFFSET[/END]`, in microseconds. The zone's rules move
/// it.
final class FakeCalendar: Calendar {
  var zone: Int64 = 1
  /// Whether it ignores excluded days, to show that tests find this.
  var ignoresExceptions = false

  /// Passes an excluded range in one step, as the real calendar does.
  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
    var after = afterUsec
    while let next = Self.nextOfAllDays(schedule, afterUsec: after, zone: zone) {
      let day = Self.day(schedule, next, zone: zone)
      if let until = schedule.until, day > until { return nil }
      guard let range = schedule.except.range(around: day), !ignoresExceptions else { return next }
      let behind = (Int64(range.last) + 1) * RingModel.dayUsec
      after = max(next, behind - Self.shift(schedule, zone: zone) - 1)
    }
    return nil
  }

  /// The same for the model, instant by instant.
  static func next(_ schedule: Schedule, afterUsec: Int64, zone: Int64) -> Int64? {
    var next = nextOfAllDays(schedule, afterUsec: afterUsec, zone: zone)
    while let usec = next {
      let day = day(schedule, usec, zone: zone)
      if let until = schedule.until, until < day { return nil }
      if !schedule.except.contains(where: { $0.first <= day && day <= $0.last }) { return usec }
      next = nextOfAllDays(schedule, afterUsec: usec, zone: zone)
    }
    return nil
  }

  /// The local time: each zone is behind by a fixed time.
  func wall(_ schedule: Schedule, atUsec usec: Int64) -> Int64 {
    Self.wall(schedule, atUsec: usec, zone: zone)
  }

  func usec(_ schedule: Schedule, atWall wall: Int64) -> Int64? {
    Self.usec(schedule, atWall: wall, zone: zone)
  }

  /// The same for the model.
  static func wall(_ schedule: Schedule, atUsec usec: Int64, zone: Int64) -> Int64 {
    usec - shift(schedule, zone: zone)
  }

  static func usec(_ schedule: Schedule, atWall wall: Int64, zone: Int64) -> Int64 {
    wall + shift(schedule, zone: zone)
  }

  private static func shift(_ schedule: Schedule, zone: Int64) -> Int64 {
    schedule.zone.isEmpty ? zone * 600_000_000 : 0
  }

  private static func day(_ schedule: Schedule, _ usec: Int64, zone: Int64) -> Int32 {
    let local = usec + shift(schedule, zone: zone)
    let dayUsec = RingModel.dayUsec
    return Int32(local >= 0 ? local / dayUsec : (local + 1) / dayUsec - 1)
  }

  private static func nextOfAllDays(_ schedule: Schedule, afterUsec: Int64, zone: Int64) -> Int64? {
    let numbers = numbers(in: schedule.expression)
    let shift = shift(schedule, zone: zone)
    let period = numbers[0]
    let offset = (numbers[1] + shift) % period
    let next = ((afterUsec - offset) / period + 1) * period + offset
    return numbers.count > 2 && next > numbers[2] ? nil : next
  }

  /// Digit by digit: the runs call this a hundred million times, and `split` would take a fifth of
  /// their time.
  private static func numbers(in expression: String) -> [Int64] {
    var (numbers, number): ([Int64], Int64) = ([], 0)
    for byte in expression.utf8 {
      if byte == UInt8(ascii: "/") {
        numbers.append(number)
        number = 0
      } else {
        precondition((UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), "a number of digits")
        number = 10 * number + Int64(byte - UInt8(ascii: "0"))
      }
    }
    return numbers + [number]
  }
}
