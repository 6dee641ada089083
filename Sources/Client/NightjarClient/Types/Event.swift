extension Event {
  /// For the event of a start, what the timer does. Nil for any other event, and for a kind of
  /// timer that this library does not know.
  public var started: NewTimer.Kind? {
    guard type == .started else { return nil }
    if let sequence { return .sequence(sequence) }
    if let alarm { return NewTimer.Kind(alarm) }
    switch kind {
    case .stopwatch: return .stopwatch
    case .countdown:
      guard let durationUsec else { return nil }
      guard let repetition else { return .countdown(.microseconds(durationUsec)) }
      return .repeating(.microseconds(durationUsec), rounds: repetition.rounds ?? 0)
    case .alarm, .sequence, .other, nil: return nil
    }
  }
}

extension NewTimer.Kind {
  /// An alarm as it could be started again; nil if it has neither a time nor a calendar expression.
  fileprivate init?(_ alarm: AlarmFields) {
    if let usec = alarm.atUsec {
      self = .alarm(at: WallTime(usec: usec))
    } else if let calendar = alarm.calendar {
      self = .calendar(calendar, zone: alarm.zone, rounds: alarm.rounds ?? 0)
    } else {
      return nil
    }
  }
}
