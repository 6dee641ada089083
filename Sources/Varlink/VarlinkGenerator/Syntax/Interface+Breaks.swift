extension Interface {
  /// What a program that was written for an older version of this interface relies on, and this
  /// version lacks: one sentence each, in the order of the older version. O(declarations²).
  ///
  /// Methods, errors, fields and optional parameters may be added. So may words of a parameter, and
  /// of a type that no field has: it lists the words of strings.
  public func breaks(since old: Interface) -> [String] {
    guard name == old.name else { return ["the interface \(old.name) is now called \(name)"] }
    var comparison = Comparison(interface: self)
    // What goes one way in either version: a type may only now be used in a reply.
    for interface in [old, self] { comparison.trace(interface) }
    for declaration in old.declarations {
      comparison.compare(declaration, self.declaration(of: declaration.name))
    }
    return comparison.sentences
  }
}

/// The ways that a value takes. A type in no parameter and no reply lists the words of strings.
private struct Ways: OptionSet {
  let rawValue: Int
  /// To the service, in a parameter.
  static let there = Ways(rawValue: 1)
  /// To the client, in a reply or an error.
  static let back = Ways(rawValue: 2)
}

private struct Comparison {
  /// The newer version.
  let interface: Interface
  private var ways: [String: Ways] = [:]
  private(set) var sentences: [String] = []

  init(interface: Interface) { self.interface = interface }

  // MARK: The ways of types

  mutating func trace(_ interface: Interface) {
    for declaration in interface.declarations {
      switch declaration.kind {
      case .method(let input, let output):
        trace(input, .there, interface)
        trace(output, .back, interface)
      case .error(let fields): trace(fields, .back, interface)
      case .type: break
      }
    }
  }

  private mutating func trace(_ fields: [Field], _ way: Ways, _ interface: Interface) {
    for field in fields { trace(field.type, way, interface) }
  }

  private mutating func trace(_ type: TypeExpression, _ way: Ways, _ interface: Interface) {
    switch type {
    case .optional(let inner), .array(let inner), .map(let inner): trace(inner, way, interface)
    case .structure(let fields): trace(fields, way, interface)
    case .named(let name):
      guard ways[name, default: []].insert(way).inserted,
        case .type(let inner)? = interface.declaration(of: name)?.kind
      else { return }
      trace(inner, way, interface)
    case .bool, .int, .float, .string, .object, .set, .enumeration: break
    }
  }

  // MARK: Declarations

  mutating func compare(_ old: Declaration, _ new: Declaration?) {
    let name = old.name
    switch (old.kind, new?.kind) {
    case (.method(let input, let output), .method(let newInput, let newOutput)?):
      compare(input, newInput, in: name, "parameter", .there)
      compare(output, newOutput, in: name, "field of the reply", .back)
    case (.error(let old), .error(let new)?): compare(old, new, in: name, "field", .back)
    case (.type(let old), .type(let new)?):
      compare(old, new, at: name, ways[name] ?? [])
    case (.method, _): say(name, "the method is gone")
    case (.error, _): say(name, "the error is gone")
    case (.type, _): say(name, "the type is gone")
    }
  }

  private mutating func compare(
    _ old: [Field], _ new: [Field], in place: String, _ what: String, _ ways: Ways
  ) {
    for field in old {
      guard let now = new.first(where: { $0.name == field.name }) else {
        say(place, "the \(what) '\(field.name)' is gone")
        continue
      }
      let (was, could) = field.type.unwrapped
      let (type, can) = now.type.unwrapped
      if could, !can, ways.contains(.there) { say(place, "'\(field.name)' must now be given") }
      if !could, can, ways.contains(.back) { say(place, "'\(field.name)' may now be absent") }
      compare(was, type, at: "\(place).\(field.name)", ways)
    }
    for field in new
    where ways.contains(.there) && !field.type.unwrapped.isOptional
      && !old.contains(where: { $0.name == field.name })
    {
      say(place, "the new \(what) '\(field.name)' must be given; make it optional")
    }
  }

  // MARK: Types

  private mutating func compare(
    _ old: TypeExpression, _ new: TypeExpression, at place: String, _ ways: Ways
  ) {
    switch (old, new) {
    case (.array(let old), .array(let new)), (.map(let old), .map(let new)),
      (.optional(let old), .optional(let new)):
      compare(old, new, at: place, ways)
    case (.structure(let old), .structure(let new)): compare(old, new, in: place, "field", ways)
    case (.enumeration(let old), .enumeration(let new)):
      compare(old.map(\.name), new.map(\.name), at: place, ways)
    case (.string, _) where isEnumeration(new):
      say(place, "a string, whose words are open, is now one of the words of \(new)")
    default: if old != new { say(place, "the type was \(old), and is \(new)") }
    }
  }

  private mutating func compare(
    _ old: [String], _ new: [String], at place: String, _ ways: Ways
  ) {
    for word in old where !new.contains(word) { say(place, "the word '\(word)' is gone") }
    // A client need not accept a word that it does not know, unless the field is a string.
    for word in new where ways.contains(.back) && !old.contains(word) {
      say(place, "the word '\(word)' is new in a list that is closed")
    }
  }

  private func isEnumeration(_ type: TypeExpression) -> Bool {
    switch type {
    case .enumeration: return true
    case .named(let name):
      guard case .type(.enumeration)? = interface.declaration(of: name)?.kind else { return false }
      return true
    default: return false
    }
  }

  private mutating func say(_ place: String, _ sentence: String) {
    sentences.append("\(place): \(sentence)")
  }
}

extension TypeExpression {
  fileprivate var unwrapped: (type: TypeExpression, isOptional: Bool) {
    if case .optional(let type) = self { (type, true) } else { (self, false) }
  }
}
