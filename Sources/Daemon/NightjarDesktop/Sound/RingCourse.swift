internal import NightjarInterface
internal import NightjarModel

/// The course of one ring: how long and how loud it sounds.
struct RingCourse: Equatable {
  /// How long the sound of the ring is repeated, in microseconds; 0: it sounds once.
  let forUsec: Int64
  let loudness: Loudness
  /// Whether the ring sounds while the user has paused the notification server.
  let disturbs: Bool

  /// - Parameters:
  ///   - said: the ring that the timer itself specifies; nil: it specifies none.
  ///   - forUsec: how long the ring sounds; nil: as long as usual.
  init(
    _ said: Wire.RingState? = nil, forUsec: Int64? = nil, of kind: TimerKind,
    _ settings: RingSettings
  ) {
    let asked = said?.ringForUsec ?? settings.forUsec(of: kind)
    // A ring that is to sound once and insists waits for an answer for a while, but in silence.
    self.forUsec = asked > 0 ? forUsec ?? asked : 0
    disturbs = said?.disturb ?? settings.disturbs(kind)
    loudness = Loudness(
      volume: said?.volume ?? settings.volume,
      risingUsec: self.forUsec > 0 ? said?.risingUsec ?? settings.risingUsec : 0)
  }

  /// Whether the sound of the ring is repeated.
  var repeats: Bool { forUsec > 0 }
}
