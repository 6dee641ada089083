extension Interface {
  /// Reads an interface from a text in Varlink's interface language. O(n) in the length of the
  /// text.
  ///
  /// White space separates tokens. Line ends have no other meaning, so a line may contain several
  /// declarations.
  ///
  /// - Throws: `SyntaxError` for the first mistake in the text.
  public init(parsing text: String) throws(SyntaxError) {
    var tokenizer = Tokenizer(text)
    var parser = Parser(tokens: try tokenizer.tokens())
    self = try parser.interface()
  }
}

/// Parses the tokens of an interface.
struct Parser {
  private let tokens: [Token]
  private var position = 0
  /// The comment lines that were read since the last declaration, field or word. They belong to the
  /// next one.
  private var comment: [String] = []
  private var declared: Set<String> = []
  /// The names of declared types that the text uses, with the token of each use.
  private var references: [(name: String, token: Token)] = []
  private var types: Set<String> = []
  private var depth = 0

  /// How deep types may be nested. Without a limit, a hostile text could overflow the stack.
  private static let deepest = 64

  init(tokens: [Token]) { self.tokens = tokens }

  mutating func interface() throws(SyntaxError) -> Interface {
    let keyword = next()
    guard keyword.kind == .word("interface") else {
      throw keyword.error("begin with 'interface' and the interface's name, not \(keyword.text)")
    }
    let comment = takeComment()
    let name = next()
    guard case .word(let text) = name.kind, Names.isInterface(text) else {
      throw name.error(
        "name the interface like 'org.example.Name': letters, digits and inner '-' between dots, "
          + "not \(name.text)")
    }
    var interface = Interface(
      name: text, comment: comment, declarations: [], trailingComment: [])
    while current.kind != .end { interface.declarations.append(try declaration()) }
    let end = next()
    interface.trailingComment = takeComment()
    guard !interface.declarations.isEmpty else {
      throw end.error("declare at least one method, type or error")
    }
    for (name, token) in references where !types.contains(name) {
      throw token.error(
        declared.contains(name)
          ? "'\(name)' is declared, but not as a type: name a type"
          : "declare the type '\(name)', or name one that is declared")
    }
    return interface
  }

  private mutating func declaration() throws(SyntaxError) -> Declaration {
    let keyword = next()
    guard case .word(let word) = keyword.kind, ["type", "method", "error"].contains(word) else {
      throw keyword.error(
        "begin a declaration with 'type', 'method' or 'error', not \(keyword.text)")
    }
    let comment = takeComment()
    let token = next()
    guard case .word(let name) = token.kind, Names.isDeclaration(name) else {
      throw token.error(
        "name the \(word) with an upper case letter, then letters and digits, not \(token.text)")
    }
    guard declared.insert(name).inserted else {
      throw token.error("use another name: '\(name)' is declared above")
    }
    let kind: Declaration.Kind
    switch word {
    case "type":
      types.insert(name)
      kind = .type(try parenthesized())
    case "method":
      let input = try structure(of: "the parameters of method '\(name)'")
      try expect("->", "between the parameters and the reply of method '\(name)'")
      kind = .method(input: input, output: try structure(of: "the reply of method '\(name)'"))
    default: kind = .error(try structure(of: "the parameters of error '\(name)'"))
    }
    return Declaration(name: name, kind: kind, comment: comment)
  }

  // MARK: - Parentheses

  private mutating func structure(of what: String) throws(SyntaxError) -> [Field] {
    let start = current
    guard case .structure(let fields) = try parenthesized() else {
      throw start.error("give each of \(what) a type, as in '(name: string)'")
    }
    return fields
  }

  /// Reads a structure or an enumeration.
  private mutating func parenthesized() throws(SyntaxError) -> TypeExpression {
    try expect("(", "here")
    guard !take(")") else { return .structure([]) }
    var fields: [Field] = []
    var words: [Word] = []
    var seen: Set<String> = []
    repeat {
      let token = next()
      guard case .word(let name) = token.kind, Names.isField(name) else {
        throw token.error(
          token.kind == .mark(")")
            ? "remove the comma in front of ')'"
            : "name a field with letters, digits and single '_' inside, not \(token.text)")
      }
      guard seen.insert(name).inserted else {
        throw token.error("use another name: '\(name)' stands in these parentheses already")
      }
      let comment = takeComment()
      if take(":") {
        fields.append(Field(name: name, type: try type(), comment: comment))
      } else {
        words.append(Word(name: name, comment: comment))
      }
      guard fields.isEmpty || words.isEmpty else {
        throw token.error("give all names in these parentheses a type, or none of them")
      }
    } while take(",")
    try expect(")", "or ',' and another name")
    return words.isEmpty ? .structure(fields) : .enumeration(words)
  }

  // MARK: - Types

  private mutating func type() throws(SyntaxError) -> TypeExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else {
      throw current.error("declare a type of its own for this: no more than \(Self.deepest) deep")
    }
    let token = current
    if take("?") {
      guard current.kind != .mark("?") else { throw current.error("remove the second '?'") }
      return .optional(try type())
    }
    if take("[]") { return .array(try type()) }
    if take("[string]") {
      let element = try type()
      return element == .structure([]) ? .set : .map(element)
    }
    if token.kind == .mark("(") { return try parenthesized() }
    guard case .word(let name) = next().kind else {
      throw token.error("write a type after ':', not \(token.text)")
    }
    if let basic = Names.basicTypes[name] { return basic }
    guard Names.isDeclaration(name) else {
      throw token.error(
        "write bool, int, float, string, object or the name of a declared type, not \(token.text)")
    }
    references.append((name, token))
    return .named(name)
  }

  // MARK: - Tokens

  private var current: Token { tokens[min(position, tokens.count - 1)] }

  private mutating func next() -> Token {
    let token = current
    position += 1
    comment += token.comment
    return token
  }

  private mutating func take(_ mark: String) -> Bool {
    guard current.kind == .mark(mark) else { return false }
    _ = next()
    return true
  }

  private mutating func takeComment() -> [String] {
    defer { comment = [] }
    return comment
  }

  private mutating func expect(_ mark: String, _ whereabouts: String) throws(SyntaxError) {
    guard take(mark) else {
      throw current.error("write '\(mark)' \(whereabouts), not \(current.text)")
    }
  }
}
