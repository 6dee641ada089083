package import NightjarCore
package import NightjarWire

// What a timer does beyond counting down, as the interface describes it.

extension JSONWriter {
  /// The members of a timer that say what it does, and where it has got to.
  package mutating func recipe(_ view: TimerView, laps: [Int64]) {
    let recipe = view.recipe
    if let band = view.band {
      key("band")
      self.band(band)
    }
    if !recipe.bands.isEmpty { bands(recipe.bands) }
    policies(recipe)
    if recipe.isRepeating, let detail = view.detail {
      key("repeat")
      beginObject()
      member("rung", Int64(detail.position))
      if recipe.repeats { member("period_usec", view.record.originalUsec) }
      if recipe.rounds > 0 { member("rounds", recipe.rounds) }
      member("snoozed", detail.isSnoozed)
      endObject()
    }
    if let schedule = recipe.schedule {
      member("calendar", schedule.expression)
      if !schedule.zone.isEmpty { member("zone", schedule.zone) }
    }
    if recipe.kind == .sequence, let detail = view.detail {
      member("after_sleep", recipe.afterSleep.name)
      step(recipe, at: Int64(detail.position))
      steps(recipe)
    }
    if recipe.kind == .stopwatch {
      key("laps")
      beginArray()
      for lap in laps { integer(lap) }
      endArray()
    }
  }

  private mutating func policies(_ recipe: Recipe) {
    switch recipe.late {
    case .fire: break
    case .skip: member("late", "skip" as StaticString)
    case .fireWithin(let usec): member("fire_within_usec", usec)
    }
    if recipe.missed != .once { member("missed", recipe.missed.name) }
  }

  private mutating func step(_ recipe: Recipe, at position: Int64) {
    let step = recipe.step(at: position)
    key("step")
    beginObject()
    member("number", position + 1)
    member("name", step.name)
    member("break", step.isBreak)
    member("waits", step.waits)
    member("index", position % Int64(recipe.steps.count) + 1)
    member("steps", Int64(recipe.steps.count))
    member("round", recipe.round(at: position) + 1)
    if recipe.rounds > 0 { member("rounds", recipe.rounds) }
    if !recipe.isLast(position) {
      member("next_name", recipe.step(at: position + 1).name)
      member("next_duration_usec", recipe.stepUsec(at: position + 1))
    }
    endObject()
  }

  /// What was started, in the words of `Start`.
  ///
  /// - Parameter deadline: of an alarm without a calendar when it rings, on CLOCK_REALTIME.
  mutating func started(_ recipe: Recipe, deadline: Int64) {
    switch recipe.kind {
    case .countdown:
      guard recipe.repeats else { return }
      key("repeat")
      beginObject()
      if recipe.rounds > 0 { member("rounds", recipe.rounds) }
      endObject()
    case .alarm:
      key("alarm")
      beginObject()
      if let schedule = recipe.schedule {
        member("calendar", schedule.expression)
        if !schedule.zone.isEmpty { member("zone", schedule.zone) }
        if recipe.rounds > 0 { member("rounds", recipe.rounds) }
      } else {
        member("at_usec", deadline)
      }
      endObject()
    case .stopwatch: break
    case .sequence: sequence(recipe)
    }
  }

  private mutating func sequence(_ recipe: Recipe) {
    key("sequence")
    beginObject()
    steps(recipe)
    member("rounds", recipe.rounds)
    member("after_sleep", recipe.afterSleep.name)
    endObject()
  }

  private mutating func steps(_ recipe: Recipe) {
    key("steps")
    beginArray()
    for step in recipe.steps {
      beginObject()
      member("name", step.name)
      member("duration_usec", step.durationUsec)
      if step.waits { member("waits", true) }
      if step.isBreak { member("break", true) }
      member("long_usec", step.longUsec)
      endObject()
    }
    endArray()
    if recipe.longEvery > 0 { member("long_every", recipe.longEvery) }
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
