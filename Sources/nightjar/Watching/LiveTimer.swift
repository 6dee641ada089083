import NightjarClient
import NightjarTime

/// A timer on the screen, with present values that are computed from the daemon's last report. They
/// are computed from the deadline, so that every client shows the same.
struct LiveTimer: Equatable {
  /// The precision of the display.
  enum Resolution: Equatable {
    /// Whole seconds.
    case seconds
    /// Tenths of a second under a minute, and for a stopwatch; else whole seconds.
    case tenths

    static let tenthUsec: Int64 = 100_000
    /// Below this remaining time, tenths are shown.
    static let tenthsBelowUsec: Int64 = 60_000_000
  }

  private static let secondUsec: Int64 = 1_000_000

  /// The timer, as the daemon reported it.
  let timer: NightjarTimer
  /// The clocks at that report.
  private let said: ClockReading

  init(_ timer: NightjarTimer, said: ClockReading) {
    self.timer = timer
    self.said = said
  }

  var isStopwatch: Bool { timer.kind == .stopwatch }
  private var isCounting: Bool { timer.state == .running && !timer.isAway }

  /// The remaining time, in microseconds; not below zero.
  func remainingUsec(at now: ClockReading) -> Int64 {
    guard isCounting, !isStopwatch else { return max(0, timer.remainingUsec) }
    if let deadlineUsec = timer.deadlineBoottimeUsec {
      return max(0, deadlineUsec - now.boottimeUsec)
    }
    if timer.clock == .wall, let deadlineUsec = timer.deadlineUsec {
      return max(0, deadlineUsec - now.realtimeUsec)
    }
    return max(0, timer.remainingUsec - (now.monotonicUsec - said.monotonicUsec))
  }

  /// The elapsed time of a stopwatch, in microseconds.
  func elapsedUsec(at now: ClockReading) -> Int64 {
    guard isCounting else { return timer.elapsedUsec }
    let passed =
      timer.clock == .awake || timer.clock == .present
      ? now.monotonicUsec - said.monotonicUsec : now.boottimeUsec - said.boottimeUsec
    return timer.elapsedUsec + passed
  }

  /// The time since it rang, in microseconds; nil: it did not ring.
  func firedAgoUsec(at now: ClockReading) -> Int64? {
    timer.firedAgoUsec.map { $0 + max(0, now.boottimeUsec - said.boottimeUsec) }
  }

  /// The present band: the last that has begun.
  func band(at now: ClockReading) -> Band? {
    guard isCounting, !timer.bands.isEmpty else { return timer.band }
    let left = remainingUsec(at: now)
    return timer.bands.last { $0.remaining.usec >= left }
  }

  /// From 0 to 1; within the progress range of its band, if the band has one.
  func progress(at now: ClockReading) -> Double {
    guard isCounting, !isStopwatch else { return timer.progress }
    let left = remainingUsec(at: now)
    guard let index = timer.bands.lastIndex(where: { $0.remaining.usec >= left }),
      let range = timer.bands[index].progress
    else {
      guard timer.durationUsec > 0 else { return left == 0 ? 1 : timer.progress }
      return min(1, max(0, 1 - Double(left) / Double(timer.durationUsec)))
    }
    let from = min(timer.bands[index].remaining.usec, max(timer.durationUsec, left))
    let to = index + 1 < timer.bands.count ? timer.bands[index + 1].remaining.usec : 0
    let part = from > to ? Double(from - left) / Double(from - to) : 1
    return range.from + (range.to - range.from) * min(1, max(0, part))
  }

  /// The same from 0 to 100, rounded down, with a tolerance for the last bit of a double.
  func percent(at now: ClockReading) -> Int {
    Int((min(1, max(0, progress(at: now))) * 100 + 0.000_001).rounded(.down))
  }

  /// `03:12`, `00:42.3`, `31 d 2 h`; for a stopwatch its elapsed time.
  func clock(at now: ClockReading, in resolution: Resolution) -> String {
    if isStopwatch {
      let usec = max(0, elapsedUsec(at: now))
      if let days = SpanFormat.days(usec: usec) { return days }
      let seconds = SpanFormat.clock(remainingUsec: usec / Self.secondUsec * Self.secondUsec)
      guard resolution == .tenths else { return seconds }
      return "\(seconds).\(usec / Resolution.tenthUsec % 10)"
    }
    let left = remainingUsec(at: now)
    guard resolution == .tenths, left > 0, left <= Resolution.tenthsBelowUsec else {
      return SpanFormat.countdown(remainingUsec: left)
    }
    // Rounded up, as whole seconds are: 00:00.0 means that no time is left.
    let tenths = (left - 1) / Resolution.tenthUsec + 1
    let seconds = SpanFormat.clock(remainingUsec: tenths / 10 * Self.secondUsec)
    return "\(seconds).\(tenths % 10)"
  }

  /// The time until the display changes, in microseconds; nil: until an event.
  func nextChangeUsec(after now: ClockReading, in resolution: Resolution) -> Int64? {
    if let ago = firedAgoUsec(at: now), timer.state != .running { return Self.agoChange(ago) }
    guard isCounting else { return nil }
    if isStopwatch {
      let step = resolution == .tenths ? Resolution.tenthUsec : Self.secondUsec
      return step - max(0, elapsedUsec(at: now)) % step
    }
    let left = remainingUsec(at: now)
    guard left > 0 else { return nil }
    let isFine = resolution == .tenths && left <= Resolution.tenthsBelowUsec
    let step = isFine ? Resolution.tenthUsec : Self.secondUsec
    let digits = (left - 1) % step + 1
    // A band begins when exactly its time is left.
    let band = timer.bands.lazy.map { left - $0.remaining.usec }.filter { $0 > 0 }.min()
    return min(digits, band ?? digits)
  }

  /// `3 min ago` is valid for a minute.
  private static func agoChange(_ usec: Int64) -> Int64 {
    let minute = 60 * secondUsec
    let step = usec < minute ? secondUsec : usec < 60 * minute ? minute : 60 * minute
    return step - usec % step
  }
}
