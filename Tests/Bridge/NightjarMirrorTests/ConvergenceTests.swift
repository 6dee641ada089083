import Foundation
import NightjarMirror
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Three machines and a broker that loses, repeats and reorders messages, driven by a seed: in the
/// end each mirror equals its owner.
@Suite(.blocking) struct ConvergenceTests {
  /// The same 1,000 seeds each time, or those from `NIGHTJAR_SEED` on.
  private static let firstSeed =
    ProcessInfo.processInfo.environment["NIGHTJAR_SEED"] == nil ? 1 : Seed.ofThisRun

  @Test(arguments: 0..<10)
  func `Every mirror becomes equal to its owner, whatever the broker loses, repeats or reorders`(
    part: Int
  ) throws {
    for number in 0..<100 {
      let seed = Self.firstSeed &+ UInt64(part * 100 + number)
      var run = Convergence(seed: seed)
      for _ in 0..<200 { run.step() }
      run.settle()
      let difference = run.difference
      #expect(difference == nil, "NIGHTJAR_SEED=\(seed)")
      guard difference == nil else { return }
    }
  }

  @Test func `The comparison notices a missing timer, an extra one, and an older one`() throws {
    var run = Convergence(seed: 1)
    run.start("there", on: 0)
    run.settle()
    try #require(run.difference == nil)
    for spoil in [
      { (owner: inout FakeOwner) in _ = owner.set("unseen") },
      { (owner: inout FakeOwner) in _ = owner.remove("there") },
      { (owner: inout FakeOwner) in _ = owner.set("there", "paused") },
    ] {
      var spoiled = run
      spoil(&spoiled.machines[0].owner)
      #expect(spoiled.difference != nil)
    }
  }
}

private struct Convergence {
  struct Machine {
    let address: DeviceAddress
    var owner: FakeOwner
    var own: OwnTimers
    var mirror: Mirror
    /// Messages of the bridge that the broker has not received yet; lost with the connection.
    var uplink: [Delivery] = []
  }

  /// An owner's answer on its way to the machine that asked.
  private struct Answer {
    let asker: Int
    let device: String
    let values: [TimerValue]
    let ledger: String
    let lastSeq: Int64
  }

  var machines: [Machine] = []
  private var broker = SimulatedBroker()
  private var generator: SplitMix
  private var answers: [Answer] = []
  private var earlier: [String: Delivery] = [:]
  private var ledgers = 3

  init(seed: UInt64) {
    generator = SplitMix(seed: seed)
    for number in 0..<3 {
      let address = DeviceAddress(person: "alex", device: "d\(number)")!
      machines.append(
        Machine(
          address: address, owner: FakeOwner(ledger: "ledger\(number)"),
          own: OwnTimers(address: address), mirror: Mirror(own: address)))
      watchAnew(number)
    }
  }

  private mutating func number(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  // MARK: - What can happen

  mutating func step() {
    let index = number(0..<machines.count)
    switch number(0..<30) {
    case 0..<9: change(index)
    case 9..<11: connect(index)
    case 11: disconnect(index)
    case 12: restartBridge(index)
    case 13: watchAnew(index)
    case 14 where number(0..<4) == 0: beginAnew(index)
    case 15: restartBroker()
    case 16: broker.dropRetained(using: &generator)
    case 17: earlier = broker.retained
    case 18: merge()
    default: for _ in 0..<number(1..<8) { move(index) }
    }
  }

  mutating func start(_ name: String, on index: Int) {
    let reply = machines[index].owner.set(name)
    publish(machines[index].own.take(reply, nowUsec: machines[index].owner.nowUsec), index)
  }

  private mutating func change(_ index: Int) {
    let name = ["tea", "egg", "run/1", "a+b", "100%"][number(0..<5)]
    let isThere = machines[index].owner.timers[name] != nil
    let reply =
      switch number(0..<4) {
      case 0 where isThere: machines[index].owner.remove(name)
      case 1 where isThere: machines[index].owner.set(name, "paused")
      default: machines[index].owner.set(name)
      }
    publish(machines[index].own.take(reply, nowUsec: machines[index].owner.nowUsec), index)
  }

  private mutating func publish(_ publications: [Delivery], _ index: Int) {
    guard broker.isConnected(index) else { return }
    machines[index].uplink += publications
  }

  private mutating func publishStatus(_ index: Int) {
    let own = machines[index].own
    let status = DeviceStatus(
      ledger: own.ledger, lastSeq: own.lastSeq, timers: Int64(own.main.count),
      digest: own.main.digest.text)
    let address = machines[index].address
    publish(
      [
        Delivery(.status(address), status.payload, isRetained: true),
        Delivery(.presence(address), DevicePresence(.online).payload, isRetained: true),
      ], index)
  }

  private mutating func connect(_ index: Int) {
    guard !broker.isConnected(index) else { return }
    broker.connect(index, marker: .marker(machines[index].address))
    machines[index].own.connected()
    machines[index].mirror.connected()
  }

  private mutating func disconnect(_ index: Int) {
    guard broker.isConnected(index) else { return }
    broker.disconnect(index)
    machines[index].uplink = []
    // There is no session, so answers are lost with the connection, too.
    answers.removeAll { $0.asker == index }
    machines[index].own.disconnected()
    machines[index].mirror.disconnected()
    // The will.
    broker.publish(
      Delivery(
        .presence(machines[index].address), DevicePresence(.offline).payload, isRetained: true),
      from: index)
  }

  /// The bridge is killed, and starts without any state.
  private mutating func restartBridge(_ index: Int) {
    disconnect(index)
    machines[index].own = OwnTimers(address: machines[index].address)
    machines[index].mirror = Mirror(own: machines[index].address)
    watchAnew(index)
  }

  private mutating func watchAnew(_ index: Int) {
    machines[index].own.beginSnapshot()
    for reply in machines[index].owner.snapshot {
      publish(machines[index].own.take(reply, nowUsec: machines[index].owner.nowUsec), index)
    }
  }

  private mutating func beginAnew(_ index: Int) {
    ledgers += 1
    machines[index].owner.beginAnew("ledger\(ledgers)")
    watchAnew(index)
  }

  private mutating func restartBroker() {
    for index in machines.indices { disconnect(index) }
    let retained: [String: Delivery] =
      switch number(0..<3) {
      case 0: [:]
      case 1: earlier
      default: broker.retained
      }
    broker.restart(with: retained)
  }

  // MARK: - Messages

  /// Whether a message is on its way from or to a machine.
  private func isMoving(_ index: Int) -> Bool {
    !machines[index].uplink.isEmpty || broker.hasMessages(for: index)
  }

  /// Moves one message: to the broker, or from it.
  private mutating func move(_ index: Int) {
    if !machines[index].uplink.isEmpty, number(0..<2) == 0 {
      broker.publish(machines[index].uplink.removeFirst(), from: index)
      return
    }
    guard let (delivery, times) = broker.next(for: index, using: &generator) else { return }
    for _ in 0..<times { receive(delivery, index) }
  }

  private mutating func receive(_ delivery: Delivery, _ index: Int) {
    let address = machines[index].address
    guard delivery.topic.address == address else {
      return handle(
        machines[index].mirror.received(delivery, nowUsec: machines[index].owner.nowUsec), index)
    }
    switch delivery.topic {
    case .marker:
      publish(machines[index].own.markerArrived(), index)
      handle(machines[index].mirror.markerArrived(), index)
      publishStatus(index)
    case .timer(_, let name): publish(machines[index].own.received(name, delivery.payload), index)
    case .presence, .status, .event, .call, .reply, .ring: break
    }
  }

  private mutating func handle(_ changes: [MirrorChange], _ index: Int) {
    for case .gap(let device) in changes {
      guard let other = machines.firstIndex(where: { $0.address == device.address }),
        broker.isConnected(other)
      else { continue }
      let owner = machines[other].owner
      answers.append(
        Answer(
          asker: index, device: device.device,
          values: owner.timers.keys.map { owner.value($0) }, ledger: owner.ledger,
          lastSeq: owner.lastSeq))
    }
  }

  private mutating func merge() {
    guard !answers.isEmpty else { return }
    let answer = answers.remove(at: number(0..<answers.count))
    _ = machines[answer.asker].mirror.merge(
      answer.values, of: answer.device, ledger: answer.ledger, lastSeq: answer.lastSeq)
  }

  // MARK: - The end

  /// No more failures: all are connected, and all messages arrive.
  mutating func settle() {
    for index in machines.indices { connect(index) }
    for _ in 0..<3 {
      while machines.indices.contains(where: { isMoving($0) }) {
        move(number(0..<machines.count))
      }
      while !answers.isEmpty { merge() }
      // As a bridge does some time after the number of its timers has changed.
      for index in machines.indices { publishStatus(index) }
    }
  }

  /// The first difference between a mirror and its owner.
  var difference: String? {
    for machine in machines {
      for other in machines where other.address != machine.address {
        let device = machine.mirror[other.address.device]
        let expected = other.owner.timers
        let names = device?.names ?? []
        if names != expected.keys.sorted() {
          return
            "\(machine.address) has \(names) of \(other.address), not \(expected.keys.sorted())"
        }
        for name in names {
          let shown = device?.timer(name, realtimeUsec: other.owner.nowUsec, boottimeUsec: 0)
          for member in ["id", "seq", "state"] where shown?[member] != expected[name]?[member] {
            return "\(machine.address) has another \(member) of \(other.address)'s \(name)"
          }
        }
      }
    }
    return nil
  }
}
