import Glibc
import NightjarClient
import NightjarTestSupport
import Testing

/// How often an idle bridge wakes up.
@Suite(.long) struct BridgeIdleTests {
  /// The counter may be read before or after the process waits again.
  private static let spare: Int64 = 2

  private func wakeUps(_ process: ChildProcess) throws -> Int64 {
    try process.waits.values.reduce(0, +)
  }

  @Test func `An idle bridge wakes up for the keepalive only, and its daemon never`() throws {
    let keepalive: Int64 = 12
    let rig = try BridgeRig(keepaliveSeconds: Int(keepalive))
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    for machine in [laptop, desktop] { try machine.daemon.connect().start("tea", usec: hour) }
    try rig.awaitMirror(of: "laptop", on: desktop)
    try rig.awaitMirror(of: "desktop", on: laptop)
    let broker = try #require(rig.broker)
    func awaitPing() throws {
      try broker.lines.next("a ping", within: 60) {
        $0.contains("Received PINGREQ from nightjar-alex-laptop")
      }
    }
    // Messages that follow a change have been sent before the first ping.
    try awaitPing()
    let processes = [laptop.bridge, desktop.bridge]
    let (begin, before) = (Now.boottimeUsec, try processes.map(wakeUps))
    let daemonBefore = try laptop.daemon.process.waits
    try awaitPing()
    try awaitPing()
    let seconds = (Now.boottimeUsec - begin) / second
    // The bridge checks three times per keepalive whether a ping is due, and reads the answers to
    // two pings.
    let expected = seconds / (keepalive / 3) + 1 + 2
    for (process, before) in zip(processes, before) {
      let count = try wakeUps(process) - before
      print("idle bridge: \(count) wake-ups in \(seconds) s, \(expected) at most")
      #expect(count > 0 && count <= expected + Self.spare)
    }
    #expect(try laptop.daemon.process.waits == daemonBefore)
    // The counter works: a message of another machine is a wake-up, counted when the bridge waits
    // again.
    let last = try wakeUps(desktop.bridge)
    _ = try laptop.daemon.connect().timer(.perform(.pause, name: "tea"))
    try awaitTrue("a message woke nothing that the counter counts") {
      try wakeUps(desktop.bridge) > last
    }
  }
}
