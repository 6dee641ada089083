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
    let (record, number) = (view.record, view.record.ringNumber)
    guard !trigger.isBand, view.detail?.wasSkipped != true else { return nil }
    if record.isRingOver { return Self.unansweredLine }
    return number > 1 ? "Ring \(number): not answered yet." : nil
  }

  private var ring: Ring? {
    if case .ring(let ring) = trigger { ring } else { nil }
  }

  private var what: String? {
    switch view.spec.kind {
    case .sequence: return steps
    case .alarm:
      // If the alarm rings late, or again after a snooze, the present time of day is not useful.
      let isOnTime = late == nil && view.record.timeline == .wall
      let time = isOnTime ? "It is \(wallTime(view.record.firedUsec))." : nil
      return [time, next].compactMap { $0 }.joined(separator: " ").nonempty
    case .countdown:
      if view.spec.isRepeating { return next }
      return "After \(SpanFormat.said(usec: view.record.durationUsec))."
    case .stopwatch: return nil
    }
  }

  /// When a repeating timer rings again; nil: it does not run.
  private var next: String? {
    guard view.record.state == .running else { return nil }
    return "Again in \(SpanFormat.text(usec: Self.rounded(view.remainingUsec), units: 2))."
  }

  /// The step that has ended and the step that has begun: `work is over; rest has begun, 5 min.`
  private var steps: String? {
    guard let detail = view.detail else { return nil }
    let (spec, position) = (view.spec, Int64(detail.position))
    func length(_ position: Int64) -> String {
      SpanFormat.text(usec: spec.stepUsec(at: position))
    }
    switch view.record.state {
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
    guard let ring else {
      return LateText.late(
        usec: view.record.remainingOrLateUsec, cause: view.record.lateCause.map { "\($0.name)" })
    }
    return LateText.late(usec: ring.lateUsec, cause: ring.cause.map { "\($0.name)" })
  }

  private var missed: String? {
    guard let missed = ring?.next?.missed, missed > 0 else { return nil }
    let more = view.spec.kind == .sequence ? "step" : "ring"
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
    operation.applies(to: view.spec)
      && operation.isLegal(in: view.record.state, hasRung: view.record.firedUsec != 0)
  }

  private var actions: [Notice.Action] {
    let state = view.record.state
    let snooze =
      can(.snooze) && (state != .running || view.spec.isRepeating)
      ? [Self.snooze(byUsec: snoozeUsec)] : []
    if state == .waiting {
      let position = Int64(view.detail?.position ?? 0) + 1
      let start = "Start \(view.spec.step(at: position).name)"
      return [.init("default", start), .init("advance", start)] + snooze
    }
    guard can(.dismiss) else { return [] }
    let stop = state == .fired ? "Stop" : "Dismiss"
    // An alarm for a single instant cannot be restarted. A timer that continues by itself gets no
    // Restart button, because the user could press it by mistake.
    let restart =
      state == .fired && (view.spec.kind != .alarm || view.spec.schedule != nil)
      ? [Notice.Action("restart", "Restart")] : []
    return [.init("default", stop)] + snooze + restart + [.init("stop", stop)]
  }
}

extension String {
  fileprivate var nonempty: String? { isEmpty ? nil : self }
}
