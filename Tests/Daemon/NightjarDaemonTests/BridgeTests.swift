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

  @Test func `A bridge that is stopped publishes that it is offline, and ends cleanly`() throws {
    let rig = try BridgeRig()
    let laptop = try rig.machine("laptop")
    try rig.machine("desktop")
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
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    let client = try laptop.daemon.connect()
    for name in ["tea", "run/4711/egg", "100 % + #1"] { try client.start(name, usec: hour) }
    try rig.awaitMirror(of: "laptop", on: desktop)
    let mirror = try desktop.connect(to: "laptop")
    let there = try client.get("tea")
    let here = try mirror.get("tea")
    #expect(here.id == there.id && here.state == .running && here.duration == there.duration)
    #expect(abs((here.deadlineUsec ?? 0) - (there.deadlineUsec ?? 0)) < 200 * millisecond)

    _ = try client.timer(.perform(.pause, name: "tea"))
    _ = try client.timer(.rename(name: "run/4711/egg", newName: "egg"))
    _ = try client.timer(.perform(.remove, name: "100 % + #1"))
    try rig.awaitMirror(of: "laptop", on: desktop)
    #expect(Set(try mirror.names()) == ["egg", "tea"])
    #expect(try mirror.get("tea").state == .paused)
    // In the other direction.
    try desktop.daemon.connect().start("mine", usec: hour)
    try rig.awaitMirror(of: "desktop", on: laptop)
    let status = try desktop.status()
    #expect(status.connected && status.person == "alex" && status.device == "desktop")
    #expect(status.timers == 1 && status.dropped == 0 && status.unpublished == [])
    #expect(status.devices.map(\.device) == ["laptop"] && status.devices[0].timers == 2)
  }

  @Test func `The sockets of a bridge describe themselves, and refuse what they lack`() throws {
    let rig = try BridgeRig()
    try rig.machine("laptop")
    let desktop = try rig.machine("desktop")
    try rig.awaitMirror(of: "laptop", on: desktop)
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
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    let client = try laptop.daemon.connect()
    try client.start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    let remote = try desktop.connect(to: "laptop")
    let paused = try remote.timer(.perform(.pause, name: "tea"))
    #expect(paused.state == .paused)
    #expect(try client.get("tea").state == .paused)
    // The owner's answer is passed on, including a refusal.
    #expect(
      try remote.refusal(of: .perform(.pause, name: "tea"))
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

  @Test func `Others may change existing timers, and start none without permission`() throws {
    let rig = try BridgeRig()
    try rig.machine("laptop")
    try rig.machine("server", others: "start")
    try rig.machine("kiosk", others: "look")
    let desktop = try rig.machine("desktop")
    for name in ["laptop", "server", "kiosk"] {
      try rig.machines[name]?.daemon.connect().start("tea", usec: hour)
      try rig.awaitMirror(of: name, on: desktop)
    }
    let start = Call.start(name: "new", durationUsec: hour)
    let refused = TimersError.varlink(.permissionDenied)
    #expect(try desktop.connect(to: "laptop").refusal(of: start) == refused)
    #expect(try desktop.connect(to: "kiosk").refusal(of: .perform(.pause, name: "tea")) == refused)
    #expect(try desktop.connect(to: "server").timer(start).name == "new")
    // A command never comes over the network.
    var timer = Wire.Start(name: "bad", .countdown(.seconds(60)))
    var ring = Wire.Ring()
    ring.exec = ["touch", "\(rig.rig.path)/pwned"]
    timer.ring = ring
    let refusal = try desktop.connect(to: "server").refusal(of: .start(timer))
    guard case .invalidValue(let parameter, _) = refusal else {
      Issue.record("it was not refused: \(refusal)")
      return
    }
    #expect(parameter == "ring.exec")
    #expect(try rig.machines["server"]?.daemon.connect().names().contains("bad") == false)
  }

  @Test func `After kill -9 of each process every mirror is equal to its owner again`() throws {
    let rig = try BridgeRig(isPersistent: true)
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    let others = (1...10).map { "other/\($0)" }
    for name in ["tea", "egg"] + others {
      try laptop.daemon.connect().start(name, usec: hour)
    }
    try rig.awaitMirror(of: "laptop", on: desktop)

    // The owner's bridge: a change while it is gone is published when it is back, and nothing else
    // is sent.
    laptop.bridge.kill()
    try rig.awaitState("offline", of: "laptop", on: desktop)
    #expect(
      try desktop.connect(to: "laptop").refusal(of: .perform(.pause, name: "tea"))
        == Self.away("laptop", try desktop.status()))
    let client = try laptop.daemon.connect()
    _ = try client.timer(.perform(.pause, name: "tea"))
    _ = try client.timer(.perform(.remove, name: "egg"))
    try rig.restartBridge(of: laptop)
    try rig.awaitMirror(of: "laptop", on: desktop)
    // Two values of twelve, the marker's echo aside, and the status: at the marker, when the timers
    // are read, when the daemon has said whether its clock is synchronized, and 2 s later.
    let sent = try laptop.status().sent
    #expect((3...6).contains(sent.messages), "\(sent)")

    // The bridge that reads.
    try rig.restartBridge(of: desktop)
    try rig.awaitMirror(of: "laptop", on: desktop)

    // The broker, by SIGKILL.
    try rig.endBroker(SIGKILL)
    _ = try client.timer(.perform(.resume, name: "tea"))
    try client.start("new", usec: hour)
    try rig.startBroker()
    try rig.awaitMirror(of: "laptop", on: desktop)
    #expect(Set(try desktop.connect(to: "laptop").names()) == Set(["new", "tea"] + others))
  }

  @Test func `A broker that restarts without data gets all timers again`() throws {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    let client = try laptop.daemon.connect()
    for name in ["tea", "egg"] { try client.start(name, usec: hour) }
    try rig.awaitMirror(of: "laptop", on: desktop)
    try rig.endBroker()
    _ = try client.timer(.perform(.remove, name: "egg"))
    try rig.startBroker()
    try rig.awaitMirror(of: "laptop", on: desktop)
    #expect(try desktop.connect(to: "laptop").names() == ["tea"])
  }

  @Test func `A killed daemon comes back with its timers, and none is started twice`() throws {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    let tea = try laptop.daemon.connect().start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    try rig.restartDaemon(of: laptop)
    _ = try laptop.daemon.connect().timer(.perform(.pause, name: "tea"))
    let remote = try desktop.connect(to: "laptop")
    try awaitTrue("the pause does not arrive") { try remote.get("tea").state == .paused }
    #expect(try remote.get("tea").id == tea.id)
    #expect(try laptop.daemon.ledger().filter { $0.type == .started }.count == 1)
  }

  @Test
  func
    `Of two bridges of the same name the first leaves, and they do not fight for the connection`()
    throws
  {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    // Otherwise both are new, and the second may be the one that leaves.
    try rig.awaitState("online", of: "laptop", on: desktop)
    let second = try rig.startSecondBridge(of: laptop)
    try second.lines.next("its connection", within: 90) { $0.contains("connected to") }
    try laptop.bridge.lines.next("the end of the first", within: 90) {
      $0.contains("another machine is connected as alex/laptop")
    }
    let status = try laptop.status()
    #expect(!status.connected)
    #expect(status.reason == "another machine is connected as alex/laptop")
  }

  @Test
  func `A bridge reads why the broker has closed the connection, after all that came before it`()
    throws
  {
    let rig = try BridgeRig()
    let laptop = try rig.machine("laptop")
    try rig.endBroker()
    try ClosingBroker(path: rig.socketPath).disconnect(laptop.bridge, 0x8E)
    try laptop.bridge.lines.next("why", within: 90) {
      $0.contains("another machine is connected as alex/laptop")
    }
  }

  @Test func `A renamed machine disappears under its old name`() throws {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    try laptop.daemon.connect().start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    let config = "\(laptop.folder)/config.toml"
    let text = try String(contentsOfFile: config, encoding: .utf8)
    try text.replacing("\"laptop\"", with: "\"notebook\"").write(
      toFile: config, atomically: true, encoding: .utf8)
    try rig.restartBridge(of: laptop)
    try awaitTrue("the old name is there, or the new one is not") {
      try desktop.status().devices.map(\.device) == ["notebook"]
    }
    #expect(try desktop.status().devices.map(\.timers) == [1])
    #expect(try laptop.status().devices.map(\.device) == ["desktop"])
  }

  @Test
  func
    `A machine that was lost is offline since the broker lost it, also for one that comes later`()
    throws
  {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    try rig.awaitState("online", of: "laptop", on: desktop)
    let since = { try desktop.status().devices.first?.sinceUsec }
    let connectedUsec = try #require(try since())
    // A second later than it was connected: the broker counts whole seconds.
    try awaitTrue("a second") { Now.realtimeUsec >= connectedUsec + 2 * second }
    let before = Now.realtimeUsec
    laptop.bridge.kill()
    try rig.awaitState("offline", of: "laptop", on: desktop)
    let lostUsec = try #require(try since())
    #expect((before - second...Now.realtimeUsec).contains(lostUsec))
    let refusal = try desktop.connect(to: "laptop").refusal(of: .perform(.pause, name: "tea"))
    #expect(
      refusal
        == .ownerAway(device: "laptop", state: "offline", sinceUsec: lostUsec, inDoubt: false))

    try rig.restartBridge(of: desktop)
    try rig.awaitState("offline", of: "laptop", on: desktop)
    let read = try #require(try since())
    #expect(abs(read - lostUsec) <= 2 * second)
  }

  @Test
  func
    `After a crash of the broker, a machine that crashed with it is offline, and others are not`()
    throws
  {
    let rig = try BridgeRig(isPersistent: true)
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    try rig.machine("server")
    func expectOffline() throws {
      try rig.awaitState("offline", of: "laptop", on: desktop)
      let lost = try #require(try desktop.status().devices.first { $0.device == "laptop" })
      #expect(lost.sinceUsec == nil)
      try rig.awaitState("online", of: "server", on: desktop)
      let refusal = try desktop.connect(to: "laptop").refusal(of: .perform(.pause, name: "tea"))
      #expect(
        refusal == .ownerAway(device: "laptop", state: "offline", sinceUsec: nil, inDoubt: false))
    }
    for machine in ["laptop", "server"] {
      try rig.awaitState("online", of: machine, on: desktop)
    }
    try rig.endBroker(SIGKILL)
    laptop.bridge.kill()
    try rig.startBroker()
    try expectOffline()
    #expect(try rig.retained("presence", of: laptop)["state"]?.stringValue == "online")
    // The same for a bridge that starts later.
    try rig.restartBridge(of: desktop)
    try expectOffline()
    try rig.restartBridge(of: laptop)
    try rig.awaitState("online", of: "laptop", on: desktop)
  }

  @Test func `No daemon is started on another machine's socket`() throws {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    try laptop.daemon.connect().start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
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
  func `A disconnected machine reports that itself, not the other machine, is disconnected`(
    signal: Int32
  ) throws {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    try laptop.daemon.connect().start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    try rig.endBroker(signal)
    try rig.awaitLoss(on: desktop)
    let sinceUsec = try #require(try desktop.status().sinceUsec)
    let remote = try desktop.connect(to: "laptop")
    let refusal = TimersError.ownerAway(
      device: "laptop", state: "no_broker", sinceUsec: sinceUsec, inDoubt: false)
    // This call follows the loss immediately, and waits for the next connection.
    #expect(try remote.refusal(of: .perform(.pause, name: "tea")) == refusal)
    // A later call fails at once: the broker may be away for long.
    let begunUsec = Now.boottimeUsec
    #expect(try remote.refusal(of: .perform(.pause, name: "tea")) == refusal)
    #expect(Now.boottimeUsec - begunUsec < 5 * second)
  }

  @Test(arguments: [
    ("", "[mqtt] has no 'broker' and no 'person'; write both, as in nightjar-mqtt(1)", 78),
    ("[mqtt]", "[mqtt] has no 'broker' and no 'person'; write both, as in nightjar-mqtt(1)", 78),
    ("[mqtt]\nbroker = 1", "'broker' must be a text", 78),
    ("[mqtt]\nbroker = \"mqtt://a\"\nperson = \"a/b\"", "'person' must be 1 to 32 letters", 78),
  ])
  func `A wrong configuration gets one sentence, and systemd does not restart the bridge`(
    text: String, sentence: String, code: Int32
  ) throws {
    let rig = try Rig()
    try text.write(toFile: "\(rig.path)/c.toml", atomically: true, encoding: .utf8)
    let (end, output) = try rig.run(
      [
        try Binaries.program("nightjar-mqtt"), "--socket", "\(rig.path)/socket", "--config",
        "\(rig.path)/c.toml",
      ], environment: ["HOME": "\(rig.path)/home"])
    #expect(end == .exited(code))
    #expect(output.contains(sentence) && output.split(separator: "\n").count == 1, "\(output)")
    let check = try rig.run(
      [try Binaries.program("nightjar-mqtt"), "--check-config", "--config", "\(rig.path)/c.toml"])
    #expect(check.output.contains(sentence) && check.output.split(separator: "\n").count == 1)
  }

  @Test func `With TLS and a password, only the right broker and the right user are accepted`()
    throws
  {
    let rig = try Rig()
    let (folder, port) = (rig.path, try FreePort.find())
    func openssl(_ arguments: String) throws {
      try rig.tool(
        ["openssl"] + arguments.split(separator: " ").map(String.init), package: "openssl")
    }
    for name in ["ca", "other"] {
      try openssl(
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=\(name) -keyout \(folder)/\(name).key "
          + "-out \(folder)/\(name).pem")
    }
    try openssl(
      "req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout \(folder)/b.key -out \(folder)/b.csr"
    )
    try openssl(
      "x509 -req -in \(folder)/b.csr -CA \(folder)/ca.pem -CAkey \(folder)/ca.key -CAcreateserial "
        + "-days 2 -out \(folder)/b.pem")
    try rig.tool(
      ["mosquitto_passwd", "-b", "-c", "\(folder)/users", "alex", "right"], package: "mosquitto")
    try """
    listener \(port) 127.0.0.1
    certfile \(folder)/b.pem
    keyfile \(folder)/b.key
    password_file \(folder)/users
    log_dest stderr
    log_type all
    \(getuid() == 0 ? "user root" : "")
    """.write(toFile: "\(folder)/mosquitto.conf", atomically: true, encoding: .utf8)
    let broker = try rig.start(
      ["mosquitto", "-c", "\(folder)/mosquitto.conf"], package: "mosquitto")
    try broker.lines.next("the broker's start") { $0.contains(" running") }

    func said(authority: String, password: String) throws -> String {
      let name = "\(authority)-\(password)"
      let secret = "\(folder)/\(name)"
      try "\(password)\n".write(toFile: secret, atomically: true, encoding: .utf8)
      chmod(secret, 0o600)
      try """
      [mqtt]
      broker = "mqtts://localhost:\(port)"
      person = "alex"
      device = "laptop"
      ca = "\(folder)/\(authority).pem"
      user = "alex"
      password_file = "\(secret)"
      """.write(toFile: "\(secret).toml", atomically: true, encoding: .utf8)
      let place = "\(folder)/\(name).d"
      try FileManager.default.createDirectory(
        atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      let bridge = try rig.start(
        [
          try Binaries.program("nightjar-mqtt"), "--socket", "\(place)/socket", "--config",
          "\(secret).toml",
        ], environment: ["HOME": "\(folder)/home"])
      defer { bridge.kill() }
      return try bridge.lines.next("a word about the broker") { $0.contains("connected to") }
    }
    let right = try said(authority: "ca", password: "right")
    #expect(right == "nightjar-mqtt: connected to mqtts://localhost:\(port) as alex/laptop")
    let wrong = try said(authority: "ca", password: "wrong")
    #expect(
      wrong.contains("not connected to") && wrong.contains("the broker refuses: "), "\(wrong)")
    let foreign = try said(authority: "other", password: "right")
    #expect(foreign.contains("not connected to"), "\(foreign)")
    #expect(!broker.output.contains("right"), "the password is in no log")
  }

  // MARK: - What no bridge sends

  /// Publishes a message, as any client of the broker may.
  private func publish(_ rig: BridgeRig, _ arguments: [String]) throws {
    try rig.rig.tool(
      ["mosquitto_pub", "-V", "5", "--unix", rig.socketPath] + arguments,
      package: "mosquitto-clients")
  }

  @Test
  func `Calls that are retained or lack correlation data are not carried out, and others once`()
    throws
  {
    let rig = try BridgeRig()
    let laptop = try rig.machine("laptop")
    let client = try laptop.daemon.connect()
    try client.start("tea", usec: hour)
    let topic = "nightjar/alex/laptop/call"
    func extend(_ usec: Int) -> String {
      #"{"method":"org.nightjar.Timers.Extend","parameters":{"name":"tea","by_usec":\#(usec)}}"#
    }
    try publish(rig, ["-t", topic, "-q", "1", "-m", extend(1)])
    try publish(rig, ["-t", topic, "-q", "0", "-r", "-m", extend(2)])
    try publish(rig, ["-t", topic, "-r", "-n"])
    // The same message twice, as a broker may deliver it at QoS 1.
    for _ in 0..<2 {
      try publish(
        rig,
        [
          "-t", topic, "-q", "1", "-m", extend(4), "-D", "publish", "correlation-data", "c1", "-D",
          "publish", "response-topic", "nightjar/alex/laptop/timer/tea",
        ])
    }
    for garbage in ["", "{", "[1]", #"{"method":"x"}"#] {
      try publish(rig, ["-t", topic, "-q", "0", "-m", garbage.isEmpty ? " " : garbage])
    }
    // At QoS 0 no message is delivered twice, and no client waits for an answer. It arrives after
    // the others.
    try publish(rig, ["-t", topic, "-q", "0", "-m", extend(8)])
    let events = try laptop.daemon.events(after: 0)
    #expect(try events.event { $0.type == .extended }.byUsec == 2)
    #expect(try events.event { $0.type == .extended }.byUsec == 4)
    #expect(try events.event { $0.type == .extended }.byUsec == 8)
    #expect(try client.get("tea").state == .running)
  }

  @Test func `Foreign messages are limited, and do not break the connection`() throws {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    try laptop.daemon.connect().start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    let long = "\(rig.rig.path)/long"
    try Data(repeating: UInt8(ascii: "x"), count: 10 * 1024 * 1024).write(to: URL(filePath: long))
    for topic in ["nightjar/alex/laptop/timer/big", "nightjar/alex/desktop/call"] {
      try publish(rig, ["-t", topic, "-f", long])
    }
    for (topic, text) in [
      ("nightjar/alex/ghost/timer/x", "\u{1B}[2J"), ("nightjar/alex/laptop/timer/\u{FEFF}x", "{}"),
      ("nightjar/alex/laptop/presence", "{}"), ("nightjar/alex/laptop/event", "[]"),
      ("nightjar/alex/../status", "{}"), ("nightjar/sam/laptop/presence", #"{"state":"online"}"#),
    ] {
      try publish(rig, ["-t", topic, "-m", text])
    }
    // The owner corrects wrong values on its own topics.
    try publish(rig, ["-t", "nightjar/alex/laptop/timer/tea", "-r", "-m", "{}"])
    _ = try laptop.daemon.connect().timer(.perform(.pause, name: "tea"))
    try rig.awaitMirror(of: "laptop", on: desktop)
    let status = try desktop.status()
    #expect(status.connected && status.devices.map(\.device) == ["laptop"])
    #expect(status.dropped >= 4)
  }

  // MARK: - What the mirror does not have yet

  @Test
  func `A name that is taken by a timer that the mirror lacks is refused with that timer's state`()
    throws
  {
    let rig = try BridgeRig()
    let desktop = try rig.machine("desktop")
    let client = try desktop.daemon.connect()
    try client.start("tea", usec: hour)
    let timer = try client.call(.get(name: "tea"), deadline: bound)
    // A machine that refuses a start before it publishes the timer of that name.
    let slow = try BrokerPeer(path: rig.socketPath, name: "slow")
    let calls = try rig.follow("nightjar/alex/slow/call", format: "%D %p")
    let presence: JSONValue = ["state": "online", "since_usec": 1]
    try slow.send([
      BrokerPeer.message("nightjar/alex/slow/presence", presence.text, isRetained: true)
    ])
    try rig.awaitState("online", of: "slow", on: desktop)
    func answer(_ method: String, _ reply: JSONValue) throws {
      let call = try calls.lines.next("a \(method)", within: 90) {
        $0.contains("org.nightjar.Timers.\(method)\"")
      }
      let correlation = String(call.prefix { $0 != " " })
      try slow.send([
        BrokerPeer.message("nightjar/alex/desktop/reply", reply.text, correlation: correlation)
      ])
    }
    let start = try rig.rig.start(
      [try Binaries.nightjar(), "@slow", "start", "tea", "4min"],
      environment: desktop.daemon.clientEnvironment)
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
    let gone: JSONValue = ["state": "offline", "since_usec": 1]
    try slow.send([BrokerPeer.message("nightjar/alex/slow/presence", gone.text, isRetained: true)])
    try rig.awaitState("offline", of: "slow", on: desktop)
    #expect(
      try desktop.connect(to: "slow").refusal(of: .get(name: "tea")) == .timerNotFound(name: "tea"))
  }

  @Test
  func `A call to a machine that the broker wrongly reports as online waits until it is back`()
    throws
  {
    let rig = try BridgeRig()
    let (laptop, desktop) = (try rig.machine("laptop"), try rig.machine("desktop"))
    try laptop.daemon.connect().start("tea", usec: hour)
    try rig.awaitMirror(of: "laptop", on: desktop)
    let before = try rig.retained("presence", of: laptop)
    laptop.bridge.kill()
    try rig.awaitState("offline", of: "laptop", on: desktop)
    // A broker after a crash: it had written this presence to disk, and no will after it.
    let peer = try BrokerPeer(path: rig.socketPath, name: "crash")
    try peer.send([
      BrokerPeer.message("nightjar/alex/laptop/presence", before.text, isRetained: true)
    ])
    try rig.awaitState("online", of: "laptop", on: desktop)

    let answer = try desktop.connect(to: "laptop").stream(.perform(.pause, name: "tea"))
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

  // MARK: -

  /// The error of a call whose owner is away.
  private static func away(_ device: String, _ status: BridgeWire.Status.Reply) -> TimersError {
    let known = status.devices.first { $0.device == device }
    return .ownerAway(
      device: device, state: known?.state.rawValue ?? "", sinceUsec: known?.sinceUsec,
      inDoubt: false)
  }
}
