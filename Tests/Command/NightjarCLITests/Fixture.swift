import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// A stand-in for the daemon, and a command line that uses it.
struct Fixture {
  let noon: Noon
  let daemon: FakeDaemon
  var runner: CommandRunner

  /// - Parameters:
  ///   - entries: the timers.
  ///   - noon: the time.
  ///   - status: members that the stand-in's status has instead of the usual ones.
  ///   - answer: the answers to some calls; nil: the stand-in answers.
  init(
    _ entries: [FakeTimers.Entry] = [], at noon: Noon = Noon(), status: JSONValue = [:],
    answer: @escaping @Sendable (FakeDaemon.Request, Int64) -> [FakeDaemon.Answer]? = { _, _ in nil
    }
  ) throws {
    self.noon = noon
    let nowUsec = noon.nowUsec
    let timers = FakeTimers(entries, nowUsec: nowUsec)
    daemon = try FakeDaemon { request in
      if let answers = answer(request, nowUsec) { return answers }
      guard request.method == "Status" else { return [timers.answer(request)] }
      return [.reply(Samples.status(nowUsec: nowUsec).setting(all: status))]
    }
    runner = try CommandRunner(socket: daemon.path, zone: noon.zone)
  }

  func run(_ arguments: String...) throws -> CommandRunner.Result { try runner.run(arguments) }

  /// Compares what commands print with a text, as `CommandRunner.check`.
  func check(_ session: String, at location: SourceLocation = #_sourceLocation) throws {
    try runner.check(session, at: location)
  }

  /// The parameters of the last call of a method.
  func sent(_ method: String) throws -> JSONValue {
    try #require(daemon.requests.last { $0.method == method }).parameters
  }

  /// The findings of a check of the doctor, each on a line with its level, text and remedy.
  func findings(_ check: String, _ options: String...) throws -> (status: Int32, lines: [String]) {
    let result = try runner.run(["doctor", "--json"] + options)
    #expect(result.errors == "")
    let all = try #require(JSONValue.parse(result.output)["findings"]?.arrayValue)
    let lines = all.filter { $0["check"]?.stringValue == check }.map { finding in
      ["level", "text", "remedy"].compactMap { finding[$0]?.stringValue }.joined(separator: " | ")
        .replacing(runner.folder.path, with: "HOME")
    }
    return (result.status, lines)
  }

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

extension JSONValue {
  /// The same object with other values of the members of another object.
  func setting(all other: JSONValue) -> JSONValue {
    guard let members = other.objectValue else { preconditionFailure("no object: \(other.text)") }
    return members.reduce(self) { $0.setting($1.key, $1.value) }
  }
}
