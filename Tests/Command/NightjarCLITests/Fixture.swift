import NightjarTestSupport
import Varlink

/// A stand-in for the daemon, and a command line that uses it.
struct Fixture {
  let noon: Noon
  let daemon: FakeDaemon
  var runner: CommandRunner

  /// - Parameters:
  ///   - entries: the timers.
  ///   - noon: the time.
  ///   - answer: the answers to some calls; nil: the stand-in answers.
  init(
    _ entries: [FakeTimers.Entry] = [], at noon: Noon = Noon(),
    answer: @escaping @Sendable (FakeDaemon.Request, Int64) -> [FakeDaemon.Answer]? = { _, _ in nil
    }
  ) throws {
    self.noon = noon
    let nowUsec = noon.nowUsec
    let timers = FakeTimers(entries, nowUsec: nowUsec)
    daemon = try FakeDaemon { request in answer(request, nowUsec) ?? [timers.answer(request)] }
    runner = try CommandRunner(socket: daemon.path, zone: noon.zone)
  }

  func run(_ arguments: String...) throws -> CommandRunner.Result { try runner.run(arguments) }

  var methods: [String] { daemon.requests.map(\.method) }

  /// Four timers, one in each state.
  static var four: [FakeTimers.Entry] {
    [
      .init(name: "tea", remainingUsec: 191_500_000),
      .init(
        name: "run/1/me", state: "paused", durationUsec: 5_400_000_000, remainingUsec: 5_399_000_001
      ),
      .init(
        name: "egg", state: "over", remainingUsec: 0, rangAgoUsec: 185_000_000,
        lateUsec: 7_200_000_000, lateCause: "sleep"),
      .init(name: "old", state: "cancelled", remainingUsec: 60_000_000),
    ]
  }
}
