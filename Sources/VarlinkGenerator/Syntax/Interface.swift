/// An interface, as declared by a file in Varlink's interface language
/// (https://varlink.org/Interface-Definition).
///
/// A comment is an array of its lines, each without the `#` and without one space after the `#`. A
/// comment belongs to the declaration, the field or the word that follows.
public struct Interface: Equatable, Sendable {
  /// The name, such as `org.example.Timers`.
  public var name: String
  /// The comment above the word `interface`.
  public var comment: [String]
  /// The declarations, in the order of the file.
  public var declarations: [Declaration]
  /// The comment after the last declaration.
  public var trailingComment: [String]

  /// The declaration of a name; nil if there is none. O(n).
  public func declaration(of name: String) -> Declaration? {
    declarations.first { $0.name == name }
  }
}

/// A type, a method or an error.
public struct Declaration: Equatable, Sendable {
  /// What is declared.
  public enum Kind: Equatable, Sendable {
    /// A structure or an enumeration, by this type.
    case type(TypeExpression)
    /// A method: its parameters and its reply.
    case method(input: [Field], output: [Field])
    /// An error: its parameters.
    case error([Field])
  }

  /// The name. Types, methods and errors have one namespace.
  public var name: String
  /// What is declared.
  public var kind: Kind
  /// The comment above it.
  public var comment: [String]

  /// Makes a declaration.
  public init(name: String, kind: Kind, comment: [String] = []) {
    self.name = name
    self.kind = kind
    self.comment = comment
  }
}

/// A field of a structure, a parameter of a method or of an error.
public struct Field: Equatable, Sendable {
  /// The name, as on the wire.
  public var name: String
  /// The type.
  public var type: TypeExpression
  /// The comment above it.
  public var comment: [String]

  /// Makes a field.
  public init(name: String, type: TypeExpression, comment: [String] = []) {
    self.name = name
    self.type = type
    self.comment = comment
  }
}

/// One word of an enumeration.
public struct Word: Equatable, Sendable {
  /// The word, as on the wire.
  public var name: String
  /// The comment above it.
  public var comment: [String]

  /// Makes a word.
  public init(name: String, comment: [String] = []) {
    self.name = name
    self.comment = comment
  }
}

/// A type as it is written.
public indirect enum TypeExpression: Equatable, Sendable {
  /// `bool`
  case bool
  /// `int`
  case int
  /// `float`
  case float
  /// `string`
  case string
  /// `object`: any JSON object.
  case object
  /// The name of a declared type.
  case named(String)
  /// `?T`: may be absent or null. T is not optional itself.
  case optional(TypeExpression)
  /// `[]T`
  case array(TypeExpression)
  /// `[string]T`
  case map(TypeExpression)
  /// `[string]()`: a set of strings.
  case set
  /// `(a: int, b: string)`; `()` is a structure without fields.
  case structure([Field])
  /// `(one, two, three)`
  case enumeration([Word])
}

extension TypeExpression: CustomStringConvertible {
  /// The notation of an interface, on one line and without comments.
  public var description: String {
    switch self {
    case .bool: "bool"
    case .int: "int"
    case .float: "float"
    case .string: "string"
    case .object: "object"
    case .named(let name): name
    case .optional(let wrapped): "?\(wrapped)"
    case .array(let element): "[]\(element)"
    case .map(let value): "[string]\(value)"
    case .set: "[string]()"
    case .structure(let fields):
      "(\(fields.map { "\($0.name): \($0.type)" }.joined(separator: ", ")))"
    case .enumeration(let words): "(\(words.map(\.name).joined(separator: ", ")))"
    }
  }
}
