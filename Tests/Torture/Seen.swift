import NightjarClient
import NightjarTestSupport
import Varlink

/// What a daemon has and says, read back over its socket.
struct Seen {
  private(set) var timers: [String: Wire.Timer] = [:]
  /// The ledger, as far as it goes back.
  private(set) var events: [Wire.Event] = []
  /// Why the ledger could not be read to its end.
  private(set) var ledgerError: String?
  /// The answer to `Status`.
  private(set) var status: JSONValue = .null
  /// The timers that rang, by number.
  private(set) var rang: Set<Int64> = []

  /// Reads all of it.
  ///
  /// - Throws: `ClientError` if the daemon does not answer, or has ended.
  init(path: String) throws {
    let deadline = Deadline.after(usec: 20 * second)
    let client = try Connection(path: path, deadline: deadline)
    var after: Int64?
    repeat {
      let page = try client.call(.list(after: after), deadline: deadline)
      for json in page["timers"]?.arrayValue ?? [] {
        let timer = try Wire.Timer(json)
        timers[timer.name] = timer
      }
      after = page["next"]?.integerValue
    } while after != nil
    // What has made the timers as they are is on the disk, and in the ledger, when this is
    // acknowledged.
    let mark = try client.answer(
      to: .start(name: "mark", durationUsec: hour, replace: true), deadline: deadline)
    if case .failure(let error) = mark { ledgerError = "\(error)" }
    status = try client.call(.status(), deadline: deadline)
    if ledgerError == nil { try readLedger(client, deadline) }
    rang = Set(events.lazy.filter { $0.type == .rang }.compactMap(\.id))
  }

  private mutating func readLedger(_ client: Connection, _ deadline: Deadline) throws {
    let storage = status["storage"]
    let last = storage?["last_seq"]?.integerValue ?? 0
    let oldest = storage?["oldest_seq"]?.integerValue ?? 1
    let stream = try client.stream(.events(after: max(0, oldest - 1)), deadline: deadline)
    while events.last?.seq ?? 0 < last {
      guard let reply = try next(in: stream, deadline) else { return }
      if let event = reply["event"] { events.append(try Wire.Event(event)) }
    }
  }

  /// The next entry; nil if the daemon refuses to go on.
  private mutating func next(
    in stream: ReplyStream, _ deadline: Deadline
  ) throws -> JSONValue? {
    do {
      return try stream.next(deadline: deadline)
    } catch {
      guard case .refused(let refusal) = error else { throw error }
      ledgerError = "\(refusal)"
      return nil
    }
  }
}

// MARK: - What must hold of every ledger

extension Seen {
  /// A sentence for each fault in the ledger itself.
  var ledgerFaults: [String] {
    var found: [String] = []
    for (event, next) in zip(events, events.dropFirst()) where next.seq != event.seq + 1 {
      found.append("gap: behind event \(event.seq) comes \(next.seq)")
    }
    // A run begins with a start or a restart, and has one expiry at the most. A snooze rings once.
    var over: Set<Int64> = []
    var quiet: Set<Int64> = []
    var last: [Int64: Int64] = [:]
    for event in events {
      guard let id = event.id else { continue }
      switch event.type {
      case .started, .restarted: over.remove(id)
      case .snoozed: quiet.remove(id)
      case .rang where event.snoozed:
        if !quiet.insert(id).inserted {
          found.append("twice: a snooze of \(id) rang again with event \(event.seq)")
        }
      case .rang, .didNotRing:
        if !over.insert(id).inserted { found.append("twice: event \(event.seq) rang \(id) again") }
        let number = event.expiry ?? 0
        if number <= last[id] ?? 0 {
          found.append("number: event \(event.seq) of \(id) is expiry \(number) again")
        }
        last[id] = number
      default: break
      }
    }
    return found
  }

  /// A sentence for each event of `ledger` that is not there word for word; the first of them.
  func alterations(of ledger: [Wire.Event]) -> [String] {
    let there = Dictionary(events.lazy.map { ($0.seq, $0) }) { $1 }
    return ledger.lazy.filter { there[$0.seq] != $0 }.prefix(3).map {
      "altered: event \($0.seq), \($0.type) \($0.name ?? ""), is another or not there"
    }
  }

  /// What the daemon reports of its disk: that it cannot be used, or that something was lost.
  var report: String? {
    let storage = status["storage"]
    if let name = storage?["set_aside"]?.stringValue { return "set aside as \(name)" }
    if let loss = storage?["loss"]?["reason"]?.stringValue { return loss }
    if storage?["ok"]?.boolValue != true { return storage?["reason"]?.stringValue ?? "not ok" }
    return status["warning"]?.stringValue
  }
}
