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
    [
      "id": .integer(id), "seq": .integer(lastSeq), "name": .string(name), "kind": "countdown",
      "state": .string(state), "clock": "elapsed", "duration_usec": 60_000_000,
      "remaining_usec": 42_000_000, "elapsed_usec": 18_000_000, "progress": 0.3,
      "deadline_usec": state == "running" ? .integer(nowUsec + 42_000_000) : .null,
      "deadline_boottime_usec": state == "running" ? 42_000_001 : .null,
      "started_usec": .integer(nowUsec), "next_expiry": 1, "labels": ["command": "mine"],
      "data": [:],
      "ring": ["exec": ["sh", "-c", "secret"], "environment": ["TOKEN"], "silent": true],
      "failure": ["command": "secret", "last_lines": ["secret"]],
    ]
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

  /// The first replies of a watch that begins now.
  var snapshot: [JSONValue] {
    timers.sorted { $0.key < $1.key }.map { ["timer": $0.value] }
      + [["synced": true, "seq": .integer(lastSeq), "ledger": .string(ledger)]]
  }
}

extension JSONValue {
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
