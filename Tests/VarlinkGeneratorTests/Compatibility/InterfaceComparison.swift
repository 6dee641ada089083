import VarlinkGenerator

/// The incompatibilities between two versions of an interface: between clients of the old one and a
/// service of the new one, and the reverse.
///
/// Parameters may gain optional fields, because clients need not send them. Replies may gain any
/// field, because clients ignore unknown ones. Today's client must not require fields that an old
/// service does not always send.
struct InterfaceComparison {
  /// One sentence for each, in the order of the old interface.
  private(set) var breaks: [String] = []

  private let old: Interface
  private let new: Interface
  private let isNeeded: (_ declaration: String, _ field: String) -> Bool

  /// The directions in which values of a type are sent.
  private struct Directions: OptionSet {
    let rawValue: Int
    static let toService = Directions(rawValue: 1)
    static let toClient = Directions(rawValue: 2)
  }

  /// - Parameter isNeeded: whether today's client needs a required field of a reply; `declaration`
  ///   is the type, the method or the error that has it.
  init(
    from old: Interface, to new: Interface,
    isNeeded: @escaping (_ declaration: String, _ field: String) -> Bool
  ) {
    self.old = old
    self.new = new
    self.isNeeded = isNeeded
    for declaration in old.declarations { compare(declaration) }
  }

  private mutating func compare(_ declaration: Declaration) {
    let name = declaration.name
    let now = new.declaration(of: name)?.kind
    switch (declaration.kind, now) {
    case (.method(let input, let output), .method(let newInput, let newOutput)?):
      compare(input, newInput, .toService, in: name) { "\(name)(\($0))" }
      compare(output, newOutput, .toClient, in: name) { "\(name) -> \($0)" }
    case (.error(let fields), .error(let newFields)?):
      compare(fields, newFields, .toClient, in: name) { "\(name).\($0)" }
    case (.type(let type), .type(let newType)?):
      compare(type, newType, directions(of: name), in: name, at: name)
    case (.method, _): breaks.append("method \(name) is gone")
    case (.error, _): breaks.append("error \(name) is gone")
    case (.type, _): breaks.append("type \(name) is gone")
    }
  }

  private mutating func compare(
    _ fields: [Field], _ newFields: [Field], _ directions: Directions, in declaration: String,
    path: (String) -> String
  ) {
    for field in fields {
      let path = path(field.name)
      guard let newField = newFields.first(where: { $0.name == field.name }) else {
        breaks.append("\(path) is gone")
        continue
      }
      if !field.isOptional, newField.isOptional, directions.contains(.toClient) {
        breaks.append("\(path) has become optional")
      }
      if field.isOptional, !newField.isOptional {
        if directions.contains(.toService) {
          breaks.append("\(path) has become required")
        } else if isNeeded(declaration, field.name) {
          breaks.append("\(path) has become required, and today's client needs it")
        }
      }
      compare(field.present, newField.present, directions, in: declaration, at: path)
    }
    for field in newFields where !fields.contains(where: { $0.name == field.name }) {
      guard !field.isOptional else { continue }
      if directions.contains(.toService) {
        breaks.append("\(path(field.name)) is new and required")
      } else if isNeeded(declaration, field.name) {
        breaks.append("\(path(field.name)) is new, and today's client needs it")
      }
    }
  }

  private mutating func compare(
    _ type: TypeExpression, _ newType: TypeExpression, _ directions: Directions,
    in declaration: String, at path: String
  ) {
    switch (type, newType) {
    case (.structure(let fields), .structure(let newFields)):
      compare(fields, newFields, directions, in: declaration) { "\(path).\($0)" }
    case (.enumeration(let words), .enumeration(let newWords)):
      compare(words.map(\.name), newWords.map(\.name), directions, at: path)
    case (.array(let element), .array(let newElement)), (.map(let element), .map(let newElement)):
      compare(element, newElement, directions, in: declaration, at: "\(path)[]")
    default:
      if type != newType { breaks.append("\(path) was \(type) and is \(newType)") }
    }
  }

  private mutating func compare(
    _ words: [String], _ newWords: [String], _ directions: Directions, at path: String
  ) {
    for word in words where !newWords.contains(word) {
      breaks.append("\(path) has lost the word \(word)")
    }
    // A generated client of the old interface knows no other words than these.
    guard directions.contains(.toClient) else { return }
    for word in newWords where !words.contains(word) {
      breaks.append("\(path) has the new word \(word), which old clients do not know")
    }
  }

  // MARK: - Where types are used

  private func directions(of type: String) -> Directions {
    var directions: Directions = []
    for declaration in old.declarations {
      switch declaration.kind {
      case .method(let input, let output):
        if reaches(type, from: input) { directions.insert(.toService) }
        if reaches(type, from: output) { directions.insert(.toClient) }
      case .error(let fields):
        if reaches(type, from: fields) { directions.insert(.toClient) }
      case .type: continue
      }
    }
    return directions
  }

  /// Whether fields have a type, or types that have it; the types of an interface are not
  /// recursive.
  private func reaches(_ type: String, from fields: [Field]) -> Bool {
    fields.contains { field in
      field.type.names.contains { name in
        guard name != type else { return true }
        guard case .type(let inner) = old.declaration(of: name)?.kind else { return false }
        return reaches(type, from: [Field(name: "", type: inner)])
      }
    }
  }
}

extension Field {
  fileprivate var isOptional: Bool { present != type }

  /// The type of the field where it is there.
  fileprivate var present: TypeExpression {
    if case .optional(let type) = type { type } else { type }
  }
}

extension TypeExpression {
  /// The declared types in it.
  fileprivate var names: [String] {
    switch self {
    case .named(let name): [name]
    case .optional(let type), .array(let type), .map(let type): type.names
    case .structure(let fields): fields.flatMap(\.type.names)
    case .bool, .int, .float, .string, .object, .set, .enumeration: []
    }
  }
}
