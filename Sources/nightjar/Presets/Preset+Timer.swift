import NightjarClient
import NightjarTime

extension Preset {
  /// The timer that it describes.
  ///
  /// - Parameters:
  ///   - typed: a duration from the command line, in microseconds: then it is a countdown, whatever
  ///     the preset is.
  ///   - wall: when it is started, and where: an alarm's time may be past.
  /// - Throws: `CommandError` if it does not say what to start, or its time is past.
  func timer(durationUsec typed: Int64? = nil, at wall: Wall) throws(CommandError) -> NewTimer {
    var timer = NewTimer(name: name, try kind(typed, at: wall))
    timer.clock = clock?.clock
    timer.bands = bands.map(\.band)
    timer.missed = missed?.policy
    switch late {
    case .fire?: timer.late = .fire
    case .skip?: timer.late = .skip
    case .fireWithin(let usec)?: timer.late = .fireWithin(.microseconds(usec))
    case nil: break
    }
    timer.labels = labels.map { .init(key: $0.key, value: $0.value) }
    timer.data = data
    timer.wake = wake ?? false
    timer.replace = replace ?? false
    timer.ifAbsent = ifAbsent ?? false
    return timer
  }

  private func kind(_ typed: Int64?, at wall: Wall) throws(CommandError) -> NewTimer.Kind {
    if let duration = (typed ?? durationUsec).map(Duration.microseconds) {
      let rounds = alarm == nil ? repeatRounds : nil
      return rounds.map { .repeating(duration, rounds: $0) } ?? .countdown(duration)
    }
    if let alarm {
      let time = AlarmTime(zone: alarm.zone, repeats: repeatRounds != nil, wall: wall)
      return try time.kind(alarm.time, rounds: repeatRounds ?? 0)
    }
    if isStopwatch { return .stopwatch }
    if let sequence { return .sequence(sequence.timer) }
    throw .usage(
      "how long? the preset \(name) does not say; write nightjar start "
        + "\(Quoting.quoted(name)) 4min")
  }
}

extension Preset.Sequence {
  fileprivate var timer: NewTimer.Sequence {
    NewTimer.Sequence(
      steps: steps.map { step in
        NewTimer.Step(
          step.name, for: .microseconds(step.durationUsec), waits: step.waits,
          isBreak: step.isBreak ?? SequenceArguments.isBreak(step.name),
          long: step.longUsec.map(Duration.microseconds))
      },
      rounds: rounds ?? 1, longEvery: longEvery,
      afterSleep: afterSleep?.policy)
  }
}

extension Preset.Band {
  fileprivate var band: Band {
    Band(
      name, remaining: .microseconds(remainingUsec), color: color, text: text,
      progress: progress.map { Band.Progress(from: $0.from, to: $0.to) })
  }
}
