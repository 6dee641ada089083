import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The bridge before, during and after a sleep of its machine, with a real bus and a real
/// mosquitto.
@Suite(.blocking) struct BridgeSleepTests {
  private let rig: BridgeRig
  private let logind: LogindMock
  private let laptop: BridgeRig.Machine

  init() throws {
    rig = try BridgeRig()
    logind = try rig.logind()
    laptop = try rig.machine("laptop", bus: logind.address)
    try logind.awaitInhibitor(1)
  }

  private func broker() throws -> ChildProcess { try #require(rig.broker) }

  /// How often the laptop's bridge has connected.
  private func connections() throws -> Int {
    try broker().lines.all.count {
      $0.contains("New client connected") && $0.contains("nightjar-alex-laptop")
    }
  }

  @Test func `Before a sleep the bridge informs other machines, and disconnects cleanly`() throws {
    let desktop = try rig.machine("desktop")
    try laptop.daemon.connect().start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    let before = Now.realtimeUsec
    try logind.prepareForSleep(true)
    _ = try logind.awaitRelease(1)
    try broker().lines.next("the end of the connection") {
      $0.contains("Received DISCONNECT from nightjar-alex-laptop")
    }
    // The will would say that it is offline.
    let presence = try rig.retained("presence", of: laptop)
    #expect(presence["state"] == "asleep" && presence["sent_usec"] == presence["since_usec"])
    #expect(try #require(presence["since_usec"]?.integerValue) >= before)
    // Members of a group can read this.
    let names = presence.objectValue?.map(\.key) ?? []
    #expect(Set(names) == ["state", "instance", "since_usec", "sent_usec"])
    // The status stays.
    let status = try rig.retained("status", of: laptop)
    #expect(status["timers"] == 1)
    #expect(["ledger", "last_seq", "timers_digest"].allSatisfy { status[$0] != nil })
    try rig.awaitState("asleep", of: "laptop", on: desktop)
    let own = try laptop.status()
    #expect(!own.connected && own.reason == "this machine is about to sleep")
    let refusal = try desktop.connect(to: "laptop").refusal(of: .perform(.pause, name: "tea"))
    guard case .ownerAway("laptop", "asleep", .some, false) = refusal else {
      throw Unmet(description: "\(refusal)")
    }
    try logind.wakeUp(taking: 2)
    try rig.awaitState("online", of: "laptop", on: desktop)
    #expect(try laptop.status().connected)
    #expect(try connections() == 2, "there is no attempt between the two")
    // Once more.
    try logind.prepareForSleep(true)
    _ = try logind.awaitRelease(2)
    try rig.awaitState("asleep", of: "laptop", on: desktop)
  }

  @Test func `The machine waits for the broker's answer for at most three seconds`() throws {
    let broker = try broker()
    try broker.stop()
    let begun = Now.boottimeUsec
    try logind.prepareForSleep(true)
    _ = try logind.awaitRelease(1)
    #expect(Now.boottimeUsec - begun >= 3 * second)
    // Not because of the keepalive, which takes longer.
    try laptop.bridge.lines.next("the reason") { $0.contains("did not acknowledge in time") }
    broker.signal(SIGCONT)
    try logind.wakeUp(taking: 2)
    try rig.awaitConnection(of: laptop)
  }

  @Test func `A sleep that is cancelled before the broker answers ends no connection`() throws {
    let broker = try broker()
    // After this the bridge publishes nothing on its own, and it has read all retained messages.
    try awaitTrue("the status is not complete") {
      let status = try rig.retained("status", of: laptop)
      return status["ledger"] != nil && status["clock_synchronized"] != nil
    }
    try broker.stop()
    let before = Now.realtimeUsec
    let sent = try laptop.status().sent.messages
    try logind.callOffSleep()
    // The messages that it sleeps, and that it is online again: it learns both before the broker
    // answers.
    try awaitTrue("the sleep is not called off") { try laptop.status().sent.messages >= sent + 2 }
    broker.signal(SIGCONT)
    try awaitTrue("it is not online again") {
      let presence = try rig.retained("presence", of: laptop)
      return presence["state"] == "online" && presence["sent_usec"]?.integerValue ?? 0 >= before
    }
    #expect(!logind.history.contains { $0.hasPrefix("released") })
    #expect(try connections() == 1)
  }

  @Test func `Without a connection the machine sleeps at once, and connects afterwards`() throws {
    try rig.endBroker()
    try rig.awaitLoss(on: laptop)
    try logind.prepareForSleep(true)
    _ = try logind.awaitRelease(1)
    try rig.startBroker()
    #expect(try !laptop.status().connected)
    try logind.wakeUp(taking: 2)
    try rig.awaitConnection(of: laptop)
    #expect(try connections() == 1)
  }

  @Test func `If logind comes back preparing a sleep, the bridge disconnects for it`() throws {
    logind.vanish()
    try laptop.bridge.lines.next("that it is gone") { $0.contains("do not know when this one") }
    try logind.start(preparing: true)
    try laptop.bridge.lines.next("the end of the connection") {
      $0.contains("disconnected: this machine is about to sleep")
    }
    try logind.wakeUp(taking: 1)
    try rig.awaitConnection(of: laptop)
  }
}
