import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// While commands misbehave, timers ring on time and clients are answered.
@Suite(.blocking, .timed) struct ActionClockTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.actingDaemon()
  }

  @Test(arguments: [
    ["sleep", "1000"], ["head", "-c", "4000000000", "/dev/zero"], ["seq", "10000000"],
    ["nosuch"], ["false"],
    ["sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do sleep 5 & done"],
  ])
  func `Of forty timers elsewhere 37 ring within 10 ms and all within 100 ms, as do answers`(
    command: [String]
  ) async throws {
    let issue = try await BareTimer.issue { try delays(beside: command, $0) }
    #expect(issue == nil)
  }

  /// Forty timers ring, and forty calls are answered, while four commands run.
  ///
  /// - Returns: what took too long, beyond the lateness of a bare timer in the same seconds.
  private func delays(beside command: [String], _ bare: BareTimer) throws -> [String] {
    let client = try daemon.connect()
    let after = try client.status().storage.lastSeq
    for bad in 0..<4 {
      try daemon.start("bad/\(bad)", usec: 1_000, running: command) { timer in
        timer.ring?.timeoutUsec = 2 * second
      }
    }
    _ = try daemon.events(after: after).event { $0.type == .actionStarted }
    var (lates, answers): ([Int64], [Int64]) = ([], [])
    let rang = try daemon.events(after: after)
    for good in 0..<40 {
      let before = try waitedUsec()
      try client.start("good/\(good)", usec: 10 * millisecond)
      let begin = Now.boottimeUsec
      _ = try client.get("good/\(good)")
      let answer = Now.boottimeUsec - begin
      let event = try rang.event { $0.type == .rang && $0.name == "good/\(good)" }
      // What the kernel gave to other programs meanwhile is not the daemon's delay.
      let waited = try waitedUsec() - before
      lates.append(max(0, try #require(event.lateUsec) - waited))
      answers.append(max(0, answer - waited))
    }
    (lates, answers) = (lates.sorted(), answers.sorted())
    print(
      "\(command): late \(lates[36]), \(lates[39]) µs; answered in \(answers[36]), \(answers[39]) µs"
    )
    // Other programs on the machine may delay a few of forty, but none for long.
    let (most, all) = (10 * millisecond + bare.lateUsec(0.9), 100 * millisecond + bare.lateUsec())
    return [
      excess("late, of most", lates[36], over: most), excess("late", lates[39], over: all),
      excess("answered, most", answers[36], over: most), excess("answered", answers[39], over: all),
    ].compactMap(\.self)
  }

  /// For how long the daemon and this test have waited for a processor that other programs had.
  private func waitedUsec() throws -> Int64 {
    try daemon.process.processorTime.waitUsec + ProcessorTime.ofThisThread.waitUsec
  }

  @Test func `A daemon with a finished command and nothing due does not wake up`() async throws {
    try daemon.start("tea", usec: 20 * millisecond, on: [.started], running: ["true"])
    _ = try daemon.end(of: "tea")
    // A few seconds after it rang, the daemon looks once whether that was noticed.
    _ = try daemon.events(after: 0).event { $0.type == .unnoticed && $0.name == "tea" }
    try daemon.notifications.next("the status line", within: 30) { $0.contains("STATUS=") }
    await elapse(seconds: 3)
    let before = try daemon.process.waits
    await elapse(seconds: 5)
    #expect(try daemon.process.waits == before)
  }
}
