internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel

/// A background span, caused by sleep, in which no timer expired.
extension Micro {
  static let spans = [span(timers: 1_000), span(timers: 1_000_000, flatBeside: "span-1000")]

  private static func span(timers: Int, flatBeside: String? = nil) -> Micro {
    Micro(
      name: "span-\(timers)", work: "enter and leave a span with \(timers) timers", count: 200,
      flatBeside: flatBeside
    ) { count in
      let core = MicroCore(timers: timers)
      return {
        for _ in 0..<count {
          core.core.background.enter(.sleep, at: core.now)
          core.endIteration()
          core.pass(usec: 1_000)
          core.core.background.leave(.sleep, at: core.now)
          core.endIteration()
        }
        guard core.core.engine.counts[0] == timers else { fail("a timer expired") }
      }
    }
  }
}
