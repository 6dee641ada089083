import NightjarClient

/// What a timer shows: its ring first, then when it rings next. All that shows timers asks here.
extension Wire.Timer {
  var isSnoozed: Bool { ringing == .snoozed }

  /// Whether the ring sounds, or its sound has ended without an answer.
  var hasRung: Bool { ringing == .ringing || ringing == .unanswered }

  /// Whether the ring is all that the timer shows: it sounds, or the timer is over.
  var showsRing: Bool { ringing == .ringing || ringing == .unanswered && state == .over }

  /// The word for what the timer shows, of its ring or else of its state.
  var shownWord: String { ringing?.rawValue ?? state.rawValue }

  /// When the timer rings next, on CLOCK_REALTIME: at the end of its snooze or else at its
  /// deadline. What expires before the end of a snooze joins the ring in silence.
  var nextRingUsec: Int64? { isSnoozed ? openRing?.untilUsec : deadlineUsec }

  /// When the timer rings for its schedule, on CLOCK_REALTIME: at its deadline, or at the end of
  /// the snooze that the expiry joins.
  var scheduledRingUsec: Int64? {
    deadlineUsec.map { isSnoozed ? max($0, openRing?.untilUsec ?? $0) : $0 }
  }

  /// The time that remains, in microseconds. If the timer is over, it is the rest of its snooze.
  var leftUsec: Int64 { state == .over && isSnoozed ? openRing?.leftUsec ?? 0 : remainingUsec }

  /// Whether the schedule continues: the timer runs, is paused or waits.
  var isActive: Bool { state == .running || state == .paused || state == .waiting }
}

/// The order in which timers are shown.
enum TimerOrder {
  /// The sort key of a timer. Timers that ring come first, then timers with an unanswered ring,
  /// each with the newest at the top. Next are timers in the order of their next rings, and then in
  /// the order of their remaining times. The key stays the same until the daemon reports a change
  /// of the timer.
  struct Key: Comparable {
    private var rank: Int
    private var key: Int64
    let name: String

    init(_ timer: Wire.Timer) {
      self.init(next: timer)
      guard timer.hasRung else { return }
      (rank, key) = (timer.ringing == .ringing ? 0 : 1, -(timer.openRing?.rangUsec ?? 0))
    }

    /// The key by what rings next, for a timer whose ring is not shown.
    init(next timer: Wire.Timer) {
      name = timer.name
      switch timer.state {
      case _ where timer.isSnoozed: (rank, key) = (2, timer.nextRingUsec ?? 0)
      case .running where timer.kind != .stopwatch: (rank, key) = (2, timer.deadlineUsec ?? 0)
      case .paused where timer.kind != .stopwatch: (rank, key) = (3, timer.remainingUsec)
      case .waiting: (rank, key) = (3, 0)
      case .running, .paused: (rank, key) = (4, timer.remainingUsec)
      case .over, .cancelled: (rank, key) = (5, timer.remainingUsec)
      case .other: (rank, key) = (6, timer.remainingUsec)
      }
    }

    static func < (left: Key, right: Key) -> Bool {
      if left.rank != right.rank { return left.rank < right.rank }
      return left.key == right.key ? left.name < right.name : left.key < right.key
    }
  }

  static func isBefore(_ left: Wire.Timer, _ right: Wire.Timer) -> Bool {
    Key(left) < Key(right)
  }
}
