import NightjarTestSupport
import Testing
import VarlinkGenerator

@Suite struct ParserTests {
  @Test func `An interface is read with its declarations in order`() throws {
    let interface = try Interface(
      parsing: """
        interface org.example.a-b.Lamps
        type Colour (red, green)
        method Set(name: string, colour: Colour) -> ()
        error NoLamp (name: string)
        """)
    #expect(interface.name == "org.example.a-b.Lamps")
    #expect(
      interface.declarations == [
        Declaration(name: "Colour", kind: .type(.enumeration([word("red"), word("green")]))),
        Declaration(
          name: "Set",
          kind: .method(
            input: [field("name", .string), field("colour", .named("Colour"))], output: [])),
        Declaration(name: "NoLamp", kind: .error([field("name", .string)])),
      ])
    #expect(interface.declaration(of: "Set")?.name == "Set")
    #expect(interface.declaration(of: "Get") == nil)
  }

  @Test(
    arguments: [
      ("bool", .bool), ("int", .int), ("float", .float), ("string", .string), ("object", .object),
      ("T", .named("T")), ("?int", .optional(.int)), ("[]int", .array(.int)),
      ("[string]T", .map(.named("T"))), ("[string]()", .set), ("?[]?T", optionalArrayOfOptional),
      ("[][string]bool", .array(.map(.bool))), ("()", .structure([])),
      ("(a: int, b: ?string)", .structure([field("a", .int), field("b", .optional(.string))])),
      ("(one, two)", .enumeration([word("one"), word("two")])),
      ("[](a_b1: ())", .array(.structure([field("a_b1", .structure([]))]))),
    ] as [(String, TypeExpression)])
  func `A type is read as it is written`(text: String, type: TypeExpression) throws {
    let interface = try Interface(parsing: "interface a.b\ntype T (t: \(text))")
    #expect(interface.declarations[0].kind == .type(.structure([field("t", type)])))
  }

  private static let optionalArrayOfOptional = TypeExpression.optional(
    .array(.optional(.named("T"))))

  @Test func `A comment belongs to what follows it`() throws {
    let interface = try Interface(
      parsing: """
        # Lamps.
        #  Two lines.
        interface a.b # of the type
        #
        type T (
          # the first ü
          one,
          two # behind it
        )
        # of the method

        method M(
          # its parameter
          x: int
        ) -> ()
        # the end
        """)
    #expect(interface.comment == ["Lamps.", " Two lines."])
    #expect(
      interface.declarations.map(\.comment) == [
        ["of the type", ""], ["behind it", "of the method"],
      ])
    #expect(
      interface.declarations[0].kind
        == .type(.enumeration([word("one", ["the first ü"]), word("two")])))
    #expect(
      interface.declarations[1].kind
        == .method(input: [field("x", .int, ["its parameter"])], output: []))
    #expect(interface.trailingComment == ["the end"])
  }

  @Test(arguments: [
    "interface a.b method M()->(x:?[]int)",
    "interface a.b\r\nmethod M ( ) -> ( x : ? []int )\r\n",
    "\n\tinterface\ta.b\n\nmethod\nM\n(\n)\n->\n(\nx\n:\n?\n[]\nint\n)",
  ])
  func `White space between tokens has no meaning`(text: String) throws {
    #expect(
      try Interface(parsing: text).declarations.map(\.kind) == [
        .method(input: [], output: [field("x", .optional(.array(.int)))])
      ])
  }

  @Test func `A comment may stand between any tokens`() throws {
    let text = "#0\ninterface#1\na.b#2\nerror#3\nE#4\n(#5\nx#6\n:#7\n?#8\n[]#9\nint#10\n)#11"
    let interface = try Interface(parsing: text)
    #expect(interface.comment == ["0"] && interface.declarations[0].comment == ["1", "2"])
    #expect(
      interface.declarations[0].kind
        == .error([field("x", .optional(.array(.int)), ["3", "4", "5"])]))
    #expect(interface.trailingComment == ["6", "7", "8", "9", "10", "11"])
  }

  @Test(arguments: [
    "a.b", "A.1", "a-b.c--d.9e", "xn--lgbbat1ad8j.example.algeria", "org.example.A",
  ])
  func `Each name that the grammar allows is accepted`(name: String) throws {
    #expect(try Interface(parsing: "interface \(name)\nerror E ()").name == name)
  }

  @Test(arguments: [
    ("org.example.Lamp", "Lamp"), ("org.example.my-lamp", "MyLamp"), ("org.example.3d", "_3d"),
    ("org.example.default", "Default"), ("org.example.String", "_String"),
    ("org.example.Exchange", "_Exchange"), ("org.example.Wire", "_Wire"),
  ])
  func `An interface has a name that is valid in Swift`(name: String, swift: String) throws {
    #expect(try Interface(parsing: "interface \(name)\nerror E ()").swiftName == swift)
  }

  @Test(
    arguments: Row.table(
      #"""
      type t () => 6: name the type with an upper case letter, then letters and digits, not 't'
      error E_F () => 7: name the error with an upper case letter, then letters and digits, \#
      not 'E_F'
      type T (a: int,) => 16: remove the comma in front of ')'
      type T (a,) => 11: remove the comma in front of ')'
      type T (,) => 9: \#(nameField) not ','
      type T (_a) => 9: \#(nameField) not '_a'
      type T (a__b) => 9: \#(nameField) not 'a__b'
      type T (a_) => 9: \#(nameField) not 'a_'
      type T (1a) => 9: \#(nameField) not '1a'
      type T (a: int, a: int) => 17: use another name: 'a' stands in these parentheses already
      type T (a, b, a) => 15: use another name: 'a' stands in these parentheses already
      type T (a: int, b) => 17: \#(mixed)
      type T (a, b: int) => 12: \#(mixed)
      type T (a b) => 11: write ')' or ',' and another name, not 'b'
      type T => 7: write '(' here, not the end of the file
      type T (a: ??int) => 13: remove the second '?'
      type T (a: ?[]??int) => 16: remove the second '?'
      type T (a: [ ]int) => 12: write '[]' for an array or '[string]' for a map, without spaces
      type T (a: [int]T) => 12: write '[]' for an array or '[string]' for a map, without spaces
      type T (a: any) => 12: write bool, int, float, string, object or the name of a declared \#
      type, not 'any'
      type T (a: ) => 12: write a type after ':', not ')'
      type T (a: []U) => 14: declare the type 'U', or name one that is declared
      method M() => 11: write '->' between the parameters and the reply of method 'M', not \#
      the end of the file
      method M(a, b) -> () => 9: give each of the parameters of method 'M' a type, as in \#
      '(name: string)'
      method M() -> (a) => 15: give each of the reply of method 'M' a type, as in '(name: \#
      string)'
      error E => 8: write '(' here, not the end of the file
      error E (a) => 9: give each of the parameters of error 'E' a type, as in '(name: string)'
      """#))
  func `A fault in a declaration is refused with its column and its remedy`(row: Row) {
    #expect(Self.refusal("interface a.b\n\(row[0])") == "2:\(row[1])")
  }

  @Test(arguments: [
    ("", "1:1: begin with 'interface' and the interface's name, not the end of the file"),
    ("type T ()", "1:1: begin with 'interface' and the interface's name, not 'type'"),
    ("interface a", "1:11: \(nameIt) not 'a'"),
    ("interface a..b", "1:11: \(nameIt) not 'a..b'"),
    ("interface a.-b", "1:11: \(nameIt) not 'a.-b'"),
    (
      "interface a.b-\n", "1:14: remove '-': the language has no such character outside of comments"
    ),
    ("interface 1.b", "1:11: \(nameIt) not '1.b'"),
    ("interface a.b_c", "1:11: \(nameIt) not 'a.b_c'"),
    ("interface a.b", "1:14: declare at least one method, type or error"),
    ("interface a.b\nfoo", "2:1: begin a declaration with 'type', 'method' or 'error', not 'foo'"),
    ("\ntype T ()\nerror T ()", "3:7: use another name: 'T' is declared above"),
    ("\ntype T (a: E)\nerror E ()", "2:12: 'E' is declared, but not as a type: name a type"),
    (
      "\n# ü\n type T (ü)",
      "3:10: remove 'ü': the language has no such character outside of comments"
    ),
  ])
  func `A fault is refused with its place and its remedy`(text: String, error: String) {
    #expect(Self.refusal(text.hasPrefix("\n") ? "interface a.b\(text)" : text) == error)
  }

  private static func refusal(_ text: String) -> String? {
    #expect(throws: SyntaxError.self) { try Interface(parsing: text) }?.description
  }

  private static let nameIt =
    "name the interface like 'org.example.Name': letters, digits and inner '-' between dots,"
  private static let nameField = "name a field with letters, digits and single '_' inside,"
  private static let mixed = "give all names in these parentheses a type, or none of them"

  @Test func `Too deep nesting is refused`() {
    let text = "interface a.b\ntype T (a: \(String(repeating: "[]", count: 100_000))int)"
    #expect(throws: SyntaxError.self) { try Interface(parsing: text) }
    let inner = "interface a.b\ntype T \(String(repeating: "(a: ", count: 100_000))"
    #expect(throws: SyntaxError.self) { try Interface(parsing: inner) }
    let deep = "interface a.b\ntype T (a: \(String(repeating: "[]", count: 63))int)"
    #expect(throws: Never.self) { try Interface(parsing: deep) }
  }
}

func field(_ name: String, _ type: TypeExpression, _ comment: [String] = []) -> Field {
  Field(name: name, type: type, comment: comment)
}

func word(_ name: String, _ comment: [String] = []) -> Word { Word(name: name, comment: comment) }
