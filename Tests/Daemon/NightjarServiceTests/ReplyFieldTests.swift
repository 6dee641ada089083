import NightjarEngine
import NightjarInterface
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarTestSupport
import Testing
import Varlink
import VarlinkGenerator

@testable import NightjarService

/// Each field of a reply, and of the structures in it, is in some reply. No compiler checks that an
/// optional field is set.
@Suite struct ReplyFieldTests {
  /// Only a bridge sends these fields. BridgeSessionTests and BridgeRingTests wait for each of
  /// them.
  private static let ofBridges: Set = [
    "Timer.owner", "Timer.owner_state", "Timer.owner_since_usec", "Timer.ring_here",
  ]

  /// WatchStreamTests, WhyTests, RingTests and HeldRingTests wait for each of these.
  private static let ofStreams: Set = ["Watch", "Events", "Why", "TestRing", "HoldRings"]

  private let desk: ServiceDesk
  private var machine: SimulatedMachine { desk.machine }
  /// The fields that were in a reply, each behind its structure.
  private var seen: Set<String> = []

  init() throws {
    desk = try ServiceDesk()
    machine.presence = .here
    machine.wakeObstacle = .noClock
    try machine.reboot(takingUsec: second)
  }

  // MARK: Fields

  /// The structure that a type consists of; nil: it has none.
  private static func structure(in type: TypeExpression) -> String? {
    switch type {
    case .named(let name): name
    case .optional(let inner), .array(let inner): structure(in: inner)
    default: nil
    }
  }

  private func declared(in name: String) throws -> Set<String> {
    try TimersInterface.fields(of: name).reduce(into: []) { found, field in
      found.insert("\(name).\(field.name)")
      if let inner = Self.structure(in: field.type) { found.formUnion(try declared(in: inner)) }
    }
  }

  private mutating func note(_ value: JSONValue, as name: String) throws {
    for element in value.arrayValue ?? [] { try note(element, as: name) }
    guard let members = value.objectValue else { return }
    let fields = try TimersInterface.fields(of: name)
    for member in members {
      let field = try #require(fields.first { $0.name == member.key }, "\(name).\(member.key)")
      seen.insert("\(name).\(field.name)")
      if let inner = Self.structure(in: field.type) { try note(member.value, as: inner) }
    }
  }

  // MARK: Replies

  /// Calls a method, and notes the fields of its reply.
  private mutating func call(_ method: String, _ parameters: JSONValue = [:]) throws {
    let reply = try desk.call(method, parameters.text)
    #expect(reply.error == nil, "\(method) \(parameters.text): \(reply)")
    try note(reply.parameters, as: method)
  }

  private mutating func start(_ name: String, _ parameters: JSONValue) throws {
    try call("Start", .object((parameters.objectValue ?? []) + [.init("name", .string(name))]))
  }

  private mutating func look() throws {
    try call("List")
    try call("Status")
  }

  private func slot(_ name: String) throws -> Int {
    try #require(machine.core?.engine.slot(named: name))
  }

  private static let minute: Int64 = 60_000_000

  private mutating func startAllKinds() throws {
    let minute: JSONValue = .integer(Self.minute)
    let band: JSONValue = [
      "name": "soon", "remaining_usec": .integer(Self.minute - 1), "color": "red", "text": "Soon",
      "progress": ["from": 0, "to": 1],
    ]
    let step: JSONValue = ["name": "work", "duration_usec": minute]
    let rest: JSONValue = [
      "name": "work", "duration_usec": minute, "waits": true, "break": true, "long_usec": minute,
    ]
    let ring: JSONValue = [
      "exec": ["true"], "on": ["paused"], "environment": ["A": "b"], "timeout_usec": minute,
      "sound": "chime", "ring_for_usec": minute, "volume": 7, "rising_usec": 1,
      "insist_usec": minute, "disturb": true,
    ]
    let timers: KeyValuePairs<String, JSONValue> = [
      "all": [
        "duration_usec": minute, "ring": ring, "message": "Tea", "missed": "each",
        "bands": [band], "fire_within_usec": .integer(120 * Self.minute), "wake": true,
      ],
      "quiet": ["duration_usec": minute, "ring": ["silent": true], "late": "skip"],
      "again": ["duration_usec": minute, "repeat": ["rounds": 9]],
      "alarm": [
        "alarm": [
          "calendar": "9:00", "zone": "Europe/Berlin", "rounds": 9, "except": ["2026-12-24"],
          "until": "2199-12-31",
        ]
      ],
      "steps": [
        "sequence": ["steps": [step, rest], "long_every": 2, "rounds": 2, "after_sleep": "pause"]
      ],
      "run": ["stopwatch": true], "here": ["duration_usec": minute, "clock": "present"],
    ]
    for (name, parameters) in timers { try start(name, parameters) }
    try call("Lap", ["name": "run"])
    try call("Skip", ["name": "again"])
    try call("Unskip", ["name": "again"])
    try call("Skip", ["name": "again"])
    try call("List", ["limit": 1])
  }

  /// Calls each other method that needs no particular state.
  private mutating func changeTimers() throws {
    try call("Extend", ["name": "all", "by_usec": 1])
    try call("Update", ["name": "all", "message": "Egg"])
    for method in ["Get", "Pause", "Resume"] { try call(method, ["name": "all"]) }
    try call("Rename", ["name": "here", "new_name": "there"])
    try call("Restart", ["name": "steps"])
    try call("Advance", ["name": "steps"])
    try call("Cancel", ["name": "quiet", "undo_id": "a"])
    try call("Undo")
    try call("ReleaseRings", ["hold": 1])
    try call("Understand", ["words": "tea 4min"])
  }

  /// The failures of three commands, each in another way.
  private mutating func failCommands() throws {
    for outcome in [ActionOutcome.exited(status: 1), .signalled(9), .notStarted("no such file")] {
      try machine.runIteration { core in
        let timer = core.engine.slot(named: "run").map { core.engine.timer(at: $0) }
        core.engine.recordAction(
          ActionNote(key: .init(seq: 1, number: 0), attempt: 1, command: "true"),
          end: ActionEnd(outcome, lastLines: ["It is late"]),
          timer: timer.map { ("run", $0.id) }, at: machine.clocks.now)
      }
      try look()
    }
  }

  /// An alarm that is due by a wrong clock waits, rings early, and is corrected.
  private mutating func ringEarly() throws {
    try start(
      "wrong", ["alarm": ["at_usec": .integer(machine.clocks.now.realtimeUsec + 30 * Self.minute)]])
    try machine.reboot(takingUsec: Self.minute, errorUsec: 60 * Self.minute)
    try look()
    try machine.advance(usec: 5 * Self.minute)
    try machine.synchronize()
    try look()
  }

  /// The status of a daemon in trouble, which a desk's never is.
  private mutating func lookAtTrouble() throws {
    var report = StatusReport(
      pid: 1, startedUsec: 0,
      storage: StatusReport.Storage(
        folder: "/state", schemaVersion: 1, setAside: "nightjar.db.1",
        loss: StorageLoss(reason: "it was cut", missing: 1...2, setAside: "nightjar.db.2")),
      ring: RingCheck(.off, "off"))
    report.sleep.reason = "there is no logind"
    (report.ring.server, report.ring.player, report.ring.paused) = ("dunst", "paplay", true)
    report.warning = "the configuration is wrong"
    let core = try #require(machine.core)
    try note(JSONValue(Wire.Status.Reply(report, core, at: machine.clocks.now)), as: "Status")
  }

  @Test mutating func `Each field of each reply is in some reply`() throws {
    try lookAtTrouble()
    try startAllKinds()
    try changeTimers()
    try machine.advance(usec: 1_000_000)
    try failCommands()
    try machine.note(.away)
    try look()
    try machine.note(.here)
    try machine.runIteration { $0.background.enter(.sleep, at: machine.clocks.now) }
    try look()
    machine.clocks.sleep(usec: 60 * Self.minute)
    try machine.runIteration { $0.background.leave(.sleep, at: machine.clocks.now) }
    try look()
    try machine.advance(usec: 3 * Self.minute)
    try machine.runIteration { core in
      guard let slot = core.engine.slot(named: "all"), let ring = core.engine.timer(at: slot).ring
      else { return }
      core.engine.recordUnnoticed(
        slot, Unnoticed(unseen: .missing, unheard: .paused, reason: "no bus"), seq: ring.sinceEvent,
        at: machine.clocks.now)
    }
    try look()
    try call("Snooze", ["name": "all", "by_usec": .integer(Self.minute)])
    try look()
    try call("Stop", ["name": "all"])
    try ringEarly()
    try call("Dismiss", ["name": "wrong"])
    try call("Remove", ["name": "quiet"])
    machine.commitsAtOnce = false
    try start("unstored", ["duration_usec": .integer(Self.minute)])
    try machine.settle(.failed)
    try look()

    for event in EventSamples.events { try note(JSONValue.event(event), as: "Event") }
    let methods = try TimersInterface.parsed.get().declarations.filter {
      if case .method = $0.kind { !Self.ofStreams.contains($0.name) } else { false }
    }
    let all = try methods.reduce(into: Set<String>()) { all, method in
      all.formUnion(try declared(in: method.name))
    }
    #expect(all.count > 150, "the interface was not read")
    #expect(all.subtracting(seen) == Self.ofBridges, "no reply has these fields")
  }
}
