import NightjarModel

/// The expiries of a timer that are due, oldest first.
struct DueExpiries {
  /// The first ones up to one of them, and how the timer continues after that.
  struct Stretch {
    var count: Int64
    /// The deadline of the last.
    var last: Int64
    /// The round or step that the last one ended.
    var position: Int64
    /// The position after it.
    var nextPosition: Int64
    var continuation: Recurrence.Continuation
  }

  let timer: Timer
  /// The reading of the timer's clock.
  let reading: Int64
  /// The deadline of the first.
  let first: Int64
  /// How late the first is handled.
  let firstLate: Lateness
  /// For a repeating alarm: the instants, at most `Engine.countedOccurrences`. If there are more,
  /// the last of them stands for the others.
  var instants: [Int64] = []
  /// For a repeating alarm: the instant after them; nil: there is none.
  var next: Int64?
  /// Whether there are more than are counted.
  var hasMore = false
  private(set) var all = Stretch(
    count: 0, last: 0, position: 0, nextPosition: 0, continuation: .ends)

  private var spec: SharedSpec { timer.spec }

  /// The expiries of a timer that is no repeating alarm.
  init(_ timer: Timer, first: Int64, _ late: Lateness, reading: Int64) {
    (self.timer, self.first, firstLate, self.reading) = (timer, first, late, reading)
    all = upTo(.max)
  }

  /// The expiries of a repeating alarm.
  init(
    _ timer: Timer, instants: [Int64], _ late: Lateness, next: Int64?, hasMore: Bool = false,
    reading: Int64
  ) {
    (self.timer, first, firstLate, self.reading) = (timer, instants[0], late, reading)
    (self.instants, self.next, self.hasMore) = (instants, next, hasMore)
    all = upTo(.max)
  }

  /// The first `limit` expiries, or all if there are fewer. O(1) for a countdown without skipped
  /// rounds and for an alarm; O(steps of a cycle) for a sequence.
  func upTo(_ limit: Int64) -> Stretch {
    if spec.kind == .sequence { return steps(limit) }
    guard spec.isRepeating else {
      return Stretch(count: 1, last: first, position: 0, nextPosition: 0, continuation: .ends)
    }
    return spec.schedule == nil ? rounds(limit) : instants(limit)
  }

  private func isOver(_ position: Int64) -> Bool { spec.rounds > 0 && position >= spec.rounds }

  private func instants(_ limit: Int64) -> Stretch {
    let count = min(limit, Int64(instants.count))
    let next = count < instants.count ? instants[Int(count)] : self.next
    var stretch = Stretch(
      count: count, last: instants[Int(count) - 1], position: timer.course.position + count - 1,
      nextPosition: timer.course.position + count, continuation: .ends)
    if let next, !isOver(stretch.nextPosition) {
      stretch.continuation = .runs(deadline: next, durationUsec: next - stretch.last)
    }
    return stretch
  }

  /// Skipped rounds after the present one were skipped while the wall clock was ahead, and the
  /// clock was set back since. O(skipped rounds).
  private func rounds(_ limit: Int64) -> Stretch {
    let period = timer.fullLengthUsec
    let end = spec.rounds > 0 ? spec.rounds : .max
    var ahead = timer.passedOver.filter { $0 > timer.course.position }[...]
    var stretch = Stretch(
      count: 0, last: first, position: 0, nextPosition: timer.course.position, continuation: .ends)
    var deadline = first
    while stretch.count < limit, deadline <= reading, stretch.nextPosition < end {
      let count = min(
        (reading - deadline) / period + 1, min(ahead.first ?? .max, end) - stretch.nextPosition,
        limit - stretch.count)
      stretch.count += count
      stretch.last = deadline + (count - 1) * period
      stretch.position = stretch.nextPosition + count - 1
      stretch.nextPosition += count
      deadline += count * period
      while ahead.first == stretch.nextPosition {
        ahead.removeFirst()
        stretch.nextPosition += 1
        deadline += period
      }
    }
    if !isOver(stretch.nextPosition) {
      stretch.continuation = .runs(deadline: deadline, durationUsec: deadline - stretch.last)
    }
    return stretch
  }

  private func steps(_ limit: Int64) -> Stretch {
    var stretch = Stretch(
      count: 0, last: first, position: timer.course.position, nextPosition: timer.course.position,
      continuation: .waits)
    var end = first
    let cycle = spec.steps.contains(where: \.waits) ? nil : spec.cycle
    while true {
      stretch.count += 1
      (stretch.last, stretch.position) = (end, stretch.nextPosition)
      if spec.isLast(stretch.position) {
        stretch.continuation = .ends
        return stretch
      }
      if spec.step(at: stretch.position).waits { return stretch }
      stretch.nextPosition += 1
      let usec = spec.stepUsec(at: stretch.nextPosition)
      end += usec
      if end > reading || stretch.count == limit {
        stretch.continuation = .runs(deadline: end, durationUsec: usec)
        return stretch
      }
      guard let cycle else { continue }
      var cycles = min((reading - end) / cycle.usec, (limit - stretch.count - 1) / cycle.steps)
      if spec.rounds > 0 {
        let left = spec.rounds * Int64(spec.steps.count) - 1 - stretch.nextPosition
        cycles = min(cycles, left / cycle.steps)
      }
      stretch.count += cycles * cycle.steps
      stretch.nextPosition += cycles * cycle.steps
      end += cycles * cycle.usec
    }
  }

  /// How many of the first expiries `isTrue` holds for. It must not hold for any after one for
  /// which it does not. O(log expiries) calls.
  func count(while isTrue: (Stretch) -> Bool) -> Int64 {
    var (low, high) = (Int64(0), all.count)
    while low < high {
      let middle = low + (high - low) / 2
      if isTrue(upTo(middle + 1)) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
