import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// A ledger that a test writes, and the runs that it gives.
struct LedgerScript {
  /// As the daemon sends them.
  private(set) var events: [JSONValue] = []
  private var ids: [String: Int64] = [:]

  static let second: Int64 = 1_000_000
  static let minute = 60 * second
  static let hour = 60 * minute

  /// An instant on a zone's clocks, as people write it.
  static func time(_ text: String, in zone: String = "UTC") throws -> Int64 {
    try Timestamp(text, now: 0, local: try #require(ZoneDatabase.zone(named: zone))).usec
  }

  mutating func add(_ type: String, at usec: Int64, _ more: JSONValue = [:]) {
    add(type, nil, at: usec, more)
  }

  /// Adds an event of a timer. An expiry whose state is not given continues if it has a duration.
  ///
  /// - Parameters:
  ///   - counted: what the run had counted; nil: the event does not say.
  ///   - paused: how long it had been paused.
  mutating func add(
    _ type: String, _ name: String?, at usec: Int64, counted: Int64? = nil, paused: Int64 = 0,
    _ more: JSONValue = [:]
  ) {
    let seq = Int64(events.count + 1)
    if type == "started", let name { ids[name] = seq }
    var members: [JSONValue.Member] = [
      .init("seq", .integer(seq)), .init("time_usec", .integer(usec)), .init("type", .string(type)),
    ]
    if let name {
      members += [.init("name", .string(name)), .init("id", .integer(ids[name] ?? 0))]
    }
    if let counted { members.append(.init("counted_usec", .integer(counted))) }
    if paused > 0 { members.append(.init("paused_usec", .integer(paused))) }
    if let late = more["late_usec"]?.integerValue {
      members.append(.init("due_usec", .integer(usec - late)))
    }
    let expiries = ["rang", "did_not_ring", "joined", "advanced", "restarted_after_span"]
    if expiries.contains(type), more["state"] == nil, more["snoozed"] == nil {
      members.append(.init("state", more["duration_usec"] == nil ? "over" : "running"))
    }
    events.append(.object(members + (more.objectValue ?? [])))
  }

  mutating func start(
    _ name: String, at usec: Int64, for durationUsec: Int64 = 0, kind: String = "countdown",
    clock: String = "elapsed", labels: JSONValue = [:], _ more: JSONValue = [:]
  ) {
    let members: [JSONValue.Member] = [
      .init("kind", .string(kind)), .init("clock", .string(clock)),
      .init("duration_usec", .integer(durationUsec)), .init("labels", labels), .init("data", [:]),
    ]
    add("started", name, at: usec, .object(members + (more.objectValue ?? [])))
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

  /// The clock is synchronised: the reboot was as long as `span` says, longer than assumed by this
  /// much.
  mutating func correct(_ span: JSONValue, byUsec: Int64, at usec: Int64, earlyUsec: Int64? = nil) {
    let left = events.last { event in
      event["type"] == "will_enter_foreground" && event["span"]?["span"] == span["span"]
    }
    var members: [JSONValue.Member] = [
      .init("by_usec", .integer(byUsec)), .init("since_seq", left?["seq"] ?? 0),
      .init("span", span),
    ]
    if let earlyUsec { members.append(.init("early_usec", .integer(earlyUsec))) }
    add("span_corrected", at: usec, .object(members))
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

  /// The steps of a sequence, as in an event.
  static func sequence(_ steps: [(String, Int64, isBreak: Bool)], rounds: Int64) -> JSONValue {
    [
      "sequence": [
        "steps": .array(
          steps.map { name, usec, isBreak in
            ["name": .string(name), "duration_usec": .integer(usec), "break": .bool(isBreak)]
          }), "rounds": .integer(rounds), "after_sleep": "continue",
      ]
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
