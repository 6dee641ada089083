import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Three machines on a real mosquitto, each in a network of its own, and what befalls their
/// processes while one of them changes the timers of another.
///
/// The run counts each change that was acknowledged. After each trouble the owners' ledgers have to
/// say the same, and each machine has to have the others' timers as their owners have them.
final class BridgeRun {
  enum Victim: CaseIterable {
    case callerBridge, ownerBridge, ownerDaemon, callerDaemon, broker
  }

  /// How far a call has come when a process is killed.
  enum Step: CaseIterable {
    case onItsWay, withCallerBridge, withBroker, withOwnerBridge, answered
  }

  /// What lasts for longer than the keepalive.
  enum Trouble: CaseIterable {
    case ownerBridgeStops, callerBridgeStops, brokerStops
    case ownerIsCutOff, callerIsCutOff, allAreCutOff
    case brokerLosesAll, ownerAndBroker, everyBridge
  }

  private let rig: BridgeRig
  private let machines: [BridgeRig.Machine]
  private var generator: SplitMix
  /// The changes of each machine's timers: by the event's type and the timer's name, how often.
  private var made: [String: [String: Int]] = [:]
  /// The states that the timers of each machine have.
  private var states: [String: [String: Wire.State]] = [:]
  private var starts = 0

  init(seed: UInt64) throws {
    generator = SplitMix(seed: seed)
    let rig = try BridgeRig(isPersistent: true, hasNetwork: true)
    self.rig = rig
    machines = try ["laptop", "desktop", "server"].map { try rig.machine($0, others: "start") }
    for machine in machines { try change(machine) }
    try check()
  }

  // MARK: - What happens

  /// A call from one machine to another, and kill -9 of a process when the call has come to a step.
  ///
  /// What is to take the next step is stopped first (SIGSTOP), so that the kill hits that step each
  /// time. Only a call that is on its way to its own bridge may be anywhere.
  func kill(_ victim: Victim, when step: Step) throws {
    let (owner, caller) = pair()
    broker.lines.passAll()
    let events = try owner.daemon.events()
    let frozen: ChildProcess?
    let call: RemoteCommand
    switch step {
    case .onItsWay:
      // Nothing is stopped: a command that finds its own bridge stopped says so, and ends.
      frozen = nil
      call = try command(from: caller, to: owner)
    case .withCallerBridge:
      let sent = try caller.status().sent.messages
      frozen = try broker.stop()
      call = try command(from: caller, to: owner)
      try awaitTrue("\(caller.name) sends no call") { try caller.status().sent.messages > sent }
    case .withBroker:
      frozen = owner.bridge
      call = try deliver(from: caller, to: owner, stopping: owner.bridge)
    case .withOwnerBridge:
      frozen = owner.daemon.process
      call = try deliver(from: caller, to: owner, stopping: owner.daemon.process)
      try broker.lines.next("that the call is there") {
        $0.contains("Received PUBACK from nightjar-alex-\(owner.name) ")
      }
    case .answered:
      call = try deliver(from: caller, to: owner, stopping: owner.daemon.process)
      frozen = try caller.bridge.stop()
      owner.daemon.process.signal(SIGCONT)
      do {
        _ = try events.event { $0.type == call.event && $0.name == call.timer }
      } catch {
        throw Unmet(
          description: """
            \(error): \(call.event) of \(call.timer) by \(caller.name); \(call.process.output)
            \(try owner.daemon.ledger().suffix(3))
            \(owner.bridge.output)
            \(broker.lines.all.suffix(30).joined(separator: "\n"))
            """)
      }
      try awaitDelivery(to: caller, of: "reply")
    }
    if victim == .broker {
      try rig.endBroker(SIGKILL)
    } else {
      process(victim, owner, caller).kill()
    }
    if victim != .ownerDaemon, frozen?.pid != owner.daemon.process.pid { try change(owner) }
    if victim == .callerDaemon {
      try rig.restartDaemon(of: caller)
      // When the others have this, the bridge has found the new daemon.
      try change(caller)
    }
    frozen?.signal(SIGCONT)
    if victim == .ownerDaemon { try rig.restartDaemon(of: owner) }
    if victim == .broker { try rig.startBroker() }
    if victim == .callerBridge { try rig.restartBridge(of: caller) }
    if victim == .ownerBridge { try rig.restartBridge(of: owner) }
    try finish(call)
    try check()
  }

  /// Something lasts, and the timers change meanwhile.
  func endure(_ trouble: Trouble) throws {
    let (owner, caller) = pair()
    let broker = broker
    broker.lines.passAll()
    for machine in machines { machine.bridge.lines.passAll() }
    switch trouble {
    case .ownerBridgeStops, .callerBridgeStops:
      let stopped = trouble == .ownerBridgeStops ? owner : caller
      let bridge = try stopped.bridge.stop()
      // A command that finds its own bridge stopped says so, and ends.
      let early = stopped === owner ? try command(from: caller, to: owner) : nil
      try rig.awaitTimeout(of: stopped)
      try change(owner)
      bridge.signal(SIGCONT)
      try finish(early ?? command(from: caller, to: owner))
    case .brokerStops:
      try broker.stop()
      let call = try command(from: caller, to: owner)
      for machine in machines { try rig.awaitLoss(on: machine) }
      try change(owner)
      broker.signal(SIGCONT)
      try finish(call)
    case .ownerIsCutOff, .callerIsCutOff, .allAreCutOff:
      let cut = trouble == .allAreCutOff ? machines : [trouble == .ownerIsCutOff ? owner : caller]
      for machine in cut { try rig.network?.cut(machine.name) }
      let call = try command(from: caller, to: owner)
      for machine in cut {
        try rig.awaitTimeout(of: machine)
        try rig.awaitLoss(on: machine)
      }
      for machine in machines { try change(machine) }
      for machine in cut { try rig.network?.restore(machine.name) }
      try finish(call)
    case .brokerLosesAll:
      try rig.endBroker(SIGKILL, forgetting: true)
      let call = try command(from: caller, to: owner)
      for machine in machines { try change(machine) }
      try rig.startBroker()
      try finish(call)
    case .ownerAndBroker:
      let call = try command(from: caller, to: owner)
      owner.bridge.kill()
      owner.daemon.process.kill()
      try rig.endBroker(SIGKILL, forgetting: Bool.random(using: &generator))
      try rig.restartDaemon(of: owner)
      try change(owner)
      try rig.startBroker()
      try rig.restartBridge(of: owner)
      try finish(call)
    case .everyBridge:
      let call = try command(from: caller, to: owner)
      for machine in machines { machine.bridge.kill() }
      for machine in machines { try change(machine) }
      for machine in machines { try rig.restartBridge(of: machine) }
      try finish(call)
    }
    try check()
  }

  /// An owner of timers, and a machine that changes them.
  private func pair() -> (owner: BridgeRig.Machine, caller: BridgeRig.Machine) {
    let two = machines.shuffled(using: &generator)
    return (two[0], two[1])
  }

  // MARK: - Changes

  /// What the command line changes on another machine, and waits for.
  private struct RemoteCommand {
    let process: ChildProcess
    let owner: String
    let timer: String
    let event: Wire.EventType
  }

  /// Starts `nightjar @OWNER … --queue`, which sends its call again until the owner has answered.
  private func command(
    from caller: BridgeRig.Machine, to owner: BridgeRig.Machine
  ) throws -> RemoteCommand {
    let (timer, event, arguments) = choice(on: owner, as: "remote")
    let process = try rig.start("@\(owner.name) \(arguments) --queue", on: caller)
    return RemoteCommand(process: process, owner: owner.name, timer: timer, event: event)
  }

  private func finish(_ call: RemoteCommand) throws {
    let end = try call.process.awaitEnd(within: 120)
    guard end == .exited(0) else {
      throw Unmet(description: "the command ended as \(end): \(call.process.output)")
    }
    count(call.event, call.timer, on: call.owner)
  }

  /// The owner changes one to three of its own timers.
  private func change(_ machine: BridgeRig.Machine) throws {
    let client = try machine.daemon.connect()
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let (timer, event, _) = choice(on: machine, as: "own")
      switch event {
      case .started: try client.start(timer, usec: hour)
      case .paused: _ = try client.timer(.perform(.pause, name: timer))
      case .resumed: _ = try client.timer(.perform(.resume, name: timer))
      case .extended: _ = try client.timer(.extend(name: timer, byUsec: second))
      default: _ = try client.timer(.perform(.remove, name: timer))
      }
      count(event, timer, on: machine.name)
    }
  }

  /// A change that the timers of a machine admit: of those that its owner changes, or of those that
  /// others do.
  private func choice(
    on machine: BridgeRig.Machine, as role: String
  ) -> (timer: String, event: Wire.EventType, arguments: String) {
    let there = states[machine.name, default: [:]].filter { $0.key.hasPrefix(role) }
    guard let timer = there.keys.sorted().randomElement(using: &generator),
      Int.random(in: 0..<3, using: &generator) > 0
    else {
      starts += 1
      let name = "\(role)-\(starts)"
      return (name, .started, "start \(name) 1h")
    }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return (timer, .removed, "remove \(timer)")
    case 1: return (timer, .extended, "extend \(timer) 1s")
    default:
      return there[timer] == .paused
        ? (timer, .resumed, "resume \(timer)") : (timer, .paused, "pause \(timer)")
    }
  }

  private func count(_ event: Wire.EventType, _ timer: String, on machine: String) {
    made[machine, default: [:]]["\(event) \(timer)", default: 0] += 1
    switch event {
    case .started, .resumed: states[machine, default: [:]][timer] = .running
    case .paused: states[machine, default: [:]][timer] = .paused
    case .removed: states[machine, default: [:]][timer] = nil
    default: break
    }
  }

  // MARK: - What must hold

  /// Each change that was acknowledged was made, and made once; each mirror is as its owner.
  private func check() throws {
    for machine in machines {
      var there: [String: Int] = [:]
      for event in try machine.daemon.ledger() {
        guard let name = event.name, Self.counted.contains(event.type) else { continue }
        there["\(event.type) \(name)", default: 0] += 1
      }
      #expect(there == made[machine.name], "the events of \(machine.name)")
      let client = try machine.daemon.connect()
      var states: [String: Wire.State] = [:]
      for name in try client.names() { states[name] = try client.get(name).state }
      #expect(states == self.states[machine.name], "the timers of \(machine.name)")
    }
    for machine in machines {
      for other in machines where other !== machine {
        try rig.awaitMirror(of: other.name, on: machine)
      }
    }
  }

  private static let counted: Set<Wire.EventType> = [
    .started, .paused, .resumed, .extended, .removed,
  ]

  // MARK: - Processes

  private var broker: ChildProcess { rig.broker! }

  private func process(
    _ victim: Victim, _ owner: BridgeRig.Machine, _ caller: BridgeRig.Machine
  ) -> ChildProcess {
    switch victim {
    case .callerBridge: caller.bridge
    case .ownerBridge: owner.bridge
    case .ownerDaemon: owner.daemon.process
    case .callerDaemon: caller.daemon.process
    case .broker: broker
    }
  }

  /// Stops a process of the owner, and sends a command until the broker hands the owner its call.
  /// Bridges call each other, too: to read a ledger.
  private func deliver(
    from caller: BridgeRig.Machine, to owner: BridgeRig.Machine, stopping process: ChildProcess
  ) throws -> RemoteCommand {
    let calls = try rig.follow("nightjar/alex/\(owner.name)/call")
    try process.stop()
    let call = try command(from: caller, to: owner)
    try calls.lines.next("the call of \(call.timer)") { $0.contains("\"\(call.timer)\"") }
    calls.kill()
    try awaitDelivery(to: owner, of: "call")
    return call
  }

  private func awaitDelivery(to machine: BridgeRig.Machine, of kind: String) throws {
    let topic = "nightjar/alex/\(machine.name)/\(kind)"
    try broker.lines.next("a \(kind) to \(machine.name)") {
      $0.contains("Sending PUBLISH to nightjar-alex-\(machine.name) ") && $0.contains(topic)
    }
  }
}
