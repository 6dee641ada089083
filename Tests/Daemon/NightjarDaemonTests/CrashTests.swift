import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// kill -9 at any moment, under a stream of changes from several clients.
@Suite(.blocking) struct CrashTests {
  private static let kills = 30
  private static let clients = 4

  private let rig: Rig

  init() throws { rig = try Rig() }

  @Test func `No acknowledged change is lost in a crash, and no expiry rings twice`() throws {
    let seed = Seed.ofThisRun
    do {
      try crash(seed: seed)
    } catch {
      throw Unmet(description: "seed \(seed): \(error)")
    }
  }

  private func crash(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let stories = (0..<Self.clients).map { ClientStory(number: $0, seed: seed &+ UInt64($0)) }
    let follower = LedgerFollower()
    for round in 1...Self.kills {
      // Some daemons are killed while they start.
      if random.next() % 5 == 0 {
        let starting = try rig.daemon(awaitingReady: false)
        spin(usec: Int64(random.next() % 15_000))
        starting.process.kill()
      }
      let daemon = try rig.daemon()
      try check(daemon, stories, follower, "seed \(seed), round \(round)")
      let acknowledged = Happenings<Int>()
      let threads = try stories.map { try $0.begin(with: daemon, acknowledged) }
      let following = try follower.begin(with: daemon)
      for _ in 0..<random.next() % 300 { try acknowledged.next("an acknowledged change") }
      spin(usec: Int64(random.next() % 2000))
      daemon.process.kill()
      for thread in threads + [following] { try thread.awaitEnd("a client's end") }
    }
    let daemon = try rig.daemon()
    try check(daemon, stories, follower, "seed \(seed), at the end")
    // On a busy machine the daemon may be held up for more than a second, which is a span of its
    // own.
    let left = try daemon.ledger().compactMap(\.leftSpan).filter { $0.causes != ["freeze"] }
    #expect(left.count >= Self.kills && left.allSatisfy { $0.causes == ["down"] && $0.estimated })
    let acknowledged = stories.map(\.acknowledgedCount).reduce(0, +)
    print("kill -9: \(Self.kills) times, \(acknowledged) acknowledged changes, seed \(seed)")
  }

  private func check(
    _ daemon: DaemonProcess, _ stories: [ClientStory], _ follower: LedgerFollower, _ when: Comment
  ) throws {
    let client = try daemon.connect()
    let timers = try client.timers()
    // When this is acknowledged, the events of this start are on disk.
    _ = try client.timer(.start(name: "mark", durationUsec: hour, replace: true))
    let ledger = try daemon.ledger()
    #expect(ledger.map(\.seq) == Array(1..<Int64(ledger.count + 1)), when)
    expectNothingRangTwice(ledger, when)
    // Every event that the follower got is in the ledger, unchanged.
    for event in follower.received { #expect(ledger[Int(event.seq) - 1] == event, when) }
    #expect(follower.received.map(\.seq) == Array(1..<Int64(follower.received.count + 1)), when)
    for story in stories { try story.check(ledger, timers, when) }
  }

  /// Checks that each run, which begins with a start, a restart or a snooze, ends with at most one
  /// ring.
  private func expectNothingRangTwice(_ ledger: [Wire.Event], _ when: Comment) {
    var rang: Set<Int64> = []
    for event in ledger {
      guard let id = event.id else { continue }
      switch event.type {
      case "started", "restarted", "snoozed": rang.remove(id)
      case "rang": #expect(rang.insert(id).inserted, when)
      default: break
      }
    }
  }
}

/// One client's own timers, its requests, and which of them were acknowledged.
private final class ClientStory: @unchecked Sendable {
  private struct Change {
    var name: String
    var type: Wire.EventType
    var call: Call
  }

  private let prefix: String
  private var random: SplitMix
  /// In the order of the acknowledgements: the event that each change must have made.
  private var acknowledged: [(name: String, type: Wire.EventType)] = []
  /// Each timer in its last acknowledged state; nil once it was removed.
  private var known: [String: Wire.Timer?] = [:]
  /// Changes requested before a crash, without an answer.
  private var undecided: [Change] = []

  init(number: Int, seed: UInt64) {
    prefix = "c\(number)"
    random = SplitMix(seed: seed)
  }

  var acknowledgedCount: Int { acknowledged.count }

  // MARK: Requests

  /// Sends requests on a thread of its own until the daemon is gone.
  func begin(with daemon: DaemonProcess, _ progress: Happenings<Int>) throws -> Happenings<Int> {
    let connection = UncheckedSendable(try daemon.connect())
    let end = Happenings<Int>()
    Thread.detachNewThread {
      while self.askOnce(connection.value, progress) {}
      end.end()
    }
    return end
  }

  private func askOnce(_ connection: Connection, _ progress: Happenings<Int>) -> Bool {
    undecided = (0...random.next() % 16).map { _ in nextChange() }
    while !undecided.isEmpty {
      // In small pipelines: an answered change has happened, each other may or may not have.
      let batch = Array(undecided.prefix(4))
      guard let results = try? connection.callAll(batch.map(\.call)) else { return false }
      for (change, result) in zip(batch, results) {
        if case .success(let reply) = result { note(change, reply) }
        progress.append(acknowledged.count)
      }
      undecided.removeFirst(batch.count)
    }
    return true
  }

  private func nextChange() -> Change {
    let name = "\(prefix)/\(random.next() % 40)"
    // Most timers run for long; some expire meanwhile.
    let short = random.next() % 4 == 0
    let durationUsec = short ? Int64(random.next() % 200_000) + 1 : hour
    switch random.next() % 10 {
    case 0, 1, 2:
      var timer = Wire.Start(name: name, .countdown(.microseconds(durationUsec)))
      (timer.replace, timer.labels) = (true, ["n": "\(random.next() % 1000)"])
      return Change(name: name, type: "started", call: .start(timer))
    case 3: return Change(name: name, type: "paused", call: .perform(.pause, name: name))
    case 4: return Change(name: name, type: "resumed", call: .perform(.resume, name: name))
    case 5:
      return Change(name: name, type: "extended", call: .extend(name: name, byUsec: durationUsec))
    case 6: return Change(name: name, type: "cancelled", call: .perform(.cancel, name: name))
    case 7: return Change(name: name, type: "restarted", call: .perform(.restart, name: name))
    case 8: return Change(name: name, type: "removed", call: .perform(.remove, name: name))
    default:
      return Change(name: name, type: "snoozed", call: .snooze(name: name, byUsec: durationUsec))
    }
  }

  private func note(_ change: Change, _ reply: JSONValue) {
    acknowledged.append((change.name, change.type))
    let timer = reply["timer"].flatMap { try? Wire.Timer($0) }
    // Cancel removes a timer that is over and whose ring is open.
    let isGone =
      change.type == "removed" || change.type == "cancelled" && timer?.state != .cancelled
    known[change.name] = isGone ? .some(nil) : timer
  }

  // MARK: Checks

  /// Compares the ledger and the timers after a crash with the changes acknowledged before it. A
  /// change without an answer that is in the ledger counts as made from now on.
  func check(_ ledger: [Wire.Event], _ timers: [String: Wire.Timer], _ when: Comment) throws {
    let asked = ledger.filter {
      $0.name?.hasPrefix(prefix + "/") == true
        && !["rang", "unanswered", "unnoticed", "forgotten"].contains($0.type)
    }
    let types = asked.map { "\($0.name ?? "") \($0.type)" }
    let wanted = acknowledged.map { "\($0.name) \($0.type)" }
    #expect(Array(types.prefix(wanted.count)) == wanted, when)
    var rest = undecided.map { "\($0.name) \($0.type)" }[...]
    for type in types.dropFirst(wanted.count) {
      guard let found = rest.firstIndex(of: type) else {
        Issue.record("\(type) is in the ledger without a request; \(when)")
        continue
      }
      rest = rest[(found + 1)...]
    }
    for event in asked.dropFirst(wanted.count) {
      guard let name = event.name else { continue }
      acknowledged.append((name, event.type))
      known[name] = nil
    }
    undecided = []
    try checkTimers(timers, ledger, when)
  }

  private func checkTimers(
    _ timers: [String: Wire.Timer], _ ledger: [Wire.Event], _ when: Comment
  ) throws {
    let rang = Set(ledger.filter { $0.type == "rang" }.compactMap(\.name))
    for (name, known) in known {
      let seen = timers[name]
      guard let known else {
        #expect(seen == nil, when)
        continue
      }
      let timer = try #require(seen, when)
      #expect(timer.id == known.id && timer.labels == known.labels, when)
      switch (known.state, timer.state) {
      case (.running, .running):
        #expect(timer.deadlineBoottimeUsec == known.deadlineBoottimeUsec, when)
      case (.running, .over):
        let isInLedger = rang.contains(name)
        #expect(isInLedger, when)
      default:
        #expect(timer.state == known.state, when)
        #expect(timer.remainingUsec == known.remainingUsec, when)
      }
      #expect(timer.durationUsec == known.durationUsec, when)
    }
  }
}

/// A client that reads the ledger across all crashes, each time from the last event it got.
private final class LedgerFollower: @unchecked Sendable {
  private(set) var received: [Wire.Event] = []

  func begin(with daemon: DaemonProcess) throws -> Happenings<Int> {
    let stream = UncheckedSendable(try daemon.events(after: received.last?.seq ?? 0))
    let end = Happenings<Int>()
    Thread.detachNewThread {
      while let reply = try? stream.value.next(), let json = reply["event"],
        let event = try? Wire.Event(json)
      {
        self.received.append(event)
      }
      end.end()
    }
    return end
  }
}

/// Passes a value to a thread; the giver must not use it until the thread has ended.
private struct UncheckedSendable<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

extension Connection {
  fileprivate func timers() throws -> [String: Wire.Timer] {
    var (timers, after): ([String: Wire.Timer], Int64?) = ([:], nil)
    repeat {
      let page = try call(.list(after: after))
      for json in page["timers"]?.arrayValue ?? [] {
        let timer = try Wire.Timer(json)
        timers[timer.name] = timer
      }
      after = page["next"]?.integerValue
    } while after != nil
    return timers
  }
}
