import NightjarTestSupport
import Synchronization
import Varlink

@testable import nightjar

/// A stand-in for the daemon that knows the states of timers, at a fixed time.
final class FakeTimers: Sendable {
  struct Entry: Sendable {
    var name: String
    var state = "running"
    var clock = "elapsed"
    var durationUsec: Int64 = 240_000_000
    var remainingUsec: Int64 = 240_000_000
    /// How long ago the timer rang; nil: just now, if it is over.
    var rangAgoUsec: Int64?
    var lateUsec: Int64 = 0
    var lateCause: String?
    var labels: JSONValue = [:]
    var data: JSONValue = [:]
    var id: Int64 = 1
    /// The number of its last event.
    var seq: Int64 = 1
    /// What the ring does. A timer that is over and did not miss its expiry has an unanswered ring.
    var ringing: String?
    /// The rest of the snooze, or of the sound.
    var ringLeftUsec: Int64 = 240_000_000
    var kind = "countdown"
    /// Further members of the daemon's Timer.
    var more: JSONValue = [:]
  }

  let nowUsec: Int64
  private let entries: Mutex<[Entry]>

  init(_ entries: [Entry] = [], nowUsec: Int64) {
    self.nowUsec = nowUsec
    self.entries = Mutex(entries)
  }

  func json(_ entry: Entry) -> JSONValue {
    let counted = entry.durationUsec - entry.remainingUsec
    let hasDeadline = entry.state == "running" && entry.kind != "stopwatch"
    let deadline: JSONValue? = hasDeadline ? .integer(nowUsec + entry.remainingUsec) : nil
    // The time since boot does not matter; the member must exist.
    let boottime: JSONValue? =
      hasDeadline && entry.clock == "elapsed" ? .integer(entry.remainingUsec) : nil
    let progress = Double(counted) / Double(max(1, entry.durationUsec))
    let (ringing, open) = (Self.ringing(entry), openRing(entry))
    let numbers: [(String, JSONValue?)] = [
      ("id", .integer(entry.id)), ("seq", .integer(entry.seq)),
      ("duration_usec", .integer(entry.durationUsec)),
      ("remaining_usec", .integer(entry.remainingUsec)), ("elapsed_usec", .integer(counted)),
      ("progress", .double(progress)), ("started_usec", .integer(nowUsec - counted)),
      ("next_expiry", 2), ("deadline_usec", deadline), ("deadline_boottime_usec", boottime),
    ]
    let words: [(String, JSONValue?)] = [
      ("name", .string(entry.name)), ("kind", .string(entry.kind)),
      ("state", .string(entry.state)), ("clock", .string(entry.clock)),
      ("ringing", ringing.map(JSONValue.string)), ("open_ring", open),
    ]
    let members = JSONValue.members(numbers + words)
    // Members of an object in `more`, such as the open ring, are added to the object that is there.
    // An empty object, and any other value, replaces it.
    let all = (entry.more.objectValue ?? []).reduce(members) { all, member in
      guard let old = all[member.key], old.objectValue != nil,
        member.value.objectValue?.isEmpty == false
      else { return all.setting(member.key, member.value) }
      return all.setting(member.key, old.setting(all: member.value))
    }
    return all.setting("labels", entry.labels).setting("data", entry.data)
  }

  /// What the ring of a timer does; nil: none is open.
  private static func ringing(_ entry: Entry) -> String? {
    entry.ringing ?? (entry.state == "over" && entry.more["miss"] == nil ? "unanswered" : nil)
  }

  private func openRing(_ entry: Entry) -> JSONValue? {
    guard let ringing = Self.ringing(entry) else { return nil }
    let agoUsec = entry.rangAgoUsec ?? 0
    let dueUsec = JSONValue.integer(nowUsec - agoUsec - entry.lateUsec)
    var members: [(String, JSONValue?)] = [
      ("expiry", 1), ("due_usec", dueUsec), ("expiries", 1), ("first_due_usec", dueUsec),
      ("rang_usec", .integer(nowUsec - agoUsec)), ("ago_usec", .integer(agoUsec)),
      ("late_usec", .integer(entry.lateUsec)),
      ("late_cause", entry.lateCause.map(JSONValue.string)),
    ]
    if ringing == "unanswered" {
      members.append(("quiet_usec", .integer(agoUsec)))
    } else {
      members.append(("left_usec", .integer(entry.ringLeftUsec)))
      members.append(("until_usec", .integer(nowUsec + entry.ringLeftUsec)))
    }
    return .members(members)
  }

  /// Answers a call as the daemon would.
  func answer(_ request: FakeDaemon.Request) -> FakeDaemon.Answer {
    let parameters = request.parameters
    return entries.withLock { entries in
      switch request.method {
      case "Start": start(parameters, &entries)
      case "List": list(parameters, entries)
      case "Status": .reply(Samples.status(nowUsec: nowUsec))
      default: change(request.method, parameters, &entries)
      }
    }
  }

  private func start(_ parameters: JSONValue, _ entries: inout [Entry]) -> FakeDaemon.Answer {
    let name = parameters["name"]?.stringValue ?? "a"
    if let index = entries.firstIndex(where: { $0.name == name }) {
      let isActive = ["running", "paused"].contains(entries[index].state)
      if isActive, parameters["if_absent"]?.boolValue == true {
        return .reply(["timer": json(entries[index]), "created": false])
      }
      if isActive, parameters["replace"]?.boolValue != true {
        return .error("TimerExists", ["name": .string(name)])
      }
      entries.remove(at: index)
    }
    let usec = parameters["duration_usec"]?.integerValue ?? 0
    let entry = Entry(
      name: name, clock: parameters["clock"]?.stringValue ?? "elapsed", durationUsec: usec,
      remainingUsec: usec, labels: parameters["labels"] ?? [:], data: parameters["data"] ?? [:])
    entries.append(entry)
    return .reply(["timer": json(entry), "created": true])
  }

  private func list(_ parameters: JSONValue, _ entries: [Entry]) -> FakeDaemon.Answer {
    let prefix = parameters["prefix"]?.stringValue
    let states = parameters["states"]?.arrayValue?.compactMap(\.stringValue)
    let rings = parameters["ringing"]?.arrayValue?.compactMap(\.stringValue)
    let found = entries.filter { entry in
      let isRing = Self.ringing(entry).map { rings?.contains($0) == true } ?? false
      return (prefix.map { entry.name == $0 || entry.name.hasPrefix("\($0)/") } ?? true)
        && (states == nil && rings == nil || isRing || states?.contains(entry.state) == true)
    }
    // Pages of two, so that every command has to read several pages.
    let after = Int(parameters["after"]?.integerValue ?? 0)
    let page = JSONValue.array(found.dropFirst(after).prefix(2).map(json))
    return after + 2 < found.count
      ? .reply(["timers": page, "next": .integer(Int64(after + 2))]) : .reply(["timers": page])
  }

  private static let possible = [
    "running": ["pause", "cancel", "restart", "extend"],
    "paused": ["resume", "cancel", "restart", "extend"],
    "over": ["restart", "snooze", "dismiss", "stop", "remove"], "cancelled": ["restart", "remove"],
  ]

  private func change(
    _ method: String, _ parameters: JSONValue, _ entries: inout [Entry]
  ) -> FakeDaemon.Answer {
    let name = parameters["name"]?.stringValue ?? ""
    guard let index = entries.firstIndex(where: { $0.name == name }) else {
      return .error("TimerNotFound", ["name": .string(name)])
    }
    var entry = entries[index]
    let byUsec = parameters["by_usec"]?.integerValue ?? 0
    switch (method, entry.state) {
    case ("Get", _): break
    case ("Pause", "running"): entry.state = "paused"
    case ("Resume", "paused"): entry.state = "running"
    case ("Stop", _) where Self.ringing(entry) != nil && entry.state != "over":
      entry.ringing = nil
    case ("Cancel", "running"), ("Cancel", "paused"), ("Stop", "running"), ("Stop", "paused"):
      (entry.state, entry.ringing) = ("cancelled", nil)
    case ("Extend", "running"), ("Extend", "paused"):
      // A timer without remaining time rings after the reply.
      let addedUsec = max(byUsec, -entry.remainingUsec)
      entry.durationUsec += addedUsec
      entry.remainingUsec += addedUsec
    case ("Snooze", _) where Self.ringing(entry) != nil:
      (entry.ringing, entry.ringLeftUsec) = ("snoozed", byUsec)
    case ("Restart", _):
      entry.state = "running"
      entry.ringing = nil
      entry.remainingUsec = entry.durationUsec
    case ("Update", _):
      entry.labels = parameters["labels"] ?? entry.labels
      entry.data = parameters["data"] ?? entry.data
    case ("Dismiss", "running") where entry.more["failure"] != nil || entry.ringing != nil,
      ("Dismiss", "paused") where entry.more["failure"] != nil || entry.ringing != nil:
      (entry.more, entry.ringing) = ([:], nil)
    case ("Dismiss", "over"), ("Stop", "over"), ("Cancel", "over"), ("Remove", _):
      entries.remove(at: index)
      return .reply(["timer": json(entry)])
    default:
      return .error(
        "InvalidTransition",
        .members([
          ("name", .string(name)), ("kind", .string(entry.kind)), ("state", .string(entry.state)),
          ("operation", .string(method.lowercased())),
          ("possible", .array((Self.possible[entry.state] ?? []).map(JSONValue.string))),
          ("ringing", Self.ringing(entry).map(JSONValue.string)),
        ]))
    }
    entries[index] = entry
    return .reply(["timer": json(entry)])
  }
}
