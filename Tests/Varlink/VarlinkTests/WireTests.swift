import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

/// Structures of an interface, read and written; those of Nightjar serve as examples.
@Suite struct WireTests {
  private static func read<Value: WireStructure>(
    _ json: String, isStrict: Bool = true
  ) throws(WireError) -> Value {
    try Value(Array(json.utf8), isStrict: isStrict)
  }

  @Test func `Each recorded event is read and written again, byte for byte`() throws {
    let lines = try Documentation.text(of: "Tests/Samples/events.jsonl").split(separator: "\n")
    #expect(lines.count > 50)
    for line in lines {
      let event: Wire.Event = try Self.read(String(line))
      #expect(String(decoding: event.json, as: UTF8.self) == line)
    }
  }

  @Test func `A call is read as it was written`() throws {
    var start = Wire.Start()
    start.name = "t\u{1F375}a \"1\""
    start.durationUsec = .max
    start.sequence = Wire.Sequence(steps: [Wire.Step(name: "work", durationUsec: 1)])
    start.sequence?.steps[0].break = true
    start.clock = .awake
    start.labels = WireMap([.init(key: "b", value: "1"), .init(key: "a", value: "")])
    start.data = RawJSON(Array(#"{"x": [1, null]}"#.utf8))
    start.ring = Wire.Ring()
    start.ring?.silent = false
    let copy = try Wire.Start(start.json, isStrict: true)
    #expect(copy == start)
  }

  @Test func `A member that is null is absent, and no bytes are an empty object`() throws {
    let list: Wire.List = try Self.read(#"{"prefix":null,"limit":3,"unheard_of":null}"#)
    #expect(list.prefix == nil && list.limit == 3)
    #expect(try Self.read("") == Wire.List())
  }

  @Test(
    arguments: [
      (#"{"by_usec":1}"#, Wire.Snooze.self, "name", .missing),
      (#"{"name":"a"}"#, Wire.Snooze.self, "by_usec", .missing),
      (#"{"name":null,"by_usec":1}"#, Wire.Snooze.self, "name", .missing),
      (#"{"name":1,"by_usec":1}"#, Wire.Snooze.self, "name", .mistyped),
      (#"{"name":"a","by_usec":1.5}"#, Wire.Snooze.self, "by_usec", .mistyped),
      (#"{"name":"a","by_usec":1,"x":1}"#, Wire.Snooze.self, "x", .unknown),
      (#"[1]"#, Wire.Snooze.self, "parameters", .mistyped),
      (#"{"name":"a","by_usec":1"#, Wire.Snooze.self, "by_usec", .mistyped),
      (#"{"ring":{"volume":"loud"}}"#, Wire.Start.self, "volume", .mistyped),
      (#"{"name":"a","sequence":{}}"#, Wire.Start.self, "steps", .missing),
      (#"{"sequence":{"steps":[{"name":"a"}]}}"#, Wire.Start.self, "duration_usec", .missing),
    ] as [(String, any WireStructure.Type, String, WireError.Problem)])
  func `A mistake is named by its field, or the inner field of a structure`(
    json: String, type: any WireStructure.Type, field: String, problem: WireError.Problem
  ) {
    #expect(throws: WireError(field: field, problem: problem)) {
      try type.init(Array(json.utf8), isStrict: true)
    }
  }

  @Test func `A client skips members that only a newer service sends, and keeps its words`() throws
  {
    let step: Wire.Step = try Self.read(
      #"{"new":{"a":[1]},"name":"a","duration_usec":1}"#, isStrict: false)
    #expect(step == Wire.Step(name: "a", durationUsec: 1))
    let call: Wire.List = try Self.read(#"{"states":["running","dreaming"]}"#)
    #expect(call.states == [.running, .other("dreaming")])
    #expect(call.states?.map(\.isKnown) == [true, false])
    #expect(String(decoding: call.json, as: UTF8.self) == #"{"states":["running","dreaming"]}"#)
  }
}
