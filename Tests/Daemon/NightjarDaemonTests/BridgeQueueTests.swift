import Glibc
import NightjarClient
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

/// Commands that wait for an absent machine.
@Suite(.blocking) struct BridgeQueueTests {
  private let rig: BridgeRig
  private let laptop: BridgeRig.Machine
  private let desktop: BridgeRig.Machine

  init() throws {
    rig = try BridgeRig()
    laptop = try rig.machine("laptop", others: "start")
    desktop = try rig.machine("desktop")
    let client = try laptop.daemon.connect()
    for name in ["tea", "egg"] { try client.start(name, usec: hour) }
    try rig.awaitMirror(of: "laptop", on: desktop)
  }

  /// Starts the command line on the desktop.
  private func nightjar(_ words: String) throws -> ChildProcess {
    try rig.start(words, on: desktop)
  }

  /// Stops the laptop's bridge, and waits until the desktop knows.
  private func takeLaptopAway() throws {
    laptop.bridge.signal(SIGTERM)
    try laptop.bridge.awaitEnd()
    try rig.awaitState("offline", of: "laptop", on: desktop)
  }

  /// Waits until a command has said why it waits. A reason that ends with a blank continues with a
  /// time.
  private func awaitWaiting(_ command: ChildProcess, _ reason: String) throws {
    let waits = "; the command waits for it (Ctrl-C gives it up)"
    try command.lines.next("why it waits") {
      reason.hasSuffix(" ")
        ? $0.hasPrefix("nightjar: \(reason)") && $0.hasSuffix(waits)
        : $0 == "nightjar: \(reason)\(waits)"
    }
  }

  private func events(_ type: Wire.EventType) throws -> [Wire.Event] {
    try laptop.daemon.ledger().filter { $0.type == type }
  }

  @Test func `A list of all machines as JSON is one object, and names each machine`() throws {
    try desktop.daemon.connect().start("own", usec: hour)
    let list = try nightjar("list --everywhere --json")
    #expect(try list.awaitEnd() == .exited(0))
    let timers = try JSONValue.parse(list.output)["timers"]?.arrayValue ?? []
    let found = timers.map { "\($0["device"]?.stringValue ?? "") \($0["name"]?.stringValue ?? "")" }
    #expect(found.sorted() == ["desktop own", "laptop egg", "laptop tea"], "\(list.output)")
    // A path needs a timer on any of the machines only.
    for (path, status) in [("egg", Int32(0)), ("nosuch", 3)] {
      #expect(try nightjar("list \(path) --everywhere").awaitEnd() == .exited(status), "\(path)")
    }
  }

  /// Why a command for the laptop cannot be carried out at once.
  enum Absence: CaseIterable {
    case bridgeIsStopped, daemonIsKilled
    /// Neither the bridge nor the broker knows the machine. Its name may be mistyped, or the
    /// machine is not back.
    case isUnknown
  }

  @Test(arguments: Absence.allCases)
  func `A queued command waits for its machine, and is carried out once`(absence: Absence) throws {
    let reason: String
    switch absence {
    case .bridgeIsStopped:
      try takeLaptopAway()
      reason = "laptop is offline since "
    case .daemonIsKilled:
      try laptop.daemon.crash()
      reason = "the daemon of laptop does not answer its bridge"
    case .isUnknown:
      try rig.endBroker(SIGKILL, forgetting: true)
      laptop.bridge.kill()
      try rig.startBroker()
      try rig.restartBridge(of: desktop)
      reason =
        "no machine called 'laptop' is known, and this machine takes part in no session of that "
        + "name; there is no other"
    }
    let refused = try nightjar("@laptop pause tea")
    #expect(try refused.awaitEnd() == .exited(4))
    #expect(refused.output.hasPrefix("nightjar: \(reason)"), "\(refused.output)")
    if absence == .daemonIsKilled {
      #expect(refused.output == "nightjar: \(reason); nothing was changed: try again")
    }
    let command = try nightjar("@laptop pause tea --queue")
    try awaitWaiting(command, reason)
    if absence == .daemonIsKilled {
      try rig.restartDaemon(of: laptop)
    } else {
      try rig.restartBridge(of: laptop)
    }
    #expect(try command.awaitEnd(within: 90) == .exited(0))
    // On a slow machine it also reports that the laptop has not answered yet.
    let lines = command.lines.all
    #expect(lines.last?.hasPrefix("tea: paused") == true, "\(lines)")
    let complaint = absence == .bridgeIsStopped ? "nightjar: laptop " : "nightjar: "
    #expect(lines.dropLast().allSatisfy { $0.hasPrefix(complaint) }, "\(lines)")
    #expect(try events(.paused).map { $0.request?.isEmpty == false } == [true])
  }

  @Test func `A queued command prints a refusal, and does not wait for its own machine`() throws {
    _ = try laptop.daemon.connect().timer(.perform(.pause, name: "tea"))
    let again = try nightjar("@laptop pause tea --queue")
    #expect(try again.awaitEnd(within: 90) == .exited(1))
    let refusal = try #require(again.lines.all.last)
    #expect(refusal.hasPrefix("nightjar: cannot pause 'tea': it is paused; "), "\(refusal)")
    let own = try nightjar("@desktop pause tea --queue")
    #expect(try own.awaitEnd() == .exited(4))
  }

  @Test func `A start with an unknown outcome is sent again, and is not made twice`() throws {
    // The bridge reads the call from its socket when it continues.
    try laptop.bridge.stop()
    let calls = try rig.follow("nightjar/alex/laptop/call")
    func isStart(_ line: String) -> Bool { line.contains("org.nightjar.Timers.Start\"") }
    let command = try nightjar("@laptop start new 1h --queue")
    try calls.lines.next("the call", where: isStart)
    try rig.restartBridge(of: desktop)
    try command.lines.next("why it waits") {
      $0 == "nightjar: nightjar-mqtt went away; the command waits for it (the change may be "
        + "made also after Ctrl-C)"
    }
    laptop.bridge.signal(SIGCONT)
    #expect(try command.awaitEnd(within: 90) == .exited(0), "\(command.output)")
    #expect(command.output.contains("new: 1 h"), "\(command.output)")
    // mosquitto_sub may print the second call after the command has its answer.
    try calls.lines.next("the call again", where: isStart)
    #expect(try events(.started).filter { $0.name == "new" }.count == 1)
  }

  @Test func `Ctrl-C ends it, and nothing is sent later`() throws {
    try takeLaptopAway()
    let command = try nightjar("@laptop pause tea --queue")
    try awaitWaiting(command, "laptop is offline since ")
    command.signal(SIGINT)
    #expect(try command.awaitEnd() == .killed(SIGINT))
    try rig.restartBridge(of: laptop)
    try rig.awaitState("online", of: "laptop", on: desktop)
    // A later command is carried out, and this one is not.
    let other = try nightjar("@laptop extend tea 5min --queue")
    #expect(try other.awaitEnd(within: 90) == .exited(0))
    #expect(try events(.extended).count == 1 && events(.paused).isEmpty)
  }

  @Test func `The bridge says when a machine is online`() throws {
    func wait(_ parameters: JSONValue) -> Call {
      Call(method: "\(BridgeInterface.name).Await", parameters: parameters)
    }
    func connect() throws -> Connection {
      try Connection(
        path: BridgePaths.status(in: desktop.folder), deadline: .after(usec: 90 * second))
    }
    let bridge = try connect()
    let reply = try bridge.call(wait(["device": "laptop"]), deadline: .after(usec: 90 * second))
    #expect(reply["state"]?.stringValue == "online" && reply["since_usec"]?.integerValue != nil)
    for (wrong, parameter) in [
      (.object([]), "device"), (["device": "../x"], "device"), (["device": 1], "device"),
      (["device": "laptop", "usec": 1], "usec"),
    ] as [(JSONValue, String)] {
      #expect(
        try bridge.refusal(of: wait(wrong)) == .varlink(.invalidParameter(parameter: parameter)))
    }
    // Several clients wait at a time, and one of them may disconnect.
    try takeLaptopAway()
    let streams = try (0..<3).map { _ in try connect().stream(wait(["device": "laptop"])) }
    _ = try connect().stream(wait(["device": "laptop"]))
    #expect(try !desktop.status().devices.isEmpty)
    try rig.restartBridge(of: laptop)
    for stream in streams { #expect(try stream.expectNext()["state"]?.stringValue == "online") }
  }
}
