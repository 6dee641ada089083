import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar
@testable import nightjar_rehearse

/// A ledger that a test writes, and the runs that it gives.
struct LedgerScript {
  /// As the daemon sends them.
  private(set) var events: [JSONValue] = []
  private var ids: [String: Int64] = [:]

  /// An instant on a zone's clocks, as people write it.
  static func time(_ text: String, in zone: String = "UTC") throws -> Int64 {
    try Timestamp(text, now: 0, local: try #require(ZoneDatabase.zone(named: zone))).usec
  }

  init() {}

  /// The events around a day, one on a line: the time, the timer or `-` for the machine, the type
  /// and the members, such as `11:54:02 tea rang counted=4min late=2s`. A span has two times and
  /// its causes: `11:50..11:52:30 sleep,down`. `22:00-2d` is two days earlier.
  init(on midnight: Int64, _ lines: String) throws { try add(lines, on: midnight) }

  mutating func add(_ lines: String, on midnight: Int64) throws {
    for line in lines.split(separator: "\n") {
      let words = try ScriptLine(line).words
      let times = try words[0].split(separator: "..").map {
        try Self.time(String($0), on: midnight)
      }
      let given = words.dropFirst(2).filter { $0.contains("=") }
      let members = try given.reduce([:] as JSONValue) { members, word in
        let (path, value) = try Self.member(word, on: midnight)
        return members.setting(path, value)
      }
      let causes = words[1].split(separator: ",").map(String.init)
      let number = Int64(spans.count + 1)
      switch words.dropFirst(2).first {
      case _ where times.count == 2:
        let elapsed = members["elapsed_usec"]?.integerValue
        hide(causes, from: times[0], to: times[1], number: number, elapsedUsec: elapsed)
      case _ where words[0].hasSuffix(".."):
        let span = Self.span(causes, from: times[0], number: number)
        add("did_enter_background", at: times[0], ["span": span])
      case _ where words[0].hasPrefix(".."):
        let open = try #require(
          spans.first { $0["causes"]?.arrayValue == causes.map(JSONValue.string) })
        let from = try #require(open["entered_usec"]?.integerValue)
        let span = open.setting("left_usec", .integer(times[0]))
          .setting("elapsed_usec", .integer(times[0] - from))
        add("will_enter_foreground", at: times[0], ["span": span])
      case "started": start(words[1], at: times[0], members)
      case "corrected":
        func usec(_ key: String) -> Int64? { members["\(key)_usec"]?.integerValue }
        let (from, to) = (usec("from") ?? 0, usec("to") ?? 0)
        let span = Self.span(
          ["reboot"], from: from, to: to, elapsedUsec: usec("elapsed") ?? to - from)
        let left = events.last { event in
          event["type"] == "will_enter_foreground" && event["span"]?["span"] == span["span"]
        }
        var more: [JSONValue.Member] = [
          .init("by_usec", .integer(usec("by") ?? 0)), .init("since_seq", left?["seq"] ?? 0),
          .init("span", span),
        ]
        if let early = usec("early") { more.append(.init("early_usec", .integer(early))) }
        add("span_corrected", at: times[0], .object(more))
      default:
        add(words[2], words[1] == "-" ? nil : words[1], at: times[0], members)
      }
    }
  }

  private static func span(_ text: String) throws -> Int64 {
    guard case .usec(let usec) = try ParsedSpan(String(text.drop { $0 == "-" })).span else {
      throw Unmet(description: "an infinite span")
    }
    return text.hasPrefix("-") ? -Int64(usec) : Int64(usec)
  }

  private static func time(_ text: String, on midnight: Int64) throws -> Int64 {
    let clock = String(text.prefix { $0.isNumber || ":.".contains($0) })
    let days = String(text.dropFirst(clock.count).drop { $0 == "+" })
    return try midnight + span(clock + (clock.count > 5 ? "" : ":00"))
      + (days.isEmpty ? 0 : span(days))
  }

  /// A member of an event. A span and a time of day have short keys, and `steps=a:25min,b:5min` are
  /// the steps of a sequence, of which those behind the first are breaks.
  static func member(
    _ word: String, on midnight: Int64
  ) throws -> (path: [String], value: JSONValue) {
    let key = String(word.prefix { $0 != "=" })
    let text = String(word.dropFirst(key.count + 1))
    switch key {
    case "for": return (["duration_usec"], .integer(try span(text)))
    case "counted", "paused", "late", "remaining", "by", "elapsed", "offset", "early", "left", "of":
      return (["\(key)_usec"], .integer(try span(text)))
    case "deadline", "from", "to", "rang":
      return (["\(key)_usec"], .integer(try time(text, on: midnight)))
    case "alarm.at": return (["alarm", "at_usec"], .integer(try time(text, on: midnight)))
    case "cause": return (["late_cause"], .string(text))
    case "steps":
      let steps = try text.split(separator: ",").map { step -> (name: String, usec: Int64) in
        let parts = step.split(separator: ":").map(String.init)
        return (parts[0], try span(parts[1]))
      }
      return (["sequence"], sequence(steps, rounds: 0)["sequence"] ?? [:])
    default:
      let path = key.split(separator: ".").map(String.init)
      return (path, (try? JSONValue.parse(text)) ?? .string(text))
    }
  }

  /// Adds an event of a timer, or of the machine. An expiry whose state is not given continues if
  /// it has a duration.
  mutating func add(_ type: String, _ name: String? = nil, at usec: Int64, _ more: JSONValue = [:])
  {
    let seq = Int64(events.count + 1)
    if type == "started", let name { ids[name] = seq }
    var members: [JSONValue.Member] = [
      .init("seq", .integer(seq)), .init("time_usec", .integer(usec)), .init("type", .string(type)),
    ]
    if let name {
      members += [.init("name", .string(name)), .init("id", .integer(ids[name] ?? 0))]
    }
    if let late = more["late_usec"]?.integerValue {
      members.append(.init("due_usec", .integer(usec - late)))
    }
    let expiries = ["rang", "did_not_ring", "joined", "advanced", "restarted_after_span"]
    if expiries.contains(type), more["state"] == nil, more["snoozed"] == nil {
      members.append(.init("state", more["duration_usec"] == nil ? "over" : "running"))
    }
    events.append(.object(members + (more.objectValue ?? [])))
  }

  /// Adds the start of a timer, of a countdown if `more` does not say otherwise.
  mutating func start(_ name: String, at usec: Int64, _ more: JSONValue) {
    let usual: JSONValue = [
      "kind": "countdown", "clock": "elapsed", "duration_usec": 0, "labels": [:], "data": [:],
    ]
    let members = (more.objectValue ?? []).reduce(usual) { $0.setting($1.key, $1.value) }
    add("started", name, at: usec, members)
  }

  /// Adds a span from one reading of the wall clock to another.
  mutating func hide(
    _ causes: [String], from: Int64, to: Int64, number: Int64 = 1, elapsedUsec: Int64? = nil
  ) {
    add("did_enter_background", at: from, ["span": Self.span(causes, from: from, number: number)])
    add(
      "will_enter_foreground", at: to,
      [
        "span": Self.span(
          causes, from: from, to: to, number: number, elapsedUsec: elapsedUsec ?? to - from)
      ])
  }

  static func span(
    _ causes: [String], from: Int64, to: Int64? = nil, number: Int64 = 1, elapsedUsec: Int64 = 0,
    isEstimated: Bool = false
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("span", .integer(number)), .init("causes", .array(causes.map(JSONValue.string))),
      .init("entered_usec", .integer(from)),
    ]
    if let to { members.append(.init("left_usec", .integer(to))) }
    return .object(
      members + [
        .init("elapsed_usec", .integer(elapsedUsec)), .init("estimated", .bool(isEstimated)),
      ])
  }

  /// The steps of a sequence, as in an event. Those behind the first are breaks.
  static func sequence(_ steps: [(name: String, usec: Int64)], rounds: Int64) -> JSONValue {
    let all = steps.enumerated().map { index, step -> JSONValue in
      [
        "name": .string(step.name), "duration_usec": .integer(step.usec),
        "break": .bool(index > 0),
      ]
    }
    return [
      "sequence": ["steps": .array(all), "rounds": .integer(rounds), "after_sleep": "continue"]
    ]
  }

  /// A command line with a daemon that has this ledger.
  ///
  /// - Parameters:
  ///   - entries: the timers now.
  ///   - lastSeq: the number of the last event, as the daemon reports it.
  func fixture(
    _ entries: [FakeTimers.Entry] = [], at noon: Noon, oldestSeq: Int64 = 1, lastSeq: Int64? = nil
  ) throws -> Fixture {
    let events = events
    return try Fixture(entries, at: noon) { request, nowUsec in
      switch request.method {
      case "Status":
        let last = lastSeq ?? Int64(events.count)
        return [.reply(Samples.status(nowUsec: nowUsec, oldestSeq: oldestSeq, lastSeq: last))]
      case "Events":
        let after = request.parameters["after"]?.integerValue ?? 0
        return events.filter { $0["seq"]?.integerValue ?? 0 > after }.map {
          .reply(["event": $0], continues: true)
        }
      case "Why":
        let name = request.parameters["name"]
        // The daemon knows nothing of a removed timer.
        guard entries.contains(where: { .string($0.name) == name }) else { return nil }
        return [
          .reply(["spans": .array(spans), "events": .array(events.filter { $0["name"] == name })])
        ]
      default: return nil
      }
    }
  }

  /// The spans in their last versions.
  private var spans: [JSONValue] {
    var spans: [Int64: JSONValue] = [:]
    for span in events.compactMap({ $0["span"] }) {
      if let number = span["span"]?.integerValue { spans[number] = span }
    }
    return spans.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The runs in the history, in the order of their starts.
  func runs(
    zone: String = "UTC", range: Range<Int64> = LocalDays.always, now: Int64? = nil,
    present: [Wire.Timer] = [], oldestSeq: Int64 = 0
  ) throws -> [Run] {
    let rules = try #require(ZoneDatabase.zone(named: zone))
    var fold = RunFold(present: present, oldestSeq: oldestSeq)
    var last: Int64 = 0
    for json in events {
      let event = try Wire.Event(json)
      fold.take(event)
      last = event.timeUsec
    }
    var runs: [Run] = []
    fold.finish(nowUsec: now ?? last, days: LocalDays(zone: rules, range: range)) {
      runs.append($0)
    }
    return runs.sorted { $0.startSeq < $1.startSeq }
  }
}

extension Run {
  /// The time on each day, by date.
  var byDay: [String: Int64] {
    days.reduce(into: [:]) { sums, share in
      sums[CivilDate(daysSinceEpoch: share.day).text, default: 0] += share.usec
    }
  }
}
