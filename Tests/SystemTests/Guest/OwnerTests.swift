import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

extension GuestTests {
  /// A laptop that really sleeps and loses its power, which is the guest, and a desktop that rings
  /// for it, which is this machine. Between them are a mosquitto and a network.
  @Suite(.blocking, .inGuestWithNetwork) struct OwnerTests {
    private let guest: Guest
    private let rig: BridgeRig
    private let screen: NotificationMock
    private let desktop: BridgeRig.Machine

    init() throws {
      guest = try #require(Guest.current)
      rig = try BridgeRig(hasPort: true)
      screen = try NotificationMock.running(of: rig.rig)
      desktop = try rig.machine("desktop", environment: screen.environment)
      let port = try #require(rig.port)
      // Nothing synchronises the clock of the guest, which is right to a second.
      try guest.root("mkdir -p /run/systemd/timesync && touch /run/systemd/timesync/synchronized")
      // The bridge's unit starts it, as at each login.
      try guest.user(
        """
        set -e
        systemctl --user stop nightjar-mqtt screen
        nightjar remove --all
        cat >~/.config/nightjar/config.toml <<'TOML'
        [clock]
        wait = 0

        [mqtt]
        broker = "mqtt://10.0.2.2:\(port)"
        person = "alex"
        device = "laptop"
        keepalive = 5
        TOML
        rm -f ~/screen
        systemctl --user start screen
        \(Self.awaiting(#"nightjar status --json | grep -q '"ring":{"seen":true'"#))
        systemctl --user enable --now nightjar-mqtt
        """)
      try rig.awaitState("online", of: "laptop", on: desktop)
      let unit = try guest.user("systemctl --user show -P FragmentPath nightjar-mqtt")
      #expect(unit == "/usr/local/lib/systemd/user/nightjar-mqtt.service")
      let status = try guest.user("nightjar mqtt status")
      #expect(status.contains("mqtt://10.0.2.2:\(port), connected since"), "\(status)")
    }

    /// A command that waits until a condition holds in the guest.
    private static func awaiting(_ condition: String) -> String {
      "until \(condition); do read -t 0.1 <> <(:) || true; done"
    }

    /// Starts a timer on the laptop; returns when the desktop knows it.
    private func start(_ name: String, _ duration: String) throws -> Wire.Timer {
      try guest.user("nightjar start \(name) \(duration)")
      let timers = try guest.user("nightjar list --json").split(separator: "\n").flatMap {
        try JSONValue.parse(String($0))["timers"]?.arrayValue ?? []
      }
      try rig.awaitMirror(of: "laptop", with: timers, on: desktop)
      return try Wire.Timer(try #require(timers.first { $0["name"]?.stringValue == name }))
    }

    /// Waits until the laptop shows a ring of a timer.
    private func awaitShown(_ name: String) throws {
      try guest.user(Self.awaiting("grep -q '^shows \(name):' ~/screen"), within: 60)
    }

    /// What the laptop has shown once a new ring has been shown, too: then earlier rings would be
    /// there.
    private func shown() throws -> [String] {
      try guest.user("nightjar start later 1s")
      try awaitShown("later")
      let lines = try guest.user("cat ~/screen").split(separator: "\n").map(String.init)
      return lines.filter { $0.hasPrefix("shows ") && !$0.hasPrefix("shows later:") }
    }

    /// The events of tea in the laptop's ledger.
    private func tea(after seq: Int64) throws -> [Wire.Event] {
      // The guest has no sound, which the daemon notes if the answer takes longer than 4 s.
      try guest.events(after: seq).filter { $0.name == "tea" && $0.type != .unnoticed }
    }

    /// The popups of tea on the desktop.
    private var shownHere: [NotificationMock.Notify] {
      screen.notifications.filter { $0.summary == "tea" }
    }

    private func answerHere() throws {
      try screen.pressAndClose("dismiss", on: 1)
      #expect(try rig.message(on: "nightjar/alex/ring/#").contains("dismissed"))
    }

    /// How long after the deadline the desktop has rung just now.
    private func late(_ timer: Wire.Timer, aheadUsec: Int64) throws -> Int64 {
      Now.realtimeUsec + aheadUsec - (try #require(timer.deadlineUsec))
    }

    /// The battery clock of the guest has a resolution of a second, and the desktop rings a second
    /// after the deadline, which is as far as two synchronised clocks may differ.
    private let lateUsec = -second..<4 * second

    @Test(arguments: [true, false])
    func
      `The desktop rings for a sleeping laptop, which rings when it wakes unless the ring was answered`(
        isAnswered: Bool
      ) async throws
    {
      let seq = try guest.reading().status.storage.lastSeq
      let aheadUsec = try guest.aheadUsec()
      let timer = try start("tea", "30s")
      let sleep = try await guest.suspend {
        try rig.awaitState("asleep", of: "laptop", on: desktop)
        let shown = try screen.nextNotify(within: 60)
        let late = try late(timer, aheadUsec: aheadUsec)
        print("  the desktop rang \(seconds(late, signed: true)) after the deadline: \(shown.body)")
        #expect(lateUsec.contains(late))
        #expect(shown.summary == "tea")
        #expect(shown.body.contains("For laptop, which has been asleep since"), "\(shown.body)")
        if isAnswered { try answerHere() }
        // The laptop must sleep at the deadline by its own clock, too.
        await elapse(seconds: 3)
      }
      if isAnswered {
        try guest.awaitEvent("dismissed", after: seq)
        let shown = try shown()
        #expect(shown == [])
      } else {
        try awaitShown("tea")
        let shown = try shown()
        #expect(shown.count == 1 && shown[0].contains("the machine slept"), "\(shown)")
        try guest.user("nightjar dismiss tea")
        try screen.nextClose(of: 1)
      }
      let events = try tea(after: seq)
      #expect(events.map(\.type) == [.started, .rang, .dismissed])
      let rang = try #require(events.first { $0.type == .rang })
      #expect(rang.lateCause == .sleep)
      #expect(shownHere.count == 1, "\(shownHere.map(\.body))")
      try rig.awaitState("online", of: "laptop", on: desktop)
      let restarts = try guest.user("systemctl --user show -P NRestarts nightjar-mqtt")
      #expect(restarts == "0")
      let answered = try #require(events.last).timeUsec
      print(
        "  slept \(seconds(sleep.lengthUsec)); back, it rang \(seconds(rang.timeUsec - sleep.wokenUsec, signed: true))"
      )
      print("  and was answered \(seconds(answered - sleep.wokenUsec, signed: true)) later")
    }

    @Test
    func
      `The desktop rings for a laptop that lost its power, which does not ring again after its boot`()
      async throws
    {
      let seq = try guest.reading().status.storage.lastSeq
      let aheadUsec = try guest.aheadUsec()
      let timer = try start("tea", "20s")
      // For the configuration; an acknowledged timer is on disk already.
      try guest.root("sync")
      try guest.cutPower()
      try rig.awaitState("offline", of: "laptop", on: desktop)
      let shown = try screen.nextNotify(within: 60)
      let late = try late(timer, aheadUsec: aheadUsec)
      print("  the desktop rang \(seconds(late, signed: true)) after the deadline: \(shown.body)")
      #expect(lateUsec.contains(late))
      #expect(shown.summary == "tea")
      #expect(shown.body.contains("For laptop, which has been offline since"), "\(shown.body)")
      try answerHere()

      try guest.boot()
      try guest.awaitEvent("dismissed", after: seq)
      // The user logs in.
      try guest.user("systemctl --user start screen")
      let shownThere = try self.shown()
      #expect(shownThere == [])
      let events = try tea(after: seq)
      #expect(events.map(\.type) == [.started, .rang, .dismissed])
      let rang = try #require(events.first { $0.type == .rang })
      #expect(rang.lateCause == .reboot)
      #expect(shownHere.count == 1, "\(shownHere.map(\.body))")
      let answered = try #require(events.last).timeUsec
      print("  after the boot it was answered \(seconds(answered - rang.timeUsec)) after it rang")
    }
  }
}
