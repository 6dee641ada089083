import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// How soon a machine has another's present timers, and its calls are made, after both are
/// connected again.
@Suite(.blocking, .timed) struct BridgeReconnectTests {
  private let rig: BridgeRig
  private let laptop: BridgeRig.Machine
  private let desktop: BridgeRig.Machine

  private static let boundUsec = 2 * second

  init() throws {
    rig = try BridgeRig(isPersistent: true, hasNetwork: true)
    laptop = try rig.machine("laptop")
    desktop = try rig.machine("desktop")
    let client = try laptop.daemon.connect()
    for number in 1...100 { try client.start("timer-\(number)", usec: hour) }
    try rig.awaitMirror(of: "laptop", on: desktop)
  }

  /// The laptop changes half of its timers, removes some, and starts new ones.
  private func change() throws {
    let client = try laptop.daemon.connect()
    for number in 1...50 { _ = try client.timer(.perform(.pause, name: "timer-\(number)")) }
    for number in 51...60 { _ = try client.timer(.perform(.remove, name: "timer-\(number)")) }
    for number in 101...110 { try client.start("timer-\(number)", usec: hour) }
  }

  /// Waits until the mirror equals its owner, which must happen within the bound from now on.
  private func expectMirror(_ trouble: String) async throws {
    // One round, because the trouble is over.
    let issue = try await BareTimer.issue(rounds: 1) { _ in
      let begunUsec = Now.boottimeUsec
      try rig.awaitMirror(of: "laptop", on: desktop)
      let usec = Now.boottimeUsec - begunUsec
      print("\(trouble): the mirror is equal \(usec / millisecond) ms after the connection")
      return [excess("the mirror", usec, over: Self.boundUsec)].compactMap(\.self)
    }
    #expect(issue == nil)
  }

  private func awaitConnections(of machines: [BridgeRig.Machine]) throws {
    for machine in machines {
      try machine.bridge.lines.next("the connection of \(machine.name)", within: 60) {
        $0.hasPrefix("nightjar-mqtt: connected to")
      }
    }
  }

  @Test func `Two seconds after the owner's bridge is back, the mirror is equal`() async throws {
    laptop.bridge.kill()
    try change()
    try rig.restartBridge(of: laptop)
    try await expectMirror("kill -9 of the owner's bridge")
  }

  @Test func `Two seconds after the reader's bridge is back, the mirror is equal`() async throws {
    desktop.bridge.kill()
    try change()
    try rig.restartBridge(of: desktop)
    try await expectMirror("kill -9 of the reader's bridge")
  }

  @Test(arguments: [false, true])
  func `Two seconds after the broker is back, the mirror is equal`(hasForgotten: Bool) async throws
  {
    try rig.endBroker(SIGKILL, forgetting: hasForgotten)
    try change()
    try rig.startBroker()
    try awaitConnections(of: [laptop, desktop])
    try await expectMirror("a broker that has \(hasForgotten ? "lost" : "kept") what it retained")
  }

  @Test
  func `A call after a broker's restart is sent within the ten seconds that it waits`() throws {
    try rig.endBroker(SIGKILL)
    try rig.awaitLoss(on: desktop)
    let client = try desktop.connect(to: "laptop")
    let answer = try client.stream(.perform(.pause, name: "timer-1"))
    try rig.startBroker()
    let reply = try #require(try answer.next(deadline: .after(usec: 90 * second)))
    #expect(reply["timer"]?["state"]?.stringValue == "paused")
  }

  @Test func `Two seconds after the link is back, the mirror is equal`() async throws {
    try rig.network?.cut("laptop")
    try change()
    try rig.awaitLoss(on: laptop)
    try rig.network?.restore("laptop")
    try awaitConnections(of: [laptop])
    try await expectMirror("a link that was cut for longer than the keepalive")
  }
}
