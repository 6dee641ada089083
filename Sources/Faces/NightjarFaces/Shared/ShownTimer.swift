internal import Glibc
internal import NightjarClient
internal import NightjarInterface
internal import NightjarModel
internal import NightjarTime
internal import Varlink

/// A timer as faces show it. Its present values are computed from the daemon's last report, and
/// from the deadline in it.
struct ShownTimer: Equatable {
  let timer: Wire.Timer
  /// The clocks when the report arrived.
  let asOf: Moment

  var name: String { timer.name }
  /// How many characters of a name are shown, so that a menu stays on the screen.
  private static let nameCharacters = 40
  /// The name as text for people. The end of a long one is left out.
  var visibleName: String {
    let text = VisibleText.visible(timer.name)
    return text.count > Self.nameCharacters ? "\(text.prefix(Self.nameCharacters - 1))…" : text
  }
  /// Whether the ring sounds, or its sound has ended without an answer and the timer does nothing
  /// else: one that repeats shows its next ring.
  var hasRung: Bool {
    timer.ringing == .ringing
      || timer.ringing == .unanswered && [.over, .waiting].contains(timer.state)
  }
  var isSnoozed: Bool { timer.ringing == .snoozed }
  var isActive: Bool { [.running, .paused, .waiting].contains(timer.state) }
  /// Whether people care for it: it is active, or its ring is open.
  var isListed: Bool { isActive || timer.ringing != nil }
  /// Whether what it shows changes with time.
  var isCounting: Bool { !hasRung && (isSnoozed || timer.state == .running && !timer.away) }
  private var isStopwatch: Bool { timer.kind == .stopwatch }

  /// The time until it rings next, in microseconds, at least 0; of a stopwatch, the measured time.
  func usec(at now: Moment) -> Int64 {
    if isSnoozed, let left = timer.openRing?.leftUsec {
      return max(0, left - (now.boottimeUsec - asOf.boottimeUsec))
    }
    let awakeUsec = now.monotonicUsec - asOf.monotonicUsec
    let standsInSleep = timer.clock == .awake || timer.clock == .present
    let passed = standsInSleep ? awakeUsec : now.boottimeUsec - asOf.boottimeUsec
    guard isCounting else { return isStopwatch ? timer.elapsedUsec : max(0, timer.remainingUsec) }
    if isStopwatch { return timer.elapsedUsec + passed }
    if let deadline = timer.deadlineBoottimeUsec { return max(0, deadline - now.boottimeUsec) }
    if timer.clock == .wall, let deadline = timer.deadlineUsec {
      return max(0, deadline - now.realtimeUsec)
    }
    return max(0, timer.remainingUsec - passed)
  }

  /// The time that `usec` gives as a countdown, such as `03:12`.
  func clock(at now: Moment) -> String {
    let usec = usec(at: now)
    return SpanFormat.countdown(
      remainingUsec: isStopwatch ? usec / 1_000_000 * 1_000_000 : usec)
  }

  /// The time until `clock` changes, in microseconds; nil: only an event changes it.
  func changeUsec(after now: Moment) -> Int64? {
    guard isCounting else { return nil }
    let usec = usec(at: now)
    if isStopwatch { return 1_000_000 - usec % 1_000_000 }
    return usec > 0 ? (usec - 1) % 1_000_000 + 1 : nil
  }

  /// What the timer does, without its name and without seconds that pass, such as `rings at 14:32`.
  var saying: String {
    switch timer.state {
    case _ where hasRung:
      return timer.openRing.map { "rang at \(Self.time($0.rangUsec, asOf.realtimeUsec))" } ?? "rang"
    case _ where isSnoozed:
      return timer.openRing?.untilUsec.map { "snoozed until \(Self.time($0, asOf.realtimeUsec))" }
        ?? "snoozed"
    case .paused: return "paused at \(clock(at: asOf))"
    case .waiting: return "waits for the next step"
    case .running where timer.away: return "waits until you are back"
    case .running where isStopwatch: return "counts up"
    default:
      let rings = timer.deadlineUsec.map { "rings at \(Self.time($0, asOf.realtimeUsec))" }
      return (timer.step.map { "\(VisibleText.visible($0.name)), " } ?? "") + (rings ?? "runs")
    }
  }

  /// The local time of an instant, such as `14:32`; with the date if it is a day or more away.
  private static func time(_ usec: Int64, _ nowUsec: Int64) -> String {
    // localtime_r need not notice that the zone was set.
    tzset()
    var (seconds, local) = (time_t(usec / 1_000_000), tm())
    localtime_r(&seconds, &local)
    var buffer = [CChar](repeating: 0, count: 64)
    let isNear = abs(usec - nowUsec) < 86_400_000_000
    strftime(&buffer, buffer.count, isNear ? "%H:%M" : "%H:%M on %Y-%m-%d", &local)
    return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  /// A line with the name of a timer, which reads from left to right even if the name begins it and
  /// reads from right to left (UAX 9, LEFT-TO-RIGHT MARK).
  static func line(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 0x80 } ? text : "\u{200E}\(text)"
  }

  /// The order in which timers are shown: what rings, what counts down, what stands still, what
  /// counts up.
  static func isBefore(_ left: ShownTimer, _ right: ShownTimer) -> Bool {
    left.key == right.key ? left.name < right.name : left.key < right.key
  }

  private var key: (Int, Int64) {
    if hasRung { return (timer.ringing == .ringing ? 0 : 1, -(timer.openRing?.rangUsec ?? 0)) }
    if isSnoozed { return (2, timer.openRing?.untilUsec ?? 0) }
    if isStopwatch { return (4, timer.startedUsec) }
    return timer.state == .running ? (2, timer.deadlineUsec ?? 0) : (3, timer.remainingUsec)
  }
}
