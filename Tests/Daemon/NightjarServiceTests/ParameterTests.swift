import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Invalid parameters: each is refused by its name, and nothing changes.
@Suite struct ParameterTests {
  private let desk: ServiceDesk

  init() throws {
    desk = try ServiceDesk()
    try desk.ask("Start", #"{"name":"tea","duration_usec":3600000000}"#)
  }

  private static func text(_ count: Int, of character: Character = "x") -> String {
    String(repeating: character, count: count)
  }

  /// The parameters of a start of `egg`.
  private static func egg(_ members: String) -> String {
    #"{"name":"egg","duration_usec":3600000000,\#(members)}"#
  }

  private func expectInvalid(_ parameter: String, _ method: String, _ parameters: String) throws {
    let refusal = try desk.refusal(method, parameters)
    #expect(refusal.error == "InvalidParameter" && refusal.parameter == parameter)
  }

  private static let noIntegers = [
    "1e3", "1.5", "1.0", "1E6", "-0.0", #""1000000""#, #""NaN""#, #""infinity""#, "true", "[]",
    "{}", "9223372036854775808", "-9223372036854775809", "99999999999999999999999999",
  ]

  @Test(arguments: noIntegers)
  func `A number that is no integer of 64 bits is refused`(number: String) throws {
    for (method, key) in [
      ("Start", "duration_usec"), ("Extend", "by_usec"), ("Snooze", "by_usec"), ("List", "after"),
      ("List", "limit"), ("Events", "after"), ("Watch", "tick_usec"),
    ] {
      let name = ["Start", "Extend", "Snooze"].contains(method) ? #""name":"tea","# : ""
      try expectInvalid(key, method, #"{\#(name)"\#(key)":\#(number)}"#)
    }
    #expect(try desk.ledger().count == 1)
  }

  @Test(
    arguments: Row.table(
      #"""
      Start {"duration_usec":0} => duration_usec
      Start {"duration_usec":-1} => duration_usec
      Start {"duration_usec":-0} => duration_usec
      Start {"duration_usec":-9223372036854775808} => duration_usec
      Start {"duration_usec":null} => duration_usec
      Start {"name":"x"} => duration_usec
      Start {"duration_usec":9,"name":42} => name
      Start {"duration_usec":9,"name":"run//mate"} => name
      Start {"duration_usec":9,"name":"a\u0000b"} => name
      Start {"duration_usec":9,"clock":"lunar"} => clock
      Start {"duration_usec":9,"clock":1} => clock
      Start {"duration_usec":9,"replace":"yes"} => replace
      Start {"duration_usec":9,"if_absent":0} => if_absent
      Start {"duration_usec":9,"if_absent":true,"replace":true} => if_absent
      Start {"duration_usec":9,"surprise":1} => surprise
      Start {"duration_usec":9,"clock":"awake","wake":true} => wake
      Start {"duration_usec":9,"labels":{"k":1}} => labels
      Start {"duration_usec":9,"labels":["k"]} => labels
      Start {"duration_usec":9,"labels":"k"} => labels
      Start {"duration_usec":9,"labels":{"k":null}} => labels
      Start {"duration_usec":9,"labels":{"k":"v","l":null}} => labels
      Start {"duration_usec":9,"data":[1]} => data
      Start {"duration_usec":9,"data":"x"} => data
      Start {"duration_usec":9,"data":1} => data
      Get {} => name
      Get {"name":["tea"]} => name
      Get {"nme":"tea"} => nme
      Extend {"name":"tea"} => by_usec
      Pause {"name":"tea","by_usec":1} => by_usec
      List {"limit":0} => limit
      List {"limit":-1} => limit
      List {"after":-1} => after
      List {"states":"running"} => states
      List {"states":["asleep"]} => states
      List {"states":[1]} => states
      List {"prefix":1} => prefix
      Events {"after":-1} => after
      Status {"x":1} => x
      org.varlink.service.GetInfo {"x":1} => x
      """#))
  func `A parameter that is unknown, missing or impossible is refused by its name`(row: Row) throws
  {
    let call = row[0].split(separator: " ", maxSplits: 1).map(String.init)
    try expectInvalid(row[1], call[0], call[1])
    #expect(try desk.ledger().map { $0["type"] } == ["started"])
  }

  // Two bytes are a character: counted as characters, these would be far below their limit.
  private static let excesses: [(String, String, Int64)] = [
    (#"{"duration_usec":\#(Limits.durationUsec + 1)}"#, "duration_usec", Limits.durationUsec),
    (#"{"duration_usec":\#(Int64.max)}"#, "duration_usec", Limits.durationUsec),
    (#"{"duration_usec":1,"name":"\#(text(256))"}"#, "name_bytes", 255),
    (#"{"duration_usec":1,"name":"\#(text(127, of: "é"))xy"}"#, "name_bytes", 255),
    (#"{"duration_usec":1,"name":"\#(text(60_000))"}"#, "name_bytes", 255),
    (egg(labels(Limits.labels + 1)), "labels", Int64(Limits.labels)),
    (egg(#""labels":{"\#(text(64))":"v"}"#), "label_key_bytes", 63),
    (egg(#""labels":{"\#(text(32, of: "é"))":"v"}"#), "label_key_bytes", 63),
    (egg(#""labels":{"":"v"}"#), "label_key_bytes", 63),
    (egg(#""labels":{"k":"\#(text(256))"}"#), "label_value_bytes", 255),
    (egg(#""labels":{"k":"\#(text(128, of: "é"))"}"#), "label_value_bytes", 255),
    (egg(data(4097)), "data_bytes", 4096),
  ]

  @Test(arguments: excesses)
  func `What exceeds a limit is refused with the limit`(
    parameters: String, limit: String, value: Int64
  ) throws {
    let reply = try desk.call("Start", parameters)
    #expect(reply.error == "org.nightjar.Timers.LimitExceeded")
    #expect(reply.parameters == ["limit": .string(limit), "value": .integer(value)])
    #expect(try desk.ledger().count == 1)
  }

  private static func labels(_ count: Int) -> String {
    #""labels":{"# + (0..<count).map { #""k\#($0)":"v""# }.joined(separator: ",") + "}"
  }

  private static func data(_ count: Int) -> String { #""data":{"a":"\#(text(count - 8))"}"# }

  @Test func `What is at its limit is accepted`() throws {
    let full = try desk.ask("Start", Self.egg(Self.labels(Limits.labels) + "," + Self.data(4096)))
    #expect(full["labels"]?.objectValue?.count == Limits.labels)
    #expect(full["data"]?["a"]?.stringValue?.count == 4088)
    let (name, value) = (Self.text(127, of: "é") + "x", Self.text(31, of: "é") + "k")
    let longest = try desk.ask(
      "Start",
      #"{"name":"\#(name)","duration_usec":\#(Limits.durationUsec),"labels":{"\#(value)":"\#(name)"}}"#
    )
    #expect(longest["name"] == .string(name))
    #expect(longest["duration_usec"] == .integer(Limits.durationUsec))
    #expect(longest["labels"] == [value: .string(name)])
    for (timer, byUsec) in [(name, 1), (name, .max), ("tea", .max)] as [(String, Int64)] {
      let longer = try desk.call("Extend", #"{"name":"\#(timer)","by_usec":\#(byUsec)}"#)
      #expect(longer.error == "org.nightjar.Timers.LimitExceeded")
      #expect(longer.parameters == ["limit": "by_usec", "value": .integer(Limits.durationUsec)])
    }
    #expect(try desk.ask("Get", #"{"name":"tea"}"#)["duration_usec"] == .integer(hour))
    // A page may be requested longer than it can be.
    let page = try desk.ask("List", #"{"limit":\#(Int64.max)}"#)
    #expect(page["timers"]?.arrayValue?.count == 3)
  }

  @Test func `A timer shortened past its end rings, however far past`() throws {
    try desk.ask("Extend", #"{"name":"tea","by_usec":\#(Int64.min)}"#)
    try desk.advance(usec: 1)
    #expect(try desk.ledger().contains { $0["type"] == "rang" })
  }

  @Test func `A ledger is not read after the last number that there can be`() throws {
    let replies = try desk.follow("Events", #"{"after":\#(Int64.max)}"#).replies()
    #expect(replies.map(\.error) == ["org.varlink.service.InvalidParameter"])
  }

  // MARK: Names

  @Test(arguments: [
    "run/4711/mate", "Käse 🧀", "a b", "..", "-x", "NULL", #"quote"backslash\"#, "\u{2028}",
    "e\u{301}",
  ])
  func `A name comes back as it was sent, also from the next daemon`(name: String) throws {
    let parameters = JSONValue.object([
      .init("name", .string(name)), .init("duration_usec", .integer(hour)),
    ])
    func isSame(_ json: JSONValue?) -> Bool {
      json?.stringValue?.utf8.elementsEqual(name.utf8) == true
    }
    #expect(try isSame(desk.ask("Start", parameters.text)["name"]))
    #expect(try isSame(desk.ledger().last?["name"]))
    try desk.crash()
    #expect(try isSame(desk.ask("List")["timers"]?.arrayValue?.last?["name"]))
  }

  @Test(arguments: ["", "a//b", text(1000), "TEA", "te\u{E1}"])
  func `No timer has an invalid name, or one in other letters`(name: String) throws {
    for method in ["Get", "Pause", "Remove", "Why"] {
      let reply = try desk.call(method, #"{"name":"\#(name)"}"#)
      #expect(reply.error == "org.nightjar.Timers.TimerNotFound")
      #expect(reply.parameters["name"]?.stringValue == name)
    }
  }
}
