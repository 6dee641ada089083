package import NightjarInterface

/// The preset that is there without a configuration file.
package enum BuiltInPreset {
  package static let name = "pomodoro"

  package static var sequence: Wire.Sequence {
    let minuteUsec: Int64 = 60_000_000
    var rest = Wire.Step(name: "rest", durationUsec: 5 * minuteUsec)
    (rest.break, rest.longUsec) = (true, 15 * minuteUsec)
    var sequence = Wire.Sequence(
      steps: [Wire.Step(name: "work", durationUsec: 25 * minuteUsec), rest])
    (sequence.longEvery, sequence.rounds) = (4, 4)
    return sequence
  }
}
