import Varlink

/// A timer and an event as the daemon sends them.
enum Sample {
  static func timer(
    _ name: String = "tea", state: String = "running", remainingUsec: Int64 = 60_000_000
  ) -> JSONValue {
    [
      "id": 1, "seq": 1, "name": .string(name), "kind": "countdown", "state": .string(state),
      "clock": "elapsed", "duration_usec": 240_000_000, "remaining_usec": .integer(remainingUsec),
      "elapsed_usec": .integer(240_000_000 - remainingUsec), "progress": 0.75,
      "started_usec": 1_000_000, "next_expiry": 1, "labels": [:], "data": [:],
    ]
  }

  static func event(_ type: String, seq: Int64, name: String = "tea") -> JSONValue {
    ["seq": .integer(seq), "time_usec": 5, "type": .string(type), "name": .string(name), "id": 1]
  }

  static let ring: JSONValue = [
    "expiry": 1, "due_usec": 2, "expiries": 1, "first_due_usec": 2, "rang_usec": 3, "ago_usec": 0,
    "late_usec": 1, "late_cause": "eclipse",
  ]

  static func change(
    _ type: String, seq: Int64, state: String = "running", ring: JSONValue? = nil
  ) -> JSONValue {
    var members = timer(state: state).objectValue ?? []
    if let ring { members.append(.init("open_ring", ring)) }
    return ["timer": .object(members), "event": event(type, seq: seq)]
  }
}
