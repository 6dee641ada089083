internal import NightjarEngine
internal import NightjarModel
internal import NightjarSystem
internal import NightjarTime

/// The text and the buttons of a popup about one timer.
struct PopupText {
  let name: String
  /// The message of the timer; empty: it has none.
  let message: String
  /// The band that the popup is about; nil: it is about the open ring.
  let band: Band?
  let view: TimerView
  /// Whether the ring fell silent without an answer.
  let isUnanswered: Bool
  let snoozeUsec: Int64
  /// Returns an instant as a local time of day, such as `09:30`.
  let wallTime: (_ usec: Int64) -> String

  /// If a ring is older than this, in microseconds, the popup shows how old it is.
  private static let agoUsec: Int64 = 60_000_000
  /// An instant within this time, in microseconds, is shown as a time of day.
  private static let dayUsec: Int64 = 86_400_000_000

  func notice(sound: Notice.Sound) -> Notice {
    if let band {
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

  /// The buttons of a ring that is dismissed by a click, and by the last button.
  static func dismissal(_ others: [Notice.Action]) -> [Notice.Action] {
    [.init("default", "Dismiss")] + others + [.init("dismiss", "Dismiss")]
  }

  static func snooze(byUsec usec: Int64) -> Notice.Action {
    Notice.Action("snooze", "Snooze \(SpanFormat.text(usec: usec, units: 2))")
  }

  // MARK: Text

  private var lines: [String] {
    [
      message.isEmpty ? nil : name, unanswered, what, late.map { "\(Self.capitalised($0))." },
      missed, joined, ago,
    ]
    .compactMap { $0 }
  }

  /// The line for a ring that fell silent, or that insists; nil for other rings.
  private var unanswered: String? {
    if isUnanswered { return Self.unansweredLine }
    guard let insisted = ring?.insisted, insisted > 0 else { return nil }
    return "Ring \(insisted + 1): not answered yet."
  }

  private var timer: Timer { view.timer }

  private var ring: NightjarEngine.Ring? { timer.ring }

  private var what: String? {
    switch timer.spec.kind {
    case .sequence: return steps
    case .alarm:
      // If the alarm rings late, or again, the present time of day is not useful.
      let time = ring.flatMap { ring in
        late == nil && ring.sound == ring.expiry.reached
          ? "It is \(wallTime(ring.sound.atUsec))." : nil
      }
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
    case .over: return "\(spec.step(at: position).name) is over, and was the last."
    case .paused, .cancelled: return nil
    }
  }

  private var late: String? {
    ring.flatMap {
      LateText.late(usec: $0.sound.lateUsec, cause: $0.sound.cause.map { "\($0.name)" })
    }
  }

  private var missed: String? {
    guard let missed = ring?.expiry.missed, missed > 0 else { return nil }
    let more = timer.spec.kind == .sequence ? "step" : "ring"
    return missed == 1 ? "1 more \(more) was missed." : "\(missed) more \(more)s were missed."
  }

  /// How many expiries the ring has, if several: `3 expiries since 7:00.`
  private var joined: String? {
    guard let ring, ring.expiries > 1 else { return nil }
    let usec = ring.sound.atUsec - ring.firstDueUsec
    let since =
      usec < Self.dayUsec
      ? "since \(wallTime(ring.firstDueUsec))" : "in \(SpanFormat.text(usec: usec, units: 1))"
    return "\(ring.expiries) expiries \(since)."
  }

  private var ago: String? {
    guard let agoUsec = view.soundAgoUsec, agoUsec >= Self.agoUsec else { return nil }
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
    operation.applies(to: timer.spec) && operation.isLegal(in: timer.state, timer.ringing)
  }

  private var actions: [Notice.Action] {
    let snooze = can(.snooze) ? [Self.snooze(byUsec: snoozeUsec)] : []
    if timer.state == .waiting {
      let position = timer.course.position + 1
      let start = "Start \(timer.spec.step(at: position).name)"
      return [.init("default", start), .init("advance", start)] + snooze
    }
    guard can(.dismiss) else { return [] }
    // An alarm for a single instant cannot be restarted. A timer that continues by itself gets no
    // Restart button, because the user could press it by mistake.
    let restart =
      timer.state == .over && (timer.spec.kind != .alarm || timer.spec.schedule != nil)
      ? [Notice.Action("restart", "Restart")] : []
    return Self.dismissal(snooze + restart)
  }
}

extension String {
  fileprivate var nonempty: String? { isEmpty ? nil : self }
}
