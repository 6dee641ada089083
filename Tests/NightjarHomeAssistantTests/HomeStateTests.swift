import NightjarHomeAssistant
import NightjarModel
import NightjarVarlink
import Testing

/// The state of timers for Home Assistant, and its commands.
@Suite struct HomeStateTests {
  private static let noon: Int64 = 1_800_000_000_000_000

  private func value(
    _ state: String, seq: Int64 = 1, inSeconds: Int64? = nil
  ) -> [UInt8] {
    var members: [JSONValue.Member] = [
      .init("state", .string(state)), .init("seq", .integer(seq)),
      .init("duration_usec", 240_000_000),
    ]
    if let inSeconds {
      members.append(.init("deadline_usec", .integer(Self.noon + inSeconds * 1_000_000 + 999_999)))
    }
    return JSONValue.object(members).bytes
  }

  private func json(_ payload: [UInt8]) throws -> JSONValue { try JSONValue.parse(payload) }

  @Test func `The overview names the timer that rings next`() throws {
    var state = HomeState()
    #expect(
      try json(state.overview) == [
        "timers": 0, "next": .null, "finishes_at": .null, "paused": .null, "ringing": .null,
      ])
    state.set("tea", value("running", inSeconds: 60))
    state.set("egg", value("running", inSeconds: 30))
    state.set("watch", value("running"))
    state.set("rest", value("paused", seq: 4))
    state.set("nap", value("paused", seq: 5))
    state.set("oven", value("fired", seq: 6))
    #expect(
      try json(state.overview) == [
        "timers": 6, "next": "egg", "finishes_at": "2027-01-15T08:00:30Z", "paused": "nap",
        "ringing": "oven",
      ])
    #expect(state.meant(by: .pause) == "egg" && state.meant(by: .addTime) == "egg")
    #expect(state.meant(by: .unpause) == "nap" && state.meant(by: .snooze) == "oven")
    state.set("egg", [])
    state.set("nap", [])
    #expect(state.meant(by: .cancel) == "tea" && state.meant(by: .unpause) == "rest")
  }

  @Test func `A timer never has an empty value, also if it is absent`() throws {
    var state = HomeState()
    #expect(try json(state.timer("tea")) == ["state": "absent", "finishes_at": .null])
    for (word, shown) in [
      ("running", "active"), ("paused", "paused"), ("fired", "ringing"), ("waiting", "ringing"),
      ("cancelled", "idle"),
    ] {
      state.set("tea", value(word, inSeconds: 1))
      let timer = try json(state.timer("tea"))
      #expect(timer["state"]?.stringValue == shown)
      #expect((timer["finishes_at"]?.stringValue != nil) == (word == "running"), "\(word)")
      #expect(timer["created_duration"]?.integerValue == 240)
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
