/// A line of the result: what is measured, in which unit, beside what, and the floor that Nightjar
/// must reach.
struct Row: Sendable {
  enum Unit {
    case perSecond
    case nanoseconds
    case bytes
    case count
  }

  enum Floor {
    /// At least this ratio: for rates, Nightjar's figure divided by the peer's; for other units,
    /// the peer's figure divided by Nightjar's.
    case timesAsGood(Double)
    /// At most this ratio: Nightjar's figure divided by the peer's.
    case atMostTimes(Double)
    /// Nightjar's figure is at most this.
    case atMost(Double)
  }

  let work: String
  let unit: Unit
  var peer: String?
  var floor: Floor?

  init(_ work: String, _ unit: Unit, beside peer: String? = nil, _ floor: Floor? = nil) {
    (self.work, self.unit, self.peer, self.floor) = (work, unit, peer, floor)
  }
}

/// All rows, in the order in which they are measured.
extension Row {
  static let get50 = Row("Get, 50 × 1", .perSecond, beside: "redis", .timesAsGood(0.8))
  static let get1 = Row("Get, 1 × 16", .perSecond, beside: "redis", .timesAsGood(0.8))
  static let start = Row("Start, durable, 50 × 1", .perSecond, beside: "redis", .timesAsGood(1))

  static let queueInsert = Row("queue: insert", .nanoseconds, beside: "libev", .timesAsGood(1))
  static let queueMove = Row(
    "queue: cancel and insert", .nanoseconds, beside: "libev", .timesAsGood(1))
  static let queueExpire = Row("queue: expire", .nanoseconds, beside: "libev", .timesAsGood(1))

  static let leaveSpan = Row("leave a span with all, none due", .nanoseconds, .atMost(100_000))
  static let longestStart = Row("the slowest of 100,000 starts", .nanoseconds, .atMost(25e6))
  static let lateness = Row(
    "lateness p99 of 10,000, 1 ms apart, beside 50 that start", .nanoseconds, beside: "timerfd",
    .atMostTimes(1.5))

  static let startUp = Row(
    "start-up with all, until READY", .nanoseconds, beside: "redis", .timesAsGood(1))
  static let memory = Row("memory for each", .bytes, beside: "redis", .atMost(350))
  static let idleMemory = Row("idle daemon: memory", .bytes, .atMost(8e6))
  static let idleWakeups = Row("idle daemon: wake-ups in a minute", .count, .atMost(0))

  static let shellStart = Row(
    "one nightjar start from a shell", .nanoseconds, beside: "systemd-run", .atMostTimes(1.1))
  static let shellRemaining = Row(
    "one nightjar remaining from a shell", .nanoseconds, beside: "systemd-run", .atMostTimes(0.8))

  // What programs beside the daemon cost with one running timer: private memory, and in a minute
  // wake-ups and processor time.
  static let tray = waiting("tray")
  static let openTray = waiting("tray, its menu open")
  static let bridge = waiting("bridge")

  private static func waiting(_ program: String) -> [Row] {
    [
      Row("\(program): private memory", .bytes), Row("\(program): wake-ups in a minute", .count),
      Row("\(program): processor time in a minute", .nanoseconds),
    ]
  }
}
