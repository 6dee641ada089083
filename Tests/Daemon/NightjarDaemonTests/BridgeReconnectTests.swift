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

  /// What came to an end when both machines are connected again.
  enum Trouble: CaseIterable {
    case ownersBridgeIsKilled, readersBridgeIsKilled, brokerIsKilled, brokerLosesAll, linkIsCut
  }

  @Test(arguments: Trouble.allCases)
  func `A mirror equals its owner two seconds after the connection`(trouble: Trouble) async throws {
    switch trouble {
    case .ownersBridgeIsKilled, .readersBridgeIsKilled:
      let machine = trouble == .ownersBridgeIsKilled ? laptop : desktop
      machine.bridge.kill()
      try change()
      try rig.restartBridge(of: machine)
    case .brokerIsKilled, .brokerLosesAll:
      try rig.endBroker(SIGKILL, forgetting: trouble == .brokerLosesAll)
      try change()
      try rig.startBroker()
      for machine in [laptop, desktop] { try rig.awaitConnection(of: machine) }
    case .linkIsCut:
      // For longer than the keepalive.
      try rig.network?.cut("laptop")
      try change()
      try rig.awaitLoss(on: laptop)
      try rig.network?.restore("laptop")
      try rig.awaitConnection(of: laptop)
    }
    // One round, because the trouble is over.
    let issue = try await BareTimer.issue(rounds: 1) { _ in
      let begunUsec = Now.boottimeUsec
      try rig.awaitMirror(of: "laptop", on: desktop)
      let usec = Now.boottimeUsec - begunUsec
      print("\(trouble): the mirror is equal \(usec / millisecond) ms after the connection")
      return [excess("the mirror", usec, over: 2 * second)].compactMap(\.self)
    }
    #expect(issue == nil)
  }

  @Test func `A call that waits for a broker's restart is sent within ten seconds`() throws {
    try rig.endBroker(SIGKILL)
    try rig.awaitLoss(on: desktop)
    let client = try desktop.connect(to: "laptop")
    let answer = try client.stream(.perform(.pause, name: "timer-1"))
    try rig.startBroker()
    let reply = try #require(try answer.next(deadline: .after(usec: 90 * second)))
    #expect(reply["timer"]?["state"]?.stringValue == "paused")
  }
}
