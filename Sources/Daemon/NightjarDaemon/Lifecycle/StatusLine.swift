internal import NightjarEngine
internal import NightjarInterface
internal import NightjarLedger
internal import NightjarModel
internal import NightjarSystem
internal import NightjarTime

/// Sends the status line that `systemctl --user status` shows. Also logs background spans, clock
/// changes and rings, with their figures in structured fields.
final class StatusLine: NotificationObserver {
  /// The shortest time between two status lines, in microseconds. Under load, a line for each
  /// change would cost too much.
  private static let shortestUsec: Int64 = 1_000_000
  /// The most rings within a second that get log lines of their own.
  private static let linesAtOnce = 20

  private let core: TimerCore
  private let clock: LoopClock
  private var timer: TimerSource?
  private var lastSentUsec = Int64.min / 2
  private let pages = ReadOnlyPages()
  private var isDue = false
  /// The current second of the log: when it began on CLOCK_MONOTONIC, and how many rings got a
  /// line in it.
  private var logged = (sinceUsec: Int64.min / 2, count: 0)
  /// The number of rings that got no line of their own since the last status line. The next
  /// status line logs this number.
  private var unlogged = 0

  init(loop: EventLoop, core: TimerCore, clock: LoopClock) throws(SystemError) {
    self.core = core
    self.clock = clock
    timer = try loop.timer(on: .monotonic, priority: 10) { [unowned self] in send() }
    core.bus.register(self)
  }

  func observe(_ notification: Notification, at moment: Moment) {
    switch notification {
    case .didEnterBackground(let span), .absenceBegan(let span):
      Log.write(
        .info, "time is hidden: \(Self.names(span.causes))",
        [Self.event(.didEnterBackground), ("NIGHTJAR_SPAN", "\(span.id)")])
    case .willEnterForeground(let span), .absenceEnded(let span):
      let length = SpanFormat.said(usec: span.elapsedUsec)
      Log.write(
        .info, "time is seen again, \(length) later: \(Self.names(span.causes))",
        [
          Self.event(.willEnterForeground), ("NIGHTJAR_SPAN", "\(span.id)"),
          ("NIGHTJAR_CAUSE", Self.names(span.causes)),
          ("NIGHTJAR_ELAPSED_USEC", "\(span.elapsedUsec)"),
        ])
      isDue = true
    case .spansCorrected(let corrections):
      for correction in corrections {
        Log.write(
          .notice,
          "the clock is synchronised: span \(correction.span.id) is corrected by "
            + "\(correction.byUsec) µs",
          [Self.event(.spanCorrected), ("NIGHTJAR_SPAN", "\(correction.span.id)")])
      }
    case .clockStepped(let by):
      Log.write(
        .notice, "the wall clock was set by \(by) µs",
        [Self.event(.clockStepped), ("NIGHTJAR_OFFSET_USEC", "\(by)")])
    case .committed(let events, _):
      logRings(events)
      if !events.isEmpty { isDue = true }
    case .zoneChanged(let name):
      Log.write(
        .notice, "the time zone is \(name.isEmpty ? "another" : name) now, or has other rules",
        [Self.event(.zoneChanged)])
    case .spanExtended, .presenceChanged, .synchronizationChanged, .recorded, .actionsCalled,
      .commitFailed:
      break
    }
  }

  /// The log field `NIGHTJAR_EVENT` for a line: the name of the event in the interface.
  private static func event(_ type: Wire.EventType) -> (StaticString, String) {
    ("NIGHTJAR_EVENT", type.rawValue)
  }

  private static func names(_ causes: [Cause]) -> String {
    causes.map { "\($0.name)" }.joined(separator: ", ")
  }

  /// Logs a line for each of the first rings within a second, and the number of the others.
  private func logRings(_ events: [Event]) {
    let now = clock.now.monotonicUsec
    if now - logged.sinceUsec > Self.shortestUsec { logged = (now, 0) }
    for event in events where event.isHeard {
      if logged.count < Self.linesAtOnce {
        log(event)
        logged.count += 1
      } else {
        unlogged += 1
      }
    }
  }

  private func log(_ event: Event) {
    guard let late = event.sounding?.late, let subject = event.subject else { return }
    let said = late.cause.map { ", \(SpanFormat.said(usec: late.usec)) late (\($0.name))" } ?? ""
    let missed = event.kind.expiry?.passing.missed ?? 0
    let also = missed > 0 ? ", and stands for \(missed) more" : ""
    Log.write(
      .info, "\(subject.name) \(event.typeName)\(said)\(also)",
      [
        ("NIGHTJAR_EVENT", "\(event.typeName)"), ("NIGHTJAR_TIMER", subject.name),
        ("NIGHTJAR_SEQ", "\(event.seq)"), ("NIGHTJAR_LATE_USEC", "\(late.usec)"),
      ])
  }

  /// Requests a status line at the end of this iteration, because sending it also returns memory to
  /// the kernel.
  func sendSoon() { isDue = true }

  /// Arms the timer for a status line that was requested. The daemon calls this at the end of each
  /// loop iteration.
  func iterationEnded() {
    guard isDue else { return }
    isDue = false
    timer?.arm(atUsec: max(clock.now.monotonicUsec, lastSentUsec + Self.shortestUsec))
  }

  /// Logs how many rings got no line of their own since the last status line.
  func logRest() {
    if unlogged > 0 { Log.write(.info, "\(unlogged) more rang") }
    unlogged = 0
  }

  func send() {
    lastSentUsec = clock.now.monotonicUsec
    logRest()
    let engine = core.engine
    let running = engine.counts[Int(TimerState.running.rawValue)]
    let paused = engine.counts[Int(TimerState.paused.rawValue)]
    var text = "\(running) running"
    if paused > 0 { text += ", \(paused) paused" }
    let rings = engine.ringCounts
    if rings.ringing > 0 { text += ", \(rings.ringing) ringing" }
    if rings.unanswered > 0 { text += ", \(rings.unanswered) unanswered" }
    if let next = engine.next(at: clock.now) {
      let length = SpanFormat.said(usec: max(0, next.realtimeUsec - clock.now.realtimeUsec))
      text += "; next is \(engine.name(at: next.slot)), in \(length) from this line"
    }
    if let failure = core.journal.failure { text += "; STORAGE FAILED: \(failure)" }
    ServiceManager.notify("STATUS=\(text)")
    // The status line is sent when activity has settled, so the memory that the activity needed can
    // now be returned to the kernel.
    pages.release()
  }
}
