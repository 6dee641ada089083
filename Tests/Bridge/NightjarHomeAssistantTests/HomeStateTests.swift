import NightjarHomeAssistant
import NightjarModel
import Testing
import Varlink

/// The state of timers for Home Assistant, and its commands.
@Suite struct HomeStateTests {
  private static let noon: Int64 = 1_800_000_000_000_000

  private func value(
    _ state: String, seq: Int64 = 1, inSeconds: Int64? = nil, rangAgo: Int64? = nil,
    ringing: String = "unanswered", kind: String = "countdown", _ more: [JSONValue.Member] = []
  ) -> [UInt8] {
    var members: [JSONValue.Member] = [
      .init("state", .string(state)), .init("seq", .integer(seq)), .init("kind", .string(kind)),
      .init("duration_usec", 240_000_000),
    ]
    if let inSeconds {
      members.append(.init("deadline_usec", .integer(Self.noon + inSeconds * 1_000_000 + 999_999)))
    }
    if let rangAgo {
      let ring: JSONValue = [
        "rang_usec": .integer(Self.noon - rangAgo * 1_000_000),
        "until_usec": .integer(Self.noon + 20_000_000),
      ]
      members += [.init("ringing", .string(ringing)), .init("open_ring", ring)]
    }
    return JSONValue.object(members + more).bytes
  }

  private func json(_ payload: [UInt8]) throws -> JSONValue { try JSONValue.parse(payload) }

  @Test func `The overview names the timer that rings next`() throws {
    var state = HomeState()
    #expect(
      try json(state.overview) == [
        "timers": 0, "next": .null, "finishes_at": .null, "can": .object([]),
      ])
    state.set("tea", value("running", inSeconds: 60))
    state.set("egg", value("running", inSeconds: 30))
    state.set("watch", value("running", kind: "stopwatch"))
    state.set("rest", value("paused", seq: 4))
    state.set("nap", value("paused", seq: 5))
    state.set("oven", value("over", seq: 6, rangAgo: 9))
    #expect(
      try json(state.overview) == [
        "timers": 6, "next": "egg", "finishes_at": "2027-01-15T08:00:30Z",
        "can": [
          "pause": "egg", "unpause": "nap", "cancel": "egg", "finish": "egg", "add_time": "egg",
          "subtract_time": "egg", "dismiss": "oven", "snooze": "oven",
        ],
      ])
    #expect(state.meant(by: .pause) == "egg" && state.meant(by: .addTime) == "egg")
    #expect(state.meant(by: .unpause) == "nap" && state.meant(by: .snooze) == "oven")
    state.set("egg", [])
    state.set("nap", [])
    #expect(state.meant(by: .cancel) == "tea" && state.meant(by: .unpause) == "rest")
    // The end of a snooze is the next ring.
    state.set("oven", value("over", seq: 7, rangAgo: 9, ringing: "snoozed"))
    let overview = try json(state.overview)
    #expect(overview["next"]?.stringValue == "oven")
    #expect(overview["finishes_at"]?.stringValue == "2027-01-15T08:00:20Z")
  }

  @Test func `Whatever rang can be dismissed, also if it runs on; the last ring comes first`() {
    var state = HomeState()
    // A daily alarm, a step of a sequence, and two countdowns.
    state.set("tea", value("over", seq: 9, rangAgo: 60))
    state.set(
      "wake",
      value(
        "running", seq: 3, inSeconds: 86_000, rangAgo: 5, kind: "alarm", [.init("calendar", "7:00")]
      ))
    #expect(state.meant(by: .dismiss) == "wake" && state.meant(by: .snooze) == "wake")
    state.set("work", value("running", inSeconds: 9, rangAgo: 2, kind: "sequence"))
    #expect(state.meant(by: .dismiss) == "work" && state.meant(by: .snooze) == "work")
    state.set("work", value("waiting", seq: 12, rangAgo: 1, kind: "sequence"))
    #expect(state.meant(by: .dismiss) == "work" && state.meant(by: .snooze) == "work")
    // A client dismissed that ring; the sequence still waits.
    state.set("work", value("waiting", seq: 13, kind: "sequence"))
    state.set(
      "wake", value("running", inSeconds: 86_000, kind: "alarm", [.init("calendar", "7:00")]))
    #expect(state.meant(by: .dismiss) == "tea" && state.meant(by: .snooze) == "tea")
  }

  @Test func `A button of the next timer does nothing to the one behind it`() {
    var state = HomeState()
    state.set("wake", value("running", inSeconds: 30, kind: "alarm"))
    state.set("tea", value("running", inSeconds: 60))
    #expect(state.meant(by: .pause) == "wake")
    // An alarm has no duration to which time is added.
    #expect(state.meant(by: .addTime) == nil)
  }

  @Test func `While the daemon does not answer, no button is for any timer`() throws {
    var state = HomeState()
    state.set("tea", value("running", inSeconds: 60))
    state.isAnswered = false
    #expect(HomeAction.allCases.allSatisfy { state.meant(by: $0) == nil })
    #expect(try json(state.timer("tea"))["can"] == .array([]))
    #expect(try json(state.overview)["next"]?.stringValue == "tea")
    state.isAnswered = true
    #expect(state.meant(by: .pause) == "tea")
  }

  @Test func `A timer is never an empty value, also if it is absent`() throws {
    var state = HomeState()
    #expect(
      try json(state.timer("tea")) == ["state": "absent", "finishes_at": .null, "can": .array([])])
    let (running, paused) = (
      "pause cancel finish add_time subtract_time", "unpause cancel finish add_time subtract_time"
    )
    for (word, ringing, shown, can) in [
      ("running", nil, "active", running),
      ("running", "ringing", "ringing", "\(running) dismiss snooze"),
      ("running", "snoozed", "active", "\(running) dismiss snooze"),
      ("running", "unanswered", "active", "\(running) dismiss snooze"),
      ("paused", nil, "paused", paused),
      ("paused", "ringing", "ringing", "\(paused) dismiss snooze"),
      ("over", "ringing", "ringing", "dismiss snooze"),
      ("over", "unanswered", "ringing", "dismiss snooze"),
      ("waiting", "unanswered", "ringing", "cancel dismiss snooze"),
      ("waiting", nil, "idle", "cancel"), ("cancelled", nil, "idle", ""),
    ] as [(String, String?, String, String)] {
      state.set(
        "tea",
        value(word, inSeconds: 1, rangAgo: ringing == nil ? nil : 3, ringing: ringing ?? ""))
      let timer = try json(state.timer("tea"))
      #expect(timer["state"]?.stringValue == shown)
      #expect((timer["finishes_at"]?.stringValue != nil) == (word == "running"), "\(word)")
      #expect(timer["created_duration"]?.integerValue == 240)
      #expect(
        timer["can"]?.arrayValue?.compactMap(\.stringValue).joined(separator: " ") == can,
        "\(word)")
    }
    // A state of a later version.
    state.set("tea", value("dreaming"))
    #expect(try json(state.timer("tea"))["state"]?.stringValue == "absent")
  }

  @Test(arguments: [
    (#"{"action":"pause"}"#, "Pause", #"{"name":"x"}"#),
    (#"{"action":"unpause","timer":"oven"}"#, "Resume", #"{"name":"x"}"#),
    (#"{"action":"cancel"}"#, "Cancel", #"{"name":"x"}"#),
    (#"{"action":"dismiss"}"#, "Dismiss", #"{"name":"x"}"#),
    (#"{"action":"add_time"}"#, "Extend", #"{"name":"x","by_usec":300000000}"#),
    (#"{"action":"add_time","duration":60}"#, "Extend", #"{"name":"x","by_usec":60000000}"#),
    (#"{"action":"subtract_time","duration":1}"#, "Extend", #"{"name":"x","by_usec":-1000000}"#),
    (#"{"action":"snooze","duration":540}"#, "Snooze", #"{"name":"x","by_usec":540000000}"#),
  ])
  func `A button is a call of the daemon`(
    payload: String, method: String, parameters: String
  ) throws {
    let command = try #require(HomeCommand(payload: Array(payload.utf8)))
    let call = command.call(on: "x")
    #expect(call.method == method && call.parameters.text == parameters)
    #expect(command.timer == (payload.contains("oven") ? "oven" : nil))
  }

  @Test func `Finishing a timer takes all its time away`() throws {
    let command = try #require(HomeCommand(payload: Array(#"{"action":"finish"}"#.utf8)))
    let call = command.call(on: "x")
    #expect(call.method == "Extend")
    #expect(call.parameters["by_usec"]?.integerValue == -Limits.durationUsec)
  }

  @Test(arguments: [
    "", "pause", "[]", #"{"action":"explode"}"#, #"{"action":"snooze","duration":0}"#,
    #"{"action":"snooze","duration":"5"}"#, #"{"action":"snooze","duration":99999999999999}"#,
    #"{"action":"pause","timer":7}"#, #"{"timer":"x"}"#,
  ])
  func `An invalid payload is no press of a button`(payload: String) {
    #expect(HomeCommand(payload: Array(payload.utf8)) == nil)
  }
}
