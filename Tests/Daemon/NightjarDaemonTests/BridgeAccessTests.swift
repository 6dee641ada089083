import Foundation
import Glibc
import NightjarClient
import NightjarMirror
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Persons and groups on one real broker, with rights in the form of nightjar-mqtt(1).
@Suite(.blocking) struct BridgeAccessTests {
  /// A program that prints each message that a user receives, as `TOPIC PAYLOAD`; it has subscribed
  /// when this returns.
  private func subscriber(
    _ user: String, _ id: String, to filters: [String], at rig: BridgeRig, more: [String] = []
  ) throws -> ChildProcess {
    let process = try rig.rig.start(
      ["mosquitto_sub", "-V", "5", "--unix", rig.socketPath, "-u", user, "-P", user, "-i", id]
        + ["-F", "%t %p"] + more + filters.flatMap { ["-t", $0] }, package: "mosquitto-clients")
    try rig.broker?.lines.next("the subscription of \(id)") {
      $0.contains("Sending SUBACK to \(id)")
    }
    return process
  }

  /// The messages that a subscriber has received up to a marker, which arrives last.
  private func messages(_ subscriber: ChildProcess, until end: String) throws -> [String] {
    try subscriber.lines.next("the message '\(end)'") { $0.hasSuffix(" \(end)") }
    return subscriber.lines.all.filter { !$0.contains(" end ") }
  }

  // MARK: - Each topic

  /// The groups of the manual's example.
  private static let groups: KeyValuePairs<String, [String]> = [
    "runners": ["alex", "kim"], "cooks": ["kim", "sam"],
  ]
  /// The persons whose machines the Home Assistant of the manual's example shows.
  private static let shown = ["alex", "kim"]
  /// The users of the manual's example, and a user whom the example does not name.
  private static let users = ["alex", "kim", "sam", "home", "stranger"]

  /// A topic of each kind.
  private static func kinds(of address: DeviceAddress) -> [Topic] {
    [
      .presence(address), .status(address), .timer(address, name: "tea"),
      .timer(address, name: "run/4711/egg"), .event(address), .call(address), .reply(address),
      .marker(address), .ring(person: address.person, RingKey(ledger: "l1", id: 7, expiry: 12)!),
    ]
  }

  /// A new kind must be added here, and above.
  private static func isListed(_ topic: Topic) -> Bool {
    switch topic {
    case .presence, .status, .timer, .event, .call, .reply, .marker, .ring: true
    }
  }

  private static let topics: [String] = {
    var topics = [
      "nightjar", "nightjar/laptop", "elsewhere/alex/laptop/status",
      "nightjar/@runners", "nightjar/@runners/run", "nightjar/@cooks/run",
      "homeassistant", "homeassistant/status",
    ]
    for person in ["alex", "kim", "sam", "stranger", "alexa"] {
      let kinds = Self.kinds(of: DeviceAddress(person: person, device: "laptop")!)
      topics += kinds.filter(isListed).map { $0.text(prefix: "nightjar") }
      topics += [
        "nightjar/\(person)", "other/\(person)/laptop/call", "nightjar/\(person)/laptop/home/next",
        "nightjar/\(person)/laptop/home/set/command",
        "homeassistant/device/nightjar-\(person)/laptop/config",
      ]
      for group in ["runners", "cooks", "others"] {
        topics += [
          "\(person)/laptop/timer/mate", person, "laptop/\(person)", "\(person)x/laptop/status",
        ].map { "nightjar/@\(group)/run%2F4711/\($0)" }
        topics.append("nightjar/@\(group)/\(person)/x/y")
      }
    }
    return topics
  }()

  /// Whether a user should be allowed to read or write a topic, in this suite's own rules.
  private static func may(_ user: String, write: Bool, _ topic: String) -> Bool {
    if user == "witness" { return !write }
    let levels = topic.split(separator: "/").map(String.init)
    guard levels.count > 1 else { return false }
    if levels[0] == "homeassistant" { return mayAtHome(user, write: write, levels) }
    guard levels[0] == "nightjar" else { return false }
    let owner = levels[1]
    if owner == user { return true }
    if owner.hasPrefix("@") {
      let isMember = groups.contains { "@\($0.key)" == owner && $0.value.contains(user) }
      return isMember && (!write || levels.count > 3 && levels[3] == user)
    }
    guard levels.count > 3 else { return false }
    let isMate = groups.contains { $0.value.contains(user) && $0.value.contains(owner) }
    let isShown = user == "home" && shown.contains(owner)
    switch levels[3] {
    case "presence": return !write && levels.count == 4 && (isMate || isShown)
    case "home": return isShown && (!write || levels[4] == "set")
    default: return false
    }
  }

  /// The same for the topics of Home Assistant.
  private static func mayAtHome(_ user: String, write: Bool, _ levels: [String]) -> Bool {
    if levels[1] == "status" { return user == "home" || shown.contains(user) && !write }
    guard levels.count > 2 else { return false }
    let owner = levels[2].replacing("nightjar-", with: "")
    return shown.contains(owner) && (owner == user || user == "home" && !write)
  }

  /// The messages that a user gets. Of retained messages on a topic, the broker has the last.
  private static func expected(_ reader: String, _ word: String) -> Set<String> {
    Set(
      topics.filter { may(reader, write: false, $0) }.flatMap { topic in
        let writers = users.filter { may($0, write: true, topic) }
        return writers.suffix(word == "kept" ? 1 : writers.count).map { "\(topic) \(word) \($0)" }
      })
  }

  @Test func `No user reads or writes beyond the rights: live, retained or by a will`() throws {
    // The witness sees all messages that the broker accepts.
    let readers = Self.users + ["witness"]
    let rig = try BridgeRig(
      users: readers, rights: try BridgeRights.example() + "user witness\ntopic read #\n")
    let broker = try #require(rig.broker)
    #expect(Self.topics.count > 100 && Set(Self.topics).count == Self.topics.count)
    let peers = try Self.users.map { (user: String) in
      (user, try BrokerPeer(path: rig.socketPath, name: "peer-\(user)", user: user))
    }
    func publish(_ word: String, isRetained: Bool) throws {
      for (user, peer) in peers {
        try peer.send(
          Self.topics.map {
            BrokerPeer.message($0, "\(word) \(user)", isRetained: isRetained)
          })
      }
    }
    /// Messages that arrive after all others.
    func mark(_ word: String) throws {
      for (user, peer) in peers {
        try peer.publish("nightjar/\(user)/marks", "end \(word) \(user)")
      }
    }
    func expectMessages(
      _ word: String, _ subscribers: [(user: String, process: ChildProcess)]
    ) throws {
      try mark(word)
      for (user, process) in subscribers {
        let last = user == "witness" ? "stranger" : user
        let got = try messages(process, until: "end \(word) \(last)")
        let wanted = Self.expected(user, word)
        #expect(got.count == Set(got).count, "\(user) gets each once")
        #expect(Set(got) == wanted, "\(user): \(Set(got).symmetricDifference(wanted).sorted())")
        #expect(wanted.count > 6)
      }
    }

    let live = try readers.map { (user: String) in
      (user, try subscriber(user, "live-\(user)", to: ["#"], at: rig))
    }
    try publish("live", isRetained: false)
    try expectMessages("live", live)
    // Each under its own name, and the retained messages.
    try publish("kept", isRetained: true)
    let filters = Self.topics + ["nightjar/+/marks"]
    let retained = try readers.map { (user: String) in
      (user, try subscriber(user, "kept-\(user)", to: filters, at: rig))
    }
    try expectMessages("kept", retained)
    let ofStranger = broker.lines.all.filter {
      $0.contains("Sending PUBLISH to ") && $0.contains("-stranger (")
    }
    #expect(ofStranger.allSatisfy { $0.contains("'nightjar/stranger") })

    // A will is a message, too.
    let watcher = try subscriber("witness", "watcher", to: ["nightjar/+/+/presence"], at: rig)
    for (topic, word) in [
      ("nightjar/alex/laptop/presence", "bad"), ("nightjar/kim/x/presence", "good"),
    ] {
      let dying = try subscriber(
        "kim", "dying-\(word)", to: ["nightjar/kim/#"], at: rig,
        more: ["--will-topic", topic, "--will-payload", word])
      dying.kill()
      try broker.lines.next("the end of the connection") { $0.contains("Client dying-\(word) ") }
    }
    try watcher.lines.next("the will that is allowed") { $0 == "nightjar/kim/x/presence good" }
    #expect(!watcher.output.contains(" bad"))
  }

  @Test func `The rights of the other tests are those of the manual's example`() throws {
    let example = try BridgeRights.example().split(separator: "\n").prefix { $0 != "user home" }
    let written = BridgeRights.lines(for: Self.groups).split(separator: "\n")
    #expect(written == example.filter { !$0.contains(" homeassistant/") })
  }

  // MARK: - Bridges

  @Test func `A client id of another user ends no connection, and a second bridge does`() throws {
    let rig = try BridgeRig(users: ["alex", "kim"], rights: BridgeRights.lines(for: Self.groups))
    let broker = try #require(rig.broker)
    let laptop = try rig.machine("laptop")
    let name = "nightjar-alex-laptop"
    let line = try #require(
      broker.lines.all.first { $0.contains("New client connected") && $0.contains(" \(name)") })
    // New client connected from PATH:0 as ID (p5, c1, k60, u'alex').
    #expect(line.contains(try Regex(" as \(name)-[0-9a-f]{16} .*u'alex'")), "\(line)")

    _ = try subscriber("kim", name, to: ["nightjar/kim/#"], at: rig)
    // If the laptop's connection has ended, the laptop publishes this only after it reconnects.
    let seen = try subscriber("alex", "seen", to: ["nightjar/alex/laptop/timer/tea"], at: rig)
    try laptop.daemon.connect().start("tea", usec: hour)
    try seen.lines.next("the tea") { $0.hasPrefix("nightjar/alex/laptop/timer/tea ") }
    #expect(try laptop.status().connected)
    #expect(!broker.lines.all.contains { $0.contains("already connected") })

    // The two do not fight for the connection: the first leaves.
    let second = try rig.startSecondBridge(of: laptop)
    try second.lines.next("its connection", within: 90) { $0.contains("connected to") }
    let sentence = "another machine is connected as alex/laptop"
    try laptop.bridge.lines.next("the end of the first", within: 90) { $0.contains(sentence) }
    let status = try laptop.status()
    #expect(!status.connected && status.reason == sentence)
  }

  @Test func `The bridges of each person work, and cannot see another person's machines`() throws {
    let rig = try BridgeRig(users: ["alex", "kim"], rights: BridgeRights.lines(for: Self.groups))
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    let kitchen = try rig.machine("kitchen", of: "kim")
    try laptop.daemon.connect().start("tea", usec: hour)
    try kitchen.daemon.connect().start("run/4711/egg", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    // A call, its answer and the change that follows.
    _ = try desktop.connect(to: "laptop").timer(.perform(.pause, name: "tea"))
    try rig.awaitMirror(of: "laptop", on: desktop)
    #expect(try desktop.status().devices.map(\.device) == ["laptop"])
    #expect(try kitchen.status().devices.isEmpty)
    #expect(rig.broker?.lines.all.contains { $0.contains("Denied PUBLISH") } == false)
    // The will.
    laptop.bridge.kill()
    try rig.awaitState("offline", of: "laptop", on: desktop)
  }

  @Test func `Home Assistant reads what a machine publishes, and presses its buttons`() throws {
    let rig = try BridgeRig(users: ["alex", "kim", "home"], rights: BridgeRights.example())
    let seen = try subscriber("home", "home-sub", to: ["#"], at: rig)
    let kitchen = try rig.machine("kitchen", settings: "home_assistant = [\"oven\"]")
    let client = try kitchen.daemon.connect()
    try client.start("oven", usec: hour)
    try seen.lines.next("the oven", within: 60) {
      $0.hasPrefix("nightjar/alex/kitchen/home/timer/oven ") && $0.contains("active")
    }
    let home = try BrokerPeer(path: rig.socketPath, name: "home-pub", user: "home")
    let command = "nightjar/alex/kitchen/home/set/command"
    try home.publish(command, #"{"action":"pause"}"#)
    try seen.lines.next("the pause", within: 60) {
      $0.hasPrefix("nightjar/alex/kitchen/home/timer/oven ") && $0.contains("paused")
    }
    #expect(try client.get("oven").state == .paused)
    let topics = Set(seen.lines.all.map { String($0.prefix { $0 != " " }) })
    #expect(
      topics == [
        "homeassistant/device/nightjar-alex/kitchen/config", "nightjar/alex/kitchen/presence",
        "nightjar/alex/kitchen/home/next", "nightjar/alex/kitchen/home/timer/oven", command,
      ])
  }
}
