import NightjarClient
import NightjarInterface
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink
import VarlinkGenerator

@testable import nightjar

/// Each field of the interface has an option that sets it, or a line of `show` that prints it.
@Suite(.blocking) struct InterfaceFieldTests {
  private static let interface = Result { try Interface(parsing: TimersInterface.description) }

  /// Without the undo id of a person's change, which the command adds.
  static func fields(of name: String) throws -> [Field] {
    switch try interface.get().declaration(of: name)?.kind {
    case .method(let fields, _), .type(.structure(let fields)):
      return fields.filter { !["undo_id", "if_seq", "request"].contains($0.name) }
    default: throw Unmet(description: "there is no \(name)")
    }
  }

  // MARK: What can be asked

  /// The arguments for fields without an option of the same name; empty: the command or its
  /// arguments imply it.
  private static let arguments: [String: [String]] = [
    "name": [], "duration_usec": [], "alarm": [], "stopwatch": [], "sequence": [],
    "repeat": ["--repeat"], "bands": ["--band", "1min=warn"], "labels": ["--label", "own=x"],
    "data": ["--data", "{\"own\": 1}"], "ring": ["--silent"], "late": ["--late", "skip"],
    "fire_within_usec": ["--late", "10min"], "except": ["--except", "2026-12-24"],
    "until": ["--until", "2199-12-31"], "ring_without": ["--without", "volume"],
    "calendar": ["daily", "9:00"],
  ]

  /// Arguments that set a field.
  private static func arguments(for field: Field) throws -> [String] {
    if let arguments = arguments[field.name] { return arguments }
    let option = "--" + field.name.replacing("_", with: "-")
    if case .optional(.bool) = field.type { return [option] }
    let value = try #require(values(of: field.type).first { $0 != 0 })
    return [option, value.stringValue ?? value.text]
  }

  @Test(arguments: [("Start", ["start", "tea", "4min"]), ("Update", ["edit", "tea"])])
  func `Each parameter has an option, which is sent`(method: String, words: [String]) throws {
    for field in try Self.fields(of: method) {
      let arguments = try Self.arguments(for: field)
      if arguments.isEmpty { continue }
      // The command reads an alarm before it changes its calendar.
      let isAlarm = field.name == "calendar"
      let entry = FakeTimers.Entry(
        name: "tea", kind: isAlarm ? "alarm" : "countdown",
        more: isAlarm ? ["calendar": "*-*-* 07:00:00"] : [:])
      let fixture = try Fixture([entry]) { request, _ in
        request.method == method ? [.error("TimerNotFound", ["name": "tea"])] : nil
      }
      let result = try fixture.runner.run(words + arguments)
      let sent = fixture.daemon.requests.first { $0.method == method }?.parameters
      #expect(sent?[field.name] != nil, "\(method) has \(field.name): \(arguments), \(result)")
    }
  }

  // MARK: What commands print

  /// Values of a type that differ from each other.
  private static func values(of type: TypeExpression) throws -> [JSONValue] {
    switch type {
    case .bool: return [true, false]
    case .int: return [0, 7, 90_000_000, 1_700_000_000_000_000]
    case .float: return [0.25, 0.75]
    case .string: return ["other", "wall", "daily", "sleep"]
    case .object: return [["own": 1]]
    case .map: return [["own": "x"]]
    case .optional(let wrapped): return try values(of: wrapped)
    case .array(let element): return [.array(Array(try values(of: element).prefix(2)))]
    case .enumeration(let words): return words.map { .string($0.name) }
    case .structure(let fields):
      return try (0...1).map { index in
        .object(
          try fields.map { field in
            let values = try values(of: field.type)
            return .init(field.name, values[index % values.count])
          })
      }
    case .named(let name):
      guard case .type(let type)? = try interface.get().declaration(of: name)?.kind else { break }
      return try values(of: type)
    case .set: break
    }
    throw Unmet(description: "there are no values of \(type)")
  }

  /// Timers, each with fields that are shown only in combination with others.
  private static let timers: [JSONValue] = {
    let fake = FakeTimers(nowUsec: 1_600_000_180_000_000)
    let plain = fake.json(.init(name: "tea", clock: "awake", remainingUsec: 60 * second))
    let over = fake.json(
      .init(
        name: "tea", state: "over", clock: "awake", remainingUsec: 60 * second,
        rangAgoUsec: 60 * second, lateUsec: 90 * second, lateCause: "paused",
        ringing: "unanswered",
        more: [
          "open_ring": [
            "expiries": 2, "left_usec": 60_000_000, "until_usec": 1_600_000_000_000_000,
          ],
          "miss": [
            "number": 1, "due_usec": 1_600_000_000_000_000, "late_usec": 90_000_000,
            "late_cause": "paused", "outcome": "did_not_ring",
          ], "misses": 2,
        ]))
    let step: JSONValue = [
      "number": 1, "name": "work", "break": false, "waits": false, "index": 1, "steps": 2,
      "round": 1,
    ]
    let band: JSONValue = [
      "name": "other", "remaining_usec": 0, "color": "other", "text": "other",
      "progress": ["from": 0.25, "to": 0.25],
    ]
    return [
      plain, plain.setting("kind", "stopwatch"), over, over.setting("ringing", "snoozed"),
      plain.setting("owner", "kim/phone").setting("owner_state", "offline")
        .setting("owner_since_usec", 1_600_000_000_000_000),
      plain.setting("kind", "sequence").setting("step", step),
      plain.setting("repeat", ["rung": 1, "snoozed": false]).setting("calendar", "hourly"),
      plain.setting("bands", [band]),
    ]
  }()

  private static func shown(_ json: JSONValue) throws -> [String] {
    Show.lines(
      try Session.timer(json), json, at: WallClock(nowUsec: 1_600_000_100_000_000, zone: .utc))
  }

  @Test func `A change of any field of a timer changes the output of show`() throws {
    // `show` prints the present step and the next one, and the same instant of the wall clock.
    let exceptions: Set = ["steps", "deadline_boottime_usec"]
    for field in try Self.fields(of: "Timer") where !exceptions.contains(field.name) {
      let values = try Self.values(of: field.type)
      let isShown = try Self.timers.contains { timer in
        let lines = try Self.shown(timer)
        return try values.contains { try Self.shown(timer.setting(field.name, $0)) != lines }
      }
      #expect(isShown, "show says nothing of \(field.name)")
    }
  }

  // MARK: What a ring has

  /// A value of a part of a ring.
  private static func value(of part: Field) -> JSONValue {
    switch part.name {
    case "exec": ["pwd"]
    case "on": ["paused"]
    // The daemon sends only the names of variables.
    case "environment": ["own"]
    case "sound": "/bell.oga"
    case "silent", "disturb": true
    case "insist_usec": 7_000_000
    default: 7
    }
  }

  @Test func `Each part of a ring is named by show and by a replaced timer`() throws {
    for part in try Self.fields(of: "Ring") {
      let without = Self.timers[0].setting("ring", ["exec": ["true"]])
      let with = without.setting("ring", ["exec": ["true"], part.name: Self.value(of: part)])
      #expect(try Self.shown(with) != Self.shown(without), "show says nothing of \(part.name)")
      let lost = try ReplacedTimer.options(
        of: TimerSettings.start(of: Session.timer(with), with), missingIn: [:], isCalendar: false)
      let isOne = ["exec", "environment"].contains(part.name)
      #expect(lost.filter { $0 != "--clock" }.count == (isOne ? 1 : 2), "\(part.name): \(lost)")
    }
  }

  // MARK: What has words

  @Test func `The sentence about an update names each parameter that was given, and nothing else`()
    throws
  {
    let names = [
      "bands": "bands warn", "ring": "no sound", "labels": "own=x", "except": "except 2026-12-24",
      "until": "until 2199-12-31", "calendar": "daily 09:00", "ring_without": "sound chime",
      "data": #"{"own":1}"#, "message": "other",
    ]
    for parameter in try Self.fields(of: "Update") where parameter.name != "name" {
      let start =
        switch parameter.name {
        case "except", "until", "calendar": "alarm tea 9:30 --repeat"
        case "ring_without": "start tea 1h --sound chime --volume 7"
        default: "start tea 1h"
        }
      let options = try Self.arguments(for: parameter).map { "'\($0)'" }.joined(separator: " ")
      let updated = try RehearsedScript().sentences("\(start)\nedit tea \(options)\n")
        .compactMap { $0.split(separator: ": updated: ").dropFirst().first }
      #expect(updated.count == 1, "\(parameter.name)")
      let words = try #require(names[parameter.name])
      #expect(updated.first?.contains(words) == true, "\(parameter.name): \(updated)")
      #expect(updated.first?.contains(",") == false, "and nothing else: \(updated)")
    }
    let none = try RehearsedScript().sentences(
      "start tea 1h --band 1min=warn\nedit tea --without bands\n"
        + "start egg 1h --label a=b\nedit egg --without labels\n")
    #expect(none.contains { $0.hasSuffix("tea: updated: no bands") }, "\(none)")
    #expect(none.contains { $0.hasSuffix("egg: updated: nothing is attached now") }, "\(none)")
  }

  @Test func `Each cause of lateness has words for people`() {
    let causes = Wire.Cause.allCases.map(\.rawValue)
    #expect(causes.count >= 8)
    for cause in causes {
      #expect(LateText.reason(cause) != cause, "LateText has no words for \(cause)")
    }
    #expect(LateText.reason("newer") == "newer", "the word of a newer daemon is shown as it is")
  }
}
