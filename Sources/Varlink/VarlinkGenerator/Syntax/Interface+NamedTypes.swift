extension Interface {
  /// The interface with a declared type in place of each structure and each enumeration in a field.
  /// The type is named after the place: `LampState` for the field `state` of `Lamp`, and
  /// `FindReplyPlace` for the field `place` of the reply of `Find`.
  ///
  /// - Throws: `GeneratorError` if such a name is declared already.
  func withNamedTypes() throws(GeneratorError) -> Interface {
    var interface = self
    interface.declarations = declarations.flatMap { declaration in
      var (declaration, places, name) = (declaration, Places(), declaration.name)
      switch declaration.kind {
      case .type(.structure(let fields)):
        declaration.kind = .type(.structure(places.named(fields, in: name)))
      case .type: break
      case .method(let input, let output):
        declaration.kind = .method(
          input: places.named(input, in: name), output: places.named(output, in: "\(name)Reply"))
      case .error(let fields): declaration.kind = .error(places.named(fields, in: name))
      }
      return [declaration] + places.types
    }
    if let twice = interface.declarations.map(\.name).firstRepeated {
      throw GeneratorError(
        "declare a type for the field whose type would be \(twice), a name that is declared already"
      )
    }
    return interface
  }
}

/// The types of fields that get a name.
private struct Places {
  var types: [Declaration] = []

  mutating func named(_ fields: [Field], in place: String) -> [Field] {
    fields.map { field in
      let type = named(field.type, as: place + SwiftName.capital(field.name))
      return Field(name: field.name, type: type, comment: field.comment)
    }
  }

  private mutating func named(_ type: TypeExpression, as name: String) -> TypeExpression {
    switch type {
    case .optional(let wrapped): return .optional(named(wrapped, as: name))
    case .array(let element): return .array(named(element, as: name))
    case .map(let value): return .map(named(value, as: name))
    case .structure(let fields):
      let fields = named(fields, in: name)
      types.append(Declaration(name: name, kind: .type(.structure(fields))))
      return .named(name)
    case .enumeration:
      types.append(Declaration(name: name, kind: .type(type)))
      return .named(name)
    case .bool, .int, .float, .string, .object, .named, .set: return type
    }
  }
}
