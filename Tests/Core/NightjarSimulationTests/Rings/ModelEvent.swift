import NightjarModel

/// An event of the model: without deadlines, which only the engine has.
struct ModelEvent: CustomStringConvertible {
  var seq: Int64
  var timeUsec: Int64
  var type: String
  /// The timer; empty and 0 for the machine.
  var name = ""
  var id: Int64 = 0
  /// Its payload, by name.
  var facts: [String: Int64] = [:]
  /// The causes of a span.
  var causes: [Cause] = []
  /// What it does to its timer, given its number, to apply it again. Nil: a client requested it, or
  /// it does nothing.
  var effect: ((inout ModelTimer, Int64) -> Void)?

  /// A part of its payload; 0: it does not have it.
  subscript(fact: String) -> Int64 { facts[fact] ?? 0 }

  /// The events about a timer that no client requests.
  static let unrequested: Set<String> = [
    "rang", "did_not_ring", "joined", "left_ring", "unanswered", "rang_again", "stayed_quiet",
    "band_crossed", "rescheduled", "ran_out", "paused_after_span", "restarted_after_span",
    "forgotten",
  ]

  var isRequested: Bool { id != 0 && !Self.unrequested.contains(type) }

  /// Whether it is the end of a snooze that rang (rule 7), and no expiry.
  var isSnooze: Bool { type == "rang" && self["snoozed"] == 1 }

  var description: String {
    let payload = facts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    let words = payload + causes.map { "\($0.name)" }
    return "#\(seq) \(type) \(name)\(id == 0 ? "" : "(\(id))") \(words) at \(timeUsec)"
  }
}

extension ModelEvent: Equatable {
  static func == (a: Self, b: Self) -> Bool {
    a.seq == b.seq && a.timeUsec == b.timeUsec && a.type == b.type && a.name == b.name
      && a.id == b.id && a.causes == b.causes
      && a.facts.filter { $0.value != 0 } == b.facts.filter { $0.value != 0 }
  }
}
