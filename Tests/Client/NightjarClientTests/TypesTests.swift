import NightjarClient
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

@Suite struct TypesTests {
  private static let timer = """
    {"id":7,"seq":9,"name":"tea","kind":"countdown","state":"over","clock":"awake","duration_usec":240000000,
    "remaining_usec":0,"elapsed_usec":240000000,"progress":1,"deadline_usec":null,"started_usec":1,
    "ringing":"unanswered","open_ring":{"expiry":2,"due_usec":3,"expiries":2,"first_due_usec":1,
    "rang_usec":7,"ago_usec":8,"late_usec":4,"late_cause":"sleep"},"last_expiry":{"number":3,"due_usec":9,
    "late_usec":1,"outcome":"did_not_ring"},"next_expiry":4,"labels":{"b":"2","a":"1"},"data":{"x":[1,2.5]},"colour":"a newer daemon's"}
    """

  @Test func `A timer is read with all its fields; null is absent, unknown fields are ignored`()
    throws
  {
    let timer = try Wire.Timer(JSONValue.parse(Self.timer))
    #expect(timer.id == 7 && timer.name == "tea" && timer.kind == .countdown)
    #expect(timer.state == .over && timer.clock == .awake)
    #expect(timer.durationUsec == 240_000_000 && timer.remainingUsec == 0)
    #expect(timer.elapsedUsec == 240_000_000 && timer.progress == 1)
    #expect(timer.deadlineUsec == nil && timer.deadlineBoottimeUsec == nil)
    #expect(timer.startedUsec == 1 && timer.ringing == .unanswered && timer.nextExpiry == 4)
    let ring = try #require(timer.openRing)
    #expect(ring.expiry == 2 && ring.dueUsec == 3 && ring.expiries == 2 && ring.firstDueUsec == 1)
    #expect(ring.rangUsec == 7 && ring.agoUsec == 8)
    #expect(ring.lateUsec == 4 && ring.lateCause == "sleep")
    let expiry = try #require(timer.lastExpiry)
    #expect(expiry.number == 3 && expiry.dueUsec == 9 && expiry.lateUsec == 1)
    #expect(expiry.outcome == .didNotRing)
    #expect(timer.labels == ["b": "2", "a": "1"])
    #expect(try timer.data.value == ["x": [1, 2.5]])
  }

  @Test func `Unknown words of a newer daemon are preserved`() throws {
    let text = Self.timer.replacing("countdown", with: "alarm").replacing("over", with: "asleep")
      .replacing("awake", with: "moon").replacing("unanswered", with: "humming")
      .replacing(#""sleep""#, with: #""eclipse""#)
    let timer = try Wire.Timer(JSONValue.parse(text))
    #expect(timer.kind == .other("alarm") && timer.kind.rawValue == "alarm")
    #expect(timer.state == .other("asleep") && timer.clock == .other("moon"))
    #expect(timer.ringing == .other("humming"))
    #expect(timer.openRing?.lateCause == Wire.Cause(rawValue: "eclipse"))
    for word in ["running", "paused", "over", "cancelled", "new"] {
      #expect(Wire.State(rawValue: word).rawValue == word)
    }
    for word in ["elapsed", "awake", "wall", "new"] {
      #expect(Wire.Clock(rawValue: word).rawValue == word)
    }
  }

  @Test(arguments: [
    (#""id":7,"#, "", "'id' of Timer has no value"),
    (#""name":"tea""#, #""name":null"#, "'name' of Timer has no value"),
    (
      #""remaining_usec":0"#, #""remaining_usec":"0""#,
      "'remaining_usec' of Timer has the wrong type"
    ),
    (#""started_usec":1"#, #""started_usec":1.5"#, "'started_usec' of Timer has the wrong type"),
    (#""b":"2""#, #""b":2"#, "'labels' of Timer has the wrong type"),
  ])
  func
    `A timer with a required field missing or of another type is refused by the field's name`(
      part: String, replacement: String, reason: String
    ) throws
  {
    let json = try JSONValue.parse(Self.timer.replacing(part, with: replacement))
    #expect(throws: ClientError.protocolViolation(reason)) { try Wire.Timer(json) }
    #expect(throws: ClientError.protocolViolation("'parameters' of Timer has the wrong type")) {
      try Wire.Timer(JSONValue.null)
    }
  }

  @Test func `An event is read with its span, and a story with both`() throws {
    let span: JSONValue = [
      "span": 3, "causes": ["sleep", "down"], "entered_usec": 10, "left_usec": 20,
      "elapsed_usec": 10, "estimated": true,
    ]
    let json: JSONValue = [
      "seq": 5, "time_usec": 20, "type": "will_enter_foreground", "span": span,
    ]
    let event = try Wire.Event(json)
    #expect(event.seq == 5 && event.timeUsec == 20 && event.name == nil && event.labels == nil)
    let read = try #require(event.span)
    #expect(read.span == 3 && read.causes == ["sleep", "down"] && read.estimated)
    #expect(read.enteredUsec == 10 && read.leftUsec == 20 && read.elapsedUsec == 10)
    let story = try Wire.Why.Reply(["spans": [span], "events": [json]] as JSONValue)
    #expect(story.spans == [read] && story.events == [event])
    #expect(throws: ClientError.protocolViolation("'events' of Reply has no value")) {
      try Wire.Why.Reply(["spans": []] as JSONValue)
    }
  }

  @Test(
    arguments: [
      ("countdown", [:], .countdown(.microseconds(5))),
      ("countdown", ["repeat": [:]], .repeating(.microseconds(5), rounds: 0)),
      ("countdown", ["repeat": ["rounds": 3]], .repeating(.microseconds(5), rounds: 3)),
      ("alarm", ["alarm": ["at_usec": 7]], .alarm(at: WallTime(usec: 7))),
      (
        "alarm", ["alarm": ["calendar": "hourly", "zone": "UTC", "rounds": 2]],
        .calendar("hourly", zone: "UTC", rounds: 2)
      ),
      ("stopwatch", [:], .stopwatch),
      (
        "sequence",
        [
          "sequence": [
            "steps": [
              ["name": "work", "duration_usec": 5, "waits": true],
              ["name": "rest", "duration_usec": 1, "break": true, "long_usec": 2],
            ], "rounds": 0, "long_every": 4, "after_sleep": "pause",
          ]
        ],
        .sequence(
          Wire.Sequence(
            steps: [
              Wire.Step("work", for: .microseconds(5), waits: true),
              Wire.Step("rest", for: .microseconds(1), isBreak: true, long: .microseconds(2)),
            ], rounds: 0, longEvery: 4, afterSleep: .pause))
      ),
      ("alarm", [:], nil), ("hourglass", [:], nil),
    ] as [(String, JSONValue, NewTimer?)])
  func `A start event has everything that is needed to start the timer again`(
    kind: String, more: JSONValue, what: NewTimer?
  ) throws {
    func json(_ type: String) -> JSONValue {
      let members: [JSONValue.Member] = [
        .init("seq", 1), .init("time_usec", 1), .init("type", .string(type)), .init("name", "tea"),
        .init("id", 1), .init("kind", .string(kind)), .init("duration_usec", 5),
      ]
      return .object(members + (more.objectValue ?? []))
    }
    #expect(try Wire.Event(json("started")).started == what)
    #expect(try Wire.Event(json("restarted")).started == nil)
  }

  @Test(
    arguments: [
      (#""first_seq":3,"last_seq":5"#, 3...5), (#""first_seq":5,"last_seq":3"#, nil),
      (#""first_seq":5"#, nil), (#""kept_as":"x""#, nil),
    ] as [(String, ClosedRange<Int64>?)])
  func `The missing events of a loss are reported if they are known`(
    members: String, missing: ClosedRange<Int64>?
  ) throws {
    let json = try JSONValue.parse("{\"reason\":\"removed\",\(members)}")
    #expect(try Wire.Loss(json).missing == missing)
  }

  @Test func `A sentence can only be shown: it is equal to none, and cannot be searched`() {
    let sentence: Any = Sentence("it is so")
    #expect(!(sentence is any Equatable) && !(sentence is any Sequence))
    #expect("\(sentence)" == "it is so")
  }

  @Test func `Calls have the given parameters and omit the others`() {
    #expect(
      Call(Wire.Start(name: nil, .countdown(.microseconds(5))))
        == Call(method: "org.nightjar.Timers.Start", parameters: ["duration_usec": 5]))
    var full = Wire.Start(name: "x", .countdown(.microseconds(5)))
    (full.clock, full.replace, full.ifAbsent) = (.wall, true, true)
    (full.labels, full.data) = (["b": "1", "a": "2"], ["k": nil])
    #expect(
      Call(full).parameters == [
        "name": "x", "duration_usec": 5, "clock": "wall", "replace": true, "if_absent": true,
        "labels": ["b": "1", "a": "2"], "data": ["k": nil],
      ])
    #expect(Call(Wire.List()).parameters == [:])
    var list = Wire.List()
    (list.prefix, list.states, list.after) = ("run", [.over, .other("new")], 3)
    list.ringing = [.snoozed]
    #expect(
      Call(list).parameters == [
        "prefix": "run", "states": ["over", "new"], "ringing": ["snoozed"], "after": 3,
      ])
    var update = Wire.Update(name: "x")
    #expect(Call(update).parameters == ["name": "x"])
    update.labels = [:]
    #expect(Call(update).parameters == ["name": "x", "labels": [:]])
  }

  @Test func `An operation is a method of the interface`() {
    for operation in Wire.Operation.allCases {
      let name = Call.perform(operation, name: "x").method.split(separator: ".").last ?? ""
      #expect(TimersInterface.description.contains("method \(name)("), "\(name)")
    }
  }
}
