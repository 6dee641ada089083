import NightjarClient
import NightjarModel

/// Access to steps by position. A position is the number of a step, counted from 0 through all
/// rounds.
extension Wire.Sequence {
  func step(at position: Int64) -> Wire.Step? {
    steps.isEmpty || position < 0 ? nil : steps[Int(position % Int64(steps.count))]
  }

  /// The length of a step, in microseconds; nil: unknown.
  func usec(at position: Int64) -> Int64? {
    guard let step = step(at: position) else { return nil }
    let isLong = SharedSpec.isLong(
      at: position, stepCount: steps.count, longEvery: longEvery ?? 0)
    return isLong ? step.longUsec ?? step.durationUsec : step.durationUsec
  }

  func isLast(_ position: Int64) -> Bool {
    let rounds = rounds ?? 1
    return rounds > 0 && position == rounds * Int64(steps.count) - 1
  }
}
