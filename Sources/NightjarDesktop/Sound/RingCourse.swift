internal import NightjarEngine
internal import NightjarModel
internal import NightjarService

/// How one ring goes on.
struct RingCourse: Equatable {
  /// A ring of one sound that is to be repeated because nobody answers has ended after so long, in
  /// microseconds.
  private static let onceUsec: Int64 = 10_000_000

  /// How long its sound is repeated, in microseconds; 0: it sounds once.
  let forUsec: Int64
  let loudness: Loudness
  /// It rings again so long after it ended without an answer, in microseconds; 0: it does not.
  let insistUsec: Int64
  /// Whether it makes its sound while the notification server is paused.
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
  ///   - said: what the timer says; nil: nothing.
  ///   - view: the timer as it is behind the expiry.
  init(_ said: RingPlan.Course?, of view: TimerView, _ settings: RingSettings) {
    let kind = view.spec.kind
    // A countdown or a sequence that has gone on by itself wants no answer. An alarm does.
    let wantsAnswer = view.record.state != .running || kind == .alarm
    self.init(
      said, forUsec: said?.forUsec ?? (wantsAnswer ? settings.forUsec(of: kind) : 0),
      insistUsec: said?.insistUsec ?? (wantsAnswer ? settings.insistUsec : 0),
      disturbs: settings.disturbs(kind), settings)
  }

  /// Of a timer of another machine, which waits for an answer whatever the timer does next: what comes
  /// after the ring is that machine's.
  init(of kind: TimerKind, _ settings: RingSettings) {
    self.init(
      nil, forUsec: settings.forUsec(of: kind), insistUsec: 0, disturbs: settings.disturbs(kind),
      settings)
  }

  /// Of a timer that is not there any more: nobody can answer.
  init(_ said: RingPlan.Course?, _ settings: RingSettings) {
    self.init(said, forUsec: 0, insistUsec: 0, disturbs: true, settings)
  }

  private init(once other: RingCourse) {
    (forUsec, insistUsec, disturbs) = (0, 0, other.disturbs)
    loudness = Loudness(volume: other.loudness.volume)
  }

  /// The same, if nobody is expected to answer.
  var once: RingCourse { RingCourse(once: self) }

  /// After so long, in microseconds, it has ended, and if nobody answered, that is recorded; nil: nobody is
  /// expected to answer.
  var endUsec: Int64? { forUsec > 0 ? forUsec : insistUsec > 0 ? Self.onceUsec : nil }

  /// Whether its sound is repeated.
  var repeats: Bool { forUsec > 0 }
}
