import NightjarModel

/// What the present run of a timer has counted.
extension Engine {
  /// The sums up to `now`, before an event of this kind. Nil: it begins the first run of a name.
  func sums(_ slot: Int, _ kind: Event.Kind, at now: Moment) -> Event.Sums? {
    if case .undone(let undone) = kind, let image = undone.before as? StoredImage {
      return sums(image.timer.timer, at: now)
    }
    return table.isOccupied(slot) ? sums(table[slot], at: now) : nil
  }

  func sums(_ timer: Timer, at now: Moment) -> Event.Sums {
    var sums = Event.Sums(pausedUsec: timer.pauses.endedUsec)
    if let pause = timer.pauses.present {
      let elapsed = background.timelines.reading(.elapsed, at: now)
      sums.pausedUsec += max(0, elapsed - pause.sinceElapsed)
    }
    sums.countedUsec = timer.countedUsec(elapsedUsec: passedUsec(timer, at: now))
    return sums
  }

  /// The sums when the last expiry of a stretch was due. They leave out what passed until the
  /// event.
  func sums(_ slot: Int, due first: Int64, _ stretch: DueExpiries.Stretch) -> Event.Sums {
    let timer = table[slot]
    return Event.Sums(
      countedUsec: timer.countedUsec(elapsedUsec: timer.runLengthUsec + stretch.last - first),
      pausedUsec: timer.pauses.endedUsec)
  }
}

extension Timer {
  /// The time counted in the run.
  ///
  /// - Parameter elapsedUsec: the part of the present round or step that has passed. Negative if
  ///   it is an earlier one, because a clock was ahead.
  func countedUsec(elapsedUsec: Int64) -> Int64 {
    spec.kind == .alarm ? 0 : self.course.countedUsec + elapsedUsec
  }

  /// Notes what was counted until an event that ended a part of the run.
  mutating func note(_ sums: Event.Sums, _ event: Event) {
    if state != .paused {
      guard self.pauses.present != nil else { return }
      self.pauses.endedUsec = sums.pausedUsec
      self.pauses.present = nil
    } else if self.pauses.present == nil {
      self.pauses.endedUsec = sums.pausedUsec
      self.pauses.present = Pauses.Pause(
        sinceElapsed: event.counters.elapsedUsec, sinceEvent: event.seq)
    }
  }
}
