/// What a timer can be doing.
public enum TimerState: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  /// Its deadline stands on a timeline.
  case running = 0
  /// It keeps what remains, on any clock.
  case paused = 1
  /// It rang, and stays to be seen.
  case fired = 2
  /// It was called off, and stays to be seen.
  case cancelled = 3
  /// A step of a sequence is over, and the next waits to be asked for.
  case waiting = 4
}

extension TimerState {
  /// Running, paused or waiting: there is still something to come.
  public var isActive: Bool { self == .running || self == .paused || self == .waiting }

  /// Running or paused: there is still something to count.
  package var isCounting: Bool { self == .running || self == .paused }
}
