import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// What two members of a session see of a third, and how soon.
@Suite(.blocking, .timed) struct SessionLossTests {
  private static let session = "run/4711"

  private let rig: BridgeRig
  private let laptop: BridgeRig.Machine
  private let streams: [ReplyStream]

  init() throws {
    rig = try BridgeRig(isPersistent: true, hasNetwork: true)
    laptop = try rig.machine("laptop", of: "alex")
    try laptop.daemon.connect().start(Self.session, usec: hour)
    let others = try [rig.machine("phone", of: "kim"), rig.machine("tablet", of: "sam")]
    for (machine, command) in zip([laptop] + others, ["share", "join", "join"]) {
      let (end, output) = try rig.nightjar(
        [command, Self.session, "--group", "runners"], on: machine)
      guard end == .exited(0) else { throw Unmet(description: "\(command): \(output)") }
    }
    streams = try others.map { try $0.connect(toSession: Self.session).stream(.watch()) }
    for stream in streams {
      while try stream.expectNext()["synced"] == nil {}
    }
  }

  /// Waits until both see it, and returns how long that took, in milliseconds.
  private func seen(since begunUsec: Int64, _ isIncluded: (JSONValue) -> Bool) throws -> Int64 {
    for stream in streams { while try !isIncluded(stream.expectNext()) {} }
    return (Now.boottimeUsec - begunUsec) / millisecond
  }

  private func owner(_ state: String) -> (JSONValue) -> Bool {
    { $0["timer"]?["owner_state"]?.stringValue == state }
  }

  @Test func `A member that is not back when the broker is, is offline`() throws {
    try rig.endBroker(SIGKILL)
    laptop.bridge.kill()
    try rig.startBroker()
    let begunUsec = Now.boottimeUsec
    let milliseconds = try seen(since: begunUsec, owner("offline"))
    print("session: the broker comes back without a member, offline: \(milliseconds) ms")
    #expect((4_000...15_000).contains(milliseconds))
  }

  @Test func `Each change and each loss of a member is seen by the others in time`() async throws {
    // One round, because it takes long.
    let issue = try await BareTimer.issue(rounds: 1) { _ in try delaysOfLosses() }
    #expect(issue == nil)
  }

  /// - Returns: what was seen too late, or too early.
  private func delaysOfLosses() throws -> [String] {
    var wrong: [String] = []
    func expect(
      _ what: String, _ bound: ClosedRange<Int64>, _ isIncluded: (JSONValue) -> Bool,
      after change: () throws -> Void
    ) throws {
      let begunUsec = Now.boottimeUsec
      try change()
      let milliseconds = try seen(since: begunUsec, isIncluded)
      print("session: \(what): \(milliseconds) ms")
      if !bound.contains(milliseconds) { wrong.append("\(what): \(milliseconds) ms") }
    }
    func event(_ type: String) -> (JSONValue) -> Bool {
      { $0["event"]?["type"]?.stringValue == type }
    }
    let client = try laptop.daemon.connect()
    try expect("a change", 0...500, event("paused")) {
      _ = try client.timer(.perform(.pause, name: Self.session))
    }
    try expect("kill -9 of a bridge, offline", 0...1000, owner("offline")) { laptop.bridge.kill() }
    try expect("the bridge again, online", 0...2000, owner("online")) {
      try rig.restartBridge(of: laptop)
    }
    try expect("kill -9 of the broker, unknown", 0...1000, owner("unknown")) {
      try rig.endBroker(SIGKILL)
    }
    try expect("the broker again, online", 0...35_000, owner("online")) { try rig.startBroker() }
    // The broker waits for one and a half keepalives of 5 s, and checks every 5 s.
    try expect("a link that is cut, offline", 2500...15_000, owner("offline")) {
      try rig.network?.cut("laptop")
    }
    try expect("the link again, online", 0...60_000, owner("online")) {
      try rig.awaitLoss(on: laptop)
      try rig.network?.restore("laptop")
    }
    try expect("a cancel", 0...500, event("cancelled")) {
      _ = try client.timer(.perform(.resume, name: Self.session))
      _ = try client.timer(.perform(.cancel, name: Self.session))
    }
    func isLeave(_ reply: JSONValue) -> Bool {
      reply["event"]?["type"] == "removed" && reply["event"]?["name"] == "alex/laptop"
    }
    try expect("a leave", 0...1500, isLeave) {
      let end = try rig.nightjar(["leave", Self.session], on: laptop).end
      #expect(end == .exited(0))
    }
    return wrong
  }
}
