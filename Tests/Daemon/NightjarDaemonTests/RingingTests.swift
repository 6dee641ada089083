import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// How long a ring lasts, with the tests' own players and notification server.
@Suite(.blocking) struct RingingTests {
  let rig: Rig
  let players: FakePlayers

  init() throws {
    rig = try Rig()
    players = try FakePlayers(of: rig)
    try players.install("pw-play")
    try players.runPipeWire()
  }

  private func start(
    _ name: String, _ client: Connection, _ kind: NewTimer = .countdown(.milliseconds(1)),
    _ change: (inout Wire.Ring) -> Void = { _ in }
  ) throws {
    var timer = Wire.Start(name: name, kind)
    var ring = Wire.Ring()
    change(&ring)
    timer.ring = ring
    _ = try client.timer(.start(timer))
  }

  @Test func `A ring is repeated until it is answered`() throws {
    let daemon = try rig.ringingDaemon(config: "ring_for = \"1min\"\nrising = 0")
    let client = try daemon.connect()
    try start("tea", client)
    for _ in 0..<3 { #expect(try players.next() == FakePlayers.chime) }
    _ = try client.timer(.snooze(name: "tea", byUsec: hour))
    let count = players.all.count
    // It neither delays another sound, nor follows it.
    try start("egg", client) { ($0.sound, $0.ringForUsec) = ("pulse", 0) }
    #expect(try players.next { $0.contains("pulse") } == "pw-play \(FakePlayers.file("pulse"))")
    #expect(players.all.filter { $0 == FakePlayers.chime }.count <= count + 1)
    try awaitTrue("it is still playing") { try daemon.children == 0 }
  }

  @Test func `A timer that continues, and one with a ring of length zero, sound once`() throws {
    let daemon = try rig.ringingDaemon(config: "ring_for = \"1min\"\nrising = 0")
    let client = try daemon.connect()
    try start("once", client) { ($0.sound, $0.ringForUsec) = ("pulse", 0) }
    try start("tick", client, .repeating(.seconds(3600), rounds: 0)) { $0.sound = "marimba" }
    _ = try client.timer(.extend(name: "tick", byUsec: -hour))
    var seen: Set<String> = []
    while seen.count < 2 { seen.insert(try players.next()) }
    // Four more rounds of a repeated sound take longer than a second sound of these would.
    try start("tea", client)
    for _ in 0..<4 { _ = try players.next { $0 == FakePlayers.chime } }
    let all = players.all
    for name in ["pulse", "marimba"] {
      #expect(all.filter { $0.hasSuffix("\(name).wav") }.count == 1, "\(all)")
    }
  }

  @Test func `A ring continues for the rest of its time after a restart of the daemon`() throws {
    let daemon = try rig.ringingDaemon(config: "ring_for = \"6s\"\nrising = 0")
    try start("tea", daemon.connect())
    try players.next()
    try daemon.terminate()
    let next = try rig.daemon()
    try players.next()
    let events = try next.events(after: 0)
    let rang = try events.event { $0.type == .rang }
    let ended = try events.event { $0.type == .unanswered }
    #expect((5_900_000...9_000_000).contains(ended.timeUsec - rang.timeUsec))
    try awaitTrue("it is still playing") { try next.children == 0 }
  }

  @Test func `A popup says that its ring was missed, and is shown again at the next`() throws {
    let (mock, daemon) = try rig.desktop(config: "ring_for = \"1s\"\nrising = 0\ninsist = \"1s\"")
    let client = try daemon.connect()
    try start("tea", client)
    #expect(try mock.nextNotify().body == "After 1 ms.")
    #expect(try mock.nextNotify().body.hasPrefix("Missed: not answered.\n"))
    #expect(try mock.nextNotify().body.hasPrefix("Ring 2: not answered yet.\n"))
    _ = try client.timer(.perform(.dismiss, name: "tea"))
    let types = try daemon.ledger(until: { $0.type == .dismissed }).map(\.type)
    #expect(types.filter { $0 == .rang }.count == 1)
  }

  @Test(arguments: [Call.perform(.dismiss, name: "tea"), .snooze(name: "tea", byUsec: hour)])
  func `To undo an answer makes no sound, and the ring insists at its time`(
    answer: Call
  ) throws {
    let daemon = try rig.ringingDaemon(config: "ring_for = \"2s\"\nrising = 0\ninsist = \"2s\"")
    let client = try daemon.connect()
    try start("tea", client)
    try players.next()
    _ = try client.timer(answer.undoable("1"))
    try awaitTrue("it is still playing") { try daemon.children == 0 }
    let count = players.all.count
    #expect(
      try Wire.Undo.Reply(client.call(.undo(), deadline: .after(usec: 30 * second))).count == 1)
    let events = try daemon.events(after: 0)
    let rang = try events.event { $0.type == .rang }
    let again = try events.event { $0.type == .rangAgain }
    #expect((3_900_000...9_000_000).contains(again.timeUsec - rang.timeUsec))
    #expect(again.sounds == 2)
    #expect(players.all.dropFirst(count).count <= 1)
    while players.all.count == count { try players.next() }
  }

  /// The property as dunst has it, and as Plasma does.
  @Test(arguments: [
    ("org.dunstproject.cmd0", "paused"), ("org.freedesktop.Notifications", "Inhibited"),
  ])
  func `While the notification server is paused an alarm is heard, and a countdown is not`(
    interface: String, property: String
  ) throws {
    let mock = try NotificationMock.running(of: rig)
    try mock.pause(interface: interface, property: property)
    let daemon = try rig.ringingDaemon(on: mock, config: "ring_for = 0\nsnooze = \"1min\"")
    try daemon.awaitSeen(true)
    let client = try daemon.connect()
    try start("tea", client) { $0.sound = "pulse" }
    _ = try mock.nextNotify { $0.summary == "tea" }
    try start("loud", client) { ($0.sound, $0.disturb) = ("marimba", true) }
    #expect(try players.next() == "pw-play \(FakePlayers.file("marimba"))")
    let soon = WallTime(sinceEpoch: .microseconds(Now.realtimeUsec + second / 5))
    try start("wake", client, .alarm(at: soon))
    #expect(try players.next() == FakePlayers.chime)
    #expect(players.all.count == 2)
    // The server's state at the moment of the ring counts.
    try mock.pause(interface: interface, property: property, false)
    try start("egg", client) { $0.sound = "pulse" }
    #expect(try players.next() == "pw-play \(FakePlayers.file("pulse"))")
  }
}
