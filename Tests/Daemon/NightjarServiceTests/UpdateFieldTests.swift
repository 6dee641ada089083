import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink
import VarlinkGenerator

/// Each property of a timer that a start and an update can set, and what the ledger has of it.
@Suite struct UpdateFieldTests {
  private let desk: ServiceDesk

  init() throws { desk = try ServiceDesk() }

  /// Parameters of `Update`, with a start to whose timer they apply.
  private static let updates = Row.table(
    """
    labels => {"own":"x"} => "duration_usec":60000000
    data => {"own":1} => "duration_usec":60000000
    message => "other" => "duration_usec":60000000
    bands => [{"name":"warn","remaining_usec":1000000}] => "duration_usec":60000000
    ring => {"silent":true} => "duration_usec":60000000
    except => ["2026-12-24..2027-01-01"] => "alarm":{"calendar":"9:30"}
    until => "2199-12-31" => "alarm":{"calendar":"9:30"}
    calendar => "Mon *-*-* 10:00:00" => "alarm":{"calendar":"9:30"}
    """)

  private static let partsOfRing = Row.table(
    """
    exec => ["pwd"]
    on => ["paused"]
    environment => {"own":"x"}
    timeout_usec => 7
    sound => "/bell.oga"
    silent => true
    ring_for_usec => 7
    volume => 7
    rising_usec => 7
    insist_usec => 7000000
    disturb => true
    """)

  @Test func `The tables have each parameter of Update and each part of a ring`() throws {
    #expect(
      try Set(TimersInterface.parameters(of: "Update"))
        == Set(Self.updates.map { $0[0] } + ["ring_without"]))
    #expect(
      try TimersInterface.fields(of: "Ring").map(\.name) == Self.partsOfRing.map { $0[0] })
  }

  /// Starts and updates a timer called tea.
  private func timer(
    with start: String, updatedBy update: String
  ) throws -> (before: JSONValue, after: JSONValue) {
    let before = try desk.ask("Start", #"{"name":"tea",\#(start)}"#)
    return (before, try desk.ask("Update", #"{"name":"tea",\#(update)}"#))
  }

  private func last(_ type: String) throws -> JSONValue {
    try #require(desk.ledger().last { $0["type"]?.stringValue == type })
  }

  @Test(arguments: updates)
  func `Each parameter of Update changes the timer, and is in the event`(row: Row) throws {
    let value = try JSONValue.parse(row[1])
    let (before, after) = try timer(with: row[2], updatedBy: #""\#(row[0])":\#(row[1])"#)
    #expect(before[row[0]] != after[row[0]] && after[row[0]] == value)
    // An alarm's properties are one member of the event.
    let event = try last("updated")
    #expect((event[row[0]] ?? event["alarm"]?[row[0]]) == value, "\(event.text)")
  }

  @Test func `The events of a start and of an update of its bands contain the given values`() throws
  {
    let given = #"""
      "repeat":{},"clock":"wall","labels":{"own":"x"},"data":{"own":1},"wake":true,
      "ring":{"silent":true},"message":"other"
      """#
    // Those of other kinds, and those that the interface's own test lists.
    let others: Set = [
      "duration_usec", "bands", "late", "fire_within_usec", "missed", "replace", "if_absent",
      "alarm", "stopwatch", "sequence",
    ]
    let values = try JSONValue.parse("{\(given)}")
    let parameters = Set(try TimersInterface.parameters(of: "Start"))
    #expect(Set(values.objectValue?.map(\.key) ?? []) == parameters.subtracting(others))
    try desk.ask("Start", #"{"name":"tea","duration_usec":60000000,\#(given)}"#)
    // What an update does not mention is in its event as well.
    try desk.ask("Update", #"{"name":"tea","bands":[{"name":"warn","remaining_usec":1000000}]}"#)
    let (started, updated) = try (last("started"), last("updated"))
    let updatable = Set(try TimersInterface.parameters(of: "Update"))
    for member in values.objectValue ?? [] {
      let key = member.key
      #expect(started[key] == member.value, "\(key) of the start")
      if updatable.contains(key) { #expect(updated[key] == member.value, "\(key) of the update") }
    }
    #expect(updated["bands"] == [["name": "warn", "remaining_usec": 1_000_000]])
  }

  @Test(arguments: partsOfRing)
  func `Each part of the ring in Update changes the timer, and can be taken away`(row: Row) throws {
    let part = #""\#(row[0])":\#(row[1])"#
    let (before, after) = try timer(
      with: #""duration_usec":60000000,"ring":{"exec":["ls"]}"#, updatedBy: #""ring":{\#(part)}"#)
    let shown = after["ring"]?[row[0]]
    #expect(before["ring"]?[row[0]] != shown)
    // Only the names of variables are shown.
    #expect(try shown == (row[0] == "environment" ? ["own"] : JSONValue.parse(row[1])))
    let without = try desk.ask("Update", #"{"name":"tea","ring_without":["\#(row[0])"]}"#)
    #expect(without["ring"]?[row[0]] == nil, "Update does not take it away")
  }
}
