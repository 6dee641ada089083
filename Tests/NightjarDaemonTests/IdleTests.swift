import Foundation
import NightjarTestSupport
import Testing

/// What a daemon costs that has nothing to do.
@Suite struct IdleTests {
  let rig: Rig
  let daemon: DaemonProcess

  init() throws {
    try #require(
      Binaries.release != nil, "run `make test`: only the release build is what is shipped")
    rig = try Rig()
    daemon = try rig.daemon()
  }

  /// How often the daemon's threads have given up the processor of their own accord: each wake-up
  /// ends with that.
  private func waits() throws -> [String: Int64] {
    let tasks = "/proc/\(daemon.process.pid)/task"
    var waits: [String: Int64] = [:]
    for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
      waits[task] = try ChildProcess.statusField(
        "voluntary_ctxt_switches", in: "\(tasks)/\(task)/status")
    }
    return waits
  }

  @Test func `Idle, with a timer due in an hour: 8 MB, two threads, and no wake-up in 60 s`()
    async throws
  {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    // The status line is the last that follows a change; it comes within a second of it.
    try daemon.notifications.next("the status line", within: 30) { $0.contains("1 running") }
    await elapse(seconds: 2)
    let before = try waits()
    await elapse(seconds: 60)
    let after = try waits()
    #expect(after == before)
    #expect(after.count <= 2)
    let resident = try daemon.residentKilobytes
    #expect(resident <= 8 * 1024)
    print("idle: \(resident) kB resident, \(after.count) threads, no wake-up in 60 s")

    // The counter counts: a request is a wake-up, told when the daemon waits again.
    _ = try client.get("tea")
    let deadline = Now.boottimeUsec + 10 * second
    while try waits() == before {
      try #require(Now.boottimeUsec < deadline, "a request woke nothing that the counter counts")
    }
  }
}
