/// On which day a counter stood where: what comes of time that was counted, day by day.
///
/// The days may go back, when the wall clock is set; where the counter does, what was marked beyond it
/// goes when the day is looked at anew.
struct DayTape {
  private struct Mark {
    var fromUsec: Int64
    var day: Int?
  }

  /// In order. The first is for everything before it, too.
  private var marks: [Mark]

  /// - Parameter day: in days since 1970-01-01; nil for time that is of no interest.
  init(day: Int?, from counterUsec: Int64) {
    marks = [Mark(fromUsec: counterUsec, day: day)]
  }

  /// From a reading of the counter on it is another day; what was said of readings behind that is
  /// forgotten. O(1) amortised.
  mutating func begin(_ day: Int?, from counterUsec: Int64) {
    while marks.count > 1, let last = marks.last, last.fromUsec >= counterUsec {
      marks.removeLast()
    }
    if let last = marks.last, last.fromUsec >= counterUsec {
      marks[0].day = day
    } else if marks.last?.day != day {
      marks.append(Mark(fromUsec: counterUsec, day: day))
    }
  }

  /// Hands out how much of a stretch of the counter fell on which day. What is of no interest is left
  /// out. O(log marks + marks in the stretch).
  func forEachShare(of stretch: Range<Int64>, _ body: (_ day: Int, _ usec: Int64) -> Void) {
    var index = lastMark(at: stretch.lowerBound)
    var from = stretch.lowerBound
    while from < stretch.upperBound {
      let isLast = index + 1 == marks.count
      let until = isLast ? stretch.upperBound : min(marks[index + 1].fromUsec, stretch.upperBound)
      if let day = marks[index].day, until > from { body(day, until - from) }
      from = until
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
