import NightjarMirror
import NightjarModel
import NightjarTestSupport
import Varlink

/// A daemon with timers, as seen through `Watch`: each change has a number, and is sent with the
/// timer's new state.
struct FakeOwner {
  private(set) var ledger: String
  private(set) var lastSeq: Int64 = 0
  private(set) var timers: [String: JSONValue] = [:]
  private var lastID: Int64 = 0
  var nowUsec: Int64 = 1_800_000_000_000_000

  init(ledger: String) { self.ledger = ledger }

  /// A Timer with the required members, and some that must not be published.
  private func timer(_ name: String, id: Int64, state: String) -> JSONValue {
    let isRunning = state == "running"
    return .timer(
      name, id: id, seq: lastSeq, next: 1,
      [
        "state": .string(state), "remaining_usec": 42_000_000, "elapsed_usec": 18_000_000,
        "progress": 0.3, "deadline_usec": isRunning ? .integer(nowUsec + 42_000_000) : .null,
        "deadline_boottime_usec": isRunning ? 42_000_001 : .null,
        "started_usec": .integer(nowUsec), "labels": ["command": "mine"],
        "ring": ["exec": ["sh", "-c", "secret"], "environment": ["TOKEN"], "silent": true],
        "failure": ["command": "secret", "last_lines": ["secret"]],
      ])
  }

  private mutating func event(_ type: String, _ name: String) -> JSONValue {
    [
      "seq": .integer(lastSeq), "time_usec": .integer(nowUsec), "type": .string(type),
      "name": .string(name), "command": "secret",
    ]
  }

  /// Starts a timer, or changes the one of that name. Returns the reply of `Watch`.
  mutating func set(_ name: String, _ state: String = "running") -> JSONValue {
    lastSeq += 1
    nowUsec += 1_000_000
    if timers[name] == nil { lastID += 1 }
    let id = timers[name]?["id"]?.integerValue ?? lastID
    let timer = timer(name, id: id, state: state)
    timers[name] = timer
    return ["event": event(state == "paused" ? "paused" : "started", name), "timer": timer]
  }

  mutating func remove(_ name: String) -> JSONValue {
    lastSeq += 1
    timers[name] = nil
    return ["event": event("removed", name)]
  }

  /// Another database: its numbers start again.
  mutating func beginAnew(_ ledger: String) {
    (self.ledger, lastSeq, timers, lastID) = (ledger, 0, [:], 0)
  }

  /// What is published of a timer.
  func value(_ name: String, ledger: String? = nil) -> TimerValue {
    TimerValue(timer: timers[name]!, ledger: ledger ?? self.ledger, nowUsec: nowUsec)!
  }

  /// The first replies of a watch that begins now.
  var snapshot: [JSONValue] {
    timers.sorted { $0.key < $1.key }.map { ["timer": $0.value] }
      + [["synced": true, "seq": .integer(lastSeq), "ledger": .string(ledger)]]
  }
}

extension JSONValue {
  /// A timer as the daemon sends it: the required members, and others that are not null.
  static func timer(
    _ name: String = "tea", id: Int64 = 7, seq: Int64, next: Int64, _ others: [String: JSONValue]
  ) -> JSONValue {
    let usual: [String: JSONValue] = [
      "id": .integer(id), "seq": .integer(seq), "name": .string(name), "kind": "countdown",
      "state": "over", "clock": "elapsed", "duration_usec": 60_000_000, "started_usec": 1,
      "next_expiry": .integer(next), "labels": [:], "data": [:],
    ]
    let members = usual.merging(others) { $1 }.filter { !$0.value.isNull }
    return .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
  }

  /// The open ring of a timer, of one expiry.
  static func openRing(
    _ expiry: Int64, dueUsec: Int64, rangUsec: Int64, lateUsec: Int64 = 0, agoUsec: Int64 = 0,
    untilUsec: Int64? = nil
  ) -> JSONValue {
    [
      "expiry": .integer(expiry), "due_usec": .integer(dueUsec), "expiries": 1,
      "first_due_usec": .integer(dueUsec), "rang_usec": .integer(rangUsec),
      "late_usec": .integer(lateUsec), "ago_usec": .integer(agoUsec),
      "until_usec": untilUsec.map { .integer($0) } ?? .null,
    ]
  }

  /// The object with other values of some members, in the same order.
  func with(_ members: [String: JSONValue]) -> JSONValue {
    let known = (objectValue ?? []).map { Member($0.key, members[$0.key] ?? $0.value) }
    let new = members.filter { member in !known.contains { $0.key == member.key } }
    return .object(known + new.map { Member($0.key, $0.value) })
  }

  /// A member of an object, by a path of names.
  func at(_ names: String...) -> JSONValue? {
    names.reduce(self as JSONValue?) { $0?[$1] }
  }
}

extension MirrorOwner: ExpressibleByStringLiteral {
  /// A machine of alex, or `person/device` in the session of the tests.
  package init(stringLiteral text: String) {
    let words = text.split(separator: "/").map(String.init)
    let person = words.count == 2 ? words[0] : "alex"
    self.init(
      DeviceAddress(person: person, device: words.last ?? "")!,
      in: words.count == 2 ? SessionAddress(group: "runners", path: "run/4711") : nil)
  }
}
