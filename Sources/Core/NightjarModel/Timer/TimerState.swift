public enum TimerState: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  /// The timer runs towards its deadline, or counts up.
  case running = 0
  /// The timer is paused. On every clock, its remaining time does not change.
  case paused = 1
  /// The timer has expired for the last time, and is still shown.
  case over = 2
  /// A client cancelled the timer, and it is still shown.
  case cancelled = 3
  /// A step of a sequence ended, and the next one waits for a client's request.
  case waiting = 4
}

extension TimerState {
  /// Whether the timer has not ended: it runs, is paused, or waits.
  public var isActive: Bool { self == .running || self == .paused || self == .waiting }

  /// Whether there is remaining time: it runs or is paused.
  package var isCounting: Bool { self == .running || self == .paused }
}
