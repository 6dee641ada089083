import NightjarClient
import NightjarTime

/// A timer on the screen. Its present values are computed from the daemon's last report, and from
/// the deadline in it, so that all clients show the same values.
struct LiveTimer {
  /// The precision of the displayed time.
  enum Resolution: Equatable {
    case seconds
    /// The time is shown in tenths of a second under a minute, and for a stopwatch; otherwise in
    /// whole seconds.
    case tenths

    static let tenthUsec: Int64 = 100_000
    /// The remaining time below which tenths are shown, in microseconds.
    static let tenthsBelowUsec: Int64 = 60_000_000
  }

  private static let secondUsec: Int64 = 1_000_000

  var timer: Wire.Timer { report.timer }
  private let report: Report
  /// The readings of the clocks when the daemon's report arrived.
  private let asOf: ClockReading

  init(_ timer: Wire.Timer, asOf: ClockReading) {
    report = Report(timer)
    self.asOf = asOf
  }

  /// The large value of a timer, in an object that all copies of a `LiveTimer` share.
  private final class Report {
    let timer: Wire.Timer
    init(_ timer: Wire.Timer) { self.timer = timer }
  }

  var isStopwatch: Bool { timer.kind == .stopwatch }
  private var isCounting: Bool { timer.state == .running && !timer.away }

  /// The remaining time, in microseconds. It is not negative.
  func remainingUsec(at now: ClockReading) -> Int64 {
    guard isCounting, !isStopwatch else { return max(0, timer.remainingUsec) }
    if let deadlineUsec = timer.deadlineBoottimeUsec {
      return max(0, deadlineUsec - now.boottimeUsec)
    }
    if timer.clock == .wall, let deadlineUsec = timer.deadlineUsec {
      return max(0, deadlineUsec - now.realtimeUsec)
    }
    return max(0, timer.remainingUsec - (now.monotonicUsec - asOf.monotonicUsec))
  }

  /// The elapsed time of a stopwatch, in microseconds.
  func elapsedUsec(at now: ClockReading) -> Int64 {
    guard isCounting else { return timer.elapsedUsec }
    let passed =
      timer.clock == .awake || timer.clock == .present
      ? now.monotonicUsec - asOf.monotonicUsec : now.boottimeUsec - asOf.boottimeUsec
    return timer.elapsedUsec + passed
  }

  /// The time since the timer rang, in microseconds; nil: the timer did not ring.
  func firedAgoUsec(at now: ClockReading) -> Int64? {
    timer.firedAgoUsec.map { $0 + max(0, now.boottimeUsec - asOf.boottimeUsec) }
  }

  /// The present band of the timer, which is the last one that has begun; nil: none has begun.
  func band(at now: ClockReading) -> Wire.Band? {
    guard isCounting, !timer.bands.isEmpty else { return timer.band }
    let left = remainingUsec(at: now)
    return timer.bands.last { $0.remainingUsec >= left }
  }

  /// The progress from 0 to 1. If the timer's band has a range of progress, the progress is within
  /// that range.
  func progress(at now: ClockReading) -> Double {
    guard isCounting, !isStopwatch else { return timer.progress }
    let left = remainingUsec(at: now)
    guard let index = timer.bands.lastIndex(where: { $0.remainingUsec >= left }),
      let range = timer.bands[index].progress
    else {
      guard timer.durationUsec > 0 else { return left == 0 ? 1 : timer.progress }
      return min(1, max(0, 1 - Double(left) / Double(timer.durationUsec)))
    }
    let from = min(timer.bands[index].remainingUsec, max(timer.durationUsec, left))
    let to = index + 1 < timer.bands.count ? timer.bands[index + 1].remainingUsec : 0
    let part = from > to ? Double(from - left) / Double(from - to) : 1
    return range.from + (range.to - range.from) * min(1, max(0, part))
  }

  /// The progress in percent, rounded down. The small addition compensates the error of a binary
  /// fraction.
  func percent(at now: ClockReading) -> Int {
    Int((min(1, max(0, progress(at: now))) * 100 + 0.000_001).rounded(.down))
  }

  /// The time as text, such as `03:12`, `00:42.3` or `31 d 2 h`. It is the remaining time, or the
  /// elapsed time of a stopwatch.
  func clock(at now: ClockReading, in resolution: Resolution) -> String {
    if isStopwatch {
      let usec = max(0, elapsedUsec(at: now))
      if let days = SpanFormat.days(usec: usec) { return days }
      let seconds = SpanFormat.clock(remainingUsec: usec / Self.secondUsec * Self.secondUsec)
      guard resolution == .tenths else { return seconds }
      return "\(seconds).\(usec / Resolution.tenthUsec % 10)"
    }
    // A timer that rings is at its end until somebody answers. A sequence is in its next step.
    let left = timer.ringsAndContinues && timer.step == nil ? 0 : remainingUsec(at: now)
    guard resolution == .tenths, left > 0, left <= Resolution.tenthsBelowUsec else {
      return SpanFormat.countdown(remainingUsec: left)
    }
    // Tenths are rounded up, as whole seconds are, so `00:00.0` means that no time is left.
    let tenths = (left - 1) / Resolution.tenthUsec + 1
    let seconds = SpanFormat.clock(remainingUsec: tenths / 10 * Self.secondUsec)
    return "\(seconds).\(tenths % 10)"
  }

  /// The time until the displayed values change, in microseconds; nil: they change only after an
  /// event.
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
    // A band begins when the remaining time is exactly the band's time.
    let band = timer.bands.lazy.map { left - $0.remainingUsec }.filter { $0 > 0 }.min()
    return min(digits, band ?? digits)
  }

  /// The time until a text such as `3 min ago` changes. It is the next second, minute or hour.
  private static func agoChange(_ usec: Int64) -> Int64 {
    let minute = 60 * secondUsec
    let step = usec < minute ? secondUsec : usec < 60 * minute ? minute : 60 * minute
    return step - usec % step
  }
}
