/// Writes a Swift type for each structure, each enumeration and each method of an interface. The
/// types conform to the protocols `WireStructure`, `WireWord` and `WireMethod` of the module
/// Varlink, so they are read from JSON and written as JSON.
///
/// - A field that is optional in the interface is optional in Swift.
/// - An enumeration has a case for each word, and the case `other` for a word that only a newer
///   service has.
/// - A method is the structure of its parameters, with the structure `Reply` in it.
public struct TypesWriter {
  /// The type in which all other types are declared.
  public var outerType: String
  /// Types that have the words of several enumerations, or another name than the enumeration.
  public var words: [WordSet] = []
  /// The types of words that are structures with a constant for each word. Unlike an enumeration, a
  /// structure can get another word without a change in the programs that use it.
  public var openWords: [String] = []
  /// The types of words of fields that are strings in the interface, as `Structure.field=Type`. For
  /// the reply of a method, the structure is `Method.Reply`.
  public var fieldWords: [String: String] = [:]
  /// Whether an optional boolean, array or map is not optional in Swift. It is false or empty if it
  /// is absent, and absent if it is false or empty.
  public var hasBlanks = false
  /// The fields, as `Structure.field`, whose absence has another meaning than false or empty.
  public var keptOptional: Set<String> = []
  /// The access level of the types.
  public var access: AccessLevel

  public init(outerType: String, access: AccessLevel) {
    self.outerType = outerType
    self.access = access
  }

  /// The Swift source with the types.
  ///
  /// - Throws: `GeneratorError` if two names are the same in Swift, a structure contains itself, or
  ///   an option names nothing of the interface.
  public func source(
    of interface: Interface, madeFrom source: String
  ) throws(GeneratorError) -> String {
    let interface = try interface.withNamedTypes()
    var swift = SwiftText(madeFrom: source)
    // The implementations of a protocol have the protocol's documentation.
    swift.line("// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation")
    swift.line()
    swift.line("\(access.prefix)import Varlink")
    swift.line()
    swift.line("/// The types of `\(interface.name)`.")
    swift.line("\(access.prefix)enum \(outerType) {}")
    var rest = Set(fieldWords.keys).union(keptOptional)
    var replies: [(fields: [Member], type: String)] = []
    for declaration in interface.declarations {
      let name = declaration.name
      let swiftName = SwiftName.type(name, inside: outerType)
      switch declaration.kind {
      case .type(.enumeration):
        guard !words.contains(where: { $0.enumerations.contains(name) }) else { continue }
        try write(WordSet(typeName: swiftName, enumerations: [name]), of: interface, to: &swift)
      case .type(.structure(let fields)):
        guard !interface.contains(name, in: fields) else {
          throw GeneratorError(
            "write '[]\(name)' in \(name); a structure of Swift cannot contain itself")
        }
        let structure = try Structure(
          name: swiftName, comment: declaration.comment, fields: members(fields, of: name, &rest))
        extend(&swift) { write(structure, to: &$0) }
      case .method(let input, let output):
        let structure = try Structure(
          name: swiftName, comment: declaration.comment, fields: members(input, of: name, &rest))
        let reply = try Structure(
          name: "Reply", comment: ["The reply of \(name)."],
          fields: members(output, of: "\(name).Reply", &rest))
        let equal = replies.first { $0.fields == reply.fields }?.type
        replies.append((reply.fields, "\(outerType).\(swiftName).Reply"))
        extend(&swift) { swift in
          write(structure, as: "WireMethod", to: &swift) { swift in
            swift.line()
            swift.line(
              "\(access.prefix)static let method: StaticString = \"\(interface.name).\(name)\"")
            if let equal { return swift.line("\(access.prefix)typealias Reply = \(equal)") }
            swift.line()
            write(reply, to: &swift)
          }
        }
      case .type, .error: continue
      }
    }
    for set in words { try write(set, of: interface, to: &swift) }
    guard rest.isEmpty else {
      throw GeneratorError(
        "name fields of \(interface.name) in place of \(rest.sorted().joined(separator: ", "))")
    }
    return swift.text
  }

  private func extend(_ swift: inout SwiftText, _ body: (inout SwiftText) -> Void) {
    swift.line()
    swift.block("extension \(outerType)", body)
  }

  // MARK: Structures

  private struct Structure {
    let name: String
    let comment: [String]
    let fields: [Member]

    var required: [Member] { fields.filter { !$0.isOptional && !$0.isBlank } }
  }

  /// A field as a property of a structure.
  private struct Member: Equatable {
    let field: Field
    let type: String
    let isOptional: Bool
    /// Whether its absence is the value false or empty.
    let isBlank: Bool

    var name: String { SwiftName.camel(field.name) }
    var declared: String { SwiftName.declared(name) }
  }

  /// - Parameter rest: the names of fields in options; those of these fields are removed.
  private func members(
    _ fields: [Field], of structure: String, _ rest: inout Set<String>
  ) throws(GeneratorError) -> [Member] {
    let types = TypeNames(outer: outerType, words: words)
    var members: [Member] = []
    for field in fields {
      let name = "\(structure).\(field.name)"
      let isBlank = hasBlanks && field.type.hasBlankAbsence && !keptOptional.contains(name)
      var type = types.name(of: field.type, string: fieldWords[name])
      if isBlank { type.removeLast() }
      let isOptional = if case .optional = field.type { !isBlank } else { false }
      rest.remove(name)
      members.append(
        Member(field: field, type: type, isOptional: isOptional, isBlank: isBlank))
    }
    if let twice = members.map(\.name).firstRepeated {
      throw GeneratorError("rename the field of \(structure) that is \(twice) in Swift")
    }
    // WireReader has a bit for each.
    guard members.count(where: { !$0.isOptional && !$0.isBlank }) <= 64 else {
      throw GeneratorError("make some fields of \(structure) optional; at most 64 are required")
    }
    return members
  }

  private func write(
    _ structure: Structure, as protocolName: String = "WireStructure", to swift: inout SwiftText,
    _ more: (inout SwiftText) -> Void = { _ in }
  ) {
    let access = access.prefix
    let comment = structure.comment.isEmpty ? ["`\(structure.name)`"] : structure.comment
    swift.documentation(comment)
    swift.block("\(access)struct \(structure.name): \(protocolName)") { swift in
      for member in structure.fields {
        swift.documentation(member.field.comment)
        swift.line(
          "\(access)var \(member.declared): \(member.type)\(member.isBlank ? " = .blank" : "")")
      }
      if !structure.fields.isEmpty { swift.line() }
      writeInitialisers(of: structure, to: &swift)
      swift.line()
      swift.block("\(access)mutating func read(_ reader: inout WireReader) throws(WireError)") {
        for member in structure.fields {
          let call = member.isBlank ? "blankable" : "field"
          $0.line("try reader.\(call)(\"\(member.field.name)\", &\(member.declared))")
        }
      }
      swift.line()
      swift.block("\(access)func writeMembers(to writer: inout JSONWriter)") {
        for member in structure.fields {
          let call = member.isBlank ? "blankable" : "field"
          $0.line("writer.\(call)(\"\(member.field.name)\", \(member.declared))")
        }
      }
      more(&swift)
    }
  }

  private func writeInitialisers(of structure: Structure, to swift: inout SwiftText) {
    let (access, required) = (access.prefix, structure.required)
    guard !required.isEmpty else {
      swift.line("/// All fields are absent.")
      swift.line("\(access)init() {}")
      swift.line()
      swift.line("\(access)static var blank: Self { Self() }")
      return
    }
    swift.line("/// The optional fields are absent.")
    let parameters = required.map { "\($0.name): \($0.type)" }
    swift.call("\(access)init", parameters, after: " {")
    for member in required { swift.line("  self.\(member.name) = \(member.declared)") }
    swift.line("}")
    swift.line()
    let blanks = required.map { "\($0.name): .blank" }
    let head = "\(access)static var blank: Self {"
    let line = "\(head) Self(\(blanks.joined(separator: ", "))) }"
    guard line.count > SwiftText.width - 2 * swift.depth else { return swift.line(line) }
    swift.block(String(head.dropLast(2))) { $0.call("Self", blanks) }
  }

  // MARK: Words

  private func write(
    _ set: WordSet, of interface: Interface, to swift: inout SwiftText
  ) throws(GeneratorError) {
    let (comment, words) = try set.contents(in: interface)
    let (access, name) = (access.prefix, set.typeName)
    let names = words.map {
      SwiftName.declared(SwiftName.camel($0.name, besides: Self.wordMembers))
    }
    let parts = try parts(of: set, in: interface)
    if let twice = names.firstRepeated {
      throw GeneratorError("rename the word of \(name) that is \(twice) in Swift")
    }
    extend(&swift) { swift in
      swift.documentation(comment)
      guard !openWords.contains(name) else {
        return swift.block("\(access)struct \(name): OpenWireWord") { swift in
          for (word, name) in zip(words, names) {
            swift.documentation(of: word)
            swift.line("\(access)static let \(name): Self = \"\(word.name)\"")
          }
          swift.line()
          writeAllCases(of: set, names, parts, to: &swift)
          swift.line()
          swift.line("\(access)let rawValue: String")
          swift.line("\(access)init(rawValue: String) { self.rawValue = rawValue }")
        }
      }
      swift.block("\(access)enum \(name): WireWord") { swift in
        for (word, name) in zip(words, names) {
          swift.documentation(of: word)
          swift.line("case \(name)")
        }
        swift.line("/// A word that only a newer service has.")
        swift.line("case other(String)")
        swift.line()
        writeAllCases(of: set, names, parts, to: &swift)
        swift.line()
        swift.block("\(access)init(rawValue: String)") { swift in
          swift.line("switch rawValue {")
          for (word, name) in zip(words, names) {
            swift.line("case \"\(word.name)\": self = .\(name)")
          }
          swift.line("default: self = .other(rawValue)")
          swift.line("}")
        }
        swift.line()
        swift.block("\(access)var rawValue: String") { swift in
          swift.line("switch self {")
          for (word, name) in zip(words, names) { swift.line("case .\(name): \"\(word.name)\"") }
          swift.line("case .other(let word): word")
          swift.line("}")
        }
      }
    }
  }
}

extension TypesWriter {
  /// The members that every type of words has.
  private static let wordMembers: Set<String> = [
    "allCases", "blank", "description", "hashValue", "isKnown", "other", "rawValue",
  ]

  /// The enumerations of a set that has several, each with the number of its words.
  private func parts(
    of set: WordSet, in interface: Interface
  ) throws(GeneratorError) -> [(name: String, count: Int)] {
    guard set.enumerations.count > 1 else { return [] }
    var parts: [(name: String, count: Int)] = []
    for name in set.enumerations {
      let part = WordSet(typeName: name, enumerations: [name])
      parts.append((name, try part.contents(in: interface).words.count))
    }
    return parts
  }

  private func writeAllCases(
    of set: WordSet, _ names: [String], _ parts: [(name: String, count: Int)],
    to swift: inout SwiftText
  ) {
    func list(_ property: String, _ names: ArraySlice<String>) {
      swift.list(
        "\(access.prefix)static let \(property): [\(set.typeName)] = [", names.map { ".\($0)" })
    }
    guard !parts.isEmpty else { return list("allCases", names[...]) }
    var rest = names[...]
    for part in parts {
      swift.line("/// The words of \(part.name).")
      list(
        SwiftName.camel(part.name.prefix(1).lowercased() + part.name.dropFirst()),
        rest.prefix(part.count))
      rest = rest.dropFirst(part.count)
    }
    let sum = parts.map { $0.name.prefix(1).lowercased() + $0.name.dropFirst() }
    swift.line(
      "\(access.prefix)static let allCases: [\(set.typeName)] = \(sum.joined(separator: " + "))")
  }
}

extension Interface {
  /// Whether a structure is in some fields or in their structures, not behind an array or a map.
  /// Other structures that contain themselves are not followed.
  fileprivate func contains(_ structure: String, in fields: [Field]) -> Bool {
    var seen: Set<String> = []
    var left = fields.compactMap(\.type.direct)
    while let name = left.popLast() {
      if name == structure { return true }
      guard seen.insert(name).inserted,
        case .type(.structure(let inner))? = declaration(of: name)?.kind
      else { continue }
      left += inner.compactMap(\.type.direct)
    }
    return false
  }
}

extension TypeExpression {
  /// The name of the type if a value has it in itself.
  fileprivate var direct: String? {
    switch self {
    case .named(let name): name
    case .optional(let wrapped): wrapped.direct
    default: nil
    }
  }

  /// Whether it is an optional boolean, array or map.
  fileprivate var hasBlankAbsence: Bool {
    switch self {
    case .optional(.bool), .optional(.array), .optional(.map): true
    default: false
    }
  }
}
