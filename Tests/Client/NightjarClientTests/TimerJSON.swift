import NightjarTestSupport
import Varlink

/// A timer and an event as the daemon sends them.
enum Sample {
  static func timer(_ name: String = "tea", state: String = "running") -> JSONValue {
    [
      "id": 1, "seq": 1, "name": .string(name), "kind": "countdown", "state": .string(state),
      "clock": "elapsed", "duration_usec": 240_000_000, "remaining_usec": 60_000_000,
      "elapsed_usec": 180_000_000, "progress": 0.75,
      "started_usec": 1_000_000, "next_expiry": 1, "labels": [:], "data": [:],
    ]
  }

  static func event(_ type: String, seq: Int64, name: String = "tea") -> JSONValue {
    ["seq": .integer(seq), "time_usec": 5, "type": .string(type), "name": .string(name), "id": 1]
  }

  static func change(_ type: String, seq: Int64, state: String) -> JSONValue {
    ["timer": timer(state: state), "event": event(type, seq: seq)]
  }
}

extension FakeDaemon.Answer {
  /// An event of a stream that goes on.
  static func event(_ type: String, _ seq: Int64) -> Self {
    .reply(["event": Sample.event(type, seq: seq)], continues: true)
  }
}
