import NightjarTestSupport
import Testing
import Varlink

@Suite struct VarlinkReplyTests {
  private func reply(_ text: String) throws(VarlinkProtocolError) -> VarlinkReply {
    try Array(text.utf8).withUnsafeBufferPointer { (frame) throws(VarlinkProtocolError) in
      try VarlinkReply.parse(UnsafeRawBufferPointer(frame))
    }
  }

  /// The messages in `bytes`, which must end with one.
  private func replies(_ bytes: [UInt8]) throws -> [VarlinkReply] {
    #expect(bytes.last == 0)
    return try bytes.split(separator: 0).map { try reply(String(decoding: $0, as: UTF8.self)) }
  }

  @Test func `Replies are written one after the other, each ended by a NUL`() throws {
    var writer = JSONWriter()
    writer.beginReply()
    writer.key("n")
    writer.integer(Int64(1))
    writer.key("list")
    writer.beginArray()
    writer.string("x")
    writer.endArray()
    writer.endReply(continues: true)
    writer.beginReply()
    writer.endReply()
    writer.writeError(name: "a.Refused") { writer in
      writer.key("why")
      writer.string("so")
    }
    writer.writeError(name: "a.Bare")
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"parameters":{"n":1,"list":["x"]},"continues":true}"# + "\0"
        + #"{"parameters":{}}"# + "\0" + #"{"error":"a.Refused","parameters":{"why":"so"}}"# + "\0"
        + #"{"error":"a.Bare","parameters":{}}"# + "\0")
    #expect(
      try replies(writer.bytes) == [
        VarlinkReply(json: RawJSON(["n": 1, "list": ["x"]]), continues: true), VarlinkReply(),
        VarlinkReply(json: RawJSON(["why": "so"]), error: "a.Refused"),
        VarlinkReply(error: "a.Bare"),
      ])
  }

  @Test func `A discarded reply leaves no bytes, however many there were`() throws {
    for count in [0, 1, 10, 100, 1000] {
      var writer = JSONWriter()
      writer.beginReply()
      writer.endReply()
      let before = writer.bytes.count
      writer.beginReply()
      writer.key("list")
      writer.beginArray()
      for _ in 0..<count { writer.beginObject() }
      writer.bytes.removeSubrange(before...)
      writer.writeError(.expectedMore)
      writer.beginReply()
      writer.key("a")
      writer.null()
      writer.endReply()
      let replies = try replies(writer.bytes)
      #expect(replies.count == 3)
      #expect(replies[1].varlinkError == .expectedMore)
      #expect(replies[2].parameters == ["a": nil])
    }
  }

  @Test(arguments: [
    (VarlinkError.interfaceNotFound(interface: "a.b"), "InterfaceNotFound", #""interface":"a.b""#),
    (.methodNotFound(method: "X\"y"), "MethodNotFound", #""method":"X\"y""#),
    (.methodNotImplemented(method: "Z"), "MethodNotImplemented", #""method":"Z""#),
    (.invalidParameter(parameter: "p"), "InvalidParameter", #""parameter":"p""#),
    (.permissionDenied, "PermissionDenied", ""), (.expectedMore, "ExpectedMore", ""),
    (.expectedUpgrade, "ExpectedUpgrade", ""),
  ])
  func `The protocol's errors are written by name and read back`(
    error: VarlinkError, name: String, parameters: String
  ) throws {
    let text = #"{"error":"org.varlink.service.\#(name)","parameters":{\#(parameters)}}"#
    #expect(written { $0.writeError(error) } == text + "\0")
    #expect(try reply(text).varlinkError == error)
    #expect(ServiceInterface.description.contains("error \(name) ("))
  }

  @Test func `An error of another interface is not one of the protocol's`() throws {
    #expect(try reply(#"{"error":"a.B"}"#).varlinkError == nil)
    #expect(try reply(#"{"error":null,"parameters":{}}"#).varlinkError == nil)
    let bare = try reply(#"{"error":"org.varlink.service.MethodNotFound"}"#)
    #expect(bare.varlinkError == .methodNotFound(method: ""))
  }

  @Test
  func `The members of a reply may come in any order, and absent or null parameters are empty`()
    throws
  {
    #expect(try reply("{}") == VarlinkReply())
    #expect(try reply(#"{"parameters":null,"continues":null,"error":null}"#) == VarlinkReply())
    #expect(
      try reply(#"{"continues":true,"parameters":{"a":1},"com.example":{"x":[]}}"#)
        == VarlinkReply(json: RawJSON(["a": 1]), continues: true))
    #expect(try reply(#"{"error":"a\u002eB"}"#) == VarlinkReply(error: "a.B"))
  }

  @Test(arguments: [
    ("", VarlinkProtocolError.malformed(JSONError(.unexpectedEnd, at: 0))),
    ("[]", .notAnObject(.array)), (#"{"parameters":[]}"#, .parametersNotAnObject),
    (#"{"continues":1}"#, .flagNotABoolean(member: "continues")),
    (#"{"error":1}"#, .notAString(member: "error")),
    (#"{"error":"a.B","continues":true}"#, .errorContinues),
    (#"{"method":"a.B"}"#, .unknownMember("method")),
    (#"{"parameters":{},"parameters":{}}"#, .duplicateMember("parameters")),
    (#"{"error":null,"error":"a.B"}"#, .duplicateMember("error")),
    (#"{"com.example":[]}"#, .vendorMemberNotAnObject("com.example")),
    ("{}x", .malformed(JSONError(.trailingBytes, at: 2))),
  ])
  func `An invalid reply is refused for the right reason`(text: String, error: VarlinkProtocolError)
  {
    #expect(throws: error) { try reply(text) }
  }

  @Test func `A number that no double can have is found when the parameters are read`() throws {
    let reply = try reply(#"{"parameters":{"x":1e999}}"#)
    #expect(throws: JSONError(.numberOutOfRange, at: 5)) { try reply.json.value }
  }
}
