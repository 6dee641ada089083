package import NightjarCore
package import NightjarWire

// What was started.

extension JSONWriter {
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
    spec.steps.lazy.map(StepReply.init).write(to: &self)
    if spec.longEvery > 0 { member("long_every", spec.longEvery) }
  }

  package mutating func bands(_ bands: [Band]) {
    key("bands")
    bands.lazy.map(BandReply.init).write(to: &self)
  }
}
