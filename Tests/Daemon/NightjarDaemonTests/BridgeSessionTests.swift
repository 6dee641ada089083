import Foundation
import Glibc
import NightjarClient
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

/// Persons who share timers, on one mosquitto with rights in the form of nightjar-mqtt(1).
@Suite(.blocking) struct BridgeSessionTests {
  private static let run = "run/4711"
  private let bound: Deadline = .after(usec: 90 * second)

  private let rig: BridgeRig
  private let laptop: BridgeRig.Machine
  private let phone: BridgeRig.Machine

  init() throws {
    rig = try BridgeRig(
      users: ["alex", "kim", "sam"], rights: BridgeRights.lines(for: ["runners": ["alex", "kim"]]))
    laptop = try rig.machine("laptop", of: "alex")
    phone = try rig.machine("phone", of: "kim")
  }

  /// Shares the run with the group, or joins it there.
  @discardableResult private func take(
    _ verb: String, on machine: BridgeRig.Machine
  ) throws -> String {
    try rig.said("\(verb) \(Self.run) --group runners", on: machine)
  }

  private func start(_ name: String, _ metres: Int, on machine: BridgeRig.Machine) throws {
    try rig.said(#"stopwatch \#(name) --data {"distance_m":\#(metres)}"#, on: machine)
  }

  private func update(_ metres: Int, on machine: BridgeRig.Machine) throws {
    try rig.said(#"update \#(Self.run) --data {"distance_m":\#(metres)}"#, on: machine)
  }

  /// Waits for a timer in a stream that is so.
  @discardableResult private func awaitTimer(
    _ stream: NightjarClient.ReplyStream, _ isSo: (JSONValue) -> Bool
  ) throws -> JSONValue {
    while true {
      if let timer = try stream.expectNext()["timer"], isSo(timer) { return timer }
    }
  }

  /// The topics with retained messages below a member's name, as a person may read them; with the
  /// messages if the format of mosquitto_sub(1) says so.
  private func retained(
    of person: String, by reader: String? = nil, format: String = "%t"
  ) throws -> [String] {
    let reader = reader ?? person
    let topics = try rig.rig.run(
      [
        "mosquitto_sub", "-V", "5", "--unix", rig.socketPath, "-u", reader, "-P", reader, "-t",
        "nightjar/@runners/+/\(person)/#", "-F", format, "--retained-only", "-W", "2",
      ], package: "mosquitto-clients"
    ).output
    return topics.split(separator: "\n").map(String.init).filter { $0.hasPrefix("nightjar/") }
  }

  /// How often a machine has connected.
  private func connections(of name: String) throws -> Int {
    try #require(rig.broker).lines.all.count {
      $0.contains("New client connected") && $0.contains(" nightjar-\(name)")
    }
  }

  @Test func `Two runners see each other's values, changes, a cancel, and a departure`() throws {
    try start(Self.run, 0, on: laptop)
    // The invitation.
    #expect(
      try take("share", on: laptop)
        == "run/4711: shared with runners, with no other member so far")
    // The other joins, and sees the present timers. Who takes part already sends a new presence to
    // each machine that joins; until then, the laptop has nothing to answer.
    let broker = try #require(rig.broker)
    func answers() -> Int {
      broker.lines.all.count {
        $0.contains("Received PUBLISH from nightjar-alex-laptop")
          && $0.contains("'nightjar/alex/laptop/presence'")
      }
    }
    let before = answers()
    #expect(
      try rig.said("join run/4711/… --group runners", on: phone)
        == "run/4711: joined in runners, members alex/laptop, kim/phone")
    try awaitTrue("the laptop does not answer") { answers() > before }
    #expect(try phone.status().sessions.first?.members.map(\.state) == [.online, .online])
    let seen = try phone.connect(toSession: Self.run).stream(.watch())
    let first = try #require(try seen.expectNext()["timer"])
    #expect(first["name"] == "alex/laptop" && first["owner"] == "alex/laptop")
    #expect(first["owner_state"] == "online" && first["data"] == ["distance_m": 0])
    // The distance.
    try update(400, on: laptop)
    try awaitTimer(seen) { $0["data"] == ["distance_m": 400] }

    // The other runs, too.
    try start(Self.run, 0, on: phone)
    try start("\(Self.run)/drinks", 1, on: phone)
    try start("tea", 7, on: phone)
    #expect(try take("share", on: phone).hasPrefix("run/4711: shared with runners"))
    let others = try laptop.connect(toSession: Self.run).stream(.watch())
    var names: Set<String> = []
    while names != ["alex/laptop", "kim/phone", "kim/phone/drinks"] {
      let name = try others.expectNext()["timer"]?["name"]?.stringValue
      if let name { names.insert(name) }
      #expect(name?.contains("tea") != true)
    }
    #expect(try rig.said("@run/4711 list", on: laptop).contains("kim/phone/drinks"))

    // The cancel, by its event.
    try rig.said("cancel \(Self.run)", on: phone)
    #expect(try others.event { $0.type == .cancelled }.name == "kim/phone")
    #expect(try rig.said("@run/4711 show kim/phone", on: laptop).contains("cancelled"))

    // A member that leaves removes its messages.
    #expect(try !retained(of: "kim").isEmpty)
    #expect(try rig.said("leave \(Self.run)", on: phone) == "run/4711: left")
    var left: Set<String> = []
    while left != ["kim/phone", "kim/phone/drinks"] {
      if let name = try others.event(where: { $0.type == .removed }).name { left.insert(name) }
    }
    #expect(try laptop.status().sessions.first?.members.map(\.device) == ["laptop"])
    #expect(try retained(of: "kim") == [])
    // The timers themselves stay.
    #expect(try phone.daemon.connect().get(Self.run).state == .cancelled)
    #expect(try phone.status().sessions == [])
    // One connection a machine, and no topic outside the session and the presence.
    #expect(try connections(of: "alex-laptop") == 1 && connections(of: "kim-phone") == 1)
    #expect(!broker.lines.all.contains { $0.contains("Denied") })
  }

  @Test func `Others can neither change timers of a session nor see those outside it`() throws {
    try start(Self.run, 0, on: laptop)
    try start("run/47110", 0, on: laptop)
    try take("share", on: laptop)
    try take("join", on: phone)
    let client = try phone.connect(toSession: Self.run)
    #expect(try client.call(.list(), deadline: bound)["timers"]?.arrayValue?.count == 1)
    let refused = try rig.nightjar(["@run/4711", "pause", "alex/laptop"], on: phone)
    let sentence =
      "nightjar: run/4711 is a session, whose timers are changed by their owners only; to "
      + "change your own timers, use their names without @run/4711"
    #expect(refused.end == .exited(1) && refused.output == sentence, "\(refused)")
    #expect(
      try client.answer(to: .start(name: "x"), deadline: bound)
        == .failure(.varlink(.permissionDenied)))
    #expect(try laptop.daemon.connect().get(Self.run).state == .running)
    // Changes of a timer outside the session are not visible, not even as an event.
    let events = try client.stream(.events())
    try rig.said("pause run/47110", on: laptop)
    try rig.said("rename run/47110 run/4712", on: laptop)
    try rig.said("pause \(Self.run)", on: laptop)
    let event = try events.event()
    #expect(event.name == "alex/laptop" && event.type == .paused)
  }

  @Test func `A person outside the group is refused, and nothing of the attempt remains`() throws {
    let tablet = try rig.machine("tablet", of: "sam")
    for command in ["share", "join"] {
      let (end, output) = try rig.nightjar([command, Self.run, "--group", "runners"], on: tablet)
      #expect(
        end == .exited(1)
          && output
            == "nightjar: the broker does not let this person take part in the group runners (Not "
            + "authorized); the broker's administrator can change that, see nightjar-mqtt(1)"
      )
    }
    #expect(try tablet.status().sessions == [])
    let file = "\(tablet.folder)/bridge/sessions.json"
    #expect(try String(contentsOfFile: file, encoding: .utf8) == #"{"sessions":[]}"#)
  }

  @Test func `A call that makes no sense gets one sentence with the remedy`() throws {
    let long = String(repeating: "a", count: 65)
    let calls = Row.table(
      """
      share a//b => 64 => 'a//b' cannot be a session
      share \(long) => 64 => is too long for a session: at most 64 letters
      share phone --group runners => 1 => phone is the name of a machine; share a path
      @run/1 events => 64 => a session has no past events
      share run => 1 => say which group is meant with --group GROUP
      join run --group a.b => 1 => a group's name has 1 to 32 letters
      leave run => 1 => this machine does not take part in run; nightjar mqtt status lists
      @run/1 list => 4 => takes part in no session called run/1; take part with nightjar mqtt join run/1
      @laptop share run => 64 => 'share' is not for another machine: leave out @laptop
      @run/1 pause x --queue => 64 => leave out --queue
      @a//b list => 64 => '@a//b' is no machine and no session
      """)
    for row in calls {
      let (end, output) = try rig.nightjar(row.words(), on: phone)
      #expect("\(end)" == "exited(\(row[1]))" && output.contains(row[2]), "\(row): \(output)")
      // Behind wrong usage stands the page of the command.
      let lines = output.split(separator: "\n")
      #expect(lines.count == (row[1] == "64" ? 2 : 1), "\(row): \(output)")
      #expect(
        lines[0].hasPrefix("nightjar: ") && lines.dropFirst().allSatisfy { $0.hasPrefix("See ") })
    }
  }

  @Test func `A session survives kills of programs, and a leave waits for the broker`() throws {
    try start(Self.run, 5, on: laptop)
    try take("share", on: laptop)
    try take("join", on: phone)
    let seen = try phone.connect(toSession: Self.run).stream(.watch(name: "alex/laptop"))
    @discardableResult func awaitOwner(_ state: String) throws -> JSONValue {
      try awaitTimer(seen) { $0["owner_state"]?.stringValue == state }
    }
    try laptop.daemon.crash()
    try awaitOwner("no_daemon")
    let list = try rig.said("@run/4711 list", on: phone)
    #expect(list.contains("the daemon of alex/laptop does not answer"), "\(list)")
    try rig.restartDaemon(of: laptop)
    try awaitOwner("online")
    laptop.bridge.kill()
    #expect(try awaitOwner("offline")["owner_since_usec"]?.integerValue != nil)
    #expect(try rig.said("@run/4711 list", on: phone).contains("alex/laptop is offline since"))
    // Changes during that time are visible afterwards.
    try update(900, on: laptop)
    try rig.restartBridge(of: laptop)
    try awaitTimer(seen) { $0["owner_state"] == "online" && $0["data"] == ["distance_m": 900] }

    // A leave while there is no broker.
    try rig.endBroker(SIGKILL)
    try rig.awaitLoss(on: laptop)
    try awaitOwner("unknown")
    #expect(
      try rig.said("leave \(Self.run)", on: laptop)
        == "run/4711: left; the broker forgets it when this machine is connected again")
    laptop.bridge.kill()
    try rig.startBroker()
    try rig.restartBridge(of: laptop)
    try awaitTrue("the laptop has not left") { try laptop.status().sessions.isEmpty }
    #expect(try retained(of: "alex") == [])
  }

  @Test func `Two groups cannot have a session of one path, and it has one socket`() throws {
    try take("join", on: phone)
    let (end, output) = try rig.nightjar(["share", Self.run, "--group", "cooks"], on: phone)
    #expect(
      end == .exited(1)
        && output
          == "nightjar: this machine takes part in run/4711 with runners already, or still leaves it; end that with "
          + "nightjar mqtt leave run/4711, which takes a connection to the broker",
      "\(output)")
    // Without a group it is this one.
    #expect(try rig.said("join \(Self.run)", on: phone).hasPrefix("run/4711: joined in runners"))
    let sockets = try FileManager.default.contentsOfDirectory(atPath: "\(phone.folder)/sessions")
    #expect(sockets == ["run%2F4711"])
  }

  @Test func `An invalid file of sessions is set aside, and logged`() throws {
    phone.bridge.kill()
    let folder = "\(phone.folder)/bridge"
    try makeFolder(folder)
    try "{".write(toFile: "\(folder)/sessions.json", atomically: true, encoding: .utf8)
    try rig.restartBridge(of: phone)
    #expect(phone.bridge.output.contains("sessions.json make no sense; the file is "))
    #expect(FileManager.default.fileExists(atPath: "\(folder)/sessions.json.unreadable"))
    #expect(try phone.status().sessions == [])
  }

  @Test func `Events have the members' names, and a watch ends with the session`() throws {
    try start("\(Self.run)/a", 0, on: laptop)
    try take("share", on: laptop)
    try take("join", on: phone)
    let watch = try rig.start("@run/4711 watch", on: phone)
    try watch.lines.next("the timer") { $0.contains("alex/laptop/a") }
    let bar = try rig.start("@run/4711 watch --format plain", on: phone)
    try bar.lines.next("the bar") { $0.contains("alex/laptop/a") }
    let events = try rig.start("@run/4711 events --follow", on: phone)
    // A follower receives events from now on.
    var paused = false
    try awaitTrue("no event is followed") {
      try rig.said("\(paused ? "resume" : "pause") \(Self.run)/a", on: laptop)
      paused.toggle()
      return events.output.contains("alex/laptop/a")
    }
    try rig.said("rename \(Self.run)/a \(Self.run)/b", on: laptop)
    let renamed = try events.lines.next("the rename") { $0.contains("another name") }
    #expect(renamed.hasSuffix("alex/laptop/a: has another name now: alex/laptop/b"), "\(renamed)")
    // No reader was too slow, whatever happened.
    try rig.said("leave \(Self.run)", on: phone)
    for process in [watch, bar, events] {
      #expect(try process.awaitEnd(within: 60) == .exited(4))
      #expect(
        process.output.contains("nightjar: this machine has left run/4711"), "\(process.output)")
      #expect(!process.output.contains("keep up") && !process.output.contains("went away"))
    }
  }

  @Test func `A machine that leaves and shares while there is no broker takes part`() throws {
    try start(Self.run, 3, on: laptop)
    try take("share", on: laptop)
    try rig.endBroker()
    try rig.awaitLoss(on: laptop)
    try rig.said("leave \(Self.run)", on: laptop)
    #expect(
      try take("share", on: laptop)
        .hasPrefix("run/4711: shared with runners as soon as the broker is connected"))
    try rig.startBroker()
    try awaitTrue("the session is not complete") {
      try laptop.status().sessions.first?.complete == true
    }
    #expect(try rig.said("@run/4711 list", on: laptop).contains("alex/laptop"))
    // The two bridges connect again independently of each other.
    try awaitTrue("the phone is not connected") { try phone.status().connected }
    #expect(try take("join", on: phone).contains("alex/laptop"))
  }

  /// Makes the broker, by SIGHUP, give the rights of the group to these persons only.
  private func admit(_ runners: String...) throws {
    try rig.write(rights: BridgeRights.lines(for: ["runners": runners]))
    try rig.reloadRights()
  }

  /// Both run, and the broker takes the phone's rights.
  private func putPhoneOut() throws {
    for machine in [laptop, phone] {
      try start(Self.run, 1, on: machine)
      try take("share", on: machine)
    }
    try admit("alex")
    try update(5, on: phone)
    try awaitTrue("the phone does not know that it was put out") {
      try phone.status().sessions.first?.reason?.contains("does not let kim take part") == true
    }
  }

  @Test func `A removed member who is let in again takes part on the same connection`() throws {
    try putPhoneOut()
    try update(7, on: laptop)
    try awaitTrue("the broker does not have the laptop's change") {
      try retained(of: "alex", format: "%t %p").contains { $0.contains(#"{"distance_m":7}"#) }
    }
    #expect(
      try rig.said("@run/4711 show alex/laptop", on: phone).contains(#"{"distance_m":1}"#))
    try admit("alex", "kim")
    #expect(
      try rig.said("share \(Self.run)", on: phone)
        == "run/4711: shared with runners, members alex/laptop, kim/phone")
    // Each has what the broker refused.
    try awaitTrue("the phone does not see the laptop's change") {
      try rig.said("@run/4711 show alex/laptop", on: phone).contains(#"{"distance_m":7}"#)
    }
    try awaitTrue("the laptop does not see the phone's change") {
      try rig.said("@run/4711 show kim/phone", on: laptop).contains(#"{"distance_m":5}"#)
    }
    #expect(try phone.status().sessions.first?.reason == nil)
    #expect(try connections(of: "kim-phone") == 1)
  }

  @Test func `A removed member gets an error, and is told what the broker keeps`() throws {
    try putPhoneOut()
    #expect(
      try rig.said("@run/4711 list", on: phone).contains(
        "as it was when this machine was connected last"))
    let (end, output) = try rig.nightjar(["share", Self.run], on: phone)
    #expect(end == .exited(1) && output.contains("does not let this person take part"), "\(output)")
    let left = try rig.said("leave \(Self.run)", on: phone)
    #expect(
      left.hasPrefix(
        "run/4711: left, and the broker keeps what it has of it: the broker does not let"),
      "\(left)")
    #expect(try phone.status().sessions == [])
    // mosquitto still delivers what it has retained of a former member; nightjar-mqtt(1) says so.
    #expect(try !retained(of: "kim", by: "alex").isEmpty)
  }

  @Test func `A session without a socket is refused, and not stored`() throws {
    let sockets = "\(phone.folder)/sessions"
    try? FileManager.default.removeItem(atPath: sockets)
    try Data().write(to: URL(filePath: sockets))
    let (end, output) = try rig.nightjar(["share", Self.run, "--group", "runners"], on: phone)
    #expect(end == .exited(1) && output.contains("nothing was changed"), "\(output)")
    let file = "\(phone.folder)/bridge/sessions.json"
    #expect(try String(contentsOfFile: file, encoding: .utf8) == #"{"sessions":[]}"#)
    // The same for a session that is still being left.
    try FileManager.default.removeItem(atPath: sockets)
    try take("share", on: phone)
    try rig.endBroker()
    try rig.awaitLoss(on: phone)
    try rig.said("leave \(Self.run)", on: phone)
    try FileManager.default.removeItem(atPath: sockets)
    try Data().write(to: URL(filePath: sockets))
    let again = try rig.nightjar(["share", Self.run], on: phone)
    #expect(
      again.end == .exited(1) && again.output.contains("nothing was changed"), "\(again.output)")
    #expect(try String(contentsOfFile: file, encoding: .utf8).contains(#""part":"leaving""#))
  }
}
