import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A laptop that is away when its timers are due, two machines on which the user answers the rings,
/// and a real mosquitto, each in a network of its own. What befalls their processes after an answer
/// must not undo it: when all are back, the laptop has taken each answer that was acknowledged.
final class AnswerRun {
  /// Why the laptop does not hear of an answer at once.
  enum Absence: CaseIterable { case asleep, bridgeIsKilled, isCutOff, daemonIsKilled }

  /// What happens to the others once the command has acknowledged the answer.
  enum Trouble: CaseIterable {
    case none, answererIsKilled, everyBridgeIsKilled
    case brokerIsKilled, brokerLosesAll, brokerStops
    /// The third machine has the answer by then.
    case brokerAndAnswererLoseAll
    /// The link is already down when the user answers, and comes up after the laptop is back.
    case answererIsCutOff
    /// The broker hangs when the user answers, so that only the answerer has the answer.
    case brokerAndAnswererAreKilled
  }

  private let rig: BridgeRig
  private let logind: LogindMock
  private let laptop: BridgeRig.Machine
  private let others: [BridgeRig.Machine]
  private var generator: SplitMix
  private var rings = 0
  /// The answers so far, by the names of the timers.
  private var answers: [String: Answer] = [:]

  private enum Answer: CaseIterable { case dismiss, snooze }

  init(seed: UInt64) throws {
    generator = SplitMix(seed: seed)
    rig = try BridgeRig(isPersistent: true, hasNetwork: true)
    logind = try rig.logind()
    let screen = try NotificationMock.running(of: rig.rig)
    others = [
      try rig.machine("desktop", environment: screen.environment), try rig.machine("server"),
    ]
    laptop = try rig.machine(
      "laptop", bus: logind.address, environment: ["DBUS_SYSTEM_BUS_ADDRESS": logind.address])
    try logind.awaitInhibitor(1)
    try logind.awaitInhibitor(2)
  }

  /// A timer of the laptop is due while the laptop is away, and another machine answers its ring.
  func step(_ trouble: Trouble) throws {
    let absence = Absence.allCases.randomElement(using: &generator)!
    let answer = Answer.allCases.randomElement(using: &generator)!
    let two = others.shuffled(using: &generator)
    let (answerer, third) = (two[0], two[1])
    let chosen = "\(answer) by \(answerer.name), laptop \(absence), \(trouble)"
    rings += 1
    let name = "tea-\(rings)"
    do {
      try laptop.daemon.connect().start(name, usec: second)
      for machine in others { try rig.awaitMirror(of: "laptop", on: machine) }
      rig.broker?.lines.passAll()
      try begin(absence)
      for machine in others {
        // The laptop has published its ring, or is away.
        try awaitShown(name, on: machine) {
          $0["ringing"]?.stringValue == "ringing"
            || ["on", "due"].contains($0["ring_here"]?.stringValue)
        }
      }
      if trouble == .answererIsCutOff { try rig.network?.cut(answerer.name) }
      if trouble == .brokerAndAnswererAreKilled { try rig.broker?.stop() }
      try give(answer, to: name, on: answerer)
      try happen(trouble, answerer, third, name)
      try end(absence)
      if trouble == .answererIsCutOff {
        try rig.awaitTimeout(of: answerer)
        try rig.network?.restore(answerer.name)
      }
      try check()
    } catch {
      let shown = try (others + [laptop]).map { machine in
        let words = (machine === laptop ? [] : ["@laptop"]) + ["show", name, "--json"]
        return
          "\(machine.name): \(try rig.nightjar(words, on: machine).output)\n\(machine.bridge.output)"
      }
      throw Unmet(
        description: "ring \(rings), \(chosen): \(error)\n\(shown.joined(separator: "\n"))")
    }
  }

  // MARK: - The laptop

  private func begin(_ absence: Absence) throws {
    switch absence {
    case .asleep: try logind.prepareForSleep(true)
    case .bridgeIsKilled: laptop.bridge.kill()
    case .isCutOff: try rig.network?.cut("laptop")
    case .daemonIsKilled: laptop.daemon.process.kill()
    }
  }

  private func end(_ absence: Absence) throws {
    switch absence {
    case .asleep: try logind.prepareForSleep(false)
    case .bridgeIsKilled: try rig.restartBridge(of: laptop)
    case .isCutOff: try rig.network?.restore("laptop")
    case .daemonIsKilled: try rig.restartDaemon(of: laptop)
    }
  }

  // MARK: - The other machines

  /// Waits until a machine shows a timer of the laptop in this way.
  private func awaitShown(
    _ name: String, on machine: BridgeRig.Machine, _ isWanted: (JSONValue) -> Bool
  ) throws {
    let stream = try machine.connect(to: "laptop").stream(.watch(name: name))
    while try stream.expectNext()["timer"].map(isWanted) != true {}
  }

  private func give(_ answer: Answer, to name: String, on machine: BridgeRig.Machine) throws {
    try rig.said(
      "@laptop " + (answer == .dismiss ? "dismiss \(name)" : "snooze \(name) 1h"), on: machine)
    answers[name] = answer
  }

  private func happen(
    _ trouble: Trouble, _ answerer: BridgeRig.Machine, _ third: BridgeRig.Machine, _ name: String
  ) throws {
    switch trouble {
    case .none, .answererIsCutOff: break
    case .answererIsKilled: try rig.restartBridge(of: answerer)
    case .everyBridgeIsKilled: for machine in others { try rig.restartBridge(of: machine) }
    case .brokerIsKilled, .brokerLosesAll:
      try rig.endBroker(SIGKILL, forgetting: trouble == .brokerLosesAll)
      try rig.startBroker()
    case .brokerStops:
      let stopped = try rig.broker?.stop()
      for machine in others { try rig.awaitLoss(on: machine) }
      stopped?.signal(SIGCONT)
    case .brokerAndAnswererAreKilled:
      answerer.bridge.kill()
      try rig.endBroker(SIGKILL)
      try rig.startBroker()
      try rig.restartBridge(of: answerer)
    case .brokerAndAnswererLoseAll:
      try awaitShown(name, on: third) {
        $0["ring_here"]?.stringValue == "dismissed" || $0["ringing"]?.stringValue == "snoozed"
      }
      try rig.endBroker(SIGKILL, forgetting: true)
      answerer.bridge.kill()
      try rig.startBroker()
      try rig.restartBridge(of: answerer)
    }
  }

  // MARK: - What must hold

  private func check() throws {
    // A bridge may wait for up to 30 s before it connects again.
    let events = try laptop.daemon.connect().stream(.events(after: 0))
    let last = "tea-\(rings)"
    _ = try events.event { event in
      event.name == last && [.dismissed, .removed, .snoozed].contains(event.type)
    }
    let client = try laptop.daemon.connect()
    for (name, answer) in answers.sorted(by: { $0.key < $1.key }) {
      try awaitTrue("\(name) has no \(answer) on the laptop") {
        switch answer {
        case .dismiss: try !client.names().contains(name)
        case .snooze: try client.get(name).ringing == .snoozed
        }
      }
    }
    for machine in others { try rig.awaitMirror(of: "laptop", on: machine) }
  }
}
