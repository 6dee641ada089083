import NightjarInterface
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Calls that no client library would make.
@Suite struct ProtocolTests {
  private let desk: ServiceDesk

  init() throws { desk = try ServiceDesk() }

  @Test(arguments: [
    ("org.nightjar.Timers.Nothing", "MethodNotFound", "method", "org.nightjar.Timers.Nothing"),
    ("org.nightjar.Timers.get", "MethodNotFound", "method", "org.nightjar.Timers.get"),
    ("org.nightjar.Timers.", "MethodNotFound", "method", "org.nightjar.Timers."),
    ("org.varlink.service.X", "MethodNotFound", "method", "org.varlink.service.X"),
    ("org.example.Thing.Do", "InterfaceNotFound", "interface", "org.example.Thing"),
    ("org.nightjar.Timers2.Get", "InterfaceNotFound", "interface", "org.nightjar.Timers2"),
  ])
  func `An interface or method that does not exist is refused by name`(
    method: String, error: String, parameter: String, value: String
  ) throws {
    let reply = try desk.call(method)
    #expect(reply.error == "org.varlink.service.\(error)")
    #expect(reply.parameters[parameter]?.stringValue == value)
  }

  @Test(arguments: [
    (#"{"method":"Status"}"#, "org.varlink.service.MethodNotFound"),
    (#"{"method":""}"#, "org.varlink.service.MethodNotFound"),
    (#"{"method":"org.nightjar.Timers.Watch"}"#, "org.varlink.service.ExpectedMore"),
    (#"{"method":"org.nightjar.Timers.Events"}"#, "org.varlink.service.ExpectedMore"),
    (#"{"method":"org.nightjar.Timers.HoldRings"}"#, "org.varlink.service.ExpectedMore"),
    (
      #"{"method":"org.nightjar.Timers.Status","upgrade":true}"#,
      "org.varlink.service.MethodNotImplemented"
    ),
    // A vendor's object beside the protocol's members is ignored, and so is a useless `more`.
    (#"{"method":"org.nightjar.Timers.Status","com.example.trace":{"id":1}}"#, nil),
    (#"{"method":"org.nightjar.Timers.Status","more":true}"#, nil),
    (#"{"method":"org.nightjar.Timers.List"}"#, nil),
    (#"{"method":"org.nightjar.Timers.List","parameters":null}"#, nil),
    (
      #"{"method":"org.nightjar.Timers.Start","parameters":{"name":null,"duration_usec":9,"data":null}}"#,
      nil
    ),
  ])
  func `Each call has one reply, or one refusal`(text: String, error: String?) throws {
    let client = ServiceDesk.Client()
    try desk.send(text, to: client)
    let replies = try client.replies()
    #expect(replies.map(\.error) == [error] && !replies[0].continues && !client.isFollowing)
  }

  @Test func `A call that wants no reply gets none, not even a refusal`() throws {
    let client = ServiceDesk.Client()
    for (method, parameters) in [
      ("Start", #"{"name":"tea","duration_usec":9000000}"#), ("Get", #"{"name":"nobody"}"#),
      ("Nothing", "{}"), ("Watch", "{}"),
    ] {
      try desk.send(method, parameters, #","oneway":true"#, to: client)
      #expect(try client.replies().isEmpty && !client.isFollowing, "\(method)")
    }
    #expect(try desk.ask("Get", #"{"name":"tea"}"#)["name"] == "tea")
  }

  @Test func `Data nests up to the limit, and is read wherever it is reported`() throws {
    func start(_ name: String, depth: Int) -> String {
      let (open, close) = (
        String(repeating: #"{"a":"#, count: depth), String(repeating: "}", count: depth)
      )
      return #"{"name":"\#(name)","duration_usec":9000000,"data":\#(open)"{[\""\#(close)}"#
    }
    try desk.ask("Start", start("deep", depth: Limits.dataDepth))
    let refusal = try desk.call("Start", start("deeper", depth: Limits.dataDepth + 1))
    #expect(refusal.error == "org.nightjar.Timers.LimitExceeded")
    #expect(refusal.parameters["limit"] == "data_depth")
    #expect(try desk.follow("Watch").replies().first?.parameters["timer"]?["name"] == "deep")
    #expect(try desk.ask("Get", #"{"name":"deep"}"#)["data"] != nil)
  }

  @Test func `The service describes itself and its interfaces`() throws {
    let info = try desk.ask("org.varlink.service.GetInfo")
    #expect(info["interfaces"] == ["org.varlink.service", "org.nightjar.Timers"])
    for name in ["vendor", "product", "version", "url"] {
      #expect(info[name]?.stringValue?.isEmpty == false)
    }
    let describe = "org.varlink.service.GetInterfaceDescription"
    func description(of interface: String) throws -> String? {
      try desk.ask(describe, #"{"interface":"\#(interface)"}"#)["description"]?.stringValue
    }
    let service = try description(of: "org.varlink.service")
    #expect(service?.contains("interface org.varlink.service\n") == true)
    let file = "Sources/Interface/NightjarInterface/org.nightjar.Timers.varlink"
    #expect(try description(of: "org.nightjar.Timers") == Documentation.text(of: file))
    #expect(
      try desk.refusal(describe, #"{"interface":"org.example"}"#).error == "InterfaceNotFound")
    #expect(try desk.refusal(describe).parameter == "interface")
  }

  // MARK: Watches

  @Test(arguments: [9_999, -1, Int64.max])
  func `A tick that is too short or never comes is refused`(tickUsec: Int64) throws {
    let client = try desk.follow("Watch", #"{"tick_usec":\#(tickUsec)}"#)
    #expect(try client.replies().map(\.error) == ["org.varlink.service.InvalidParameter"])
  }

  @Test func `A watch continues after a number, with the events since`() throws {
    for (method, name) in [
      ("Start", "tea"), ("Start", "egg"), ("Pause", "tea"), ("Pause", "egg"),
    ] {
      let more = method == "Start" ? #","duration_usec":3600000000"# : ""
      try desk.ask(method, #"{"name":"\#(name)"\#(more)}"#)
    }
    func watch(_ parameters: String) throws -> [VarlinkReply] {
      try desk.follow("Watch", "{\(parameters)}").replies()
    }
    let client = try desk.follow("Watch", #"{"name":"tea","after":1}"#)
    let paused = try client.replies().map(\.parameters)
    #expect(paused.map { $0["event"]?["type"] } == ["paused"])
    #expect(paused[0]["timer"]?["state"] == "paused")
    for (method, type) in [("Resume", "resumed"), ("Remove", "removed")] {
      try desk.ask(method, #"{"name":"tea"}"#)
      #expect(try client.replies().map { $0.parameters["event"]?["type"]?.stringValue } == [type])
    }
    // Also if the timer has been removed by then.
    let end = try watch(#""name":"tea","after":5"#)
    #expect(end.map { $0.parameters["event"]?["type"] } == ["removed"] && !end[0].continues)
    #expect(
      try watch(#""name":"tea","after":6"#).map(\.error) == ["org.nightjar.Timers.TimerNotFound"])
    #expect(try watch(#""after":7"#).map(\.error) == ["org.varlink.service.InvalidParameter"])
  }
}
