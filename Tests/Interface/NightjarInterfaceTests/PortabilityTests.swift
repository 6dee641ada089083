import NightjarInterface
import Testing
import Varlink

/// The interface language (UAPI.20, "Grammar"), limited to what every implementation reads.
@Suite struct PortabilityTests {
  @Test(arguments: [
    (TimersInterface.name, TimersInterface.description),
    (ServiceInterface.name, ServiceInterface.description),
  ])
  func `The descriptions are valid and portable`(name: String, text: String) throws {
    var parser = DescriptionParser(text)
    let interface = try parser.parse()
    #expect(interface.name == name)
    #expect(interface.named.isSubset(of: interface.types), "types that are used but not declared")
  }

  @Test(arguments: [
    "interface a\nmethod A() -> ()", "interface a.b\ntype A (one)\nmethod A() -> ()",
    "interface a.b\nmethod A(x: any) -> ()", "interface a.b\nmethod A(x: [][]int) -> ()",
    "interface a.b\nmethod A(x: ??int) -> ()", "interface a.b\nmethod A(x_: int) -> ()",
    "interface a.b\nmethod A(x__y: int) -> ()", "interface a.b\nmethod a() -> ()",
    "interface a.b\nmethod A()", "interface a.b\nerror A", "interface a.b\ntype A ()",
    "interface a.b\nmethod A(x: int,) -> ()", "interface a.b\nmethod A(x: int, x: int) -> ()",
    "interface a.b\nmethod A() -> ()\nerror A ()", "interface a.b\nmethod A(x) -> ()",
  ])
  func `A description that is not portable is refused`(text: String) {
    var parser = DescriptionParser(text)
    #expect(throws: DescriptionParser.Unportable.self) { try parser.parse() }
  }
}

/// Parses the description of an interface.
struct DescriptionParser {
  struct Unportable: Error { let what: String }

  struct Interface {
    var name = ""
    /// The names of the declared types.
    var types: Set<String> = []
    /// The names of the types that are used.
    var named: Set<String> = []
  }

  private var tokens: ArraySlice<String>
  private var interface = Interface()
  private var declared: Set<String> = []

  init(_ text: String) {
    var tokens: [String] = []
    for line in text.split(separator: "\n") {
      var word = ""
      for character in line.prefix(while: { $0 != "#" }) + " " {
        if character.isLetter || character.isNumber || "._".contains(character) {
          word.append(character)
          continue
        }
        if !word.isEmpty { tokens.append(word) }
        word = ""
        if character != " " { tokens.append(String(character)) }
      }
    }
    self.tokens = tokens[...]
  }

  mutating func parse() throws(Unportable) -> Interface {
    try expect("interface")
    interface.name = try take(#"[A-Za-z]([-]*[A-Za-z0-9])*(\.[A-Za-z0-9]([-]*[A-Za-z0-9])*)+"#)
    while let keyword = tokens.popFirst() {
      let name = try take("[A-Z][A-Za-z0-9]*")
      guard declared.insert(name).inserted else { throw Unportable(what: "\(name) twice") }
      switch keyword {
      case "type":
        interface.types.insert(name)
        try body(mayBeEnum: true)
      case "method":
        try body(mayBeEnum: false)
        try expect("-")
        try expect(">")
        try body(mayBeEnum: false)
      case "error": try body(mayBeEnum: false)
      default: throw Unportable(what: keyword)
      }
    }
    return interface
  }

  /// Parses a list in parentheses. An enumeration must have at least two values and a type at least
  /// one field, because some implementations read nothing else.
  private mutating func body(mayBeEnum: Bool) throws(Unportable) {
    try expect("(")
    if tokens.first == ")" {
      guard !mayBeEnum else { throw Unportable(what: "a type without fields") }
      tokens.removeFirst()
      return
    }
    var fields: Set<String> = []
    var hasTypes = false
    while true {
      let field = try take("[A-Za-z](_?[A-Za-z0-9])*")
      guard fields.insert(field).inserted else { throw Unportable(what: "\(field) twice") }
      if tokens.first == ":" {
        tokens.removeFirst()
        hasTypes = true
        try type()
      } else if hasTypes || !mayBeEnum {
        throw Unportable(what: "\(field) without a type")
      }
      guard tokens.first == "," else { break }
      tokens.removeFirst()
    }
    try expect(")")
    guard hasTypes || fields.count > 1 else { throw Unportable(what: "an enumeration of one") }
  }

  private mutating func type() throws(Unportable) {
    if tokens.first == "?" { tokens.removeFirst() }
    if tokens.first == "[" {
      tokens.removeFirst()
      if tokens.first == "string" { tokens.removeFirst() }
      try expect("]")
    }
    guard let name = tokens.popFirst() else { throw Unportable(what: "the end") }
    if ["bool", "int", "float", "string", "object"].contains(name) { return }
    guard name.wholeMatch(of: /[A-Z][A-Za-z0-9]*/) != nil else { throw Unportable(what: name) }
    interface.named.insert(name)
  }

  private mutating func expect(_ token: String) throws(Unportable) {
    guard tokens.popFirst() == token else { throw Unportable(what: "no \(token)") }
  }

  private mutating func take(_ pattern: String) throws(Unportable) -> String {
    guard let token = tokens.popFirst(), let regex = try? Regex(pattern),
      token.wholeMatch(of: regex) != nil
    else { throw Unportable(what: "no \(pattern)") }
    return token
  }
}
