import Foundation
import Glibc
import NightjarClient
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

/// Machines that see each other's timers through a real mosquitto.
@Suite(.blocking) struct BridgeTests {
  private var bound: Deadline { .after(usec: 90 * second) }
  private let pause: Call = .perform(.pause, name: "tea")

  private let rig: BridgeRig
  private let laptop: BridgeRig.Machine
  private let desktop: BridgeRig.Machine
  /// A connection to the laptop's daemon.
  private let client: Connection

  /// The desktop has the laptop's timer.
  init() throws {
    rig = try BridgeRig()
    laptop = try rig.machine("laptop")
    desktop = try rig.machine("desktop")
    client = try laptop.daemon.connect()
    try client.start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
  }

  @Test func `A bridge that is stopped publishes that it is offline, and ends cleanly`() throws {
    try rig.awaitState("online", of: "desktop", on: laptop)
    // The end also frees everything that is watched for these clients; a use after that would hit
    // other memory.
    let clients = try (0..<10).map { _ in try laptop.connect(to: "desktop") }
    for client in clients { #expect(try client.names() == []) }
    laptop.bridge.signal(SIGTERM)
    let end = try withExtendedLifetime(clients) { try laptop.bridge.awaitEnd() }
    #expect(end == .exited(0), "\(laptop.bridge.output)")
    try rig.broker?.lines.next("the goodbye") {
      $0.contains("Received DISCONNECT from nightjar-alex-laptop")
    }
  }

  @Test func `Each machine has the other's timers, and follows their changes`() throws {
    for name in ["run/4711/egg", "100 % + #1"] { try client.start(name, usec: hour) }
    try rig.awaitMirror(of: "laptop", on: desktop)
    _ = try client.timer(pause)
    _ = try client.timer(.rename(name: "run/4711/egg", newName: "egg"))
    _ = try client.timer(.perform(.remove, name: "100 % + #1"))
    try rig.awaitMirror(of: "laptop", on: desktop)
    let mirror = try desktop.connect(to: "laptop")
    #expect(try Set(mirror.names()) == ["egg", "tea"] && mirror.get("tea").state == .paused)
    // In the other direction.
    try desktop.daemon.connect().start("mine", usec: hour)
    try rig.awaitMirror(of: "desktop", on: laptop)
    let status = try desktop.status()
    #expect(status.connected && status.person == "alex" && status.device == "desktop")
    #expect(status.timers == 1 && status.dropped == 0 && status.unpublished == [])
    #expect(status.devices.map(\.device) == ["laptop"] && status.devices[0].timers == 2)
  }

  @Test func `The sockets of a bridge describe themselves, and refuse what they lack`() throws {
    let service = "org.varlink.service"
    for (path, interface) in [
      (BridgePaths.status(in: desktop.folder), "org.nightjar.Bridge"),
      (BridgePaths.device("laptop", in: desktop.folder), "org.nightjar.Timers"),
    ] {
      let socket = try RawSocket(path: path)
      let info = try socket.call("\(service).GetInfo", "{}").parameters
      #expect(info["interfaces"] == [.string(service), .string(interface)])
      let text = try socket.call(
        "\(service).GetInterfaceDescription", #"{"interface":"\#(interface)"}"#)
      let file = "Sources/Interface/NightjarInterface/\(interface).varlink"
      #expect(
        try text.parameters["description"]?.stringValue == Documentation.text(of: file))
      for (method, parameters, error) in [
        ("\(service).GetInfo", #"{"x":1}"#, "InvalidParameter"),
        ("\(service).GetInterfaceDescription", "{}", "InvalidParameter"),
        ("\(service).GetInterfaceDescription", #"{"interface":"x.y"}"#, "InterfaceNotFound"),
        ("\(service).Nosuch", "{}", "MethodNotFound"),
        ("x.y.Nosuch", "{}", "InterfaceNotFound"), ("\(interface).Nosuch", "{}", "MethodNotFound"),
      ] {
        #expect(try socket.call(method, parameters).error == "\(service).\(error)", "\(method)")
      }
    }
  }

  @Test func `A change goes to the owner, and is answered when it is on the owner's disk`() throws {
    let remote = try desktop.connect(to: "laptop")
    #expect(try remote.timer(pause).state == .paused && client.get("tea").state == .paused)
    // The owner's answer is passed on, including a refusal.
    #expect(
      try remote.refusal(of: pause)
        == .invalidTransition(
          name: "tea", kind: "countdown", state: "paused", ringing: nil, operation: "pause",
          possible: ["resume", "cancel", "restart", "extend", "stop", "remove", "update"]))
    #expect(try remote.refusal(of: .perform(.pause, name: "egg")) == .timerNotFound(name: "egg"))
    // Each change has an id, so that the owner makes it once.
    let events = try laptop.daemon.ledger()
    #expect(events.filter { $0.type == .paused }.map { $0.request?.isEmpty == false } == [true])
    // Older events and the story come from the owner.
    let stream = try desktop.connect(to: "laptop").stream(.events(after: 0))
    #expect(try stream.event { $0.type == .paused }.name == "tea")
    let story = try Wire.Why.Reply(remote.call(.why(name: "tea"), deadline: bound))
    #expect(story.events.map(\.type) == [.started, .paused])
  }

  @Test func `Another machine starts no timer without permission`() throws {
    let server = try rig.machine("server", others: "start")
    try server.daemon.connect().start("egg", usec: hour)
    try rig.awaitMirror(of: "server", on: desktop)
    let start = Call.start(name: "new", durationUsec: hour)
    let refused = TimersError.varlink(.permissionDenied)
    #expect(try desktop.connect(to: "laptop").refusal(of: start) == refused)
    #expect(try desktop.connect(to: "server").timer(start).name == "new")
    #expect(try Set(server.daemon.connect().names()) == ["egg", "new"])
  }

  @Test func `A bridge that comes back sends only what has changed meanwhile`() throws {
    for number in 1...11 { try client.start("other/\(number)", usec: hour) }
    try rig.awaitMirror(of: "laptop", on: desktop)
    laptop.bridge.kill()
    _ = try client.timer(pause)
    _ = try client.timer(.perform(.remove, name: "other/1"))
    try rig.restartBridge(of: laptop)
    try rig.awaitMirror(of: "laptop", on: desktop)
    // Two values of twelve, the marker's echo aside, and the status: at the marker, when the timers
    // are read, when the daemon has said whether its clock is synchronized, and 2 s later.
    let sent = try laptop.status().sent
    #expect((3...6).contains(sent.messages), "\(sent)")
  }

  @Test func `A bridge reads why the broker has closed the connection, after all else`() throws {
    desktop.bridge.kill()
    try rig.endBroker()
    try ClosingBroker(path: rig.socketPath).disconnect(laptop.bridge, 0x8E)
    try laptop.bridge.lines.next("why", within: 90) {
      $0.contains("another machine is connected as alex/laptop")
    }
  }

  @Test func `A renamed machine disappears under its old name`() throws {
    try rig.rig.tool(["sed", "-i", "s/\"laptop\"/\"notebook\"/", "\(laptop.folder)/config.toml"])
    try rig.restartBridge(of: laptop)
    try awaitTrue("the old name is there, or the new one is not") {
      try desktop.status().devices.map(\.device) == ["notebook"]
    }
    #expect(try desktop.status().devices.map(\.timers) == [1])
    #expect(try laptop.status().devices.map(\.device) == ["desktop"])
  }

  @Test func `No daemon is started on another machine's socket`() throws {
    desktop.bridge.kill()
    var environment = desktop.daemon.clientEnvironment
    environment["NIGHTJAR_SOCKET"] = BridgePaths.device("laptop", in: desktop.folder)
    let (end, output) = try rig.rig.run(
      [try Binaries.nightjar(), "start", "stray", "9m"], environment: environment)
    #expect(end == .exited(4))
    #expect(output.hasPrefix("nightjar: nightjar-mqtt does not run"), "\(output)")
  }

  // A broker that shuts down cleanly first publishes that each machine is offline.
  @Test(arguments: [SIGKILL, SIGTERM])
  func `Without a broker a machine says so, and calls no other one away`(signal: Int32) throws {
    try rig.endBroker(signal)
    try rig.awaitLoss(on: desktop)
    let sinceUsec = try #require(try desktop.status().sinceUsec)
    let remote = try desktop.connect(to: "laptop")
    let refusal = TimersError.ownerAway(
      device: "laptop", state: "no_broker", sinceUsec: sinceUsec, inDoubt: false)
    // This call follows the loss immediately, and waits for the next connection.
    #expect(try remote.refusal(of: pause) == refusal)
    // A later call fails at once: the broker may be away for long.
    let begunUsec = Now.boottimeUsec
    #expect(try remote.refusal(of: pause) == refusal)
    #expect(Now.boottimeUsec - begunUsec < 5 * second)
  }

  // MARK: - What no bridge sends

  /// Publishes a message, as any client of the broker may.
  private func publish(_ arguments: String...) throws {
    try rig.rig.tool(
      ["mosquitto_pub", "-V", "5", "--unix", rig.socketPath] + arguments,
      package: "mosquitto-clients")
  }

  @Test func `Calls that are retained or lack correlation data are not carried out`() throws {
    let topic = "nightjar/alex/laptop/call"
    func extend(_ usec: Int) -> String {
      #"{"method":"org.nightjar.Timers.Extend","parameters":{"name":"tea","by_usec":\#(usec)}}"#
    }
    try publish("-t", topic, "-q", "1", "-m", extend(1))
    try publish("-t", topic, "-q", "0", "-r", "-m", extend(2))
    try publish("-t", topic, "-r", "-n")
    // The same message twice, as a broker may deliver it at QoS 1.
    for _ in 0..<2 {
      try publish(
        "-t", topic, "-q", "1", "-m", extend(4), "-D", "publish", "correlation-data", "c1", "-D",
        "publish", "response-topic", "nightjar/alex/laptop/timer/tea")
    }
    for garbage in [" ", "{", "[1]", #"{"method":"x"}"#] {
      try publish("-t", topic, "-q", "0", "-m", garbage)
    }
    // At QoS 0 no message is delivered twice, and no client waits for an answer. It arrives after
    // the others.
    try publish("-t", topic, "-q", "0", "-m", extend(8))
    let events = try laptop.daemon.events(after: 0)
    for usec: Int64 in [2, 4, 8] {
      #expect(try events.event { $0.type == .extended }.byUsec == usec)
    }
    #expect(try client.get("tea").state == .running)
  }

  // MARK: - What the mirror does not have yet

  @Test func `A name of a timer that the mirror lacks is refused with its state`() throws {
    let timer = try client.call(.get(name: "tea"), deadline: bound)
    // A machine that refuses a start before it publishes the timer of that name.
    let slow = try BrokerPeer(path: rig.socketPath, name: "slow")
    let calls = try rig.follow("nightjar/alex/slow/call", format: "%D %p")
    func become(_ state: String) throws {
      let presence: JSONValue = ["state": .string(state), "since_usec": 1]
      try slow.publish("nightjar/alex/slow/presence", presence.text, isRetained: true)
      try rig.awaitState(state, of: "slow", on: desktop)
    }
    try become("online")
    func answer(_ method: String, _ reply: JSONValue) throws {
      let call = try calls.lines.next("a \(method)", within: 90) {
        $0.contains("org.nightjar.Timers.\(method)\"")
      }
      let correlation = String(call.prefix { $0 != " " })
      try slow.publish("nightjar/alex/desktop/reply", reply.text, correlation: correlation)
    }
    let start = try rig.start("@slow start tea 4min", on: desktop)
    try answer(
      "Start", ["error": "org.nightjar.Timers.TimerExists", "parameters": ["name": "tea"]])
    try answer("Get", ["parameters": timer])
    #expect(try start.awaitEnd(within: 90) == .exited(1))
    #expect(start.output.hasPrefix("nightjar: 'tea' is "), "\(start.output)")

    // A watching client receives it, and its later changes.
    let stream = try desktop.connect(to: "slow").stream(.watch(name: "tea"))
    try answer("Get", ["parameters": timer])
    #expect(try stream.next(deadline: bound)?["timer"]?["name"]?.stringValue == "tea")
    #expect(try stream.next(deadline: bound)?["synced"]?.boolValue == true)
    // For an absent machine, the mirror is the answer.
    try become("offline")
    #expect(
      try desktop.connect(to: "slow").refusal(of: .get(name: "tea")) == .timerNotFound(name: "tea"))
  }

  @Test func `A call to a machine that only the broker has online waits until it is back`() throws {
    let before = try rig.retained("presence", of: laptop)
    laptop.bridge.kill()
    try rig.awaitState("offline", of: "laptop", on: desktop)
    // A broker after a crash: it had written this presence to disk, and no will after it.
    let peer = try BrokerPeer(path: rig.socketPath, name: "crash")
    try peer.publish("nightjar/alex/laptop/presence", before.text, isRetained: true)
    try rig.awaitState("online", of: "laptop", on: desktop)

    let answer = try desktop.connect(to: "laptop").stream(pause)
    let broker = try #require(rig.broker)
    try broker.lines.next("the call") { $0.contains("nightjar/alex/laptop/call") }
    // 16: no matching subscribers (MQTT 5, section 3.4.2.1).
    try broker.lines.next("the broker's answer") {
      $0.contains("Sending PUBACK") && $0.contains("rc16")
    }
    try rig.restartBridge(of: laptop)
    let reply = try #require(try answer.next(deadline: bound))
    #expect(reply["timer"]?["state"]?.stringValue == "paused")
  }
}
