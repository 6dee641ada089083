import Foundation
import NightjarMirror
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Three machines of one user that sleep, lose their connections and are left by the user, driven
/// by a seed: which machine rings for what, and the answers.
@Suite(.blocking) struct RingRunTests {
  private static let firstSeed =
    ProcessInfo.processInfo.environment["NIGHTJAR_SEED"] == nil ? 1 : Seed.ofThisRun

  @Test(arguments: 0..<10)
  func `A ring is never lost, never early, and on two machines only where the rules allow it`(
    part: Int
  ) throws {
    var total: [String: Int] = [:]
    for number in 0..<20 {
      let seed = Self.firstSeed &+ UInt64(part * 20 + number)
      var run = RingRun(seed: seed)
      for _ in 0..<300 { run.step() }
      run.settle()
      #expect(run.faults == [], "NIGHTJAR_SEED=\(seed)")
      guard run.faults == [] else { return }
      total.merge(run.counts, uniquingKeysWith: +)
    }
    // The checked situations have occurred.
    for (what, count) in ["at owner": 100, "elsewhere": 100, "ended": 20, "answered asleep": 5] {
      #expect(total[what, default: 0] > count, "\(what)")
    }
  }
}

/// A daemon as its bridge sees it, with timers that ring.
private struct RingingOwner {
  /// An open ring. Its instants are on the owner's clock.
  struct Ring {
    var expiry: Int64
    var dueUsec: Int64
    var rangUsec: Int64
    var lateUsec: Int64
    var untilUsec: Int64?
    /// The user has heard its present sound.
    var isHeard = false

    /// When its last sound was due.
    var soundUsec: Int64 { rangUsec - lateUsec }
  }

  struct Timer {
    var id: Int64
    var seq: Int64
    var next: Int64 = 1
    /// On the owner's clock; nil: it is not running.
    var deadlineUsec: Int64?
    var periodUsec: Int64?
    var isAwakeOnly = false
    /// The remaining time of an `isAwakeOnly` timer when the machine went to sleep.
    var leftUsec: Int64?
    var ring: Ring?

    /// When it is to sound while its owner sleeps, as far as these answers say. What is due before
    /// the end of a snooze joins in silence.
    func soundsUsec(_ answers: RingAnswers, _ ledger: String) -> [Int64] {
      func snooze(_ expiry: Int64?, _ dueUsec: Int64?) -> RingAnswer.Kind? {
        guard let expiry, let dueUsec, let key = RingKey(ledger: ledger, id: id, expiry: expiry)
        else { return nil }
        return answers.ending(key, dueUsec: dueUsec)?.answer.kind
      }
      switch snooze(next, deadlineUsec) {
      case .snoozed(let untilUsec): return [untilUsec]
      case .dismissed: return []
      case .undone, nil: break
      }
      var untilUsec = ring?.untilUsec
      switch snooze(ring?.expiry, ring?.dueUsec) {
      case .snoozed(let usec): untilUsec = usec > ring?.rangUsec ?? 0 ? usec : nil
      case .dismissed: untilUsec = nil
      case .undone, nil: break
      }
      let deadlineUsec = isAwakeOnly ? nil : deadlineUsec
      return [untilUsec].compactMap { $0 }
        + [deadlineUsec].compactMap { $0 }.filter { $0 > untilUsec ?? 0 }
    }
  }

  let ledger: String
  private(set) var lastSeq: Int64 = 0
  private var lastID: Int64 = 0
  var timers: [String: Timer] = [:]
  /// The wall clock when the daemon last sent something.
  private var nowUsec: Int64 = 0

  init(ledger: String) { self.ledger = ledger }

  private func json(_ name: String, _ timer: Timer) -> JSONValue {
    var members: [String: JSONValue] = [
      "state": timer.deadlineUsec == nil ? "over" : "running",
      "clock": timer.isAwakeOnly ? "awake" : "elapsed",
    ]
    if let usec = timer.deadlineUsec { members["deadline_usec"] = .integer(usec) }
    if timer.periodUsec != nil { members["repeat"] = ["rung": 1] }
    if let ring = timer.ring {
      members["ringing"] = ring.untilUsec == nil ? "ringing" : "snoozed"
      members["open_ring"] = .openRing(
        ring.expiry, dueUsec: ring.dueUsec, rangUsec: ring.rangUsec, lateUsec: ring.lateUsec,
        agoUsec: nowUsec - ring.rangUsec, untilUsec: ring.untilUsec)
    }
    return .timer(name, id: timer.id, seq: timer.seq, next: timer.next, members)
  }

  private mutating func reply(
    _ type: String, _ name: String, answered: Int64? = nil
  ) -> JSONValue {
    let event: JSONValue = [
      "seq": .integer(lastSeq), "time_usec": 1, "type": .string(type), "name": .string(name),
      "answered": answered.map { .integer($0) } ?? .null,
    ]
    guard let timer = timers[name] else { return ["event": event] }
    return ["event": event, "timer": json(name, timer)]
  }

  /// The first replies of a watch that begins now.
  var snapshot: [JSONValue] {
    timers.sorted { $0.key < $1.key }.map { ["timer": json($0.key, $0.value)] }
      + [["synced": true, "seq": .integer(lastSeq), "ledger": .string(ledger)]]
  }

  mutating func change(
    _ type: String, _ name: String, at nowUsec: Int64, answered: Int64? = nil,
    _ change: (inout Timer) -> Void
  ) -> JSONValue {
    lastSeq += 1
    self.nowUsec = nowUsec
    let answered = type == "started" ? timers[name]?.ring?.expiry : answered
    var timer = timers[name] ?? Timer(id: 0, seq: 0)
    if type == "started" {
      lastID += 1
      timer = Timer(id: lastID, seq: 0)
    }
    change(&timer)
    timer.seq = lastSeq
    timers[name] = timer
    return reply(type, name, answered: answered)
  }

  mutating func remove(_ name: String, _ type: String = "removed") -> JSONValue {
    lastSeq += 1
    let answered = timers[name]?.ring?.expiry
    timers[name] = nil
    return reply(type, name, answered: answered)
  }

  /// Rings for due timers.
  mutating func pass(to nowUsec: Int64) -> [JSONValue] {
    timers.keys.sorted().flatMap { name in
      [expire(name, nowUsec), expire(name, nowUsec), endSnooze(name, nowUsec)].compactMap { $0 }
    }
  }

  private mutating func expire(_ name: String, _ nowUsec: Int64) -> JSONValue? {
    guard let timer = timers[name], let dueUsec = timer.deadlineUsec, dueUsec <= nowUsec else {
      return nil
    }
    // What is due before the end of a snooze joins it. What is due after that decides alone.
    let joins = timer.ring?.untilUsec.map { dueUsec <= $0 } ?? false
    let untilUsec = joins ? min(timer.ring?.untilUsec ?? nowUsec, nowUsec) : nowUsec
    let count = timer.periodUsec.map { (untilUsec - dueUsec) / $0 + 1 } ?? 1
    let newestUsec = dueUsec + (count - 1) * (timer.periodUsec ?? 0)
    return change(joins ? "joined" : "rang", name, at: nowUsec) {
      if joins {
        $0.ring?.expiry = $0.next + count - 1
        $0.ring?.dueUsec = newestUsec
      } else {
        $0.ring = Ring(
          expiry: $0.next + count - 1, dueUsec: newestUsec, rangUsec: nowUsec,
          lateUsec: nowUsec - newestUsec)
      }
      $0.next += count
      $0.deadlineUsec = $0.periodUsec.map { newestUsec + $0 }
    }
  }

  private mutating func endSnooze(_ name: String, _ nowUsec: Int64) -> JSONValue? {
    guard let untilUsec = timers[name]?.ring?.untilUsec, untilUsec <= nowUsec else { return nil }
    return change("rang", name, at: nowUsec) {
      guard var ring = $0.ring else { return }
      (ring.rangUsec, ring.lateUsec) = (nowUsec, nowUsec - untilUsec)
      (ring.untilUsec, ring.isHeard) = (nil, false)
      $0.ring = ring
    }
  }

  /// The user answers, unless the ring is over or a newer expiry has joined it.
  mutating func answer(
    _ name: String, _ how: RingAnswer.Kind, expiry: Int64? = nil, seq: Int64? = nil,
    at nowUsec: Int64
  ) -> JSONValue? {
    guard let timer = timers[name], let ring = timer.ring, seq ?? timer.seq == timer.seq,
      ring.expiry <= expiry ?? ring.expiry
    else { return nil }
    switch how {
    case .dismissed:
      guard timer.deadlineUsec != nil else { return remove(name, "dismissed") }
      return change("dismissed", name, at: nowUsec, answered: ring.expiry) { $0.ring = nil }
    case .snoozed(let untilUsec):
      return change("snoozed", name, at: nowUsec, answered: ring.expiry) {
        $0.ring?.untilUsec = untilUsec
      }
    case .undone: return nil
    }
  }
}

private struct RingRun {
  /// A deadline of a timer, whichever machine rings for it.
  private struct Due: Hashable {
    let ledger: String
    let id: Int64
    let usec: Int64

    /// One ring covers everything that was due before it, and within 2 s of it, such as a deadline
    /// and the end of a snooze.
    func isRung(by other: Due) -> Bool {
      ledger == other.ledger && id == other.id && usec - other.usec <= 2 * second
    }
  }

  private struct Machine {
    let address: DeviceAddress
    /// The offset of its wall clock.
    let offsetUsec: Int64
    /// Whether its clock is never synchronised.
    let isWrong: Bool
    var owner: RingingOwner
    var own: OwnTimers
    var mirror: Mirror
    var rules: RemoteRings
    var uplink: [Delivery] = []
    var isAwake = true
    var isLinked = true
    var isActive = true
    var isSynchronized: Bool
    /// Since when it has been awake, and has had a synchronised clock.
    var readySinceUsec: Int64 = 0
    var connectedSinceUsec: Int64?
    /// While the daemon holds its rings: the latest end of the hold.
    var holdUntilUsec: Int64?
    /// Rings for other machines that are on here.
    var ringing: [RingKey: RemoteRings.Ring] = [:]
    var rung: Set<Due> = []

    /// Whether it may ring for another machine, as far as it knows.
    func mayRing(for device: String) -> Bool {
      isAwake && isSynchronized && mirror[device]?.status?.isSynchronized == true
    }

    /// Whether its mirror has the present state of another machine's timer.
    func knows(_ name: String, seq: Int64, of device: String, _ wallUsec: Int64) -> Bool {
      mirror[device]?.timer(name, realtimeUsec: wallUsec, boottimeUsec: 0)?["seq"]?
        .integerValue == seq
    }
  }

  private(set) var faults: [String] = []
  /// How often the situations occurred that the checks are about.
  private(set) var counts: [String: Int] = [:]
  private var machines: [Machine] = []
  private var broker = SimulatedBroker()
  private var generator: SplitMix
  /// CLOCK_BOOTTIME of all machines.
  private var bootUsec: Int64 = 1_000_000_000
  private var names = 0
  private var snoozes: Int64 = 0
  /// Deadlines of sleeping owners for which another machine must ring, and until when.
  private var owed: [Due: (untilUsec: Int64, by: [Int], name: String)] = [:]
  private var seen: Set<Due> = []
  /// Rings that happened on other machines than the owner.
  private var rungElsewhere: [Due] = []
  /// Answers, with their times.
  private var answered: [Due: Int64] = [:]

  private static let startUsec: Int64 = 1_800_000_000_000_000

  init(seed: UInt64) {
    generator = SplitMix(seed: seed)
    // Synchronised clocks differ by up to a second. In some runs, one machine has a wrong clock.
    let offsets = [0, 400_000, RemoteRings.toleranceUsec].shuffled(using: &generator)
    let wrong = Int.random(in: 0..<12, using: &generator)
    let errorUsec = Bool.random(using: &generator) ? 300 * second : -300 * second
    for number in 0..<3 {
      let address = DeviceAddress(person: "alex", device: "d\(number)")!
      var machine = Machine(
        address: address, offsetUsec: number == wrong ? errorUsec : offsets[number],
        isWrong: number == wrong, owner: RingingOwner(ledger: "ledger\(number)"),
        own: OwnTimers(address: address), mirror: Mirror(own: address), rules: RemoteRings(),
        isSynchronized: number != wrong)
      machine.rules.localState.isSynchronized = machine.isSynchronized
      machine.rules.localState.canRing = true
      machine.rules.localState.active = .yes
      machine.own.beginSnapshot()
      for reply in machine.owner.snapshot { _ = machine.own.take(reply, nowUsec: 0) }
      machines.append(machine)
    }
    for index in machines.indices { connect(index) }
    drain()
  }

  private mutating func number(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &generator)
  }

  private func now(_ index: Int) -> Moment {
    Moment(
      realtimeUsec: Self.startUsec + bootUsec + machines[index].offsetUsec,
      boottimeUsec: bootUsec, monotonicUsec: bootUsec, bootID: BootID(high: 0, low: 1))
  }

  private func wall(_ index: Int) -> Int64 { now(index).realtimeUsec }

  private mutating func fail(_ text: String) {
    faults.append("at \((bootUsec - 1_000_000_000) / second) s: \(text)")
  }

  // MARK: - What can happen

  mutating func step() {
    let index = number(0..<machines.count)
    switch number(0..<12) {
    case 0, 1: start(index)
    case 2: sleepOrWake(index)
    case 3: linkOrCut(index)
    case 4: leaveOrReturn(index)
    case 5, 6: answerSomewhere(index)
    case 7: changeSomething(index)
    case 8: loseOrFindTheTime(index)
    default: break
    }
    drain()
    bootUsec += second
    pass()
    drain()
    check()
  }

  private mutating func start(_ index: Int) {
    guard machines[index].isAwake else { return }
    names += 1
    let deadlineUsec = wall(index) + Int64(number(3..<40)) * second
    let kind = number(0..<5)
    let period = Int64(number(20..<60)) * second
    send(
      machines[index].owner.change("started", "t\(names % 7)", at: wall(index)) {
        $0.deadlineUsec = deadlineUsec
        if kind == 0 { $0.periodUsec = period }
        if kind == 1 { $0.isAwakeOnly = true }
      }, index)
  }

  private mutating func changeSomething(_ index: Int) {
    guard machines[index].isAwake,
      let name = machines[index].owner.timers.keys.sorted().randomElement(using: &generator)
    else { return }
    if Bool.random(using: &generator) {
      send(machines[index].owner.remove(name), index)
    } else if machines[index].owner.timers[name]?.deadlineUsec != nil {
      send(
        machines[index].owner.change("extended", name, at: wall(index)) {
          $0.deadlineUsec = $0.deadlineUsec.map { $0 + 10 * second }
        }, index)
    }
  }

  /// The daemon sends a reply to its bridge.
  private mutating func send(_ reply: JSONValue, _ index: Int) {
    publish(machines[index].own.take(reply, nowUsec: wall(index)), index)
    for (key, answer) in machines[index].own.takeAnswers() {
      handle(machines[index].mirror.take(own: answer, to: key), index)
    }
    publishAnswers(index)
    answerOwn(index)
  }

  private mutating func publishAnswers(_ index: Int) {
    guard broker.isConnected(index), machines[index].mirror.isComplete else { return }
    let unsent = machines[index].mirror.takeUnsent(nowUsec: wall(index))
    for (key, answer) in unsent.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      publish([Delivery(.ring(person: "alex", key), answer.payload, isRetained: true)], index)
    }
  }

  private mutating func answerOwn(_ index: Int) {
    guard machines[index].mirror.isComplete, machines[index].isAwake else { return }
    for ring in machines[index].own.takeAnswered(machines[index].mirror.answers) {
      carryOut(ring, index)
    }
  }

  private mutating func carryOut(_ ring: AnsweredElsewhere, _ index: Int) {
    if let reply = machines[index].owner.answer(
      ring.name, ring.answer.kind, expiry: ring.expiry, seq: ring.seq, at: wall(index))
    {
      send(reply, index)
    }
  }

  private mutating func sleepOrWake(_ index: Int) {
    if machines[index].isAwake {
      // With or without announcing it.
      if Bool.random(using: &generator) { publishStatus(.asleep, index) }
      drain()
      disconnect(index, isInOrder: true)
      machines[index].isAwake = false
      let wallUsec = wall(index)
      for (name, timer) in machines[index].owner.timers where timer.isAwakeOnly {
        machines[index].owner.timers[name]?.leftUsec = timer.deadlineUsec.map { $0 - wallUsec }
      }
    } else {
      machines[index].isAwake = true
      machines[index].readySinceUsec = bootUsec
      machines[index].holdUntilUsec = bootUsec + RemoteRings.timeoutUsec
      machines[index].rules.woke()
      let wallUsec = wall(index)
      for (name, timer) in machines[index].owner.timers {
        guard let leftUsec = timer.leftUsec else { continue }
        machines[index].owner.timers[name]?.leftUsec = nil
        // Its deadline moved with the sleep, and the daemon sends it again.
        machines[index].owner.timers[name]?.deadlineUsec = wallUsec + leftUsec
        refresh(name, index)
      }
      for reply in machines[index].owner.pass(to: wallUsec) { send(reply, index) }
      if machines[index].isLinked { connect(index) }
    }
  }

  private mutating func refresh(_ name: String, _ index: Int) {
    for reply in machines[index].owner.snapshot where reply["timer"]?["name"]?.stringValue == name {
      if let timer = reply["timer"] {
        publish(machines[index].own.refresh(timer, nowUsec: wall(index)), index)
      }
    }
  }

  private mutating func linkOrCut(_ index: Int) {
    machines[index].isLinked.toggle()
    guard machines[index].isAwake else { return }
    if machines[index].isLinked {
      connect(index)
    } else {
      disconnect(index, isInOrder: false)
    }
  }

  private mutating func leaveOrReturn(_ index: Int) {
    guard machines[index].isAwake else { return }
    machines[index].isActive.toggle()
    machines[index].rules.localState.active = machines[index].isActive ? .yes : .no
    publishStatus(.online, index)
    runRules(index)
  }

  /// A machine whose clock is right loses its time server, or finds it again.
  private mutating func loseOrFindTheTime(_ index: Int) {
    let isLost = machines[index].isSynchronized
    guard machines[index].isAwake, !machines[index].isWrong, !isLost || number(0..<3) == 0 else {
      return
    }
    machines[index].isSynchronized = !isLost
    machines[index].rules.localState.isSynchronized = !isLost
    if !isLost { machines[index].readySinceUsec = bootUsec }
    publishStatus(.online, index)
    runRules(index)
  }

  private mutating func answerSomewhere(_ index: Int) {
    guard machines[index].isAwake else { return }
    let isSnooze = number(0..<3) == 0
    // No snooze ends when another deadline is due.
    snoozes += 1
    let byUsec = Int64(number(5..<30)) * second + snoozes * 1000
    if let ring = machines[index].ringing.values.sorted(by: { $0.content.name < $1.content.name })
      .randomElement(using: &generator)
    {
      let untilUsec = wall(index) + byUsec
      let answer = RingAnswer(
        isSnooze ? .snoozed(untilUsec: untilUsec) : .dismissed, dueUsec: ring.dueUsec,
        device: machines[index].address.device, sentUsec: wall(index))
      let owner = machines.firstIndex { $0.owner.ledger == ring.key.ledger }!
      if !machines[owner].isAwake, machines[index].isLinked {
        counts["answered asleep", default: 0] += 1
      }
      if machines[index].isLinked, !isSnooze {
        answered[Due(ledger: ring.key.ledger, id: ring.key.id, usec: ring.content.dueUsec)] =
          bootUsec
      }
      give(answer, to: ring.key, index)
      return
    }
    let ringing = machines[index].owner.timers.filter { $0.value.ring != nil }.keys.sorted()
    guard let name = ringing.randomElement(using: &generator) else { return }
    let untilUsec = wall(index) + byUsec
    if let reply = machines[index].owner.answer(
      name, isSnooze ? .snoozed(untilUsec: untilUsec) : .dismissed, at: wall(index))
    {
      send(reply, index)
    }
  }

  private mutating func give(_ answer: RingAnswer, to key: RingKey, _ index: Int) {
    handle(machines[index].mirror.take(answer, to: key), index)
    publishAnswers(index)
  }

  // MARK: - Time

  private mutating func pass() {
    for index in machines.indices where machines[index].isAwake {
      for reply in machines[index].owner.pass(to: wall(index)) { send(reply, index) }
      hear(index)
    }
    drain()
    for index in machines.indices where machines[index].isAwake {
      runRules(index)
      hear(index)
    }
  }

  /// The daemon shows its rings, unless it holds them.
  private mutating func hear(_ index: Int) {
    if let untilUsec = machines[index].holdUntilUsec {
      let isKnown = machines[index].own.isSettled && machines[index].mirror.isComplete
      guard isKnown || bootUsec >= untilUsec else { return }
      if isKnown { answerOwn(index) }
      machines[index].holdUntilUsec = nil
    }
    for (name, timer) in machines[index].owner.timers {
      guard let ring = timer.ring, ring.untilUsec == nil, !ring.isHeard else { continue }
      machines[index].owner.timers[name]?.ring?.isHeard = true
      counts["at owner", default: 0] += 1
      let due = Due(ledger: machines[index].owner.ledger, id: timer.id, usec: ring.soundUsec)
      // A ring that was dismissed while its owner slept does not ring when the owner is back, if
      // the owner can know.
      if let usec = answered[due], usec < bootUsec, let since = machines[index].connectedSinceUsec,
        since < bootUsec
      {
        fail("\(name) of \(machines[index].address) rings although it was dismissed")
      }
      owed[due] = nil
      seen.insert(due)
    }
  }

  private mutating func runRules(_ index: Int) {
    take(machines[index].rules.due(in: machines[index].mirror, at: now(index)), index)
  }

  /// Carries out the actions of the rules.
  private mutating func take(_ outcome: RemoteRings.Outcome, _ index: Int) {
    for action in outcome.actions {
      switch action {
      case .ring(let new): ring(new, index)
      case .end(let key):
        machines[index].ringing[key] = nil
        counts["ended", default: 0] += 1
      case .missed: break
      }
    }
  }

  private mutating func ring(_ ring: RemoteRings.Ring, _ index: Int) {
    counts["elsewhere", default: 0] += 1
    machines[index].ringing[ring.key] = ring
    let owner = machines.firstIndex { $0.owner.ledger == ring.key.ledger }!
    let due = Due(ledger: ring.key.ledger, id: ring.key.id, usec: ring.content.dueUsec)
    owed = owed.filter { !$0.key.isRung(by: due) }
    seen.insert(due)
    rungElsewhere.append(due)
    let what = "\(ring.content.name) of \(machines[owner].address) on \(machines[index].address)"
    if due.usec > wall(owner) { fail("\(what) rings early") }
    if !machines[index].mayRing(for: machines[owner].address.device) {
      fail("\(what) rings although a clock is not synchronised")
    }
    if !machines[index].rung.insert(due).inserted { fail("\(what) rings twice") }
    let isFree = machines[owner].isAwake && machines[owner].isLinked && machines[index].isLinked
    let since = max(
      machines[owner].connectedSinceUsec ?? .max, machines[index].connectedSinceUsec ?? .max)
    let dueBootUsec = due.usec - machines[owner].offsetUsec - Self.startUsec
    switch ring.content.reason {
    case .elsewhere:
      if machines[owner].isActive, isFree, since < bootUsec {
        fail("\(what) rings although the person is at the owner")
      }
    case .asleep, .offline, .noDaemon, .silent:
      if isFree, since < dueBootUsec {
        fail("\(what) rings although its owner is there: \(ring.content.reason)")
      }
    }
    if let usec = answered[due], usec < bootUsec, isFree, since < usec {
      fail("\(what) rings although it was dismissed")
    }
  }

  /// Checks that for each deadline of a sleeping owner, a machine that could ring has done so in
  /// time.
  private mutating func check() {
    for (index, machine) in machines.enumerated() where !machine.isAwake {
      for (name, timer) in machine.owner.timers {
        var sounds: [Int64: [Int]] = [:]
        for other in machines.indices where other != index {
          guard machines[other].mayRing(for: machine.address.device),
            machines[other].knows(name, seq: timer.seq, of: machine.address.device, wall(other))
          else { continue }
          let answers = machines[other].mirror.answers
          // Of several that are past, the last one alone rings.
          let past = timer.soundsUsec(answers, machine.owner.ledger).filter { $0 <= wall(index) }
          if let usec = past.max() { sounds[usec, default: []].append(other) }
        }
        for (usec, able) in sounds {
          let due = Due(ledger: machine.owner.ledger, id: timer.id, usec: usec)
          guard seen.insert(due).inserted, !rungElsewhere.contains(where: due.isRung) else {
            continue
          }
          owed[due] = (bootUsec + 9 * second, able, name)
        }
      }
    }
    for (due, (untilUsec, able, name)) in owed {
      // Machines that were asleep or had no synchronised clock meanwhile do not count, nor those
      // that know an answer by now; and the owner may be back.
      let owner = machines.firstIndex { $0.owner.ledger == due.ledger }!
      let isExcused =
        machines[owner].isAwake
        || able.allSatisfy {
          !machines[$0].mayRing(for: machines[owner].address.device)
            || machines[$0].readySinceUsec > untilUsec - 10 * second
            || machines[owner].owner.timers[name]?
              .soundsUsec(machines[$0].mirror.answers, due.ledger).contains(due.usec) != true
        }
      if isExcused {
        owed[due] = nil
      } else if bootUsec > untilUsec {
        owed[due] = nil
        fail("the deadline of \(due) rings nowhere")
      }
    }
  }

  // MARK: - Messages

  private mutating func publish(_ publications: [Delivery], _ index: Int) {
    guard broker.isConnected(index) else { return }
    machines[index].uplink += publications
  }

  private mutating func publishStatus(_ state: DevicePresence.State, _ index: Int) {
    let machine = machines[index]
    let status = DeviceStatus(
      ledger: machine.own.ledger, lastSeq: machine.own.lastSeq,
      timers: Int64(machine.own.main.count),
      digest: machine.own.main.digest.text, isSynchronized: machine.isSynchronized,
      active: machine.isActive ? .yes : .no, canRing: true)
    let presence = DevicePresence(
      state, instance: machine.address.device, sinceUsec: wall(index))
    publish(
      [
        Delivery(.status(machine.address), status.payload, isRetained: true),
        Delivery(.presence(machine.address), presence.payload, isRetained: true),
      ], index)
  }

  private mutating func connect(_ index: Int) {
    guard !broker.isConnected(index) else { return }
    broker.connect(index, marker: .marker(machines[index].address))
    machines[index].own.connected()
    machines[index].mirror.connected()
    machines[index].connectedSinceUsec = bootUsec
  }

  private mutating func disconnect(_ index: Int, isInOrder: Bool) {
    machines[index].connectedSinceUsec = nil
    guard broker.isConnected(index) else { return }
    broker.disconnect(index)
    machines[index].uplink = []
    machines[index].own.disconnected()
    machines[index].mirror.disconnected()
    machines[index].rules.disconnected()
    if !isInOrder {
      let address = machines[index].address
      let will = DevicePresence(.offline, instance: address.device)
      broker.publish(
        Delivery(.presence(address), will.payload, isRetained: true), from: index)
    }
  }

  /// All messages arrive.
  private mutating func drain() {
    while let index = machines.indices.filter({ isMoving($0) }).randomElement(using: &generator) {
      if !machines[index].uplink.isEmpty, number(0..<2) == 0 {
        broker.publish(machines[index].uplink.removeFirst(), from: index)
      } else if let (delivery, times) = broker.next(for: index, using: &generator) {
        for _ in 0..<times { receive(delivery, index) }
      }
    }
  }

  private func isMoving(_ index: Int) -> Bool {
    !machines[index].uplink.isEmpty || broker.hasMessages(for: index)
  }

  private mutating func receive(_ delivery: Delivery, _ index: Int) {
    guard delivery.topic.address == machines[index].address else {
      return handle(machines[index].mirror.received(delivery, nowUsec: wall(index)), index)
    }
    switch delivery.topic {
    case .marker:
      publish(machines[index].own.markerArrived(), index)
      handle(machines[index].mirror.markerArrived(), index)
      publishStatus(.online, index)
      machines[index].rules.settled()
      publishAnswers(index)
      machines[index].own.renewRings()
      answerOwn(index)
      runRules(index)
    case .timer(_, let name): publish(machines[index].own.received(name, delivery.payload), index)
    case .presence, .status, .event, .call, .reply, .ring: break
    }
  }

  private mutating func handle(_ changes: [MirrorChange], _ index: Int) {
    for change in changes {
      switch change {
      case .timer(let owner, let name):
        take(
          machines[index].rules.changed(
            owner.device, name, in: machines[index].mirror, at: now(index)),
          index)
      case .ring(let key):
        take(machines[index].rules.answered(key, in: machines[index].mirror, at: now(index)), index)
        if machines[index].mirror.isComplete, machines[index].isAwake,
          let ring = machines[index].own.answered(key, machines[index].mirror.answers)
        {
          carryOut(ring, index)
        }
      case .status: runRules(index)
      case .event, .gap: break
      }
    }
    publishAnswers(index)
  }

  // MARK: - The end

  /// All machines are awake and connected: dismissed timers ring nowhere, and no answer is without
  /// effect.
  mutating func settle() {
    for index in machines.indices {
      machines[index].isLinked = true
      if !machines[index].isAwake { sleepOrWake(index) }
      connect(index)
    }
    drain()
    bootUsec += second
    pass()
    drain()
    for machine in machines {
      for (name, timer) in machine.owner.timers {
        guard let ring = timer.ring,
          let key = RingKey(ledger: machine.owner.ledger, id: timer.id, expiry: ring.expiry),
          let (_, answer) = machine.mirror.answers.ending(key, dueUsec: ring.dueUsec)
        else { continue }
        if answer.kind == .dismissed { fail("\(name) of \(machine.address) was dismissed in vain") }
      }
      for (key, ring) in machine.ringing {
        let answer = machine.mirror.answers.ending(key, dueUsec: ring.dueUsec)?.answer
        if answer?.kind == .dismissed {
          fail("\(ring.content.name) rings on \(machine.address) although it was dismissed")
        }
        let owner = machines.first { $0.owner.ledger == key.ledger }!
        if owner.owner.timers[ring.content.name]?.id != key.id {
          fail("\(ring.content.name) rings on \(machine.address) and is not there any more")
        }
      }
    }
  }
}
