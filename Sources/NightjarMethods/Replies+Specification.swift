package import NightjarCore
package import NightjarWire

// What a timer does beyond counting down, as the interface describes it.

extension JSONWriter {
  /// The members of a timer that say what it does, and where it has got to.
  package mutating func spec(_ view: TimerView, laps: [Int64]) {
    let spec = view.spec
    if let band = view.band {
      key("band")
      self.band(band)
    }
    if !spec.bands.isEmpty { bands(spec.bands) }
    policies(spec)
    if spec.isRepeating, let detail = view.detail {
      key("repeat")
      beginObject()
      member("rung", Int64(detail.position))
      if spec.repeats { member("period_usec", view.record.originalUsec) }
      if spec.rounds > 0 { member("rounds", spec.rounds) }
      member("snoozed", detail.isSnoozed)
      endObject()
    }
    if let schedule = spec.schedule {
      member("calendar", schedule.expression)
      if !schedule.zone.isEmpty { member("zone", schedule.zone) }
    }
    if spec.kind == .sequence, let detail = view.detail {
      member("after_sleep", spec.afterSleep.name)
      step(spec, at: Int64(detail.position))
      steps(spec)
    }
    if spec.kind == .stopwatch {
      key("laps")
      beginArray()
      for lap in laps { integer(lap) }
      endArray()
    }
  }

  private mutating func policies(_ spec: SharedSpec) {
    switch spec.late {
    case .fire: break
    case .skip: member("late", "skip" as StaticString)
    case .fireWithin(let usec): member("fire_within_usec", usec)
    }
    if spec.missed != .once { member("missed", spec.missed.name) }
  }

  private mutating func step(_ spec: SharedSpec, at position: Int64) {
    let step = spec.step(at: position)
    key("step")
    beginObject()
    member("number", position + 1)
    member("name", step.name)
    member("break", step.isBreak)
    member("waits", step.waits)
    member("index", position % Int64(spec.steps.count) + 1)
    member("steps", Int64(spec.steps.count))
    member("round", spec.round(at: position) + 1)
    if spec.rounds > 0 { member("rounds", spec.rounds) }
    if !spec.isLast(position) {
      member("next_name", spec.step(at: position + 1).name)
      member("next_duration_usec", spec.stepUsec(at: position + 1))
    }
    endObject()
  }

  /// What was started, in the words of `Start`.
  ///
  /// - Parameter deadline: of an alarm without a calendar when it rings, on CLOCK_REALTIME.
  mutating func started(_ spec: SharedSpec, deadline: Int64) {
    switch spec.kind {
    case .countdown:
      guard spec.repeats else { return }
      key("repeat")
      beginObject()
      if spec.rounds > 0 { member("rounds", spec.rounds) }
      endObject()
    case .alarm:
      key("alarm")
      beginObject()
      if let schedule = spec.schedule {
        member("calendar", schedule.expression)
        if !schedule.zone.isEmpty { member("zone", schedule.zone) }
        if spec.rounds > 0 { member("rounds", spec.rounds) }
      } else {
        member("at_usec", deadline)
      }
      endObject()
    case .stopwatch: break
    case .sequence: sequence(spec)
    }
  }

  private mutating func sequence(_ spec: SharedSpec) {
    key("sequence")
    beginObject()
    steps(spec)
    member("rounds", spec.rounds)
    member("after_sleep", spec.afterSleep.name)
    endObject()
  }

  private mutating func steps(_ spec: SharedSpec) {
    key("steps")
    beginArray()
    for step in spec.steps {
      beginObject()
      member("name", step.name)
      member("duration_usec", step.durationUsec)
      if step.waits { member("waits", true) }
      if step.isBreak { member("break", true) }
      member("long_usec", step.longUsec)
      endObject()
    }
    endArray()
    if spec.longEvery > 0 { member("long_every", spec.longEvery) }
  }

  package mutating func bands(_ bands: [Band]) {
    key("bands")
    beginArray()
    for band in bands { self.band(band) }
    endArray()
  }

  package mutating func band(_ band: Band) {
    beginObject()
    member("name", band.name)
    member("remaining_usec", band.remainingUsec)
    if !band.color.isEmpty { member("color", band.color) }
    if !band.text.isEmpty { member("text", band.text) }
    if let range = band.progress {
      key("progress")
      beginObject()
      key("from")
      double(Double(range.from) / 1_000_000)
      key("to")
      double(Double(range.to) / 1_000_000)
      endObject()
    }
    endObject()
  }
}
