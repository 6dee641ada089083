public import NightjarInterface

/// What a timer does, for `Wire.Start(name:_:)`.
public enum NewTimer: Equatable, Sendable {
  /// Counts down.
  case countdown(Duration)
  /// Counts down repeatedly: `rounds` times, or without end if `rounds` is 0.
  case repeating(Duration, rounds: Int64)
  /// Rings at a point in time.
  case alarm(at: WallTime)
  /// Rings at each match of a systemd.time(7) calendar expression: `rounds` times, or without end
  /// if `rounds` is 0. `zone` is the name of a time zone; nil: the zone of the daemon's machine.
  case calendar(String, zone: String?, rounds: Int64)
  /// Counts up.
  case stopwatch
  /// Runs through a sequence of steps.
  case sequence(Wire.Sequence)
}

extension Wire.Start {
  /// A timer of this kind. `name` nil: the daemon invents a short name.
  public init(name: String?, _ kind: NewTimer) {
    self.init()
    self.name = name
    switch kind {
    case .countdown(let duration): durationUsec = duration.usec
    case .repeating(let duration, let rounds):
      durationUsec = duration.usec
      self.repeat = Wire.Repeat()
      self.repeat?.rounds = rounds
    case .alarm(let time):
      alarm = Wire.Alarm()
      alarm?.atUsec = time.sinceEpoch.usec
    case .calendar(let expression, let zone, let rounds):
      alarm = Wire.Alarm()
      alarm?.calendar = expression
      alarm?.zone = zone
      alarm?.rounds = rounds == 0 ? nil : rounds
    case .stopwatch: stopwatch = true
    case .sequence(let steps): sequence = steps
    }
  }
}

extension Wire.Event {
  /// For the event of a start, what the timer does. Nil for any other event, and for a kind of
  /// timer that this library does not know.
  public var started: NewTimer? {
    guard type == .started else { return nil }
    if let sequence { return .sequence(sequence) }
    if let usec = alarm?.atUsec { return .alarm(at: WallTime(usec: usec)) }
    if let alarm, let calendar = alarm.calendar {
      return .calendar(calendar, zone: alarm.zone, rounds: alarm.rounds ?? 0)
    }
    if kind == .stopwatch { return .stopwatch }
    guard kind == .countdown, let durationUsec else { return nil }
    let duration = Duration.microseconds(durationUsec)
    return self.repeat.map { .repeating(duration, rounds: $0.rounds ?? 0) } ?? .countdown(duration)
  }
}
