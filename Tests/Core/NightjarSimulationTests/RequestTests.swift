import NightjarEngine
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import Testing
import Varlink

/// Changes with request ids, from a client that sends each until it gets a reply. The daemon
/// crashes at any moment and the disk fails. Each change is made once.
@Suite(.blocking) struct RequestTests {
  private let machine = SimulatedMachine()
  /// It reads the zones of the system, so it is made once.
  private let calendar = ZoneCalendar()

  /// What happens to a change and to its reply.
  private enum Fate: CaseIterable {
    case crashBeforeCommit, crashAfterCommit, commitFails, answerIsLost, answerArrives
  }

  private static func call(_ method: String, _ parameters: JSONValue) -> [UInt8] {
    var call: [UInt8] = []
    VarlinkCall.write(method: "org.nightjar.Timers.\(method)", parameters: parameters, into: &call)
    return call.dropLast()
  }

  /// The reply of the present daemon, which it must not send before the commit.
  private func reply(to call: [UInt8]) throws -> [UInt8] {
    var reply: Result<[UInt8], any Error>?
    try machine.runIteration { core in
      let methods = Methods(core: core, calendar: calendar, dependencies: nil) { SpecDefaults() }
      reply = Result { try call.withUnsafeBytes { try methods.answer($0, at: machine.clocks.now) } }
    }
    return try #require(reply).get()
  }

  private func restart(isCommitDurable: Bool) throws {
    machine.crash(underwayIsDurable: isCommitDurable)
    try machine.boot()
    try machine.settle(.durable)
  }

  /// Sends a call until its reply arrives.
  private func send(_ method: String, _ parameters: JSONValue, _ random: inout SplitMix) throws {
    let call = Self.call(method, parameters)
    var known: [UInt8]?
    while true {
      let reply = try reply(to: call)
      if let known { #expect(reply == known) }
      // Some calls are sent again before the first is on the disk.
      if random.chance(30) { #expect(try self.reply(to: call) == reply) }
      switch random.pick(Fate.allCases) {
      case .crashBeforeCommit:
        // A change that an earlier call put on the disk stays.
        try restart(isCommitDurable: false)
      case .crashAfterCommit:
        try restart(isCommitDurable: true)
        known = reply
      case .commitFails:
        try machine.settle(.failed)
        try machine.runIteration { $0.journal.retry(at: machine.clocks.now) }
        try machine.settle(.durable)
      case .answerIsLost:
        try machine.settle(.durable)
        try restart(isCommitDurable: false)
        known = reply
      case .answerArrives:
        try machine.settle(.durable)
        return
      }
      machine.clocks.advance(usec: second)
    }
  }

  @Test(arguments: 0..<UInt64(200))
  func `A change with a request id is made once, whatever fails`(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    machine.commitsAtOnce = false
    try machine.boot()
    try machine.settle(.durable)
    try send(
      "Start", ["name": "tea", "duration_usec": .integer(hour), "request": "start"], &random)
    for number in 1...10 {
      let request = JSONValue.string("extend \(number)")
      try send("Extend", ["name": "tea", "by_usec": 1_000_000, "request": request], &random)
    }
    var requests: [String: Int] = [:]
    try machine.disk.forEachEvent(after: 0) { event throws(StoreError) in
      if let request = event.request { requests[request, default: 0] += 1 }
      return true
    }
    #expect(requests.count == 11 && requests.values.allSatisfy { $0 == 1 }, "\(requests)")
    let engine = try #require(machine.core).engine
    let tea = engine.timer(at: try engine.require("tea"))
    #expect(tea.runLengthUsec == hour + 10 * second)
  }

  @Test func `A request id is forgotten after a day`() throws {
    try machine.boot()
    let call = Self.call(
      "Start", ["name": "tea", "duration_usec": 60_000_000, "replace": true, "request": "one"])
    let first = try reply(to: call)
    try machine.advance(usec: 24 * hour)
    #expect(try reply(to: call) == first)
    try machine.advance(usec: 1)
    #expect(try reply(to: call) != first)
    // The id is known for another day now.
    #expect(try #require(machine.core).engine.counts.reduce(0, +) == 1)
    let second = try reply(to: call)
    try machine.advance(usec: 24 * hour)
    #expect(try reply(to: call) == second)
  }
}
