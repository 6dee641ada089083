internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem
internal import NightjarTime

/// The text and the buttons of a popup about one timer.
struct PopupText {
  enum Trigger {
    case ring(Ring)
    /// The timer has been ringing since before this process started.
    case ringing
    case band(Band)

    var isBand: Bool { if case .band = self { true } else { false } }
  }

  let name: String
  /// The message of the timer; empty: it has none.
  let message: String
  let trigger: Trigger
  let view: TimerView
  let snoozeUsec: Int64
  /// Returns an instant as a local time of day, such as `09:30`.
  let wallTime: (_ usec: Int64) -> String

  /// If a ring is older than this, in microseconds, the popup shows how old it is.
  private static let agoUsec: Int64 = 60_000_000

  func notice(sound: Notice.Sound) -> Notice {
    if case .band(let band) = trigger {
      let left = SpanFormat.text(usec: Self.rounded(view.remainingUsec), units: 2)
      return Notice(
        summary: band.text, body: "\(name): \(left) left.", icon: "appointment-soon",
        category: "x-nightjar.band", isTransient: true)
    }
    return Self.notice(
      message.isEmpty ? name : message, lines: lines, isLate: late != nil, actions: actions,
      sound: sound)
  }

  /// A popup about one ring.
  static func notice(
    _ summary: String, lines: [String], isLate: Bool, actions: [Notice.Action],
    sound: Notice.Sound
  ) -> Notice {
    Notice(
      summary: summary, body: lines.joined(separator: "\n"),
      icon: isLate ? "appointment-missed" : "appointment-soon", actions: actions,
      urgency: .critical, category: "x-nightjar.ring", sound: sound, stays: true)
  }

  /// The line for a ring whose time passed without an answer.
  static let unansweredLine = "Missed: not answered."

  static func snooze(byUsec usec: Int64) -> Notice.Action {
    Notice.Action("snooze", "Snooze \(SpanFormat.text(usec: usec, units: 2))")
  }

  // MARK: Text

  private var lines: [String] {
    [
      message.isEmpty ? nil : name, unanswered, what, late.map { "\(Self.capitalised($0))." },
      missed, ago,
    ]
    .compactMap { $0 }
  }

  /// The line for a ring whose time passed without an answer, or for a second or later ring; nil
  /// for other rings.
  private var unanswered: String? {
    guard !trigger.isBand, let ring = timer.lastRing, !timer.course.wasSilent else { return nil }
    if ring.hasEnded { return Self.unansweredLine }
    return ring.number > 1 ? "Ring \(ring.number): not answered yet." : nil
  }

  private var timer: Timer { view.timer }

  private var ring: Ring? {
    if case .ring(let ring) = trigger { ring } else { nil }
  }

  private var what: String? {
    switch timer.spec.kind {
    case .sequence: return steps
    case .alarm:
      // If the alarm rings late, or again after a snooze, the present time of day is not useful.
      let isOnTime = late == nil && timer.timeline == .wall
      let time = isOnTime ? timer.lastRing.map { "It is \(wallTime($0.firedUsec))." } : nil
      return [time, next].compactMap { $0 }.joined(separator: " ").nonempty
    case .countdown:
      if timer.spec.isRepeating { return next }
      return "After \(SpanFormat.said(usec: timer.runLengthUsec))."
    case .stopwatch: return nil
    }
  }

  /// When a repeating timer rings again; nil: it does not run.
  private var next: String? {
    guard timer.state == .running else { return nil }
    return "Again in \(SpanFormat.text(usec: Self.rounded(view.remainingUsec), units: 2))."
  }

  /// The step that has ended and the step that has begun: `work is over; rest has begun, 5 min.`
  private var steps: String? {
    let (spec, position) = (timer.spec, timer.course.position)
    func length(_ position: Int64) -> String {
      SpanFormat.text(usec: spec.stepUsec(at: position))
    }
    switch timer.state {
    case .running:
      let over = position > 0 ? "\(spec.step(at: position - 1).name) is over; " : ""
      return "\(over)\(spec.step(at: position).name) has begun, \(length(position))."
    case .waiting:
      let next = position + 1
      return "\(spec.step(at: position).name) is over; \(spec.step(at: next).name) waits, "
        + "\(length(next))."
    case .fired: return "\(spec.step(at: position).name) is over, and was the last."
    case .paused, .cancelled: return nil
    }
  }

  private var late: String? {
    let (usec, cause) =
      ring.map { ($0.lateUsec, $0.cause) }
      ?? (timer.lastRing?.lateUsec ?? 0, timer.lastRing?.cause)
    return LateText.late(usec: usec, cause: cause.map { "\($0.name)" })
  }

  private var missed: String? {
    guard let missed = ring?.next?.missed, missed > 0 else { return nil }
    let more = timer.spec.kind == .sequence ? "step" : "ring"
    return missed == 1 ? "1 more \(more) was missed." : "\(missed) more \(more)s were missed."
  }

  private var ago: String? {
    guard let agoUsec = view.firedAgoUsec, agoUsec >= Self.agoUsec else { return nil }
    return "Rang \(SpanFormat.text(usec: agoUsec, units: 1)) ago."
  }

  /// A time in microseconds, rounded up to whole seconds. So a time that has just begun is shown in
  /// full.
  private static func rounded(_ usec: Int64) -> Int64 {
    SpanFormat.wholeSeconds(remainingUsec: usec) * 1_000_000
  }

  private static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  // MARK: Buttons

  private func can(_ operation: Operation) -> Bool {
    operation.applies(to: timer.spec)
      && operation.isLegal(in: timer.state, hasRung: timer.lastRing != nil)
  }

  private var actions: [Notice.Action] {
    let state = timer.state
    let snooze =
      can(.snooze) && (state != .running || timer.spec.isRepeating)
      ? [Self.snooze(byUsec: snoozeUsec)] : []
    if state == .waiting {
      let position = timer.course.position + 1
      let start = "Start \(timer.spec.step(at: position).name)"
      return [.init("default", start), .init("advance", start)] + snooze
    }
    guard can(.dismiss) else { return [] }
    let stop = state == .fired ? "Stop" : "Dismiss"
    // An alarm for a single instant cannot be restarted. A timer that continues by itself gets no
    // Restart button, because the user could press it by mistake.
    let restart =
      state == .fired && (timer.spec.kind != .alarm || timer.spec.schedule != nil)
      ? [Notice.Action("restart", "Restart")] : []
    return [.init("default", stop)] + snooze + restart + [.init("stop", stop)]
  }
}

extension String {
  fileprivate var nonempty: String? { isEmpty ? nil : self }
}
