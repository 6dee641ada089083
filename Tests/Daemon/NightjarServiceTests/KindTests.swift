import NightjarModel
import NightjarParameters
import NightjarTestSupport
import Testing
import Varlink

/// Alarms, stopwatches, sequences, repeats and bands, as clients give and see them.
@Suite struct KindTests {
  private let desk: ServiceDesk

  init() throws { desk = try ServiceDesk() }

  private func get(_ name: String) throws -> JSONValue {
    try desk.ask("Get", #"{"name":"\#(name)"}"#)
  }

  /// The events of a type.
  private func events(_ type: String) throws -> [JSONValue] {
    try desk.ledger().filter { $0["type"]?.stringValue == type }
  }

  @Test func `A repeating countdown rings after each period, and ends with the last`() throws {
    let started = try desk.ask(
      "Start", #"{"name":"tick","duration_usec":200000,"repeat":{"rounds":3}}"#)
    #expect(started["kind"] == "countdown" && started["repeat"]?["rounds"] == 3)
    try desk.advance(usec: 200_000)
    // Dismissing and stopping end the ring, not the timer.
    for method in ["Dismiss", "Stop"] {
      let heard = try desk.ask(method, #"{"name":"tick"}"#)
      #expect(heard["state"] == "running" && heard["open_ring"] == nil, "\(method)")
      try desk.advance(usec: 200_000)
    }
    let rings = try events("rang")
    let begun = try #require(started["started_usec"]?.integerValue)
    #expect(rings.map { $0["rung"] } == [1, 2, 3])
    #expect(rings.map { $0["time_usec"]?.integerValue } == (1...3).map { begun + $0 * 200_000 })
    // Nothing comes behind the last.
    #expect(rings.map { $0["duration_usec"] } == [200_000, 200_000, nil])
    #expect(try get("tick")["state"] == "over")
  }

  @Test func `Bands are crossed on the way, each an event with its colour and text`() throws {
    let bands = #"""
      [{"name":"start","remaining_usec":3600000000,"color":"green"},
       {"name":"last","remaining_usec":60000000,"color":"red","text":"Hurry, now",
        "progress":{"from":1,"to":0.5}}]
      """#
    let started = try desk.ask(
      "Start", #"{"name":"card","duration_usec":3600000000,"bands":\#(bands)}"#)
    let all = try #require(started["bands"]?.arrayValue)
    #expect(all.map { $0["color"] } == ["green", "red"] && started["band"] == all[0])
    #expect(all[1]["text"] == "Hurry, now" && all[1]["progress"]?["to"]?.doubleValue == 0.5)
    try desk.advance(usec: hour - 60 * second)
    let crossed = try #require(events("band_crossed").last)
    #expect(crossed["band"] == all[1] && crossed["remaining_usec"] == 60_000_000)
    #expect(try get("card")["progress"]?.doubleValue == 1)
    let longer = try desk.ask("Extend", #"{"name":"card","by_usec":3600000000}"#)
    #expect(longer["band"] == nil)
    #expect(try events("band_crossed").last?["band"] == nil)
    #expect(try desk.ask("Update", #"{"name":"card","bands":[]}"#)["bands"] == nil)
  }

  @Test func `An alarm can get another calendar, and keeps its excepted days and zone`() throws {
    let daily = #"{"name":"up","alarm":{"calendar":"9:30","zone":"Asia/Tokyo"}}"#
    let before = try desk.ask("Start", daily)
    #expect(before["calendar"] == "*-*-* 09:30:00" && before["zone"] == "Asia/Tokyo")
    func due(_ timer: JSONValue) throws -> Int64 {
      try #require(timer["deadline_usec"]?.integerValue)
    }
    // Tokyo has no summer time: 00:30 UTC.
    #expect(try due(before) % (24 * hour) == hour / 2)
    _ = try desk.ask("Update", #"{"name":"up","except":["2199-01-01"]}"#)
    let after = try desk.ask("Update", #"{"name":"up","calendar":"*-*-* 09:45:00"}"#)
    #expect(after["id"] == before["id"] && after["calendar"] == "*-*-* 09:45:00")
    #expect(after["zone"] == "Asia/Tokyo" && after["except"] == ["2199-01-01"])
    // A quarter of an hour later, or a day less than that if the present time lies between the two.
    #expect([hour / 4, hour / 4 - 24 * hour].contains(try due(after) - due(before)))
    let moon = try desk.refusal("Update", #"{"name":"up","calendar":"every blue moon"}"#)
    #expect(moon.reason.contains("moon"))
    _ = try desk.ask("Start", #"{"name":"tea","duration_usec":3600000000}"#)
    let tea = try desk.refusal("Update", #"{"name":"tea","calendar":"hourly"}"#)
    #expect(tea.reason == "'calendar' is for an alarm that repeats by a calendar")
  }

  @Test func `An alarm is on the wall clock, and is refused if its time has passed`() throws {
    let atUsec = desk.nowUsec + 300_000
    let soon = try desk.ask("Start", #"{"name":"soon","alarm":{"at_usec":\#(atUsec)}}"#)
    #expect(soon["clock"] == "wall" && soon["deadline_usec"] == .integer(atUsec))
    #expect(try desk.refusal("Advance", #"{"name":"soon"}"#).error == "NotForKind")
    try desk.advance(usec: 300_000)
    #expect(try events("rang").map { $0["time_usec"] } == [.integer(atUsec)])
    for alarm in [#"{"at_usec":\#(atUsec - 1)}"#, #"{"calendar":"2020-01-01"}"#] {
      #expect(try desk.refusal("Start", #"{"alarm":\#(alarm)}"#).error == "NeverElapses")
    }
  }

  @Test func `A sequence runs through its steps, and waits where it should`() throws {
    let steps = #"""
      [{"name":"work","duration_usec":1000000},
       {"name":"rest","duration_usec":1000000,"waits":true,"break":true}]
      """#
    func start(_ name: String, _ more: String) throws -> JSONValue {
      try desk.ask("Start", #"{"name":"\#(name)","sequence":{"steps":\#(steps),\#(more)}}"#)
    }
    let started = try start("pomodoro", #""rounds":2,"after_sleep":"restart""#)
    #expect(started["step"]?["name"] == "work" && started["step"]?["next_name"] == "rest")
    #expect(started["after_sleep"] == "restart" && started["clock"] == "elapsed")
    #expect(started["steps"]?.arrayValue?.map { $0["waits"] ?? false } == [false, true])
    #expect(started["steps"]?.arrayValue?.map { $0["break"] ?? false } == [false, true])
    let away = try start("focus", #""rounds":1,"after_away":"break""#)
    #expect(away["after_away"] == "break" && away["clock"] == "present")
    _ = try desk.ask("Remove", #"{"name":"focus"}"#)
    try desk.advance(usec: 2 * second)
    let rings = try events("rang")
    #expect(rings.map { $0["step_name"] } == ["rest", "rest"])
    #expect(rings.map { $0["state"] } == ["running", "waiting"])
    let waiting = try get("pomodoro")
    #expect(waiting["state"] == "waiting" && waiting["open_ring"]?["expiry"] == 2)
    let again = try desk.refusal("Start", #"{"name":"pomodoro","duration_usec":1}"#)
    #expect(again.error == "TimerExists")
    let next = try desk.ask("Advance", #"{"name":"pomodoro"}"#)
    #expect(next["state"] == "running" && next["step"]?["round"] == 2)
  }

  @Test(arguments: [
    (#""duration_usec":9000000000"#, false), (#""duration_usec":9000000000,"repeat":{}"#, true),
    (#""sequence":{"steps":[\#(step)]}"#, true), (#""alarm":{"calendar":"daily"}"#, true),
    (#""stopwatch":true"#, nil),
  ])
  func `The configured policies apply to a start that has none, where they make sense`(
    members: String, repeats: Bool?
  ) throws {
    desk.defaults = SpecDefaults(late: .fireWithin(usec: 600 * second), missed: .skip)
    let timer = try desk.ask("Start", "{\(members)}")
    #expect(timer["fire_within_usec"] == (repeats == nil ? nil : 600_000_000))
    #expect(timer["missed"] == (repeats == true ? "skip" : nil) && timer["late"] == nil)
    guard repeats == true else { return }
    // fire and once are the usual ones, which a reply omits.
    let said = try desk.ask("Start", #"{\#(members),"late":"fire","missed":"once"}"#)
    #expect(said["fire_within_usec"] == nil && said["missed"] == nil)
  }

  private static let step = #"{"name":"work","duration_usec":1000000}"#
  private static let long = (0..<120).map { "\($0 % 60).\(100000 + $0)" }.joined(separator: ",")
  private static let often = "at least 100 ms from one ring to the next"

  @Test(arguments: [
    (#""duration_usec":99999,"repeat":{}"#, "rounds", often),
    (#""sequence":{"steps":[]}"#, "steps", "at least one step"),
    (#""sequence":{"steps":[{"name":"a","duration_usec":1}]}"#, "steps", "100 ms"),
    (
      #""sequence":{"steps":[\#(step)],"long_every":2}"#, "long_every",
      "needs its length and how often"
    ),
    (#""sequence":{"steps":[\#(step)],"rounds":-1}"#, "rounds", "from 1"),
    (#""sequence":{"steps":[\#(step)]},"stopwatch":true"#, "kind", "one thing"),
    (#""alarm":{}"#, "alarm", "a point in time or a calendar"),
    (#""alarm":{"at_usec":1900000000000000,"zone":"UTC"}"#, "alarm", "need a calendar"),
    (#""alarm":{"calendar":"09:xx"}"#, "calendar", "at 4"),
    (#""alarm":{"calendar":"daily","zone":"Mars/Olympus"}"#, "zone", "Europe/Berlin"),
    (#""alarm":{"calendar":"*:*:0/0.05"}"#, "calendar", "100 ms"),
    (#""alarm":{"calendar":"*:*:0,59.95"}"#, "calendar", "100 ms"),
    (#""alarm":{"calendar":"*:*:0/0.000001"}"#, "calendar", "100 ms"),
    (#""alarm":{"calendar":"*:*:\#(long)"}"#, "calendar", "1024 bytes"),
    (#""stopwatch":true,"clock":"wall""#, "clock", "stopwatch"),
    (
      #""duration_usec":5,"bands":[{"name":"a","remaining_usec":1},{"name":"b","remaining_usec":2}]"#,
      "bands", "less remaining"
    ),
    (
      #""duration_usec":5,"bands":[{"name":"a","remaining_usec":0}]"#, "bands",
      "a remaining time of more than 0"
    ),
    (#""duration_usec":5,"bands":[{"name":"","remaining_usec":5}]"#, "bands", "name of 1 to 63"),
    (
      #""duration_usec":5,"bands":[{"name":"a","remaining_usec":5,"text":"\u001b[2J"}]"#, "bands",
      "control character"
    ),
    (
      #""duration_usec":5,"bands":[{"name":"a","remaining_usec":5,"color":"\n"}]"#, "bands",
      "control character"
    ),
    (
      #""duration_usec":5,"bands":[{"name":"a","remaining_usec":5,"progress":{"from":0,"to":1.5}}]"#,
      "to", "0 to 1"
    ),
    (#""duration_usec":5,"stopwatch":true"#, "duration_usec", ""),
    (#""alarm":{"at_usec":1},"duration_usec":5"#, "duration_usec", ""), ("", "duration_usec", ""),
    (#""sequence":{"steps":[\#(step)],"after_sleep":"x"}"#, "after_sleep", ""),
    (#""sequence":{"steps":[\#(step)],"after_away":"x"}"#, "after_away", ""),
    (#""sequence":{"steps":[\#(step)],"after_away":"break"},"clock":"awake""#, "clock", ""),
  ])
  func `A start that makes no sense is refused with a sentence, and changes nothing`(
    members: String, parameter: String, sentence: String
  ) throws {
    let refusal = try desk.refusal("Start", "{\(members)}")
    #expect(refusal.error == (refusal.reason.isEmpty ? "InvalidParameter" : "InvalidValue"))
    #expect(refusal.parameter == parameter && refusal.reason.contains(sentence), "\(refusal)")
    #expect(try desk.ask("List")["timers"] == [] && desk.ledger().isEmpty)
  }
}
