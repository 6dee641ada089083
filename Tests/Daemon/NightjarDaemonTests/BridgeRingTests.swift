import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A laptop whose timers ring on the desktop, with a real mosquitto, a logind that announces
/// sleeps, and a notification server.
@Suite(.blocking) struct BridgeRingTests {
  private let rig: BridgeRig
  private let logind: LogindMock
  private let screen: NotificationMock
  private let desktop: BridgeRig.Machine

  init() throws {
    rig = try BridgeRig()
    logind = try rig.logind()
    screen = try NotificationMock.running(of: rig.rig)
    desktop = try rig.machine("desktop", environment: screen.environment)
  }

  /// - Parameter hasScreen: it shows its own rings on the same screen as the desktop.
  private func laptop(hasScreen: Bool = false) throws -> BridgeRig.Machine {
    // The daemon and the bridge both delay a sleep.
    var environment = ["DBUS_SYSTEM_BUS_ADDRESS": logind.address]
    environment["DBUS_SESSION_BUS_ADDRESS"] = hasScreen ? screen.address : "none"
    let laptop = try rig.machine("laptop", bus: logind.address, environment: environment)
    try logind.awaitInhibitor(1)
    try logind.awaitInhibitor(2)
    return laptop
  }

  /// The laptop sleeps before its timer is due.
  private func sleep(
    _ laptop: BridgeRig.Machine, with name: String, usec: Int64
  ) throws -> Wire.Timer {
    let timer = try laptop.daemon.connect().start(name, usec: usec)
    try rig.awaitMirror(of: "laptop", on: desktop)
    try logind.prepareForSleep(true)
    try rig.awaitState("asleep", of: "laptop", on: desktop)
    return timer
  }

  @Test(arguments: [true, false])
  func `The desktop rings for a sleeping laptop, which rings when it wakes unless it was answered`(
    isAnswered: Bool
  ) throws {
    let laptop = try laptop(hasScreen: true)
    let timer = try sleep(laptop, with: "tea", usec: 3 * second)
    let shown = try screen.nextNotify()
    #expect(Now.realtimeUsec >= timer.deadlineUsec ?? .max)
    #expect(shown.summary == "tea")
    #expect(shown.body.contains("For laptop, which has been asleep since"), "\(shown.body)")
    #expect(try laptop.daemon.ledger().filter { $0.name == "tea" }.map(\.type) == [.started])
    if isAnswered {
      try screen.pressAndClose("dismiss", on: 1)
      #expect(try rig.message(on: "nightjar/alex/ring/#").contains("dismissed"))
    }
    let before = Now.boottimeUsec
    try logind.prepareForSleep(false)
    if !isAnswered {
      #expect(try screen.nextNotify().body.contains("the machine slept"))
      // The bridge knew at once that there was no answer; without the bridge's call, the daemon
      // waits for 5 s.
      #expect(Now.boottimeUsec - before < 5 * second)
    }
    let client = try laptop.daemon.connect()
    let stream = try laptop.daemon.connect().stream(.events(after: 0))
    #expect(try stream.event { $0.type == .rang }.lateCause == .sleep)
    if isAnswered { _ = try stream.event { $0.type == .removed || $0.type == .dismissed } }
    try rig.awaitState("online", of: "laptop", on: desktop)
    if isAnswered {
      // The laptop removes a timer whose ring was answered.
      #expect(try client.names() == [])
      #expect(screen.notifications.count == 1, "\(screen.notifications.map(\.body))")
    } else {
      #expect(try client.get("tea").state == .over)
      // A dismissal there ends the ring here.
      _ = try client.timer(.perform(.dismiss, name: "tea"))
      try screen.nextClose(of: 1)
    }
  }

  @Test func `The popup of a killed bridge is closed by the next bridge`() throws {
    let laptop = try laptop()
    _ = try sleep(laptop, with: "tea", usec: 2 * second)
    _ = try screen.nextNotify { $0.summary == "tea" }
    try awaitPopup(1, in: "\(desktop.folder)/mqtt.popups")
    try rig.restartBridge(of: desktop)
    try screen.nextClose(of: 1)
  }

  @Test func `The command line answers a ring that is on here, and its owner learns it`() throws {
    let laptop = try laptop()
    let timer = try sleep(laptop, with: "tea", usec: 2 * second)
    _ = try screen.nextNotify()
    let list = try rig.said("@laptop list", on: desktop)
    #expect(list.contains("tea\tover\t00:00\t"), "\(list)")
    #expect(list.contains("rings here for its machine"), "\(list)")
    #expect(list.contains("nightjar: laptop is asleep since "), "\(list)")
    let connection = try desktop.connect(to: "laptop")
    let watch = try desktop.connect(to: "laptop").stream(.watch(name: "tea"))
    try watch.awaitRingHere("on")
    // A refused request leaves the ring as it is.
    let stale = Call.snooze(name: "tea", byUsec: second).with(ChangeOptions(ifSeq: 999))
    #expect(try connection.refusal(of: stale) == .timerChanged(name: "tea", seq: timer.seq))

    // A snooze rings here once more.
    let before = Now.realtimeUsec
    #expect(try rig.said("@laptop snooze tea 3s", on: desktop).hasPrefix("tea: "))
    try screen.nextClose(of: 1)
    let shown = try connection.get("tea")
    #expect(shown.ringing == .snoozed)
    #expect(try #require(shown.openRing?.leftUsec) <= 3 * second)
    #expect(try screen.nextNotify().summary == "tea")
    #expect(Now.realtimeUsec - before >= 3 * second)

    let dismissal = try rig.said("@laptop dismiss tea", on: desktop)
    #expect(dismissal.hasPrefix("tea: dismissed"), "\(dismissal)")
    try screen.nextClose(of: 2)
    try watch.awaitRingHere("dismissed")
    #expect(try rig.message(on: "nightjar/alex/ring/#").contains("dismissed"))
    #expect(
      try rig.said("@laptop show tea", on: desktop)
        .contains("dismissed, and its machine does not know"))
    // The second time there is nothing to dismiss here, and the laptop cannot be asked.
    let again = try rig.nightjar(["@laptop", "dismiss", "tea"], on: desktop)
    #expect(again.end == .exited(4) && again.output.contains("asleep"), "\(again)")

    try logind.prepareForSleep(false)
    try rig.awaitState("online", of: "laptop", on: desktop)
    try awaitTrue("the laptop rings on") { try laptop.daemon.connect().names() == [] }
    try rig.awaitMirror(of: "laptop", on: desktop)
    #expect(try rig.said("@laptop list", on: desktop) == "")
    #expect(screen.notifications.count == 2)
    // It was a person's change there, too.
    let undone = try laptop.daemon.connect().call(Call(Wire.Undo()))
    #expect(undone["timers"]?.arrayValue?.map { $0["name"] } == ["tea"], "\(undone)")
    #expect(try laptop.daemon.connect().get("tea").ringing == .unanswered)
  }
}

extension ReplyStream {
  /// Waits until the stream shows the timer with this state of its ring.
  fileprivate func awaitRingHere(_ word: String) throws {
    while try expectNext()["timer"]?["ring_here"]?.stringValue != word {}
  }
}
