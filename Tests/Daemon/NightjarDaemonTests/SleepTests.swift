import Glibc
import NightjarClient
import NightjarTestSupport
import Testing

extension Rig {
  /// Starts a logind of the test, and a daemon that can delay its sleep and whose clocks the test
  /// may advance.
  fileprivate func daemonWithLogind() throws -> (LogindMock, DaemonProcess) {
    let logind = try LogindMock(of: self, database: "\(path)/nightjar/nightjar.db")
    try logind.start()
    let daemon = try daemon {
      $0.environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(path)/bus"]
      try $0.fakeWallClock(seconds: 0)
    }
    try logind.awaitInhibitor(1)
    return (logind, daemon)
  }
}

/// Two minutes of real time, which no test can shorten: the kernel counts them.
@Suite(.long) struct KeepAwakeTests {
  @Test func `An unanswered ring keeps the machine awake for two minutes and no longer`()
    async throws
  {
    let rig = try Rig()
    let (logind, daemon) = try rig.daemonWithLogind()
    let client = try daemon.connect()
    _ = try client.timer(.start(name: "tea", durationUsec: 500 * millisecond, wake: true))
    try logind.fallAsleep(releasing: 1)
    // Real time: the kernel would count the two minutes from the end of a pretended time, which has
    // not passed.
    await elapse(seconds: 1)
    try logind.wakeUp(taking: 2)
    try logind.awaitInhibitor(3, mode: "block")
    let takenUsec = Now.boottimeUsec
    try logind.awaitReleases([3], within: 150)
    let awakeUsec = Now.boottimeUsec - takenUsec
    #expect((118 * second..<125 * second).contains(awakeUsec), "\(awakeUsec)")
    #expect(try !client.status().sleep.keptAwake)
  }
}

/// logind's PrepareForSleep and its inhibitor, over a real bus.
@Suite(.blocking, .timed) struct SleepTests {
  private let rig: Rig
  private let logind: LogindMock
  private let daemon: DaemonProcess
  private let client: Connection

  init() throws {
    rig = try Rig()
    (logind, daemon) = try rig.daemonWithLogind()
    client = try daemon.connect()
  }

  private func spans() throws -> [[Wire.Cause]] {
    try daemon.settledLedger().compactMap(\.leftSpan).map(\.causes)
  }

  /// Waits until the daemon reaches a state. Its answer shows which signals it has handled by then.
  private func awaitStatus(
    _ what: String, _ isSo: (Wire.Status.Reply) -> Bool
  ) throws -> Wire.Status.Reply {
    var status = try client.status()
    try awaitTrue(what) {
      status = try client.status()
      return isSo(status)
    }
    return status
  }

  @Test func `The inhibitor is released only when the entry is on disk, and taken anew afterwards`()
    throws
  {
    for round in 1...10 {
      // The disk has work to do when the sleep begins.
      let calls = (0..<200).map { Call.start(name: "r\(round)/\($0)", durationUsec: hour) }
      for result in try client.callAll(calls) { _ = try result.get() }
      try logind.fallAsleep(releasing: round)
      let asleep = try client.status()
      #expect(asleep.openSpan?.causes == ["sleep"] && !asleep.sleep.inhibitor)
      try logind.wakeUp(taking: round + 1)
      let awake = try awaitStatus("an inhibitor") { $0.sleep.inhibitor }
      #expect(awake.openSpan == nil && awake.lastSpan?.causes == ["sleep"])
      #expect(awake.warning == nil && awake.sleep.seen && awake.sleep.reason == nil)
    }
    #expect(try spans().count == 10)
  }

  @Test func `While the machine is about to sleep, only commands of that event start`() throws {
    try rig.addHook("did_enter_background.d/hook", "true")
    try daemon.reload()
    try daemon.start("tea", on: [.cancelled], running: ["true"])
    try logind.fallAsleep(releasing: 1)
    _ = try daemon.connect().timer(.perform(.cancel, name: "tea"))
    let ends = try daemon.events(after: 0)
    let hook = try ends.event { $0.type == .actionEnded }
    #expect(hook.command == "hook did_enter_background.d/hook" && hook.end == "exited 0")
    #expect(try daemon.status().openSpan?.causes == ["sleep"])
    try logind.prepareForSleep(false)
    _ = try ends.event { $0.type == .actionEnded && $0.name == "tea" }
    let types = try daemon.settledLedger().map(\.type).filter {
      [.actionStarted, .willEnterForeground].contains($0)
    }
    #expect(types == [.actionStarted, .willEnterForeground, .actionStarted])
  }

  @Test func `A timer that woke the machine keeps it awake until it is answered`() throws {
    for name in ["tea", "egg"] {
      let started = try client.timer(.start(name: name, durationUsec: hour, wake: true))
      // It does not matter whether the daemon may wake this machine: the reply says whether it may.
      #expect(started.wake != nil && started.wake?.can == (started.wake?.reason == nil))
    }
    try client.start("quiet", usec: hour)
    try logind.fallAsleep(releasing: 1)
    try daemon.options.pretendSleep(seconds: 2 * 3600)
    try logind.prepareForSleep(false)
    // The daemon requests the delay inhibitor when it leaves the span, and the other one when the
    // timers fire in it.
    _ = try awaitStatus("two inhibitors") { $0.sleep.keptAwake && $0.sleep.inhibitor }
    #expect(Set(logind.history.filter { $0.hasPrefix("taken") }).count == 3)
    _ = try client.timer(.perform(.dismiss, name: "quiet"))
    _ = try client.timer(.perform(.dismiss, name: "tea"))
    #expect(try client.status().sleep.keptAwake)
    _ = try client.timer(.snooze(name: "egg", byUsec: hour))
    _ = try awaitStatus("sleep to be let") { !$0.sleep.keptAwake }
    #expect(try client.status().sleep.inhibitor)
  }

  @Test func `A wake timer that rings soon after a sleep keeps the machine awake`() throws {
    let rings = try daemon.events()
    _ = try client.timer(.start(name: "tea", durationUsec: 3 * second, wake: true))
    try logind.fallAsleep(releasing: 1)
    // The clock that wakes a machine may wake it early: the timer is not due yet.
    try logind.wakeUp(taking: 2)
    let ring = try rings.event { $0.type == .rang }
    #expect(ring.name == "tea" && ring.lateCause == nil)
    try logind.awaitInhibitor(3, mode: "block")
    #expect(try client.status().sleep.keptAwake)
  }

  @Test func `The block inhibitor is released in a stop, and requested again after one`() throws {
    _ = try client.timer(.start(name: "tea", durationUsec: hour, wake: true))
    try logind.fallAsleep(releasing: 1)
    try daemon.options.pretendSleep(seconds: 2 * 3600)
    try logind.wakeUp(taking: 2)
    try logind.awaitInhibitor(3, mode: "block")
    try daemon.stop()
    try logind.awaitReleases([2, 3])
    try daemon.proceed()
    try logind.awaitInhibitor(4)
    try logind.awaitInhibitor(5, mode: "block")

    // A logind that was restarted knows neither inhibitor.
    logind.vanish()
    _ = try awaitStatus("that it is gone") { !$0.sleep.seen && !$0.sleep.keptAwake }
    try logind.start()
    try logind.awaitInhibitor(1)
    try logind.awaitInhibitor(2, mode: "block")
    _ = try client.timer(.perform(.dismiss, name: "tea"))
    try logind.awaitReleases([2])
    _ = try awaitStatus("sleep to be let") { !$0.sleep.keptAwake && $0.sleep.inhibitor }
  }

  /// What the daemon reads of logind after a sleep that the clocks have shown to it.
  enum Announced: CaseIterable {
    /// SIGSTOP held the daemon. Both announcements wait for it.
    case before
    /// The same, but the resume is not complete: the end is not announced yet.
    case halfBefore
    /// The daemon ran, and learns only now that the sleep was ahead.
    case late
  }

  @Test(arguments: Announced.allCases)
  func `A sleep that the clocks have shown is not entered again when its announcement is read`(
    announced: Announced
  ) throws {
    try client.start("tea", usec: hour)
    let events = try daemon.events()
    if announced != .late {
      try daemon.process.stop()
    }
    try daemon.options.pretendSleep(seconds: 2 * 3600)
    try logind.prepareForSleep(true)
    if announced == .before { try logind.prepareForSleep(false) }
    try logind.awaitOrders()
    if announced != .late { try daemon.proceed() }
    #expect(try events.event { $0.type == .rang }.lateCause == .sleep)
    if announced != .before { try logind.prepareForSleep(false) }
    try logind.awaitOrders()
    #expect(try spans() == [["sleep"]])
    // A sleep that is really ahead is entered, with the same inhibitor.
    try logind.fallAsleep(releasing: 1)
    try logind.wakeUp(taking: 2)
    #expect(try spans() == [["sleep"], ["sleep"]])
  }

  @Test func `A logind that vanishes in a sleep ends it, and a new one is believed`() throws {
    let tea = try client.start("tea", usec: hour)
    // Before the first sleep: soon after one, a new logind may still report that one.
    logind.vanish()
    _ = try awaitStatus("that it is gone") { !$0.sleep.seen }
    try logind.start(preparing: true)
    let status = try awaitStatus("a span") { $0.openSpan != nil }
    #expect(status.openSpan?.causes == ["sleep"])
    try logind.wakeUp(taking: 1)

    try logind.fallAsleep(releasing: 1)
    logind.vanish()
    let gone = try awaitStatus("the end of the span") { $0.openSpan == nil }
    #expect(gone.lastSpan?.causes == ["sleep"] && !gone.sleep.seen && !gone.sleep.inhibitor)
    #expect(try #require(gone.sleep.reason).contains("logind"))
    try daemon.process.awaitLine("sleep is detected from the clocks")
    #expect(try client.get("tea").deadlineBoottimeUsec == tea.deadlineBoottimeUsec)

    try logind.start()
    try logind.awaitInhibitor(1)
    _ = try awaitStatus("an inhibitor") { $0.sleep.inhibitor && $0.sleep.seen }
    try logind.fallAsleep(releasing: 1)
    try logind.wakeUp(taking: 2)
    #expect(try spans() == [["sleep"], ["sleep"], ["sleep"]])
  }

  @Test func `If logind does not report the end of a sleep, the daemon asks after 10 s`() throws {
    try logind.fallAsleep(releasing: 1)
    try logind.setPreparing(false)
    try logind.awaitInhibitor(2, within: 30)
    #expect(try spans() == [["sleep"]])
    let asked = try #require(try daemon.status().lastSpan?.elapsedUsec)
    #expect(asked >= 10 * second)
  }

  @Test func `An inhibitor that was refused is asked for again`() throws {
    try logind.refuseInhibitors(true)
    try logind.fallAsleep(releasing: 1)
    try logind.prepareForSleep(false)
    try logind.awaitRefusal()
    let status = try awaitStatus("the reason") { $0.sleep.reason != nil }
    #expect(!status.sleep.inhibitor && status.openSpan == nil && status.sleep.denied)
    try logind.refuseInhibitors(false)
    try logind.awaitInhibitor(2)
    _ = try awaitStatus("an inhibitor") { $0.sleep.inhibitor && $0.sleep.reason == nil }
  }

  @Test func `A stop in a sleep, and a sleep in a stop, are one span each`() throws {
    try logind.fallAsleep(releasing: 1)
    try daemon.stop()
    try daemon.proceed()
    #expect(
      try awaitStatus("the stop") { $0.openSpan?.causes == ["sleep", "stop"] }.lastSpan == nil)
    try logind.wakeUp(taking: 2)
    #expect(try spans() == [["sleep", "stop"]])

    // A stopped daemon has released the inhibitor, so that it delays no sleep. Signals from the
    // time of the stop are outdated.
    try daemon.stop()
    #expect(try logind.awaitRelease(2) == "stop")
    try logind.prepareForSleep(true)
    try logind.prepareForSleep(false)
    try daemon.proceed()
    try logind.awaitInhibitor(3)
    #expect(try spans() == [["sleep", "stop"], ["stop"]])

    // A sleep that is still ahead when the daemon continues counts.
    try daemon.stop()
    #expect(try logind.awaitRelease(3) == "stop")
    try logind.prepareForSleep(true)
    try daemon.proceed()
    _ = try awaitStatus("the sleep") { $0.openSpan?.causes == ["sleep"] }
    try logind.wakeUp(taking: 4)
    #expect(try spans() == [["sleep", "stop"], ["stop"], ["stop"], ["sleep"]])
  }

  @Test func `A daemon that is ended in a sleep continues from its stored entry`() throws {
    try logind.fallAsleep(releasing: 1)
    #expect(try daemon.terminate() == .exited(0))
    let address = logind.address
    try logind.prepareForSleep(false)
    let next = try rig.daemon { $0.environment = ["DBUS_SYSTEM_BUS_ADDRESS": address] }
    let spans = try next.ledger { $0.leftSpan != nil }.compactMap(\.leftSpan)
    #expect(spans.map(\.causes) == [["sleep", "down"]])
    try logind.awaitInhibitor(2)
  }
}
