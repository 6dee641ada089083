import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A faulty or hostile machine, and the reaction of other machines to its messages.
@Suite(.blocking) struct BridgeForeignTests {
  private let rig: BridgeRig
  private let screen: NotificationMock
  private let laptop: BridgeRig.Machine
  private let desktop: BridgeRig.Machine
  private let ghost: BrokerPeer
  /// A timer of the laptop, as the ghost would publish it.
  private let value: JSONValue

  init() throws {
    rig = try BridgeRig()
    screen = try NotificationMock.running(of: rig.rig)
    laptop = try rig.machine("laptop")
    desktop = try rig.machine("desktop", environment: screen.environment)
    ghost = try BrokerPeer(path: rig.socketPath, name: "ghost")
    try laptop.daemon.connect().start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    let laptops = try JSONValue.parse(rig.message(on: "nightjar/alex/laptop/timer/tea"))
    // With the laptop's ledger it would be the laptop under another name.
    let unchanged = (laptops.objectValue ?? []).filter { $0.key != "ledger" }
    value = .object([JSONValue.Member("ledger", "ghosts")] + unchanged)
  }

  /// The timer with other members.
  private func value(_ changes: [JSONValue.Member]) -> String {
    let unchanged = (value.objectValue ?? []).filter { old in
      !changes.contains { $0.key == old.key }
    }
    return JSONValue.object(unchanged + changes).text
  }

  private func status(_ state: String, active: String = "no") -> [UInt8] {
    let status: JSONValue = [
      "timers": 20_000, "timers_digest": "0", "clock_synchronized": true,
      "active": .string(active), "can_ring": false,
    ]
    let presence: JSONValue = [
      "state": .string(state), "since_usec": .integer(Now.realtimeUsec),
      "sent_usec": .integer(Now.realtimeUsec),
    ]
    return BrokerPeer.message("nightjar/alex/ghost/status", status.text, isRetained: true)
      + BrokerPeer.message("nightjar/alex/ghost/presence", presence.text, isRetained: true)
  }

  @Test func `Of a faulty machine's 20,000 timers some are dropped, and no other suffers`() throws {
    let path = "/proc/\(desktop.bridge.pid)/status"
    let before = try ChildProcess.statusField("VmRSS", in: path)
    try ghost.send([status("online")])
    let long = String(repeating: "x", count: 10 * 1024 * 1024)
    for topic in ["nightjar/alex/laptop/timer/big", "nightjar/alex/desktop/call"] {
      try ghost.publish(topic, long)
    }
    // The owner corrects wrong values on its own topics.
    try ghost.publish("nightjar/alex/laptop/timer/tea", "{}", isRetained: true)
    try ghost.send(
      (1...20_000).map { number in
        let name = "broken/\(number)"
        return BrokerPeer.message(
          "nightjar/alex/ghost/timer/\(name)", value([.init("name", .string(name))]),
          isRetained: true)
      })
    // It announces again that it has other timers than these; as the owner, it does not answer.
    try ghost.send([status("online")])
    let client = try laptop.daemon.connect()
    _ = try client.timer(.perform(.pause, name: "tea"))
    func expectBounded() throws {
      try rig.awaitMirror(of: "laptop", on: desktop)
      try awaitTrue("no timer of the faulty machine arrives") {
        try desktop.status().devices.contains { $0.device == "ghost" && $0.timers > 0 }
      }
      let status = try desktop.status()
      let broken = try #require(status.devices.first { $0.device == "ghost" })
      #expect(status.connected && broken.timers <= 10_000)
      let most = try ChildProcess.statusField("VmHWM", in: "/proc/\(desktop.bridge.pid)/status")
      print(
        "broken machine: \(broken.timers) timers kept, \(status.dropped) dropped, "
          + "\(most - before) kB more")
      #expect(most - before < 64 * 1024)
    }
    try expectBounded()
    // The same with messages that the broker had retained before the bridge starts.
    try rig.restartBridge(of: desktop)
    try expectBounded()
    let paused = try desktop.connect(to: "laptop").timer(.perform(.resume, name: "tea"))
    #expect(paused.state == .running)
  }

  /// Whether the text is harmless on a terminal. Tabs separate columns.
  private static func isVisible(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar == "\n" || scalar == "\t"
        || ![.control, .format].contains(scalar.properties.generalCategory)
    }
  }

  @Test func `Escapes and markup of another machine are shown literally`() throws {
    let evil = "\u{1B}[2J\u{1B}]0;pwned\u{7}<b>x</b>&\u{202E}\u{9B}31m"
    let name = "<i>tea&\u{202E}"
    let topic = "nightjar/alex/ghost/timer/"
    let members: [JSONValue.Member] = [
      .init("name", .string(name)), .init("message", .string(evil)),
      .init("deadline_usec", .integer(Now.realtimeUsec + second)),
      .init("labels", ["kind": .string(evil)]), .init("data", ["kind": .string(evil)]),
      .init("bands", [["name": .string(evil), "remaining_usec": 1, "color": .string(evil)]]),
    ]
    try ghost.send([
      status("online"), BrokerPeer.message(topic + name, value(members), isRetained: true),
      // No timer has this name.
      BrokerPeer.message(topic + "bad", value([.init("name", .string("bad\(evil)"))])),
      status("offline"),
    ])

    let shown = try screen.nextNotify()
    #expect(shown.body.hasPrefix("&lt;i&gt;tea&amp;\\u{202E}\nFor ghost, which"), "\(shown.body)")
    for words in [
      "list --everywhere", "@ghost show \(name)", "mqtt status", "mqtt status --json", "doctor",
      "@ghost pause \(name)",
    ] {
      let command = try rig.start(words, on: desktop)
      try command.awaitEnd()
      #expect(!command.output.isEmpty && Self.isVisible(command.output), "\(words)")
    }
    #expect(desktop.bridge.output.contains("rings for ghost"))
    #expect(Self.isVisible(desktop.bridge.output), "\(desktop.bridge.output)")
    // A bar shows the texts that its program reads from JSON.
    let bar = try rig.start("@ghost watch --format waybar", on: desktop)
    let line = try JSONValue.parse(bar.lines.next("a line") { $0.contains("tea") })
    let texts = (line.objectValue ?? []).compactMap(\.value.stringValue).joined()
    #expect(texts.contains("&lt;i&gt;tea&amp;") && Self.isVisible(texts), "\(line)")
    #expect(!texts.contains("<b>") && !texts.contains("<i>"), "\(line)")
    #expect(try desktop.status().connected && desktop.status().dropped >= 1)
  }
}
