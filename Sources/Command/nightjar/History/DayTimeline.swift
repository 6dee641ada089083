/// A map from readings of a counter to days. It splits counted time by day.
struct DayTimeline {
  private struct Mark {
    var fromUsec: Int64
    var day: Int?
  }

  private let days: LocalDays
  /// The readings at which another day begins, in order. The first mark is also used for all
  /// earlier readings.
  private var marks: [Mark] = []
  private var last: (usec: Int64, wallUsec: Int64)?

  init(days: LocalDays) {
    self.days = days
  }

  /// Records that the wall clock showed `wallUsec` at the counter's reading `fromUsec`. After that
  /// reading, the clock and the counter advance at the same rate. If `fromUsec` is lower than an
  /// earlier reading, the counter is treated as stopped. O(midnights since the last record).
  mutating func extend(from fromUsec: Int64, atWallUsec wallUsec: Int64) {
    let usec = max(fromUsec, last?.usec ?? fromUsec)
    markDays(until: usec)
    last = (usec, wallUsec)
    mark(days.stretch(at: wallUsec).day, from: usec)
  }

  /// Marks each midnight between the last record and a reading.
  private mutating func markDays(until usec: Int64) {
    guard let last else { return }
    var stretch = days.stretch(at: last.wallUsec)
    let end = LocalDays.always.upperBound
    while stretch.untilUsec < end, stretch.untilUsec - last.wallUsec < usec - last.usec {
      let midnight = last.usec + (stretch.untilUsec - last.wallUsec)
      stretch = days.stretch(at: stretch.untilUsec)
      mark(stretch.day, from: midnight)
    }
  }

  private mutating func mark(_ day: Int?, from usec: Int64) {
    if marks.last?.fromUsec == usec { marks.removeLast() }
    if marks.isEmpty || marks.last?.day != day { marks.append(Mark(fromUsec: usec, day: day)) }
  }

  /// Calls `body` for each day, with the part of a stretch of the counter that belongs to the day.
  /// Days outside the range of `days` are left out. O(log marks + marks in the stretch).
  func forEachShare(of stretch: Range<Int64>, _ body: (_ day: Int, _ usec: Int64) -> Void) {
    guard !marks.isEmpty else { return }
    var index = lastMark(at: stretch.lowerBound)
    var from = stretch.lowerBound
    while from < stretch.upperBound {
      let isLast = index + 1 == marks.count
      let until = isLast ? stretch.upperBound : min(marks[index + 1].fromUsec, stretch.upperBound)
      if let day = marks[index].day, until > from { body(day, until - from) }
      from = max(from, until)
      index += 1
    }
  }

  private func lastMark(at counterUsec: Int64) -> Int {
    var (low, high) = (0, marks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle].fromUsec <= counterUsec { low = middle } else { high = middle }
    }
    return low
  }
}
