internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel

/// Measures the daemon's core in this process, on a disk in memory and without sockets.
struct Core {
  let setting: Setting

  private static let spans = 101
  private static let starts = 100_000

  func run() -> [Finding] {
    Terminal.say("\(setting.timers) timers in the core")
    let core = MicroCore(timers: setting.timers)
    let leave = (0..<Self.spans).map { _ in leaveSpan(core) }
    let longest = (1...setting.rounds).map { round in
      Terminal.say("\(Self.starts) starts, round \(round)")
      return longestStart()
    }
    return [Finding(row: .leaveSpan, ours: leave), Finding(row: .longestStart, ours: longest)]
  }

  /// How long it takes to leave a background span and to arm for the next deadline, in nanoseconds.
  /// The time includes the submission of the commit, but not the commit itself, which another
  /// thread of the daemon makes.
  private func leaveSpan(_ core: MicroCore) -> Double {
    core.core.background.enter(.sleep, at: core.now)
    core.endIteration()
    core.pass(usec: 1_000)
    let begin = Clock.nsec()
    core.core.background.leave(.sleep, at: core.now)
    _ = core.core.endIteration(at: core.now)
    let took = Clock.nsec() - begin
    core.settle()
    return Double(took)
  }

  /// How long the slowest of many starts takes, in nanoseconds. There are 1,024 in a commit.
  private func longestStart() -> Double {
    let core = MicroCore()
    var longest: Int64 = 0
    for number in 0..<Self.starts {
      let begin = Clock.nsec()
      core.start(number)
      longest = max(longest, Clock.nsec() - begin)
      if number % 1024 == 1023 { core.endIteration() }
    }
    return Double(longest)
  }
}
