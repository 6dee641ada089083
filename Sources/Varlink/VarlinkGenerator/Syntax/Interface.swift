/// An interface, as declared by a file in Varlink's interface language
/// (https://varlink.org/Interface-Definition).
///
/// A comment is an array of its lines, each without the `#` and without one space after the `#`. A
/// comment belongs to the declaration, the field or the word that follows.
public struct Interface: Equatable, Sendable {
  /// The name of the interface, such as `org.example.Lamps`.
  public var name: String
  /// The comment above the word `interface`.
  public var comment: [String]
  /// The declarations of the interface, in the order of the file.
  public var declarations: [Declaration]
  /// The comment after the last declaration.
  public var trailingComment: [String]

  /// A name for it in Swift, after the last part of its own: `Lamp` for `org.example.Lamp`, and
  /// `MyLamp` for `org.example.my-lamp`.
  public var swiftName: String { SwiftName.outer(self) }

  /// The declaration with this name; nil if there is none. O(n).
  public func declaration(of name: String) -> Declaration? {
    declarations.first { $0.name == name }
  }
}

/// The declaration of a type, a method or an error.
public struct Declaration: Equatable, Sendable {
  /// What is declared: a type, a method or an error.
  public enum Kind: Equatable, Sendable {
    /// A structure or an enumeration; the value says which.
    case type(TypeExpression)
    /// A method, with its parameters and the fields of its reply.
    case method(input: [Field], output: [Field])
    /// An error, with its parameters.
    case error([Field])
  }

  /// The name of the declaration. Types, methods and errors have one namespace.
  public var name: String
  /// What is declared: a type, a method or an error.
  public var kind: Kind
  /// The comment above the declaration.
  public var comment: [String]

  public init(name: String, kind: Kind, comment: [String] = []) {
    self.name = name
    self.kind = kind
    self.comment = comment
  }
}

/// A field of a structure, or a parameter of a method or of an error.
public struct Field: Equatable, Sendable {
  /// The name of the field, as on the wire.
  public var name: String
  /// The type of the field.
  public var type: TypeExpression
  /// The comment above the field.
  public var comment: [String]

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
  /// The comment above the word.
  public var comment: [String]

  public init(name: String, comment: [String] = []) {
    self.name = name
    self.comment = comment
  }
}

/// A type as the interface writes it.
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
  /// `?T`: a value that may be absent or null. T is not optional itself.
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
