import NightjarClient

/// The order in which timers are shown.
enum TimerOrder {
  /// The sort key: fired timers first, the latest at the top; then by the next ring; then by the
  /// least remaining time. It stays the same until the daemon reports a change of the timer.
  struct Key: Comparable {
    let rank: Int
    let key: Int64
    let name: String

    init(_ timer: NightjarTimer) {
      (rank, key, name) = (TimerOrder.rank(timer), TimerOrder.key(timer), timer.name)
    }

    /// It has expired, and the user has not dismissed it.
    var isRung: Bool { rank == 0 }

    static func < (left: Key, right: Key) -> Bool {
      if left.rank != right.rank { return left.rank < right.rank }
      return left.key == right.key ? left.name < right.name : left.key < right.key
    }
  }

  /// The order of the keys.
  static func isBefore(_ left: NightjarTimer, _ right: NightjarTimer) -> Bool {
    Key(left) < Key(right)
  }

  private static func rank(_ timer: NightjarTimer) -> Int {
    switch timer.state {
    // It expired without a ring, and only waits to be removed.
    case .fired where timer.isSkipped: 4
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

extension NightjarTimer {
  /// It rang, or a step of it is over, and the user has not responded. This includes a repeating
  /// timer while it rings, and excludes one that expired without a ring.
  var isRung: Bool {
    switch state {
    case .waiting: true
    case .fired: !isSkipped
    case .running: TerminalRing.isRinging(self) && !isUnanswered
    case .paused, .cancelled, .other: false
    }
  }

  /// It rings, until the user responds or the ring ends.
  var ringsNow: Bool { isRung && !isUnanswered }
}
