import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Invalid parameters: each is refused by its name, and nothing changes.
@Suite(.blocking) struct ParameterTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
  }

  /// Expects that `InvalidParameter` names a parameter given as JSON text.
  private func expectInvalid(_ parameter: String, _ method: String, _ parameters: String) throws {
    let reply = try daemon.rawSocket().call(method, parameters)
    #expect(
      reply.error == "org.varlink.service.InvalidParameter", "\(method) \(parameters): \(reply)")
    #expect(reply.parameters["parameter"]?.stringValue == parameter, "\(method) \(parameters)")
  }

  private func expectLimit(
    _ limit: String, _ value: Int64, _ method: String, _ parameters: String
  ) throws {
    let reply = try daemon.rawSocket().call(method, parameters)
    #expect(reply.error == "org.nightjar.Timers.LimitExceeded", "\(method) \(parameters): \(reply)")
    #expect(reply.parameters["limit"]?.stringValue == limit)
    #expect(reply.parameters["value"]?.integerValue == value)
  }

  // MARK: Numbers

  @Test(arguments: [
    "1e3", "1.5", "1.0", "1E6", "-0.0", #""1000000""#, #""NaN""#, #""infinity""#, "true", "[]",
    "{}",
    "9223372036854775808", "-9223372036854775809", "99999999999999999999999999", "0", "-1",
    "-0", "-9223372036854775808",
  ])
  func `A duration that is not a positive integer is refused`(text: String) throws {
    try expectInvalid("duration_usec", "Start", #"{"name":"tea","duration_usec":\#(text)}"#)
    #expect(try daemon.connect().names() == [])
  }

  @Test func `A duration over the longest is refused with the limit, the longest is accepted`()
    throws
  {
    let longest = Limits.durationUsec
    for usec in [longest + 1, Int64.max] {
      try expectLimit("duration_usec", longest, "Start", #"{"name":"a","duration_usec":\#(usec)}"#)
    }
    let client = try daemon.connect()
    let timer = try client.start("age", usec: longest)
    #expect(timer.durationUsec == longest)
    #expect(longest - timer.remainingUsec < second)
    #expect(
      try client.refusal(of: .extend(name: "age", byUsec: 1))
        == .limitExceeded(limit: "by_usec", value: longest))
    #expect(
      try client.refusal(of: .extend(name: "age", byUsec: .max))
        == .limitExceeded(limit: "by_usec", value: longest))
    try client.start("tea", usec: hour)
    #expect(
      try client.refusal(of: .extend(name: "tea", byUsec: .max))
        == .limitExceeded(limit: "by_usec", value: longest))
    #expect(try client.get("tea").durationUsec == hour)
  }

  @Test func `A timer shortened past its end fires, however far past`() throws {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    _ = try client.timer(.extend(name: "tea", byUsec: .min))
    #expect(try daemon.events(after: 0).event { $0.type == "rang" }.name == "tea")
  }

  @Test func `Numbers of other methods follow the same rules`() throws {
    try daemon.connect().start("tea", usec: hour)
    for text in ["1e3", "1.5", #""1""#, "9223372036854775808", "true"] {
      try expectInvalid("by_usec", "Extend", #"{"name":"tea","by_usec":\#(text)}"#)
      try expectInvalid("by_usec", "Snooze", #"{"name":"tea","by_usec":\#(text)}"#)
      try expectInvalid("after", "List", #"{"after":\#(text)}"#)
      try expectInvalid("limit", "List", #"{"limit":\#(text)}"#)
      try expectInvalid("after", "Events", #"{"after":\#(text)}"#)
      try expectInvalid("tick_usec", "Watch", #"{"tick_usec":\#(text)}"#)
    }
    try expectInvalid("limit", "List", #"{"limit":0}"#)
    try expectInvalid("limit", "List", #"{"limit":-1}"#)
    try expectInvalid("after", "List", #"{"after":-1}"#)
    try expectInvalid("after", "Events", #"{"after":-1}"#)
    try expectInvalid("tick_usec", "Watch", #"{"tick_usec":\#(Limits.tickUsec - 1)}"#)
    // A page may be requested longer than it can be.
    let reply = try daemon.rawSocket().call("List", #"{"limit":\#(Int64.max)}"#)
    #expect(reply.parameters["timers"]?.arrayValue?.count == 1)
  }

  @Test func `Reading the ledger after an event that is still to come is refused`() throws {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    let last = try client.status().storage.lastSeq
    let socket = try daemon.rawSocket()
    for after in [last + 1, Int64.max] {
      try socket.send(frame: RawSocket.text("Events", #"{"after":\#(after)}"#, #","more":true"#))
      let reply = try #require(try socket.reply())
      #expect(reply.error == "org.varlink.service.InvalidParameter")
      #expect(reply.parameters["parameter"] == "after")
    }
  }

  // MARK: Names

  @Test(arguments: [
    "", "/", "/tea", "tea/", "run//mate", #"a\nb"#, #"a\u0000b"#, #"\u001f"#, #"a\u007f"#,
    #"\u0085"#, #"\t"#,
  ])
  func `An invalid name is refused`(text: String) throws {
    try expectInvalid("name", "Start", #"{"name":"\#(text)","duration_usec":1000000}"#)
    #expect(try daemon.connect().names() == [])
  }

  @Test func `A name may have 255 bytes of UTF-8, and not one more`() throws {
    let client = try daemon.connect()
    let longest = String(repeating: "é", count: 127) + "x"
    #expect(try client.start(longest, usec: hour).name == longest)
    #expect(try client.get(longest).name == longest)
    for name in [
      longest + "x", String(repeating: "a", count: 256), String(repeating: "b", count: 60_000),
    ] {
      try expectLimit("name_bytes", 255, "Start", #"{"name":"\#(name)","duration_usec":1}"#)
    }
    #expect(try client.names() == [longest])
  }

  @Test(arguments: [
    "tea", "run/4711/mate", "Käse 🧀", "a b", "..", "-x", "NULL", #"quote"backslash\"#, "\u{2028}",
    "e\u{301}",
  ])
  func `Any other text is a valid name, and comes back as it was sent`(name: String) throws {
    let client = try daemon.connect()
    #expect(try client.start(name, usec: hour).name == name)
    #expect(try client.names().map { Array($0.utf8) } == [Array(name.utf8)])
    #expect(try daemon.ledger().map(\.name) == [name])
    #expect(try daemon.terminate() == .exited(0))
    #expect(try rig.daemon().connect().get(name).name == name)
  }

  @Test func `A name in other letters is another name`() throws {
    let client = try daemon.connect()
    try client.start("caf\u{e9}", usec: hour)
    try client.start("cafe", usec: hour)
    #expect(try client.names().count == 2)
    #expect(try client.refusal(of: .get(name: "CAF\u{e9}")) == .timerNotFound(name: "CAF\u{e9}"))
  }

  @Test func `Asking for an invalid name is like asking for a timer that does not exist`() throws {
    let socket = try daemon.rawSocket()
    for name in ["", "a//b", String(repeating: "x", count: 1000)] {
      for method in ["Get", "Pause", "Remove", "Why"] {
        let reply = try socket.call(method, #"{"name":"\#(name)"}"#)
        #expect(reply.error == "org.nightjar.Timers.TimerNotFound")
        #expect(reply.parameters["name"]?.stringValue == name)
      }
    }
  }

  // MARK: Others

  @Test func `A parameter that is unknown, missing or of another type is refused by its name`()
    throws
  {
    try daemon.connect().start("tea", usec: hour)
    let start = #""duration_usec":1000000"#
    try expectInvalid("surprise", "Start", #"{\#(start),"surprise":1}"#)
    try expectInvalid("duration_usec", "Start", #"{"name":"x"}"#)
    try expectInvalid("duration_usec", "Start", #"{"name":"x","duration_usec":null}"#)
    try expectInvalid("name", "Start", #"{\#(start),"name":42}"#)
    try expectInvalid("clock", "Start", #"{\#(start),"clock":"lunar"}"#)
    try expectInvalid("clock", "Start", #"{\#(start),"clock":1}"#)
    try expectInvalid("replace", "Start", #"{\#(start),"replace":"yes"}"#)
    try expectInvalid("if_absent", "Start", #"{\#(start),"if_absent":0}"#)
    try expectInvalid("if_absent", "Start", #"{\#(start),"if_absent":true,"replace":true}"#)
    try expectInvalid("name", "Get", "{}")
    try expectInvalid("name", "Get", #"{"name":["tea"]}"#)
    try expectInvalid("nme", "Get", #"{"nme":"tea"}"#)
    try expectInvalid("by_usec", "Extend", #"{"name":"tea"}"#)
    try expectInvalid("by_usec", "Pause", #"{"name":"tea","by_usec":1}"#)
    try expectInvalid("states", "List", #"{"states":"running"}"#)
    try expectInvalid("states", "List", #"{"states":["asleep"]}"#)
    try expectInvalid("states", "List", #"{"states":[1]}"#)
    try expectInvalid("prefix", "List", #"{"prefix":1}"#)
    try expectInvalid("x", "Status", #"{"x":1}"#)
    try expectInvalid("x", "org.varlink.service.GetInfo", #"{"x":1}"#)
    #expect(try daemon.ledger().map(\.type) == ["started"])
  }

  @Test func `Labels and data are accepted up to their limits`() throws {
    func start(_ name: String, _ rest: String) -> String {
      #"{"name":"\#(name)","duration_usec":3600000000,\#(rest)}"#
    }
    func labels(_ count: Int) -> String {
      #""labels":{"# + (0..<count).map { #""k\#($0)":"v""# }.joined(separator: ",") + "}"
    }
    func data(_ count: Int) -> String {
      #""data":{"a":""# + String(repeating: "x", count: count - 8) + #""}"#
    }
    try expectLimit("labels", Int64(Limits.labels), "Start", start("a", labels(33)))
    try expectLimit("data_bytes", 4096, "Start", start("a", data(4097)))
    let (longKey, longValue) = (
      String(repeating: "k", count: 64), String(repeating: "v", count: 256)
    )
    try expectLimit("label_key_bytes", 63, "Start", start("a", #""labels":{"\#(longKey)":"v"}"#))
    try expectLimit("label_key_bytes", 63, "Start", start("a", #""labels":{"":"v"}"#))
    try expectLimit(
      "label_value_bytes", 255, "Start", start("a", #""labels":{"k":"\#(longValue)"}"#))
    for bad in [
      #""labels":{"k":1}"#, #""labels":["k"]"#, #""labels":"k""#, #""labels":{"k":null}"#,
      #""labels":{"k":"v","l":null}"#,
    ] {
      try expectInvalid("labels", "Start", start("a", bad))
    }
    for bad in [#""data":[1]"#, #""data":"x""#, #""data":1"#] {
      try expectInvalid("data", "Start", start("a", bad))
    }
    #expect(try daemon.connect().names() == [])
    let socket = try daemon.rawSocket()
    let reply = try socket.call("Start", start("b", labels(32) + "," + data(4096)))
    #expect(reply.error == nil)
    #expect(reply.parameters["timer"]?["labels"]?.objectValue?.count == 32)
    #expect(reply.parameters["timer"]?["data"]?["a"]?.stringValue?.count == 4088)
  }

  @Test func `The limits of a label count bytes of UTF-8, not characters`() throws {
    func start(_ name: String, key: String, value: String) -> String {
      #"{"name":"\#(name)","duration_usec":3600000000,"labels":{"\#(key)":"\#(value)"}}"#
    }
    func letters(_ count: Int) -> String { String(repeating: "é", count: count) }
    // Two bytes each: counted as characters, both would be far below their limit.
    try expectLimit("label_key_bytes", 63, "Start", start("a", key: letters(32), value: "v"))
    try expectLimit("label_value_bytes", 255, "Start", start("a", key: "k", value: letters(128)))
    let reply = try daemon.rawSocket().call(
      "Start", start("b", key: letters(31) + "k", value: letters(127) + "v"))
    #expect(reply.error == nil)
    let label = reply.parameters["timer"]?["labels"]?.objectValue?.first
    #expect(label?.key.utf8.count == 63 && label?.value.stringValue?.utf8.count == 255)
  }

  @Test func `An operation that is illegal in a state is refused with those that are legal`() throws
  {
    let client = try daemon.connect()
    try client.start("tea", usec: hour)
    func refusal(_ operation: String, _ state: String, of call: Call) throws {
      let possible = [
        "running": ["pause", "cancel", "restart", "extend", "stop", "remove", "update"],
        "paused": ["resume", "cancel", "restart", "extend", "stop", "remove", "update"],
        "cancelled": ["restart", "remove", "update"],
      ]
      #expect(
        try client.refusal(of: call)
          == .invalidTransition(
            name: "tea", kind: "countdown", state: state, ringing: nil, operation: operation,
            possible: possible[state] ?? []))
    }
    try refusal("resume", "running", of: .perform(.resume, name: "tea"))
    try refusal("dismiss", "running", of: .perform(.dismiss, name: "tea"))
    try refusal("snooze", "running", of: .snooze(name: "tea", byUsec: 1))
    _ = try client.timer(.perform(.pause, name: "tea"))
    try refusal("pause", "paused", of: .perform(.pause, name: "tea"))
    _ = try client.timer(.perform(.cancel, name: "tea"))
    for (operation, call) in [
      ("pause", Call.perform(.pause, name: "tea")), ("resume", .perform(.resume, name: "tea")),
      ("cancel", .perform(.cancel, name: "tea")), ("extend", .extend(name: "tea", byUsec: 1)),
    ] {
      try refusal(operation, "cancelled", of: call)
    }
    #expect(try daemon.ledger().map(\.type) == ["started", "paused", "cancelled"])
  }
}
