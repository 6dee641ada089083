import Foundation
import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

/// Wall clocks that are wrong at a boot, and are synchronised later, or never.
///
/// NIGHTJAR_SEED repeats one run. NIGHTJAR_RUNS sets the number of runs, and NIGHTJAR_FIRST the
/// first seed.
@Suite(.blocking) struct WrongClockTests {
  @Test
  func `After any boots with a wrong clock, all timers are as if the clock had been right`() async {
    let seeds =
      DifferentialTests.seed.map { Int($0)..<Int($0) + 1 }
      ?? DifferentialTests.first..<DifferentialTests.first + DifferentialTests.runs / 10
    let workers = ProcessInfo.processInfo.activeProcessorCount
    let outcome = await withTaskGroup(of: (Int64, [String]).self) { group in
      for worker in 0..<workers {
        group.addTask {
          var (passedUsec, failures): (Int64, [String]) = (0, [])
          for seed in seeds where seed % workers == worker && failures.count < 3 {
            let run = WrongClockRun(seed: UInt64(seed))
            do { try run.play() } catch { failures.append("seed \(seed): \(error)") }
            passedUsec += run.passedUsec / 1_000_000
            if let broken = run.broken.first {
              failures.append("seed \(seed): \(broken)\n  " + run.actions.joined(separator: "\n  "))
            }
          }
          return (passedUsec, failures)
        }
      }
      return await group.reduce(into: (0, [])) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
    }
    for failure in outcome.1.prefix(4) { Issue.record("\(failure)") }
    if seeds.count > 1 {
      print("\(seeds.count) runs, \(outcome.0 / 31_557_600) machine-years")
      #expect(outcome.0 > 0)
    }
  }
}
