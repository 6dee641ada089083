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
  /// The first part of a name such as `job/build`, with the stroke; nil: the name has one part.
  var group: Substring? {
    timer.name.firstIndex(of: "/").map { timer.name[...$0] }
  }
  private var isCounting: Bool { timer.state == .running && !timer.away }

  /// The remaining time, in microseconds; of a timer that is over, the rest of its snooze. It is
  /// not negative.
  func remainingUsec(at now: ClockReading) -> Int64 {
    if timer.state == .over, let left = snoozeLeftUsec(at: now) { return left }
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

  /// The time since the ring sounded last, in microseconds; nil: no ring is open.
  func rangAgoUsec(at now: ClockReading) -> Int64? {
    timer.openRing.map { $0.agoUsec + max(0, now.boottimeUsec - asOf.boottimeUsec) }
  }

  /// How long the open ring has been quiet, in microseconds; nil: it sounds or is snoozed.
  func quietUsec(at now: ClockReading) -> Int64? {
    timer.openRing?.quietUsec.map { $0 + max(0, now.boottimeUsec - asOf.boottimeUsec) }
  }

  /// The rest of the snooze, in microseconds; nil: the ring is not snoozed.
  func snoozeLeftUsec(at now: ClockReading) -> Int64? {
    guard timer.isSnoozed, let left = timer.openRing?.leftUsec else { return nil }
    return max(0, left - max(0, now.boottimeUsec - asOf.boottimeUsec))
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

  /// The time until the timer rings next as text, such as `03:12`, `00:42.3` or `31 d 2 h`. For a
  /// stopwatch it is the elapsed time.
  func clock(at now: ClockReading, in resolution: Resolution) -> String {
    if isStopwatch {
      let usec = max(0, elapsedUsec(at: now))
      if let days = SpanFormat.days(usec: usec) { return days }
      let seconds = SpanFormat.clock(remainingUsec: usec / Self.secondUsec * Self.secondUsec)
      guard resolution == .tenths else { return seconds }
      return "\(seconds).\(usec / Resolution.tenthUsec % 10)"
    }
    // A timer that rings is at its end until a user answers.
    let left = timer.showsRing ? 0 : snoozeLeftUsec(at: now) ?? remainingUsec(at: now)
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
    if timer.showsRing, let ago = rangAgoUsec(at: now) {
      return Self.secondUsec - ago % Self.secondUsec
    }
    if let left = snoozeLeftUsec(at: now) { return Self.digitsChange(left, in: resolution) }
    guard isCounting else { return nil }
    if isStopwatch {
      let step = resolution == .tenths ? Resolution.tenthUsec : Self.secondUsec
      return step - max(0, elapsedUsec(at: now)) % step
    }
    let left = remainingUsec(at: now)
    guard let digits = Self.digitsChange(left, in: resolution) else { return nil }
    // A band begins when the remaining time is exactly the band's time.
    let band = timer.bands.lazy.map { left - $0.remainingUsec }.filter { $0 > 0 }.min()
    return min(digits, band ?? digits)
  }

  private static func digitsChange(_ left: Int64, in resolution: Resolution) -> Int64? {
    guard left > 0 else { return nil }
    let isFine = resolution == .tenths && left <= Resolution.tenthsBelowUsec
    return (left - 1) % (isFine ? Resolution.tenthUsec : secondUsec) + 1
  }
}
