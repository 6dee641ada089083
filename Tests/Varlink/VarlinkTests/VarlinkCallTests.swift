import NightjarTestSupport
import Testing
import Varlink

@Suite struct VarlinkCallTests {
  private func refusal(_ text: String) -> VarlinkProtocolError? {
    #expect(throws: VarlinkProtocolError.self) { try withCall(text) { _ in } }
  }

  /// Why a call is no JSON that may be a call.
  private func problem(_ text: String) -> JSONError.Problem? {
    if case .malformed(let error)? = refusal(text) { error.problem } else { nil }
  }

  private func withCall(_ text: String, _ body: (VarlinkCall) -> Void) throws {
    try Array(text.utf8).withUnsafeBytes { body(try VarlinkCall.parse($0)) }
  }

  @Test func `A call is read with its members in any order`() throws {
    let texts = [
      #"{"method":"org.nightjar.Timers.Get","parameters":{"name":"tea"},"more":true}"#,
      #" { "more" : true , "parameters" : {"name":"tea"} , "method" : "org.nightjar.Timers.Get" } "#,
      #"{"m\u006fre":true,"oneway":false,"upgrade":false,"\u0070arameters":{"name":"tea"},"#
        + #""meth\u006Fd":"org.nightjar.Timers.Get"}"#,
      #"{"com.example":{"trace":[1]},"method":"org.nightjar.Timers.Get","more":true,"#
        + #""parameters":{"name":"tea"},"com.example":{}}"#,
    ]
    for text in texts {
      try withCall(text) { call in
        #expect(call.method.equals("org.nightjar.Timers.Get"))
        #expect(call.parameters.map { String(decoding: $0, as: UTF8.self) } == #"{"name":"tea"}"#)
        #expect(call.more)
        #expect(!call.oneway)
        #expect(!call.upgrade)
      }
    }
    try withCall(#"{"method":"a.B","oneway":true}"#) {
      #expect($0.oneway && !$0.more && !$0.upgrade)
    }
    try withCall(#"{"method":"a.B","upgrade":true}"#) {
      #expect($0.upgrade && !$0.more && !$0.oneway)
    }
  }

  @Test func `Absent parameters and null parameters are nil`() throws {
    for text in [#"{"method":"a.B"}"#, #"{"method":"a.B","parameters":null}"#] {
      try withCall(text) { #expect($0.parameters == nil) }
    }
    try withCall(#"{"method":"a.B","parameters":{}}"#) { #expect($0.parameters?.count == 2) }
  }

  @Test func `A flag that is null counts as absent, like every nullable field of the protocol`()
    throws
  {
    try withCall(#"{"method":"a.B","more":null,"oneway":true,"upgrade":null}"#) {
      #expect($0.oneway && !$0.more && !$0.upgrade)
    }
  }

  @Test(arguments: [
    ("", VarlinkProtocolError.malformed(JSONError(.unexpectedEnd, at: 0))),
    ("{", .malformed(JSONError(.unexpectedEnd, at: 1))),
    (#"{"method":"a.B"}x"#, .malformed(JSONError(.trailingBytes, at: 16))),
    (#"{"method":"a.B"}{}"#, .malformed(JSONError(.trailingBytes, at: 16))),
    (#"{"method":"a.B","parameters":{"x":01}}"#, .malformed(JSONError(.badNumber, at: 34))),
    (#"{"method":"a.B","parameters":{"#, .malformed(JSONError(.unexpectedEnd, at: 30))),
    (#"{"method":"a.B\ud800"}"#, .malformed(JSONError(.badEscape, at: 14))),
    (#"{"method":"a.B","more":tru}"#, .malformed(JSONError(.unexpectedByte, at: 26))),
    (#"{"method":?}"#, .malformed(JSONError(.unexpectedByte, at: 10))),
    ("[]", .notAnObject(.array)), ("7", .notAnObject(.number)), ("null", .notAnObject(.null)),
    (#""x""#, .notAnObject(.string)), ("true", .notAnObject(.bool)),
    ("{}", .methodMissing), (#"{"parameters":{}}"#, .methodMissing),
    (#"{"method":7}"#, .notAString(member: "method")),
    (#"{"method":null}"#, .notAString(member: "method")),
    (#"{"method":{}}"#, .notAString(member: "method")),
    (#"{"method":"a.B","parameters":[]}"#, .parametersNotAnObject),
    (#"{"method":"a.B","parameters":"x"}"#, .parametersNotAnObject),
    (#"{"method":"a.B","parameters":0}"#, .parametersNotAnObject),
    (#"{"method":"a.B","parameters":false}"#, .parametersNotAnObject),
    (#"{"method":"a.B","more":1}"#, .flagNotABoolean(member: "more")),
    (#"{"method":"a.B","oneway":"true"}"#, .flagNotABoolean(member: "oneway")),
    (#"{"method":"a.B","upgrade":{}}"#, .flagNotABoolean(member: "upgrade")),
    (#"{"method":"a.B","more":[]}"#, .flagNotABoolean(member: "more")),
    (#"{"method":"a.B","more":true,"oneway":true}"#, .conflictingFlags),
    (#"{"upgrade":true,"method":"a.B","oneway":true}"#, .conflictingFlags),
    (#"{"more":true,"upgrade":true,"method":"a.B"}"#, .conflictingFlags),
    (#"{"more":true,"upgrade":true,"oneway":true,"method":"a.B"}"#, .conflictingFlags),
    (#"{"method":"a.B","method":"a.B"}"#, .duplicateMember("method")),
    (#"{"method":"a.B","parameters":null,"parameters":{}}"#, .duplicateMember("parameters")),
    (#"{"method":"a.B","more":false,"mo\u0072e":false}"#, .duplicateMember("more")),
    (#"{"method":"a.B","oneway":null,"oneway":null}"#, .duplicateMember("oneway")),
    (#"{"method":"a.B","upgrade":false,"upgrade":true}"#, .duplicateMember("upgrade")),
    (#"{"method":"a.B","id":1}"#, .unknownMember("id")),
    (#"{"method":"a.B","":1}"#, .unknownMember("")),
    (#"{"method":"a.B","X-trace":{}}"#, .unknownMember("X-trace")),
    (#"{"method":"a.B","Method":"a.B"}"#, .unknownMember("Method")),
    (#"{"method":"a.B","continues":false}"#, .unknownMember("continues")),
    (#"{"method":"a.B","com.example":1}"#, .vendorMemberNotAnObject("com.example")),
    (#"{"method":"a.B","com.example":null}"#, .vendorMemberNotAnObject("com.example")),
    (#"{"method":"a.B","com.example":{"a":]}"#, .malformed(JSONError(.unexpectedByte, at: 35))),
  ])
  func `An invalid call is refused for the right reason`(text: String, error: VarlinkProtocolError)
  {
    #expect(refusal(text) == error)
  }

  @Test func `An error shows the name of an unknown member up to a limit`() {
    let name = String(repeating: "x", count: 1000)
    #expect(refusal(#"{"\#(name)":1}"#) == .unknownMember(String(repeating: "x", count: 64)))
  }

  @Test func `The parameters of a call nest one level deeper within the call than alone`() throws {
    func nested(_ depth: Int) -> String {
      #"{"a":"# + String(repeating: "[", count: depth - 1)
        + String(repeating: "]", count: depth - 1) + "}"
    }
    let deepest = nested(WireLimits.nestingDepth - 1)
    try withCall(#"{"method":"a.B","parameters":\#(deepest)}"#) { #expect($0.parameters != nil) }
    let tooDeep = nested(WireLimits.nestingDepth)
    #expect(problem(#"{"method":"a.B","parameters":\#(tooDeep)}"#) == .tooDeep)
  }

  /// Calls with this many values in total, in the parameters or in a vendor's object.
  private static func calls(values: Int) -> [String] {
    func ones(_ count: Int) -> String { Array(repeating: "1", count: count).joined(separator: ",") }
    let half = values / 2
    return [
      #"{"a":[\#(ones(values - 2))]}"#,
      #"{"a":[[\#(ones(half - 2))],[\#(ones(values - half - 2))]]}"#,
      #"{"a":[\#(ones(half - 2))]},"x.y":{"a":[\#(ones(values - half - 2))]}"#,
      #"{"a":{"b":[\#(ones(values - 5))],"c":"","d":{}}}"#,
    ].map { #"{"method":"a.B","parameters":\#($0)}"# }
  }

  @Test(arguments: 0..<4)
  func `All values of a call are counted`(index: Int) throws {
    try withCall(Self.calls(values: WireLimits.callValues)[index]) { #expect($0.parameters != nil) }
    #expect(problem(Self.calls(values: WireLimits.callValues + 1)[index]) == .tooManyValues)
  }

  @Test func `A reply may have more values than a call`() throws {
    let text =
      #"{"parameters":{"a":[1"# + String(repeating: ",1", count: WireLimits.callValues) + "]}}"
    let reply = try Array(text.utf8).withUnsafeBytes { try VarlinkReply.parse($0) }
    #expect(reply.parameters["a"]?.arrayValue?.count == WireLimits.callValues + 1)
  }

  @Test func `A method belongs only to its own interface`() throws {
    try withCall(#"{"method":"org.nightjar.Timers.Get"}"#) { call in
      #expect(call.method(in: "org.nightjar.Timers")?.equals("Get") == true)
      #expect(call.method(in: "org.nightjar.Timer") == nil)
      #expect(call.method(in: "org.nightjar")?.equals("Timers.Get") == true)
      #expect(call.method(in: "org.varlink.service") == nil)
      #expect(call.interfaceName == "org.nightjar.Timers")
    }
    try withCall(#"{"method":"org.nightjar\u002eTimers.Get"}"#) { call in
      #expect(call.method(in: "org.nightjar.Timers")?.equals("Get") == true)
      #expect(call.interfaceName == "org.nightjar.Timers")
    }
    try withCall(#"{"method":"Get"}"#) { call in
      #expect(call.method(in: "Get") == nil)
      #expect(call.interfaceName == "")
    }
  }

  @Test func `A written call is read with the same meaning`() throws {
    var bytes = Array("before\0".utf8)
    VarlinkCall.write(method: "a.B", parameters: nil, into: &bytes)
    VarlinkCall.write(method: "a.C", parameters: ["x": [1]], more: true, into: &bytes)
    VarlinkCall.write(method: "a.D", parameters: [:], oneway: true, into: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self) == "before\0{\"method\":\"a.B\"}\0"
        + "{\"method\":\"a.C\",\"parameters\":{\"x\":[1]},\"more\":true}\0"
        + "{\"method\":\"a.D\",\"parameters\":{},\"oneway\":true}\0")
    for frame in bytes.split(separator: 0).dropFirst() {
      try withCall(String(decoding: frame, as: UTF8.self)) { #expect($0.method.utf8Count == 3) }
    }
  }

  @Test func `Every error has a sentence of its own`() {
    let errors: [VarlinkProtocolError] = [
      .malformed(JSONError(.badUTF8, at: 3)), .notAnObject(.array), .methodMissing,
      .notAString(member: "method"), .parametersNotAnObject, .flagNotABoolean(member: "more"),
      .conflictingFlags, .errorContinues, .duplicateMember("more"), .unknownMember("x"),
      .vendorMemberNotAnObject("a.b"),
    ]
    #expect(Set(errors.map(\.description)).count == errors.count)
    #expect(errors[0].description == "the message is not valid JSON at byte 3: not UTF-8")
  }
}
