import Testing
import Varlink

/// An interface that has all types of the language, and odd names, as it is generated.
@Suite struct InterfacesTests {
  @Test(
    arguments: [
      (
        #"{"object":{"a":[null]},"set":{"one":{},"two":{}},"struct":{"enum":"two","array":["a"]}}"#,
        OddNames.Each.self
      ),
      (
        #"{"init":1,"inout":true,"self":"a","reader":0.5,"blank":"hashValue","Any":{"more":[]}}"#,
        OddNames.OddNames_.self
      ),
      (#"{"text":"a","lines":["b",null,""],"numbers":{"x":null,"y":1}}"#, OddNames.String_.self),
      (#"{"state":"on","where":{"x":1,"of":[null,{"name":"b"}]}}"#, OddNames.Init.self),
      (
        #"{"init":{"text":"","lines":[],"numbers":{}},"state":[null,{"a":"low"}]}"#,
        OddNames.Init.Reply.self
      ),
    ] as [(String, any WireStructure.Type)])
  func `A value is read and written again, byte for byte`(
    json: String, type: any WireStructure.Type
  ) throws {
    let value = try type.init(Array(json.utf8), isStrict: true)
    #expect(String(decoding: value.json, as: UTF8.self) == json)
  }

  private static func read<Value: WireStructure>(_ json: String) throws -> Value {
    try Value(Array(json.utf8), isStrict: true)
  }

  @Test func `A value has the types that the interface has, down to those without a name`() throws {
    let each: OddNames.Each = try Self.read(
      #"{"object":{},"set":{"one":{}},"struct":{"enum":"two","array":["a","b"]}}"#)
    #expect(each.struct.enum == .two && each.struct.array == ["a", "b"])
    #expect(each.set["one"] != nil && each.set["two"] == nil)
    let call: OddNames.Init = try Self.read(
      #"{"state":"off","where":{"x":1,"of":[null,{"name":"b"}]}}"#)
    #expect(call.state == .off && call.where?.of == [nil, .init(name: "b")])
    let reply: OddNames.Init.Reply = try Self.read(
      #"{"init":{"text":"","lines":[],"numbers":{}},"state":[null,{"a":"low"},{}]}"#)
    #expect(reply.state?.map { $0?["a"] } == [nil, .low, nil])
    let names: OddNames.String_ = try Self.read(
      #"{"text":"","lines":[null],"numbers":{"x":null}}"#)
    #expect(names.lines == [nil] && names.numbers["x"] == .some(nil) && names.numbers["y"] == nil)
  }

  @Test func `Words are known, whatever they are called`() {
    let words = ["in", "init", "blank", "rawValue", "allCases", "hashValue", "isKnown", "other"]
    #expect(OddNames.Protocol_.allCases.map(\.rawValue) == words)
    #expect(words.allSatisfy { OddNames.Protocol_(rawValue: $0).isKnown })
    #expect(!OddNames.Protocol_.blank.isKnown && !OddNames.Protocol_.other("other_").isKnown)
  }

  @Test(
    arguments: [
      .selfValue(
        state: .cold, parts: [.init(n: 1)],
        names: ["a": .init(text: "b", lines: [nil], numbers: [:])],
        selfValue: 2, raw: ["c": nil]),
      .selfValue(state: .other("mild"), parts: [], names: [:], selfValue: nil, raw: [:]),
      .writeValue(to: [0.5], varValue: [.blankValue]), .writeValue(to: [], varValue: nil),
      .varlinkValue(error: "a"), .otherValue(name: "b"), .varlink(.expectedMore),
    ] as [OddNamesError])
  func `An error is read as it was written, with fields of any type`(error: OddNamesError) throws {
    #expect(OddNamesError(try Self.reply(error)) == error)
  }

  private static func reply(_ error: OddNamesError) throws -> VarlinkReply {
    var writer = JSONWriter()
    error.write(to: &writer)
    return try writer.bytes.dropLast().withUnsafeBytes { try VarlinkReply.parse($0) }
  }

  @Test func `A field of an error that is absent or of another type is blank`() {
    let parameters: JSONValue = ["state": 1, "parts": [["n": 1, "new": true]], "names": nil]
    #expect(
      OddNamesError(name: "org.example.odd-names.Self", parameters: parameters)
        == .selfValue(
          state: .blank, parts: [.init(n: 1)], names: [:], selfValue: nil, raw: .blank))
  }
}
