import Glibc
import NightjarClient
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

/// A laptop whose daemon does not answer, while its bridge runs, with a real mosquitto and a
/// notification server.
@Suite(.blocking) struct BridgeNoDaemonTests {
  enum Trouble: CaseIterable {
    case killed, hanging, neverStarted
  }

  private let rig: BridgeRig
  private let screen: NotificationMock
  private let desktop: BridgeRig.Machine
  private let laptop: BridgeRig.Machine

  init() throws {
    rig = try BridgeRig()
    screen = try NotificationMock.running(of: rig.rig)
    desktop = try rig.machine("desktop", environment: screen.environment)
    laptop = try rig.machine("laptop", environment: screen.environment)
  }

  private func make(_ trouble: Trouble) throws {
    switch trouble {
    case .killed: try laptop.daemon.crash()
    // The daemon does not know of it.
    case .hanging: try laptop.daemon.process.stop()
    case .neverStarted:
      laptop.bridge.kill()
      try laptop.daemon.crash()
      try rig.restartBridge(of: laptop)
    }
  }

  @Test(arguments: Trouble.allCases)
  func `Without its daemon a machine is no_daemon; others ring for it`(trouble: Trouble) throws {
    let client = try laptop.daemon.connect()
    try client.start("tea", usec: 4 * second)
    try client.start("walk", usec: 4 * second, clock: .awake)
    try rig.awaitMirror(of: "laptop", on: desktop)
    try awaitTrue("the laptop says that it cannot ring") {
      try rig.retained("status", of: laptop)["can_ring"]?.boolValue == true
    }
    try make(trouble)
    try rig.awaitState("no_daemon", of: "laptop", on: desktop)
    // The popup's reason is true: the desktop may ring before it knows that the daemon hangs.
    let shown = try screen.nextNotify()
    #expect(shown.summary == "tea")
    #expect(
      shown.body.contains("For laptop, whose daemon does not answer.")
        || trouble == .hanging && shown.body.contains("which did not say that it rang"),
      "\(shown.body)")
    // A timer that counts only while its machine is awake is shown as it was.
    let list = try rig.said("@laptop list", on: desktop)
    #expect(list.contains("tea\tover\t00:00\t") && list.contains("rings here for its machine"))
    #expect(list.contains("walk\trunning\t00:0"), "\(list)")
    #expect(!list.contains("walk\trunning\t00:00"), "\(list)")
    #expect(list.contains("stands still: its machine is away"), "\(list)")
    #expect(list.contains("nightjar: the daemon of laptop does not answer its bridge; "), "\(list)")
    // The ring is snoozed and dismissed where it is heard.
    let before = Now.realtimeUsec
    #expect(try rig.said("@laptop snooze tea 2s", on: desktop).hasPrefix("tea: "))
    try screen.nextClose(of: 1)
    #expect(try screen.nextNotify().summary == "tea")
    #expect(Now.realtimeUsec - before >= 2 * second)
    try rig.said("@laptop dismiss tea", on: desktop)
    try screen.nextClose(of: 2)
    #expect(try rig.message(on: "nightjar/alex/ring/#").contains("dismissed"))
    // A change is refused at once, and nothing is in doubt.
    let change = try rig.nightjar(["@laptop", "pause", "walk"], on: desktop)
    #expect(
      change.output == "nightjar: the daemon of laptop does not answer its bridge; nothing was "
        + "changed: try again")
    // The daemon is back, and learns of the dismissal.
    if trouble == .hanging {
      try laptop.daemon.proceed()
    } else {
      try rig.restartDaemon(of: laptop)
    }
    try rig.awaitState("online", of: "laptop", on: desktop)
    try awaitTrue("the laptop rings on") { try !laptop.daemon.connect().names().contains("tea") }
  }

  @Test(arguments: [true, false])
  func `A daemon that hangs is noticed by a call, and without one`(isCalled: Bool) throws {
    try rig.awaitMirror(of: "laptop", on: desktop)
    try laptop.daemon.process.stop()
    let connection = try desktop.connect(to: "laptop")
    let call = try isCalled ? connection.stream(.why(name: "tea")) : nil
    let deadline = Now.boottimeUsec + (isCalled ? 30 : 90) * second
    func state() throws -> String? { try desktop.status().devices.first?.state.rawValue }
    while try state() != "no_daemon", Now.boottimeUsec < deadline { sched_yield() }
    #expect(try state() == "no_daemon")
    _ = try? call?.next(deadline: .after(usec: 90 * second))
    try laptop.daemon.proceed()
    try rig.awaitState("online", of: "laptop", on: desktop)
  }

  @Test func `A daemon that hangs after its first reply is noticed`() throws {
    try laptop.daemon.crash()
    let path = "\(laptop.folder)/socket"
    unlink(path)
    let fake = try FakeDaemon(path: path) { request in
      guard request.method == "Watch" else { return [] }
      return [.reply(["synced": true, "seq": 0, "ledger": "other"], continues: true)]
    }
    defer { fake.stop() }
    try awaitTrue("the bridge waits for the status without an end") {
      try laptop.status().daemonReason == "it did not answer within 5 s"
    }
  }

  @Test func `The bridge finds a new daemon as soon as its socket appears`() throws {
    try laptop.daemon.crash()
    // Each attempt of the bridge finds a daemon that ends at once. After the seventh attempt, the
    // bridge waits for 5 s.
    let path = "\(laptop.folder)/socket"
    unlink(path)
    let fake = try FakeDaemon(path: path) { _ in [.close] }
    try awaitTrue("the bridge gives up") { fake.requests.count { $0.method == "Watch" } >= 7 }
    fake.stop()
    try rig.restartDaemon(of: laptop)
    let begunUsec = Now.boottimeUsec
    try awaitTrue("the bridge finds no daemon") { try laptop.status().daemonReason == nil }
    #expect(Now.boottimeUsec - begunUsec < 3 * second)
  }
}
