import Testing
import VarlinkGenerator

/// What an interface may become, and what it may not.
@Suite struct BreaksTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let old: String
    let new: String
    let says: [String]
    var testDescription: String { "\(old) → \(new)" }

    init(_ old: String, _ new: String, _ says: String...) {
      (self.old, self.new, self.says) = (old, new, says)
    }
  }

  private static let cases: [Case] = [
    // Whole declarations.
    Case("method A() -> () error B ()", "error B () method A() -> () method C(x: int) -> ()"),
    Case("method A() -> () error B ()", "error B ()", "A: the method is gone"),
    Case("method A() -> () error B ()", "method A() -> ()", "B: the error is gone"),
    Case("method A() -> () type B (x: int)", "method A() -> ()", "B: the type is gone"),
    Case("method A() -> ()", "error A ()", "A: the method is gone"),
    // Parameters.
    Case("method A() -> ()", "method A(x: ?int) -> ()"),
    Case(
      "method A() -> ()", "method A(x: int) -> ()",
      "A: the new parameter 'x' must be given; make it optional"),
    Case("method A(x: ?int) -> ()", "method A() -> ()", "A: the parameter 'x' is gone"),
    Case("method A(x: int) -> ()", "method A(x: ?int) -> ()"),
    Case("method A(x: ?int) -> ()", "method A(x: int) -> ()", "A: 'x' must now be given"),
    Case(
      "method A(x: int) -> ()", "method A(x: float) -> ()",
      "A.x: the type was int, and is float"),
    // Fields of replies and errors.
    Case("method A() -> ()", "method A() -> (x: int, y: ?int)"),
    Case("method A() -> (x: int)", "method A() -> ()", "A: the field of the reply 'x' is gone"),
    Case("method A() -> (x: ?int)", "method A() -> (x: int)"),
    Case("method A() -> (x: int)", "method A() -> (x: ?int)", "A: 'x' may now be absent"),
    Case("error A (x: int)", "error A (x: ?int, y: int)", "A: 'x' may now be absent"),
    Case(
      "method A() -> (x: ?[]int)", "method A() -> (x: ?[]string)",
      "A.x: the type was int, and is string"),
    Case(
      "method A() -> (x: (y: int))", "method A() -> (x: (z: int))",
      "A.x: the field 'y' is gone"),
    // A type has the rules of the ways that it takes, here through another type.
    Case(
      "type B (c: C) type C (x: ?int) method A(b: ?[]B) -> ()",
      "type B (c: C) type C (x: int, y: int) method A(b: ?[]B) -> ()",
      "C: 'x' must now be given", "C: the new field 'y' must be given; make it optional"),
    Case(
      "type B (c: C) type C (x: ?int) method A() -> (b: [string]B)",
      "type B (c: C) type C (x: int, y: int) method A() -> (b: [string]B)"),
    Case(
      "type B (x: int) method A() -> (b: B)", "type B (x: ?int) method A(b: ?B) -> (b: B)",
      "B: 'x' may now be absent"),
    Case(
      "type B (b: ?B, x: int) method A() -> (b: B)", "type B (b: ?B) method A() -> (b: B)",
      "B: the field 'x' is gone"),
    Case(
      "type B (x: int) type C (x: int) method A() -> (b: B)",
      "type B (x: int) type C (x: int) method A() -> (b: C)",
      "A.b: the type was B, and is C"),
    // Words.
    Case("type B (one, two) method A(b: B) -> ()", "type B (two, one, six) method A(b: B) -> ()"),
    Case(
      "type B (one, two) method A(b: B) -> ()", "type B (one) method A(b: B) -> ()",
      "B: the word 'two' is gone"),
    Case(
      "type B (one, two) method A() -> (b: B)", "type B (one, six) method A() -> (b: B)",
      "B: the word 'two' is gone", "B: the word 'six' is new in a list that is closed"),
    // The words of a string: nothing refers to the type that lists them.
    Case(
      "type B (one, two) method A() -> (b: string)", "type B (two, six) method A() -> (b: string)",
      "B: the word 'one' is gone"),
    Case(
      "type B (one, two) method A() -> (b: string)", "type B (one, two) method A() -> (b: B)",
      "A.b: a string, whose words are open, is now one of the words of B"),
  ]

  @Test(arguments: cases) func `A version may add, and neither remove nor narrow`(_ it: Case) throws
  {
    let old = try Interface(parsing: "interface a.b \(it.old)")
    #expect(try Interface(parsing: "interface a.b \(it.new)").breaks(since: old) == it.says)
    #expect(old.breaks(since: old) == [])
  }

  @Test func `Another name is another interface`() throws {
    let old = try Interface(parsing: "interface a.b error A ()")
    #expect(
      try Interface(parsing: "interface a.c error A ()").breaks(since: old)
        == ["the interface a.b is now called a.c"])
  }
}
