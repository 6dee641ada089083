import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Which events call a command, and what it gets of them in its environment.
@Suite struct EnvironmentTests {
  private let desk: ServiceDesk

  init() throws { desk = try ServiceDesk() }

  @Test func `A command gets the event in variables of its environment`() throws {
    try desk.ask(
      "Start",
      #"""
      {"name":"run/1/tea","duration_usec":20000,"labels":{"team":"réd","a-b c":"x=y"},
       "data":{"distance_m":1840},"bands":[{"name":"warn","remaining_usec":60000000}],
       "message":"Now"}
      """#)
    try desk.sleep(usec: hour)
    let rang = try #require(try desk.ledger().last { $0["type"] == "rang" })
    let found = try desk.environment(of: "rang")
    func number(_ key: String) -> String? { rang[key]?.integerValue.map { "\($0)" } }
    let expected: [String: String?] = [
      "NAME": "run/1/tea", "ID": "1", "EVENT": "rang", "SEQ": number("seq"),
      "TIME_USEC": number("time_usec"), "KIND": "countdown", "STATE": "over",
      "LATE_USEC": "\(hour - 20_000)", "LATE_CAUSE": "sleep", "REMAINING_USEC": "0",
      "DURATION_USEC": "20000", "ELAPSED_USEC": "20000", "LABEL_TEAM": "réd",
      "LABEL_A_B_C": "x=y", "DATA": #"{"distance_m":1840}"#, "BAND": "warn", "MESSAGE": "Now",
      "SOCKET": "/socket", "STEP": nil, "CAUSES": nil,
    ]
    for (name, value) in expected { #expect(found[name] == value, "\(name)") }
    #expect(try JSONValue.parse(try #require(found["JSON"])) == rang)
    // Events of the machine have their span.
    let left = try desk.environment(of: "will_enter_foreground")
    #expect(left["CAUSES"] == "sleep" && left["ELAPSED_USEC"] == "\(hour)")
    #expect(left["NAME"] == nil && left["STATE"] == nil)
  }

  @Test func `The event of a band names the band, and that of a removed timer still its labels`()
    throws
  {
    try desk.ask(
      "Start",
      #"""
      {"name":"tea","duration_usec":3600000000,"labels":{"a":"b"},
       "bands":[{"name":"warn","remaining_usec":60000000}]}
      """#)
    try desk.advance(usec: hour - 30 * second)
    let crossed = try desk.environment(of: "band_crossed")
    #expect(crossed["BAND"] == "warn" && crossed["STATE"] == "running")
    try desk.ask("Remove", #"{"name":"tea"}"#)
    let removed = try desk.environment(of: "removed")
    #expect(removed["NAME"] == "tea" && removed["ID"] == "1" && removed["LABEL_A"] == "b")
    #expect(removed["STATE"] == nil && removed["BAND"] == nil)
  }

  @Test func `Characters that control a terminal are escaped in JSON that stays the same`() throws {
    let text = "\u{9B}31m\u{7F}\u{202E}\u{2028}\\\"é"
    let data: JSONValue = ["text": .string(text), "list": [1, true, .null, [:]]]
    let timer: JSONValue = [
      "name": "tea", "duration_usec": 20_000, "labels": ["raw": .string(text)], "data": data,
    ]
    try desk.ask("Start", timer.text)
    try desk.advance(usec: 20_000)
    let found = try desk.environment(of: "rang")
    let shown = try #require(found["DATA"])
    #expect(try !VisibleText.hasUnsafe(shown) && JSONValue.parse(shown) == data)
    #expect(shown.contains(#"\u009b31m\u007f\u202e\u2028\\\"é"#))
    #expect(try !VisibleText.hasUnsafe(#require(found["JSON"])))
    // A label is not JSON.
    #expect(found["LABEL_RAW"] == text)
  }

  @Test(arguments: [
    (#"["started","paused","updated"]"#, ["started", "paused", "updated"]), ("[]", ["rang"]),
    (#"["rang"]"#, ["rang"]), (#"["band_crossed","rang","undone"]"#, ["band_crossed", "rang"]),
  ])
  func `A command runs on its own events and on no other`(on: String, types: [String]) throws {
    try desk.ask(
      "Start",
      #"""
      {"name":"tea","duration_usec":3600000000,"ring":{"exec":["a"],"on":\#(on)},
       "bands":[{"name":"warn","remaining_usec":60000000}]}
      """#)
    for (method, more) in [
      ("Pause", ""), ("Resume", ""), ("Update", #","message":"x""#), ("Extend", #","by_usec":1"#),
    ] { try desk.ask(method, #"{"name":"tea"\#(more)}"#) }
    try desk.advance(usec: 2 * hour)
    #expect(try desk.calls(of: "tea") == types)
  }
}
