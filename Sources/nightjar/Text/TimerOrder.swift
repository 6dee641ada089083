import NightjarClient

/// The order in which timers are shown.
enum TimerOrder {
  /// Fired first, the latest at the top; then by what rings next; then by what has least left.
  static func isBefore(_ left: NightjarTimer, _ right: NightjarTimer) -> Bool {
    let (leftRank, rightRank) = (rank(left), rank(right))
    guard leftRank == rightRank else { return leftRank < rightRank }
    let (leftKey, rightKey) = (key(left), key(right))
    return leftKey == rightKey ? left.name < right.name : leftKey < rightKey
  }

  private static func rank(_ timer: NightjarTimer) -> Int {
    switch timer.state {
    case .fired, .waiting: 0
    case .running: timer.kind == .stopwatch ? 3 : 1
    case .paused: timer.kind == .stopwatch ? 3 : 2
    case .cancelled: 4
    case .other: 5
    }
  }

  private static func key(_ timer: NightjarTimer) -> Int64 {
    switch timer.state {
    case .fired, .waiting: timer.firedUsec.map { -$0 } ?? timer.firedAgoUsec ?? 0
    case .running: timer.deadlineUsec ?? 0
    case .paused, .cancelled, .other: timer.remainingUsec
    }
  }
}
