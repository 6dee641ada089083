internal import NightjarEngine
internal import NightjarModel
internal import NightjarService

/// The course of one ring: how long, how loud and how often it sounds.
struct RingCourse: Equatable {
  /// The time after which a ring of a single sound counts as unanswered, in microseconds, if the
  /// ring insists.
  private static let onceUsec: Int64 = 10_000_000

  /// How long its sound is repeated, in microseconds; 0: it sounds once.
  let forUsec: Int64
  let loudness: Loudness
  /// The time from the end without an answer to the next ring, in microseconds; 0: there is none.
  let insistUsec: Int64
  /// Whether it sounds while the notification server is paused.
  let disturbs: Bool

  private init(
    _ said: RingPlan.Course?, forUsec: Int64, insistUsec: Int64, disturbs: Bool,
    _ settings: RingSettings
  ) {
    self.forUsec = forUsec
    self.insistUsec = insistUsec
    self.disturbs = said?.disturbs ?? disturbs
    loudness = Loudness(
      volume: said?.volume ?? settings.volume,
      risingUsec: forUsec > 0 ? said?.risingUsec ?? settings.risingUsec : 0)
  }

  /// - Parameters:
  ///   - said: the timer's own specification; nil if it has none.
  ///   - view: the timer after the expiry.
  init(_ said: RingPlan.Course?, of view: TimerView, _ settings: RingSettings) {
    let kind = view.spec.kind
    // A countdown or a sequence that continues by itself needs no answer. An alarm does.
    let wantsAnswer = view.record.state != .running || kind == .alarm
    self.init(
      said, forUsec: said?.forUsec ?? (wantsAnswer ? settings.forUsec(of: kind) : 0),
      insistUsec: said?.insistUsec ?? (wantsAnswer ? settings.insistUsec : 0),
      disturbs: settings.disturbs(kind), settings)
  }

  /// The course for a timer of another machine. It does not depend on how the timer continues,
  /// because the other machine decides that.
  init(of kind: TimerKind, _ settings: RingSettings) {
    self.init(
      nil, forUsec: settings.forUsec(of: kind), insistUsec: 0, disturbs: settings.disturbs(kind),
      settings)
  }

  /// The course for a timer that is gone, which the user cannot answer.
  init(_ said: RingPlan.Course?, _ settings: RingSettings) {
    self.init(said, forUsec: 0, insistUsec: 0, disturbs: true, settings)
  }

  private init(once other: RingCourse) {
    (forUsec, insistUsec, disturbs) = (0, 0, other.disturbs)
    loudness = Loudness(volume: other.loudness.volume)
  }

  /// The same course if no answer is expected.
  var once: RingCourse { RingCourse(once: self) }

  /// The time after which a ring without an answer has ended, in microseconds; its end is then
  /// recorded. Nil if no answer is expected.
  var endUsec: Int64? { forUsec > 0 ? forUsec : insistUsec > 0 ? Self.onceUsec : nil }

  /// Whether its sound is repeated.
  var repeats: Bool { forUsec > 0 }
}
