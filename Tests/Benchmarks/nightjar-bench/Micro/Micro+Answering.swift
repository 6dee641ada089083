internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel

/// Calls, from the bytes of the request to those of the reply; and timers that fire.
extension Micro {
  private static let timers = 100_000
  /// How many changes are in one commit, as if 16 clients called at once.
  private static let startsOfCommit = 16

  static let answering = [
    Micro(name: "get", work: "Get of a random timer", count: 20_000) { count in
      let core = MicroCore(timers: timers)
      let requests = MicroRequests.drawn(count, GetWorkload(), below: timers)
      return { for request in requests { core.answer(request) } }
    },
    Micro(name: "start", work: "Start of a random timer, 16 to a commit", count: 20_480) { count in
      let core = MicroCore(timers: timers)
      let requests = MicroRequests.drawn(count, StartWorkload(), below: timers)
      return {
        for (index, request) in requests.enumerated() {
          core.answer(request)
          if index % startsOfCommit == startsOfCommit - 1 { core.endIteration() }
        }
      }
    },
    Micro(name: "fire", work: "fire, all at once", count: 20_480) { count in
      let core = MicroCore(timers: count)
      core.pass(usec: 7_200_000_000)
      return {
        core.core.beginIteration(at: core.now)
        while core.endIteration() {}
        let over = core.core.engine.counts[Int(TimerState.over.rawValue)]
        guard over == count else { fail("\(over) of \(count) rang") }
      }
    },
  ]
}
