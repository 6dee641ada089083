import NightjarClient
import NightjarModel

/// Access to steps by position. A position is the number of a step, counted from 0 through all
/// rounds.
extension NewTimer.Sequence {
  func step(at position: Int64) -> NewTimer.Step? {
    steps.isEmpty || position < 0 ? nil : steps[Int(position % Int64(steps.count))]
  }

  /// The length of a step, in microseconds; nil: unknown.
  func usec(at position: Int64) -> Int64? {
    guard let step = step(at: position) else { return nil }
    let isLong = SharedSpec.isLong(
      at: position, stepCount: steps.count, longEvery: longEvery ?? 0)
    return (isLong ? step.long ?? step.duration : step.duration).usec
  }

  func isLast(_ position: Int64) -> Bool {
    rounds > 0 && position == rounds * Int64(steps.count) - 1
  }
}
