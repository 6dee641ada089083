import NightjarClient

/// The order in which timers are shown.
enum TimerOrder {
  /// The sort key of a timer. Fired timers come first, the one that fired last at the top. Next are
  /// timers in the order of their next rings, and then in the order of their remaining times. The
  /// key stays the same until the daemon reports a change of the timer.
  struct Key: Comparable {
    let rank: Int
    let key: Int64
    let name: String

    init(_ timer: Wire.Timer) {
      (rank, key, name) = (TimerOrder.rank(timer), TimerOrder.key(timer), timer.name)
    }

    /// Whether the timer has expired, and the user has not dismissed it.
    var hasRung: Bool { rank == 0 }

    static func < (left: Key, right: Key) -> Bool {
      if left.rank != right.rank { return left.rank < right.rank }
      return left.key == right.key ? left.name < right.name : left.key < right.key
    }
  }

  static func isBefore(_ left: Wire.Timer, _ right: Wire.Timer) -> Bool {
    Key(left) < Key(right)
  }

  private static func rank(_ timer: Wire.Timer) -> Int {
    switch timer.state {
    // This timer expired without a ring, and will be removed.
    case .fired where timer.skipped: 4
    case .fired, .waiting: 0
    case .running where timer.hasRung: 0
    case .running: timer.kind == .stopwatch ? 3 : 1
    case .paused: timer.kind == .stopwatch ? 3 : 2
    case .cancelled: 4
    case .other: 5
    }
  }

  private static func key(_ timer: Wire.Timer) -> Int64 {
    switch timer.state {
    case .fired, .waiting: timer.firedUsec.map { -$0 } ?? timer.firedAgoUsec ?? 0
    case .running where timer.hasRung: timer.firedUsec.map { -$0 } ?? 0
    case .running: timer.deadlineUsec ?? 0
    case .paused, .cancelled, .other: timer.remainingUsec
    }
  }
}

extension Wire.Timer {
  /// Whether the timer rang, or a step of it is over, and the user has not responded. This is true
  /// of a repeating timer while it rings, and false for a timer that expired without a ring.
  var hasRung: Bool {
    switch state {
    case .waiting: true
    case .fired: !skipped
    case .running: TerminalRing.isRinging(self) && !unanswered
    case .paused, .cancelled, .other: false
    }
  }

  /// Whether the timer rings, and its next ring is known already.
  var ringsAndContinues: Bool { state == .running && hasRung }

  /// Whether the timer rings at present. A ring ends when the user responds, or after a time.
  var ringsNow: Bool { hasRung && !unanswered }
}
