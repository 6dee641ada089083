import NightjarEngine
import NightjarModel

/// A calendar with nothing but a period in it: `PERIOD/OFFSET[/END]`, in microseconds. The zone's
/// rules move it.
final class FakeCalendar: Calendar {
  var zone: Int64 = 1

  func next(_ schedule: Schedule, afterUsec: Int64) -> Int64? {
    Self.next(schedule, afterUsec: afterUsec, zone: zone)
  }

  static func next(_ schedule: Schedule, afterUsec: Int64, zone: Int64) -> Int64? {
    let numbers = schedule.expression.split(separator: "/").compactMap { Int64($0) }
    let shift = schedule.zone.isEmpty ? zone * 600_000_000 : 0
    let period = numbers[0]
    let offset = (numbers[1] + shift) % period
    let next = ((afterUsec - offset) / period + 1) * period + offset
    return numbers.count > 2 && next > numbers[2] ? nil : next
  }
}
