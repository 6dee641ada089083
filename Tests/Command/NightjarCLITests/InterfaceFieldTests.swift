import ArgumentParser
import NightjarClient
import NightjarEngine
import NightjarInterface
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarSimulation
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink
import VarlinkGenerator

@testable import nightjar

/// Each field of the interface has an option that sets it, or a line of `show` that prints it.
@Suite(.blocking) struct InterfaceFieldTests {
  private static let interface = Result { try Interface(parsing: TimersInterface.description) }
  private let service = SimulatedService()

  /// Without the undo id of a person's change, which the command adds.
  private static func fields(of name: String) throws -> [Field] {
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
    let plain: JSONValue = [
      "id": 1, "seq": 1, "name": "tea", "kind": "countdown", "state": "running",
      "clock": "awake", "duration_usec": 240_000_000, "remaining_usec": 60_000_000,
      "elapsed_usec": 180_000_000, "progress": 0.5, "started_usec": 1_600_000_000_000_000,
      "next_expiry": 2, "labels": [:], "data": [:],
    ]
    let expiry: JSONValue = [
      "number": 1, "due_usec": 1_600_000_000_000_000, "late_usec": 90_000_000,
      "late_cause": "paused", "outcome": "did_not_ring",
    ]
    let over = plain.setting("state", "over").setting("ringing", "unanswered")
      .setting(
        "open_ring",
        [
          "expiry": 1, "due_usec": 1_600_000_000_000_000, "expiries": 2,
          "first_due_usec": 1_600_000_000_000_000, "rang_usec": 1_600_000_090_000_000,
          "ago_usec": 60_000_000, "late_usec": 90_000_000, "late_cause": "paused",
          "left_usec": 60_000_000, "until_usec": 1_600_000_000_000_000,
        ]
      ).setting("miss", expiry).setting("misses", 2)
    let step: JSONValue = [
      "number": 1, "name": "work", "break": false, "waits": false, "index": 1, "steps": 2,
      "round": 1,
    ]
    return [
      plain, plain.setting("kind", "stopwatch"), over, over.setting("ringing", "snoozed"),
      plain.setting("owner", "kim/phone").setting("owner_state", "offline")
        .setting("owner_since_usec", 1_600_000_000_000_000),
      plain.setting("kind", "sequence").setting("step", step),
      plain.setting("repeat", ["rung": 1, "snoozed": false]).setting("calendar", "hourly"),
      plain.setting(
        "bands",
        [
          [
            "name": "other", "remaining_usec": 0, "color": "other", "text": "other",
            "progress": ["from": 0.25, "to": 0.25],
          ]
        ]),
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

  // MARK: What is in the ledger

  @Test func `The events of a start and of an update contain the given values`() throws {
    let machine = SimulatedMachine()
    try machine.boot()
    let given: [(name: String, value: JSONValue)] = try Self.fields(of: "Start").compactMap {
      field in
      switch field.name {
      case "name", "duration_usec", "bands", "late", "fire_within_usec", "missed", "replace",
        "if_absent", "alarm", "stopwatch", "sequence":
        // Those of other kinds, and those that the interface's own test lists.
        return nil
      case "repeat": return ("repeat", [:])
      case "ring": return ("ring", ["silent": true])
      // The last word conflicts with wake.
      case "clock": return ("clock", "wall")
      default: return (field.name, try #require(Self.values(of: field.type).last { $0 != false }))
      }
    }
    #expect(given.count > 4)
    var start: JSONValue = ["duration_usec": 60_000_000]
    for (name, value) in given { start = start.setting(name, Self.small(value)) }
    let spec = try TimerSpec(
      startParameters: start, calendar: ZoneCalendar(local: .utc), defaults: SpecDefaults())
    let updatable = Set(try Self.fields(of: "Update").map(\.name))
    try machine.runIteration { core in
      let slot = try? core.engine.start("tea", spec, at: machine.clocks.now).slot
      var other = spec
      other.bands = [NightjarModel.Band(name: "warn", remainingUsec: 1_000_000)]
      if let slot { try? core.engine.update(slot, to: other, at: machine.clocks.now) }
    }
    let events = machine.takePublished().filter { $0.subject != nil }.map(JSONValue.event)
    #expect(events.map { $0["type"] } == ["started", "updated"])
    for (name, value) in given {
      #expect(events.first?[name] == Self.small(value), "\(name) of a start is not in its event")
      guard updatable.contains(name) else { continue }
      #expect(events.last?[name] == Self.small(value), "\(name) of an update is not in its event")
    }
    #expect(events.last?["bands"] != nil)
  }

  /// The timer in the replies to a start and to an update of it, and the event of the update.
  private func timer(
    with start: JSONValue, updatedBy update: JSONValue
  ) throws -> (before: JSONValue, after: JSONValue, event: JSONValue) {
    if service.machine.core == nil { try service.machine.boot() }
    let replies = try [("Start", start), ("Update", update)].map { method, parameters in
      try #require(service.call(method, parameters.setting("name", "tea"))["timer"])
    }
    // It may be followed by an event about the deadline.
    let event = try #require(
      service.machine.takePublished().map(JSONValue.event).last { $0["type"] == "updated" })
    _ = try service.call("Remove", ["name": "tea"])
    return (replies[0], replies[1], event)
  }

  @Test func `Each parameter of Update changes the timer`() throws {
    // Removed parts are not part of a timer; the parts of a ring are tested below.
    let parameters = try Self.fields(of: "Update").filter {
      !["name", "ring_without"].contains($0.name)
    }
    #expect(parameters.count >= 4)
    for parameter in parameters {
      let value = try Self.update(of: parameter)
      let update = JSONValue.object([.init(parameter.name, value)])
      let (before, after, _) = try timer(with: Self.start(for: parameter), updatedBy: update)
      #expect(before[parameter.name] != after[parameter.name], "Update ignores \(update.text)")
      #expect(after[parameter.name] == value)
    }
  }

  /// Starts a timer to which a parameter of Update applies.
  private static func start(for parameter: Field) -> JSONValue {
    switch parameter.name {
    case "except", "until", "calendar": ["alarm": ["calendar": "9:30"]]
    case "ring_without": ["duration_usec": 60_000_000, "ring": ["silent": true, "volume": 7]]
    default: ["duration_usec": 60_000_000]
    }
  }

  /// The value that Update sets on a timer without the property.
  private static func update(of parameter: Field) throws -> JSONValue {
    switch parameter.name {
    case "bands": [["name": "warn", "remaining_usec": 1_000_000]]
    case "ring": ["silent": true]
    case "except": ["2026-12-24..2027-01-01"]
    case "until": "2199-12-31"
    case "calendar": "Mon *-*-* 10:00:00"
    case "ring_without": ["volume"]
    default: small(try #require(values(of: parameter.type).last { $0 != false }))
    }
  }

  /// A value of a part of a ring.
  private static func value(of part: Field) throws -> JSONValue {
    switch part.name {
    case "on": ["paused"]
    case "sound": "/bell.oga"
    case "insist_usec": 7_000_000
    default: small(try #require(values(of: part.type).last { $0 != false }))
    }
  }

  /// Options that set a part of a ring; those for the command need one.
  private static func options(for part: Field) -> [String] {
    let option = "--" + part.name.replacing("_usec", with: "").replacing("_", with: "-")
    return switch part.name {
    case "exec": [option, "ls"]
    case "on": ["--exec", "ls", "--exec-on", "paused"]
    case "environment": ["--exec", "ls", "--env", "own=x"]
    case "timeout_usec": ["--exec", "ls", "--exec-timeout", "7s"]
    case "silent", "disturb": [option]
    case "sound": [option, "pulse"]
    case "volume": [option, "7"]
    default: [option, "7s"]
    }
  }

  @Test func `Each part of a ring has an option, and is named by show and by a replaced timer`()
    throws
  {
    for part in try Self.fields(of: "Ring") {
      var values = SettingValues()
      try RingOptions.parse(Self.options(for: part)).add(to: &values, at: .here)
      let asked = values.applied(to: [:])["ring"]
      #expect(asked?[part.name] != nil, "no option sets \(part.name)")

      let value: JSONValue = part.name == "environment" ? ["own"] : try Self.value(of: part)
      let without = Self.timers[0].setting("ring", ["exec": ["true"]])
      let with = without.setting("ring", ["exec": ["true"], part.name: value])
      #expect(try Self.shown(with) != Self.shown(without), "show says nothing of \(part.name)")
      let lost = try ReplacedTimer.options(
        of: TimerSettings.start(of: Session.timer(with), with), missingIn: [:], isCalendar: false)
      // The daemon does not send variables.
      let isOne = ["exec", "environment"].contains(part.name)
      #expect(lost.filter { $0 != "--clock" }.count == (isOne ? 1 : 2), "\(part.name): \(lost)")
    }
  }

  @Test func `Each part of the ring in Update changes the timer`() throws {
    let parts = try Self.fields(of: "Ring")
    #expect(parts.count >= 6)
    for part in parts {
      let value = try Self.value(of: part)
      let update: JSONValue = ["ring": .object([.init(part.name, value)])]
      let (before, after, _) = try timer(
        with: ["duration_usec": 60_000_000, "ring": ["exec": ["ls"]]], updatedBy: update)
      let shown = after["ring"]?[part.name]
      #expect(before["ring"]?[part.name] != shown, "Update ignores \(update.text)")
      // Only the names of variables are shown.
      #expect(shown == (part.name == "environment" ? ["own"] : value))
      // It can be removed again.
      let ring = JSONValue.object([.init("exec", ["ls"]), .init(part.name, value)])
      let (_, without, _) = try timer(
        with: ["duration_usec": 60_000_000, "ring": ring],
        updatedBy: ["ring_without": [.string(part.name)]])
      #expect(without["ring"]?[part.name] == nil, "Update does not take \(part.name) away")
    }
  }

  // MARK: What has words

  @Test func `The sentence about an update names each parameter that was given`() throws {
    let minute: JSONValue = ["duration_usec": 60_000_000]
    func sentence(_ update: JSONValue, of start: JSONValue) throws -> String {
      let (_, _, event) = try timer(with: start, updatedBy: update)
      return EventText(try Wire.Event(event)).sentence
    }
    let names: [String: String] = [
      "bands": "bands warn", "ring": "no sound", "labels": "own=x",
      "except": "except 2026-12-24..2027-01-01", "calendar": "Mon 10:00",
      "ring_without": "no sound",
    ]
    for parameter in try Self.fields(of: "Update") where parameter.name != "name" {
      let value = try Self.update(of: parameter)
      let text = try sentence(
        .object([.init(parameter.name, value)]), of: Self.start(for: parameter))
      let words = names[parameter.name] ?? value.stringValue ?? value.text
      #expect(text.hasPrefix("updated: ") && text.contains(words), "\(parameter.name): \(text)")
      #expect(!text.contains(","), "and nothing else: \(text)")
    }
    let bands = minute.setting("bands", [["name": "warn", "remaining_usec": 1_000_000]])
    #expect(try sentence(["bands": []], of: bands) == "updated: no bands")
    #expect(try sentence(["labels": [:]], of: minute) == "updated: nothing is attached now")
  }

  @Test func `Each cause of lateness has words for people`() {
    let causes = Wire.Cause.allCases.map(\.rawValue)
    #expect(causes.count >= 8)
    for cause in causes {
      #expect(LateText.reason(cause) != cause, "LateText has no words for \(cause)")
    }
    #expect(LateText.reason("newer") == "newer", "the word of a newer daemon is shown as it is")
  }

  /// A number within any limits.
  private static func small(_ value: JSONValue) -> JSONValue {
    value.integerValue == nil ? value : 7
  }
}
