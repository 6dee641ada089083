import Foundation
import NightjarClient
import NightjarTestSupport
import NightjarVarlink
import Testing

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
  ) throws {
    let client = try daemon.connect()
    let after = try client.status().storage.lastSeq
    for bad in 0..<4 {
      try daemon.start("bad/\(bad)", usec: 1_000, running: command) { timer in
        timer.ring?.timeout = .seconds(2)
      }
    }
    _ = try daemon.events(after: after).event { $0.type == .actionStarted }
    var (lates, answers): ([Int64], [Int64]) = ([], [])
    for good in 0..<40 {
      try client.start("good/\(good)", usec: 10 * millisecond)
      let begin = Now.boottimeUsec
      _ = try client.get("good/\(good)")
      answers.append(Now.boottimeUsec - begin)
    }
    let fired = try daemon.events(after: after)
    while lates.count < 40 {
      let event = try fired.event { $0.type == .fired && $0.name?.hasPrefix("good/") == true }
      lates.append(try #require(event.lateUsec))
    }
    (lates, answers) = (lates.sorted(), answers.sorted())
    print(
      "\(command): late \(lates[36]), \(lates[39]) µs; answered in \(answers[36]), \(answers[39]) µs"
    )
    // Other programs on the machine may delay a few of forty, but none for long.
    #expect(lates[36] < 10 * millisecond && lates[39] < 100 * millisecond)
    #expect(answers[36] < 10 * millisecond && answers[39] < 100 * millisecond)
  }

  @Test func `A daemon with a finished command and nothing due does not wake up`()
    async throws
  {
    try daemon.start("tea", running: ["true"]) { $0.ring?.events = [.started] }
    _ = try daemon.end(of: "tea")
    try daemon.notifications.next("the status line", within: 30) { $0.contains("STATUS=") }
    await elapse(seconds: 3)
    let before = try daemon.process.waits
    await elapse(seconds: 5)
    #expect(try daemon.process.waits == before)
  }
}
