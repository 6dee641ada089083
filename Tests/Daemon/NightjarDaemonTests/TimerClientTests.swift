import NightjarClient
import NightjarTestSupport
import Testing

/// The asynchronous client library, with a real daemon.
@Suite(.blocking) struct TimerClientTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  @Test func `A ledger is followed through 20 restarts: every number comes once`() async throws {
    var daemon = try rig.daemon()
    let client = TimerClient(socketPath: daemon.options.socketPath, timeout: .seconds(300))
    try daemon.connect().start("first", usec: hour)
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    // It reads while the daemon ends, is away and starts.
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
    for round in 0..<20 {
      try daemon.connect().start("tea/\(round)", usec: hour)
      if round % 2 == 0 { daemon.process.kill() } else { try daemon.terminate() }
      daemon = try rig.daemon()
    }
    try daemon.connect().start("end", usec: hour)
    let numbers = try await reader.value
    #expect(numbers == Array(1...Int64(numbers.count)))
    // Each start has an event, and each span has at least two.
    #expect(numbers.count > 60)
  }

  @Test func `Every method does what its name says`() async throws {
    let daemon = try rig.daemon()
    let client = TimerClient(socketPath: daemon.options.socketPath, timeout: .seconds(300))
    try await client.start("tea", for: .seconds(240))
    #expect(try await client.extend("tea", by: .seconds(60)).duration == .seconds(300))
    var changes = Wire.Update(name: "tea")
    changes.bands = [Wire.Band("last", remaining: .seconds(10), color: "red")]
    #expect(try await client.update(changes).bands.map(\.remainingUsec) == [10 * second])
    #expect(try await client.pause("tea").state == .paused)
    #expect(try await client.resume("tea").state == .running)
    #expect(try await client.cancel("tea").state == .cancelled)
    #expect(try await client.restart("tea").state == .running)

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
    #expect(try await client.timers().map(\.name).sorted() == ["pomodoro", "run", "tea"])
  }
}
