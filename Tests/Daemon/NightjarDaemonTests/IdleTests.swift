import NightjarTestSupport
import Testing

@Suite(.long) struct IdleTests {
  let rig: Rig
  let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
  }

  @Test func `Idle, with a timer due in an hour: 8 MB, two threads, and no wake-up in 60 s`()
    async throws
  {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    // The status line is the last that follows a change; it comes within a second of it. The commit
    // may still be written then.
    try daemon.notifications.next("the status line", within: 30) { $0.contains("1 running") }
    var before = try daemon.process.waits
    for _ in 1...15 {
      await elapse(seconds: 2)
      let now = try daemon.process.waits
      if now == before { break }
      before = now
    }
    await elapse(seconds: 60)
    let after = try daemon.process.waits
    #expect(after == before)
    #expect(after.count <= 2)
    let resident = try daemon.residentKilobytes
    #expect(resident <= 8 * 1024)
    print("idle: \(resident) kB resident, \(after.count) threads, no wake-up in 60 s")

    // Proof that the counter works: a request is a wake-up, counted when the daemon waits again.
    _ = try client.get("tea")
    let deadline = Now.boottimeUsec + 10 * second
    while try daemon.process.waits == before {
      try #require(Now.boottimeUsec < deadline, "a request woke nothing that the counter counts")
    }
  }
}
