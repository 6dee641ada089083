import NightjarClient
import NightjarInterface
import Testing
import Varlink

@Suite struct TypesTests {
  private static let timer = """
    {"id":7,"seq":9,"name":"tea","kind":"countdown","state":"fired","clock":"awake","duration_usec":240000000,
    "remaining_usec":0,"elapsed_usec":240000000,"progress":1,"deadline_usec":null,"started_usec":1,
    "fired_usec":2,"fired_ago_usec":3,"late_usec":4,"late_cause":"sleep","labels":{"b":"2","a":"1"},
    "data":{"x":[1,2.5]},"colour":"a newer daemon's"}
    """

  @Test func `A timer is read with all its fields; null is absent, unknown fields are ignored`()
    throws
  {
    let timer = try NightjarTimer(JSONValue.parse(Self.timer))
    #expect(timer.id == 7 && timer.name == "tea" && timer.kind == .countdown)
    #expect(timer.state == .fired && timer.clock == .awake)
    #expect(timer.durationUsec == 240_000_000 && timer.remainingUsec == 0)
    #expect(timer.elapsedUsec == 240_000_000 && timer.progress == 1)
    #expect(timer.deadlineUsec == nil && timer.deadlineBoottimeUsec == nil)
    #expect(timer.startedUsec == 1 && timer.firedUsec == 2 && timer.firedAgoUsec == 3)
    #expect(timer.lateUsec == 4 && timer.lateCause == "sleep")
    #expect(timer.labels == [.init(key: "b", value: "2"), .init(key: "a", value: "1")])
    #expect(timer.data == ["x": [1, 2.5]])
  }

  @Test func `Unknown words of a newer daemon are preserved`() throws {
    let text = Self.timer.replacing("countdown", with: "alarm").replacing(
      "fired\"", with: "asleep\""
    )
    .replacing("awake", with: "moon")
    let timer = try NightjarTimer(JSONValue.parse(text.replacing("\"asleep_", with: "\"fired_")))
    #expect(timer.kind == .other("alarm") && timer.kind.rawValue == "alarm")
    #expect(timer.state == .other("asleep") && timer.clock == .other("moon"))
    for word in ["running", "paused", "fired", "cancelled", "new"] {
      #expect(NightjarTimer.State(rawValue: word).rawValue == word)
    }
    for word in ["elapsed", "awake", "wall", "new"] {
      #expect(NightjarTimer.Clock(rawValue: word).rawValue == word)
    }
  }

  @Test(arguments: [
    ("\"id\":7,", "", "timer has no 'id'"),
    ("\"name\":\"tea\"", "\"name\":null", "timer has no 'name'"),
    (
      "\"remaining_usec\":0", "\"remaining_usec\":\"0\"",
      "timer.remaining_usec has the wrong type"
    ),
    ("\"fired_usec\":2", "\"fired_usec\":2.5", "timer.fired_usec has the wrong type"),
    ("\"b\":\"2\"", "\"b\":2", "timer.labels has the wrong type"),
  ])
  func
    `A timer with a required field missing or of another type is refused by the field's name`(
      part: String, replacement: String, reason: String
    ) throws
  {
    let json = try JSONValue.parse(Self.timer.replacing(part, with: replacement))
    #expect(throws: ClientError.protocolViolation(reason)) { try NightjarTimer(json) }
    #expect(throws: ClientError.protocolViolation("timer is no object")) {
      try NightjarTimer(.null)
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
    let event = try Event(json)
    #expect(event.seq == 5 && event.timeUsec == 20 && event.name == nil && event.labels == nil)
    let read = try #require(event.span)
    #expect(read.number == 3 && read.causes == ["sleep", "down"] && read.isEstimated)
    #expect(read.enteredUsec == 10 && read.leftUsec == 20 && read.elapsedUsec == 10)
    let story = try Story(["spans": [span], "events": [json]])
    #expect(story.spans == [read] && story.events == [event])
    #expect(throws: ClientError.protocolViolation("story has no 'events'")) {
      try Story(["spans": []])
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
          NewTimer.Sequence(
            steps: [
              NewTimer.Step("work", for: .microseconds(5), waits: true),
              NewTimer.Step(
                "rest", for: .microseconds(1), isBreak: true, long: .microseconds(2)),
            ], rounds: 0, longEvery: 4, afterSleep: .pause))
      ),
      ("alarm", [:], nil), ("hourglass", [:], nil),
    ] as [(String, JSONValue, NewTimer.Kind?)])
  func `A start event has everything that is needed to start the timer again`(
    kind: String, more: JSONValue, what: NewTimer.Kind?
  ) throws {
    func json(_ type: String) -> JSONValue {
      let members: [JSONValue.Member] = [
        .init("seq", 1), .init("time_usec", 1), .init("type", .string(type)), .init("name", "tea"),
        .init("id", 1), .init("kind", .string(kind)), .init("duration_usec", 5),
      ]
      return .object(members + (more.objectValue ?? []))
    }
    #expect(try Event(json("started")).started == what)
    #expect(try Event(json("restarted")).started == nil)
  }

  @Test func `A timer says what happens to it in the background`() throws {
    func late(_ members: String) throws -> NewTimer.Late? {
      try NightjarTimer(
        JSONValue.parse(Self.timer.replacing("\"id\":7", with: "\"id\":7\(members)"))
      ).late
    }
    #expect(try late("") == .fire && late(#","late":"fire""#) == .fire)
    #expect(try late(#","late":"skip""#) == .skip)
    #expect(try late(#","fire_within_usec":5"#) == .fireWithin(.microseconds(5)))
    #expect(try late(#","late":"queue""#) == nil, "A word of a newer daemon")
    #expect(try NightjarTimer(JSONValue.parse(Self.timer)).missed == .once)
  }

  @Test func `A status of the first version is read, which has fewer fields`() throws {
    let status = try DaemonStatus(
      JSONValue.parse(
        """
        {"version":"1","pid":2,"started_usec":3,"counts":{"running":1,"paused":2,"fired":3,
        "cancelled":4,"clients":5,"watchers":6},"clocks":{"realtime_usec":1,"boottime_usec":2,
        "monotonic_usec":3,"boot_id":"b"},"clock_synchronized":true,"storage":{"ok":true,
        "state_directory":"/s","schema_version":1,"ledger":"l","oldest_seq":1,"last_seq":2},
        "sleep":{"seen":true,"inhibitor":false,"denied":false,"reason":"r"},"wake":{"can":true}}
        """))
    #expect(status.counts.waiting == 0 && status.commands == nil && status.ring == nil)
    #expect(status.storage.ledger == "l" && status.storage.loss == nil)
    #expect(status.isSleepSeen && !status.hasSleepInhibitor && status.sleepReason == "r")
    #expect(!status.isKeptAwake && status.longestPassUsec == nil && status.openSpan == nil)
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
    #expect(try DaemonStatus.Loss(json).missing == missing)
  }

  @Test func `A sentence can only be shown: it is equal to none, and cannot be searched`() {
    let sentence: Any = Sentence("it is so")
    #expect(!(sentence is any Equatable) && !(sentence is any Sequence))
    #expect("\(sentence)" == "it is so")
  }

  @Test func `Calls have the given parameters and omit the others`() {
    func members(_ call: Call) -> [String] { call.parameters.objectValue?.map(\.key) ?? [] }
    let plain = Call.start(name: nil, durationUsec: 5)
    #expect(plain == Call(method: "org.nightjar.Timers.Start", parameters: ["duration_usec": 5]))
    let full = Call.start(
      name: "x", durationUsec: 5, clock: .wall, replace: true, ifAbsent: true,
      labels: [.init(key: "b", value: "1"), .init(key: "a", value: "2")], data: ["k": nil])
    #expect(
      full.parameters == [
        "name": "x", "duration_usec": 5, "clock": "wall", "replace": true, "if_absent": true,
        "labels": ["b": "1", "a": "2"], "data": ["k": nil],
      ])
    #expect(members(.list()) == [])
    #expect(
      Call.list(prefix: "run", states: [.fired, .other("new")], after: 3, limit: 9).parameters
        == ["prefix": "run", "states": ["fired", "new"], "after": 3, "limit": 9])
    #expect(members(.update(name: "x")) == ["name"])
    #expect(Call.update(name: "x", labels: []).parameters == ["name": "x", "labels": [:]])
    #expect(Call.extend(name: "x", byUsec: -4).parameters == ["name": "x", "by_usec": -4])
    #expect(members(.watch()) == [] && members(.events()) == [] && members(.status()) == [])
    #expect(Call.Operation.allCases.map { Call.perform($0, name: "x").method }.count == 10)
  }

  @Test func `Every method that is called is in the interface's description`() {
    let calls: [Call] =
      [
        .start(name: "x", durationUsec: 1), .get(name: "x"), .list(), .extend(name: "x", byUsec: 1),
        .snooze(name: "x", byUsec: 1), .update(name: "x"), .watch(), .events(), .status(),
        .why(name: "x"),
      ] + Call.Operation.allCases.map { .perform($0, name: "x") }
    for call in calls {
      let name = call.method.split(separator: ".").last ?? ""
      #expect(TimersInterface.description.contains("method \(name)("), "\(name)")
    }
  }
}
