import Foundation
import Glibc
import NightjarClient
import NightjarMirror
import NightjarTestSupport
import Testing
import Varlink

/// A machine that Home Assistant sees through a real mosquitto. `make test-home-assistant` tests it
/// with Home Assistant itself.
@Suite(.blocking) struct BridgeHomeTests {
  private static let base = "nightjar/alex/kitchen/home"
  private let rig: BridgeRig
  private let kitchen: BridgeRig.Machine
  private let home: BrokerPeer

  init() throws {
    rig = try BridgeRig()
    kitchen = try rig.machine(
      "kitchen", others: "start", settings: "home_assistant = [\"oven\", \"a/b\"]")
    home = try BrokerPeer(path: rig.socketPath, name: "home")
  }

  private func send(_ topic: String, _ payload: String, isRetained: Bool = false) throws {
    try home.publish("\(Self.base)/set/\(topic)", payload, isRetained: isRetained)
  }

  /// Waits for a retained message on a topic.
  private func awaitState(_ topic: String, _ isIncluded: (JSONValue) -> Bool) throws {
    let follower = try rig.follow("\(Self.base)/\(topic)")
    try follower.lines.next("\(topic)", within: 60) {
      (try? JSONValue.parse(Array($0.utf8))).map(isIncluded) ?? false
    }
  }

  @Test func `A ring and a band are events, are not retained, and cost no description`() throws {
    let configs = try rig.follow("homeassistant/#", format: "%t")
    try configs.lines.next("the description")
    let rings = try rig.follow("\(Self.base)/ring/#", format: "%r %t %p")
    let client = try kitchen.daemon.connect()
    var oven = Wire.Start(name: "oven", .countdown(.seconds(2)))
    oven.bands = [Wire.Band("hot", remaining: .seconds(1))]
    _ = try client.timer(.start(oven))
    for (topic, type) in [
      ("ring", #""event_type":"band_crossed","band":"hot""#), ("ring/oven", "band_crossed"),
      ("ring", #""event_type":"finished""#), ("ring/oven", #""timer":"oven""#),
    ] {
      let line = try rings.lines.next("\(topic) \(type)", within: 60)
      #expect(line.hasPrefix("0 \(Self.base)/\(topic) ") && line.contains(type), "\(line)")
    }
    try awaitState("next") { $0["can"]?["dismiss"]?.stringValue == "oven" }
    try send("command", #"{"action":"dismiss"}"#)
    try awaitState("next") { $0["can"]?["dismiss"] == nil }
    // One timer is removed, and the other was never there.
    for timer in ["oven", "a%2Fb"] { try awaitState("timer/\(timer)") { $0["state"] == "absent" } }
    // No event caused another description.
    #expect(configs.lines.all.count == 1)
  }

  @Test func `While the daemon is gone, no button works and no text starts another`() throws {
    let answers = try rig.follow("\(Self.base)/text", format: "%p")
    try kitchen.daemon.connect().start("oven", usec: hour)
    try awaitState("timer/oven") { $0["can"]?.arrayValue?.isEmpty == false }
    try kitchen.daemon.crash()
    try awaitState("timer/oven") { $0["can"]?.arrayValue?.isEmpty == true }
    try send("text", "tea 5min")
    #expect(try answers.lines.next("the answer") == "the daemon of this machine does not answer")
    // A new connection to the broker does not change that.
    try rig.endBroker(forgetting: true)
    try rig.startBroker()
    let states = try rig.follow("\(Self.base)/timer/oven")
    let first = try JSONValue.parse(Array(states.lines.next("a state", within: 60).utf8))
    #expect(first["can"]?.arrayValue?.isEmpty == true)
    try rig.restartDaemon(of: kitchen)
    try awaitState("timer/oven") { $0["can"]?.arrayValue?.isEmpty == false }
    #expect(try kitchen.daemon.connect().names() == ["oven"])
  }

  @Test func `A button acts on its timer, or on the next, and a retained one on none`() throws {
    let client = try kitchen.daemon.connect()
    try client.start("tea", usec: hour)
    try client.start("oven", usec: 2 * hour)
    try awaitState("next") { $0["next"] == "tea" && $0["timers"] == 2 }
    try send("command", #"{"action":"finish","timer":"oven"}"#)
    try awaitState("timer/oven") { $0["state"]?.stringValue == "ringing" }
    try send("command", #"{"action":"snooze"}"#)
    try awaitState("timer/oven") { $0["state"]?.stringValue == "active" }
    // Now, it cancels oven, which rings next. When the broker sends it again, it cancels nothing.
    try send("command", #"{"action":"cancel"}"#, isRetained: true)
    try rig.restartBridge(of: kitchen)
    try kitchen.bridge.lines.next("the log", within: 60) { $0.contains("that the broker has kept") }
    #expect(try client.get("tea").state == .running)
  }

  @Test func `A text means the same as on the command line, and is answered`() throws {
    let answers = try rig.follow("\(Self.base)/text/#", format: "%t %p")
    func answer(_ topic: String, _ text: String) throws -> String {
      try send(topic, text)
      return try answers.lines.next("the answer to \(text)", within: 60)
    }
    for row in Row.table(
      """
      text => pasta 9min => pasta: 9 min, rings
      text/oven => 20 min => oven: 20 min, rings
      // Again, replacing the running one.
      text/oven => half an hour => oven: 30 min
      text => alarm wake weekdays 7:00 => wake: rings
      text => "my tea" 5min => my tea: 5 min, rings
      text/a%2Fb => xyz => expected a number at 1
      """)
    {
      let answer = try answer(row[0], row[1])
      #expect(answer.hasPrefix("\(Self.base)/\(row[0]) \(row[2])"), "\(answer)")
    }
    for row in Row.table(
      """
      17:30 => '17:30' has two readings: write nightjar alarm 17:30 (a time of day), or \
      nightjar start 17:30 (minutes:seconds, a time span)
      start => write how long, such as 4min
      'my tea 5min => write "my tea" 4min
      """)
    {
      let answer = try answer("text", row[0])
      #expect(answer.hasPrefix("\(Self.base)/text ") && answer.hasSuffix(row[1]), "\(answer)")
    }
    // Options are not taken, so they are not recommended.
    let again = try answer("text", "pasta 5min")
    #expect(again.contains("'pasta' is ") && !again.contains("--"), "\(again)")
    let names = try kitchen.daemon.connect().names()
    #expect(Set(names) == ["pasta", "oven", "wake", "my tea"])
    // No option comes from elsewhere, and with that no command.
    for text in [
      "x 1s --exec touch", "x 1s -- touch /tmp/x", "--socket=/tmp/x 1s", "x 1s \u{2212}-exec=touch",
    ] {
      #expect(try answer("text", text).contains("are not taken here"))
    }
    #expect(try answer("text", "").hasSuffix("write how long, such as 4min"))
    #expect(try kitchen.daemon.connect().names() == names)
  }

  @Test func `If others may only look, nothing is carried out`() throws {
    let hall = try rig.machine("hall", others: "look", settings: "home_assistant = []")
    let client = try hall.daemon.connect()
    try client.start("tea", usec: hour)
    let answers = try rig.follow("nightjar/alex/hall/home/text")
    try home.publish("nightjar/alex/hall/home/set/command", #"{"action":"cancel"}"#)
    try home.publish("nightjar/alex/hall/home/set/text", "x 1s")
    #expect(
      try answers.lines.next("the answer", within: 60)
        == "not allowed: write others = \"start\" under [mqtt] of this machine")
    try hall.bridge.lines.next("the log", within: 60) { $0.contains("others = \"look\"") }
    #expect(try client.names() == ["tea"] && client.get("tea").state == .running)
  }

  @Test func `What is shown no longer is removed, and again when Home Assistant starts`() throws {
    let configs = try rig.follow("homeassistant/device/#")
    try configs.lines.next("the description", within: 60)
    try rig.configure(kitchen, "home_assistant = [\"a/b\"]")
    try rig.restartBridge(of: kitchen)
    let removal = #""timer_oven_pause":{"p":"button"}"#
    try configs.lines.next("the removal", within: 60) { $0.contains(removal) }
    // Home Assistant removes only what it has seen since its start.
    try home.publish("homeassistant/status", "online")
    let all = try configs.lines.next("all of it", within: 60)
    #expect(all.contains(#""timer_oven_pause":{"p":"button","unique_id""#), "\(all)")
    #expect(try configs.lines.next("the removal again", within: 60).contains(removal))
    // The machine itself.
    try rig.configure(kitchen, "")
    try rig.restartBridge(of: kitchen)
    try configs.lines.next("nothing", within: 60) { $0.isEmpty }
  }
}
