import Testing
import Varlink

@Suite struct JSONValueTests {
  private static let sample: JSONValue = [
    "name": "tea", "n": 1, "x": 0.5, "on": true, "off": false, "none": nil,
    "list": [1, "two", [], [:]], "empty": [:],
  ]

  @Test func `A value is written and read back with its members in order`() throws {
    let text =
      #"{"name":"tea","n":1,"x":0.5,"on":true,"off":false,"none":null,"#
      + #""list":[1,"two",[],{}],"empty":{}}"#
    #expect(Self.sample.text == text)
    #expect(try JSONValue.parse(text) == Self.sample)
    #expect(try JSONValue.parse(Array(text.utf8)) == Self.sample)
    #expect(Self.sample.bytes == Array(text.utf8))
  }

  @Test func `Each kind is found only through its own accessor`() {
    let value = Self.sample
    #expect(value["name"]?.stringValue == "tea")
    #expect(value["n"]?.integerValue == 1)
    #expect(value["n"]?.doubleValue == 1)
    #expect(value["x"]?.doubleValue == 0.5)
    #expect(value["x"]?.integerValue == nil)
    #expect(value["on"]?.boolValue == true)
    #expect(value["none"]?.isNull == true)
    #expect(value["list"]?.arrayValue?.count == 4)
    #expect(value["empty"]?.objectValue?.isEmpty == true)
    #expect(value["missing"] == nil)
    #expect(value["name"]?["x"] == nil)
    #expect(value["name"]?.integerValue == nil)
    #expect(value["n"]?.stringValue == nil)
    #expect(value["n"]?.isNull == false)
  }

  @Test func `If a name occurs twice, the last member counts and both are stored`() throws {
    let value = try JSONValue.parse(#"{"a":1,"a":2}"#)
    #expect(value["a"] == 2)
    #expect(value.text == #"{"a":1,"a":2}"#)
  }

  @Test(arguments: [
    ("1", JSONValue.integer(1)), ("-0", .integer(0)), ("1.0", .double(1)), ("1e2", .double(100)),
    ("9223372036854775807", .integer(.max)),
    ("9223372036854775808", .double(9_223_372_036_854_775_808)),
  ])
  func `A number becomes an integer if possible, else a double`(text: String, value: JSONValue)
    throws
  {
    #expect(try JSONValue.parse(text) == value)
  }

  @Test func `A number that no double holds is refused`() {
    #expect { try JSONValue.parse("[1e999]") } throws: {
      ($0 as? JSONError) == JSONError(.numberOutOfRange, at: 1)
    }
  }

  @Test func `The order of members and the kind of a number matter in a comparison`() {
    #expect(["a": 1, "b": 2] as JSONValue != ["b": 2, "a": 1])
    #expect(JSONValue.integer(1) != .double(1))
  }
}
