import Foundation
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The asynchronous client library, with a real daemon.
@Suite(.blocking) struct TimerClientTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  /// Runs blocking code on a thread of its own.
  private func elsewhere(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }

  @Test func `A ledger is followed through 100 restarts: every number comes once`() async throws {
    let first = try rig.daemon()
    let client = TimerClient(socketPath: first.options.socketPath, timeout: .seconds(300))
    try await client.start("first", for: .seconds(3600))
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    let reader = Task {
      var numbers: [Int64] = []
      for try await event in client.events(after: 0) {
        numbers.append(event.seq)
        beginning.yield()
        if event.name == "end" { break }
      }
      return numbers
    }
    for await _ in begun { break }
    // Used by that thread alone.
    nonisolated(unsafe) let (rig, running) = (self.rig, first)
    try await elsewhere {
      var daemon = running
      for round in 0..<100 {
        let connection = try daemon.connect()
        try connection.start("tea/\(round)", usec: hour)
        if round % 2 == 0 { daemon.process.kill() } else { try daemon.terminate() }
        daemon = try rig.daemon()
      }
      try daemon.connect().start("end", usec: hour)
    }
    let numbers = try await reader.value
    #expect(numbers == Array(1...(numbers.last ?? 0)))
    // Each start has an event, and each span has at least two.
    #expect(numbers.count > 300)
    #expect(try await client.timers(under: "tea").count == 100)
  }

  @Test func `Every method does what its name says`() async throws {
    let daemon = try rig.daemon()
    let client = TimerClient(socketPath: daemon.options.socketPath, timeout: .seconds(300))
    #expect(try await client.start("tea", for: .seconds(240)).duration == .seconds(240))
    #expect(try await client.pause("tea").state == .paused)
    #expect(try await client.resume("tea").state == .running)
    #expect(try await client.extend("tea", by: .seconds(60)).duration == .seconds(300))
    var changes = Wire.Update(name: "tea")
    (changes.labels, changes.data) = (["a": "b"], ["n": 1])
    changes.bands = [Wire.Band("last", remaining: .seconds(10), color: "red")]
    let changed = try await client.update(changes)
    #expect(changed.labels.map(\.key) == ["a"] && changed.data == ["n": 1])
    #expect(changed.bands.map(\.remainingUsec) == [10 * second])
    var message = Wire.Update(name: "tea")
    message.message = "Now"
    let again = try await client.update(message)
    #expect(again.message == "Now" && again.data == ["n": 1])
    #expect(try await client.cancel("tea").state == .cancelled)
    #expect(try await client.restart("tea").state == .running)
    #expect(try await client.why("tea").events.last?.type == .restarted)
    #expect(try await client.remove("tea").name == "tea")
    do {
      _ = try await client.timer("tea")
      Issue.record("it is still there")
    } catch {
      #expect(error == .refused(.timerNotFound(name: "tea")))
    }

    try await client.start(Wire.Start(name: "run", .stopwatch))
    #expect(try await client.lap("run").laps?.count == 1)
    let steps = [Wire.Step("work", for: .seconds(60)), Wire.Step("rest", for: .seconds(30))]
    try await client.start(Wire.Start(name: "pomodoro", .sequence(.init(steps: steps))))
    #expect(try await client.advance("pomodoro").step?.name == "rest")

    try await client.start("egg", for: .microseconds(1))
    for try await change in client.watch("egg") where change.timer?.state == .over { break }
    #expect(try await client.snooze("egg", for: .milliseconds(1)).ringing == .snoozed)
    for try await change in client.watch("egg") where change.timer?.ringing == .ringing { break }
    #expect(try await client.dismiss("egg").name == "egg")
    #expect(try await client.timers().map(\.name).sorted() == ["pomodoro", "run"])
    #expect(try await client.status().counts.running == 2)
  }
}
