internal import NightjarEngine
internal import NightjarInterface
internal import NightjarModel

/// The course of one ring: how long, how loud and how often it sounds.
struct RingCourse: Equatable {
  /// How long a ring of a single sound waits for an answer, in microseconds, if the ring is
  /// repeated without an answer. After that, it counts as unanswered.
  private static let onceUsec: Int64 = 10_000_000

  /// How long the sound of the ring is repeated, in microseconds; 0: it sounds once.
  let forUsec: Int64
  let loudness: Loudness
  /// How long after the end of an unanswered ring the timer rings again, in microseconds; 0: it
  /// does not ring again.
  let insistUsec: Int64
  /// Whether the ring sounds while the user has paused the notification server.
  let disturbs: Bool

  private init(
    _ said: Wire.RingState?, forUsec: Int64, insistUsec: Int64, disturbs: Bool,
    _ settings: RingSettings
  ) {
    self.forUsec = forUsec
    self.insistUsec = insistUsec
    self.disturbs = said?.disturb ?? disturbs
    loudness = Loudness(
      volume: said?.volume ?? settings.volume,
      risingUsec: forUsec > 0 ? said?.risingUsec ?? settings.risingUsec : 0)
  }

  /// - Parameters:
  ///   - said: the ring that the timer itself specifies; nil: it specifies none.
  ///   - view: the state of the timer after the expiry.
  init(_ said: Wire.RingState?, of view: TimerView, _ settings: RingSettings) {
    let kind = view.timer.spec.kind
    // A countdown or a sequence that continues by itself needs no answer. An alarm needs one in any
    // case.
    let wantsAnswer = view.timer.state != .running || kind == .alarm
    self.init(
      said, forUsec: said?.ringForUsec ?? (wantsAnswer ? settings.forUsec(of: kind) : 0),
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

  /// The course for a timer that was removed, so that the user cannot answer its ring.
  init(_ said: Wire.RingState?, _ settings: RingSettings) {
    self.init(said, forUsec: 0, insistUsec: 0, disturbs: true, settings)
  }

  private init(once other: RingCourse) {
    (forUsec, insistUsec, disturbs) = (0, 0, other.disturbs)
    loudness = Loudness(volume: other.loudness.volume)
  }

  /// This course for a ring to which no answer is expected: it sounds once.
  var once: RingCourse { RingCourse(once: self) }

  /// How long the ring waits for an answer, in microseconds. After that, its end is recorded. Nil
  /// if no answer is expected.
  var endUsec: Int64? { forUsec > 0 ? forUsec : insistUsec > 0 ? Self.onceUsec : nil }

  /// Whether the sound of the ring is repeated.
  var repeats: Bool { forUsec > 0 }
}
