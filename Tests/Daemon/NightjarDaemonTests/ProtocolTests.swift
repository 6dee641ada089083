import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Malformed messages, and calls that no client library would make.
@Suite(.blocking) struct ProtocolTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
  }

  @Test(arguments: [
    "{", "", "nonsense", "[]", "null", "42", #""text""#, #"{"parameters":{}}"#, #"{"method":42}"#,
    #"{"method":null}"#, #"{"method":"org.nightjar.Timers.Status","more":1}"#,
    #"{"method":"org.nightjar.Timers.Status","more":"true"}"#,
    #"{"method":"org.nightjar.Timers.Status","more":true,"oneway":true}"#,
    #"{"method":"org.nightjar.Timers.Status","upgrade":true,"oneway":true}"#,
    #"{"method":"org.nightjar.Timers.Status","parameters":[]}"#,
    #"{"method":"org.nightjar.Timers.Status","parameters":"x"}"#,
    #"{"method":"org.nightjar.Timers.Status","method":"org.nightjar.Timers.Get"}"#,
    #"{"method":"org.nightjar.Timers.Status","surprise":1}"#,
    #"{"method":"org.nightjar.Timers.Status"} {}"#, #"{"method":"org.nightjar.Timers.Status",}"#,
    #"{"method":"org.nightjar.Timers.Status" "more":true}"#,
    #"{'method':'org.nightjar.Timers.Status'}"#,
    #"{"method":"org.nightjar.Timers.Start","parameters":{"duration_usec":NaN}}"#,
    #"{"method":"org.nightjar.Timers.Start","parameters":{"duration_usec":Infinity}}"#,
    #"{"method":"org.nightjar.Timers.Start","parameters":{"duration_usec":0x10}}"#,
    #"{"method":"org.nightjar.Timers.Start","parameters":{"duration_usec":01}}"#,
    #"{"method":"org.nightjar.Timers.Start","parameters":{"duration_usec":+1}}"#,
    #"{"method":"org.nightjar.Timers.Get","parameters":{"name":"a\u0000"#,
    #"{"method":"org.nightjar.Timers.Get","parameters":{"name":"\ud800"}}"#,
    "{\"method\":\"org.nightjar.Timers.Get\",\"parameters\":{\"name\":\"a\nb\"}}",
  ])
  func `A malformed message ends its connection, and only that`(text: String) throws {
    let good = try daemon.rawSocket()
    let bad = try daemon.rawSocket()
    try bad.send(frame: text)
    #expect(try bad.frame() == nil)
    #expect(try good.call("Status", "{}").error == nil)
  }

  @Test(arguments: [
    [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82],
  ])
  func `Text that is not UTF-8 ends its connection`(bytes: [UInt8]) throws {
    let socket = try daemon.rawSocket()
    let text = RawSocket.text("Start", #"{"duration_usec":1000000,"name":"@"}"#)
    let halves = text.split(separator: "@").map { Array($0.utf8) }
    try socket.send(halves[0] + bytes + halves[1] + [0])
    #expect(try socket.frame() == nil)
    #expect(try daemon.connect().names() == [])
  }

  @Test func `Calls before a malformed message are answered`() throws {
    let socket = try daemon.rawSocket()
    try socket.send(frame: RawSocket.text("org.varlink.service.GetInfo", "{}"))
    try socket.send(frame: RawSocket.text("Start", #"{"name":"tea","duration_usec":9000000}"#))
    try socket.send(frame: "nonsense")
    #expect(try socket.reply()?.parameters["product"] == "nightjard")
    #expect(try daemon.connect().names() == ["tea"])
  }

  @Test func `Nesting is accepted up to the limit; beyond it the connection ends`() throws {
    let socket = try daemon.rawSocket()
    func start(_ name: String, depth: Int) -> String {
      let (open, close) = (
        String(repeating: #"{"a":"#, count: depth), String(repeating: "}", count: depth)
      )
      return RawSocket.text(
        "Start", #"{"name":"\#(name)","duration_usec":9000000,"data":\#(open)"{[\""\#(close)}"#)
    }
    try socket.send(frame: start("deep", depth: Limits.dataDepth))
    #expect(try socket.reply()?.error == nil)
    try socket.send(frame: start("deeper", depth: Limits.dataDepth + 1))
    let refusal = try #require(try socket.reply())
    #expect(refusal.error == "org.nightjar.Timers.LimitExceeded")
    #expect(refusal.parameters["limit"] == "data_depth")
    // The message and its parameters are two levels around the data.
    try socket.send(frame: start("deepest", depth: WireLimits.nestingDepth - 1))
    #expect(try socket.frame() == nil)
    // As deep as a whole message can be: no code recurses over it.
    let other = try daemon.rawSocket()
    try other.send(frame: String(repeating: "[", count: WireLimits.frameBytes))
    #expect(try other.frame() == nil)
    // An accepted value can be read wherever it is reported, by every client with the same limit.
    let client = try daemon.connect()
    #expect(try client.names() == ["deep"])
    #expect(try client.get("deep").name == "deep")
    #expect(try daemon.watch().expectNext()["timer"]?["name"] == "deep")
    #expect(try Wire.Why.Reply(client.call(.why(name: "deep"))).events.count == 1)
  }

  @Test func `A call with more values than allowed ends its connection`() throws {
    let socket = try daemon.rawSocket()
    let values = String(repeating: ",1", count: WireLimits.callValues)
    try socket.send(frame: RawSocket.text("Get", #"{"name":"x","numbers":[1\#(values)]}"#))
    #expect(try socket.frame() == nil)
  }

  @Test func `A message as long as the limit is read; a longer one ends the connection`() throws {
    let socket = try daemon.rawSocket()
    let call = RawSocket.text("Status", "{}")
    func padded(to count: Int) -> String {
      call.dropLast() + String(repeating: " ", count: count - call.utf8.count) + "}"
    }
    try socket.send(frame: padded(to: WireLimits.frameBytes))
    #expect(try socket.reply()?.error == nil)
    try socket.send(frame: padded(to: WireLimits.frameBytes + 1))
    #expect(try socket.frame() == nil)
    // Even without its end it is refused, and not stored.
    let endless = try daemon.rawSocket()
    let before = try daemon.ownKilobytes
    try endless.send([UInt8](repeating: UInt8(ascii: " "), count: 64 * 1024 * 1024))
    #expect(try endless.frame() == nil)
    #expect(try daemon.ownKilobytes - before < 4096)
  }

  @Test func `A vendor's object beside the protocol's members is ignored`() throws {
    let socket = try daemon.rawSocket()
    try socket.send(frame: #"{"method":"org.nightjar.Timers.Status","com.example.trace":{"id":1}}"#)
    #expect(try socket.reply()?.error == nil)
  }

  @Test func `Absent, null and empty parameters are the same`() throws {
    let socket = try daemon.rawSocket()
    for parameters in ["", #","parameters":null"#, #","parameters":{}"#] {
      try socket.send(frame: #"{"method":"org.nightjar.Timers.List"\#(parameters)}"#)
      #expect(try socket.reply()?.parameters["timers"] == [])
    }
    let reply = try socket.call(
      "Start", #"{"name":null,"duration_usec":9000000,"clock":null,"labels":null,"data":null}"#)
    #expect(reply.error == nil)
  }

  @Test(arguments: [
    ("org.nightjar.Timers.Nothing", "MethodNotFound", "method", "org.nightjar.Timers.Nothing"),
    ("org.nightjar.Timers.get", "MethodNotFound", "method", "org.nightjar.Timers.get"),
    ("org.nightjar.Timers.", "MethodNotFound", "method", "org.nightjar.Timers."),
    ("org.varlink.service.X", "MethodNotFound", "method", "org.varlink.service.X"),
    ("org.example.Thing.Do", "InterfaceNotFound", "interface", "org.example.Thing"),
    ("org.nightjar.Timers2.Get", "InterfaceNotFound", "interface", "org.nightjar.Timers2"),
  ])
  func `An interface, method or parameter that does not exist is refused by name`(
    method: String, error: String, parameter: String, value: String
  ) throws {
    let socket = try daemon.rawSocket()
    let reply = try socket.call(method, "{}")
    #expect(reply.error == "org.varlink.service.\(error)")
    #expect(reply.parameters[parameter]?.stringValue == value)
    // The connection still works.
    #expect(try socket.call("Status", "{}").error == nil)
  }

  @Test func `A name without a dot is not a method`() throws {
    let socket = try daemon.rawSocket()
    try socket.send(frame: #"{"method":"Status"}"#)
    #expect(try socket.reply()?.error == "org.varlink.service.MethodNotFound")
    try socket.send(frame: #"{"method":""}"#)
    #expect(try socket.reply()?.error == "org.varlink.service.MethodNotFound")
  }

  @Test(arguments: ["Watch", "Events"])
  func `A method that only streams requires more`(method: String) throws {
    let reply = try daemon.rawSocket().call(method, "{}")
    #expect(reply.error == "org.varlink.service.ExpectedMore")
  }

  @Test func `A method that does not stream answers a call with more once`() throws {
    let socket = try daemon.rawSocket()
    try socket.send(frame: RawSocket.text("Status", "{}", #","more":true"#))
    let reply = try #require(try socket.reply())
    #expect(reply.error == nil && !reply.continues)
    #expect(try socket.call("org.varlink.service.GetInfo", "{}").error == nil)
  }

  @Test func `A request for an upgrade is refused`() throws {
    let socket = try daemon.rawSocket()
    try socket.send(frame: RawSocket.text("Status", "{}", #","upgrade":true"#))
    #expect(try socket.reply()?.error == "org.varlink.service.MethodNotImplemented")
  }

  @Test func `A call that wants no reply gets none, not even a refusal`() throws {
    let socket = try daemon.rawSocket()
    let oneway = #","oneway":true"#
    try socket.send(
      frame: RawSocket.text("Start", #"{"name":"tea","duration_usec":9000000}"#, oneway))
    try socket.send(frame: RawSocket.text("Get", #"{"name":"nobody"}"#, oneway))
    try socket.send(frame: RawSocket.text("Nothing", "{}", oneway))
    try socket.send(frame: RawSocket.text("Watch", "{}", oneway))
    try socket.send(frame: RawSocket.text("Get", #"{"name":"tea"}"#))
    #expect(try socket.reply()?.parameters["timer"]?["name"] == "tea")
    try socket.send(frame: RawSocket.text("Remove", #"{"name":"tea"}"#, oneway))
    try socket.send(frame: RawSocket.text("Get", #"{"name":"tea"}"#))
    #expect(try socket.reply()?.error == "org.nightjar.Timers.TimerNotFound")
  }

  @Test func `The service describes itself and its interfaces`() throws {
    let socket = try daemon.rawSocket()
    let info = try socket.call("org.varlink.service.GetInfo", "{}").parameters
    #expect(info["interfaces"] == ["org.varlink.service", "org.nightjar.Timers"])
    for name in ["vendor", "product", "version", "url"] {
      #expect(info[name]?.stringValue?.isEmpty == false)
    }
    func description(of interface: String) throws -> String? {
      try socket.call(
        "org.varlink.service.GetInterfaceDescription", #"{"interface":"\#(interface)"}"#
      ).parameters["description"]?.stringValue
    }
    let service = try description(of: "org.varlink.service")
    #expect(service?.contains("interface org.varlink.service\n") == true)
    let file = "Sources/Interface/NightjarInterface/org.nightjar.Timers.varlink"
    #expect(try description(of: "org.nightjar.Timers") == Documentation.text(of: file))
    let unknown = try socket.call(
      "org.varlink.service.GetInterfaceDescription", #"{"interface":"org.example"}"#)
    #expect(unknown.error == "org.varlink.service.InterfaceNotFound")
    let missing = try socket.call("org.varlink.service.GetInterfaceDescription", "{}")
    #expect(missing.parameters["parameter"] == "interface")
  }
}
