import Varlink

/// The type of a value in the interface. `Shape.Structure.start` is generated from the interface
/// file.
indirect enum Shape: Sendable {
  case bool
  case integer
  case number
  case text
  /// A JSON object whose content belongs to the client, such as `data`. It is merged and replaced
  /// as one value.
  case object
  /// A member of such a JSON object, of any type.
  case any
  /// A text that must be one of these words.
  case word([String])
  case array(Shape)
  /// An object whose keys the client chooses, such as `labels`.
  case map(Shape)
  case structure(Structure)

  struct Structure: Sendable {
    /// The name of the type in the interface.
    let name: String
    let fields: [Field]
  }

  struct Field: Sendable {
    let name: String
    let shape: Shape
    let isRequired: Bool

    init(_ name: String, _ shape: Shape, isRequired: Bool = false) {
      self.name = name
      self.shape = shape
      self.isRequired = isRequired
    }
  }
}

extension Shape.Structure {
  /// The fields of `Start` that select the timer's kind. They exclude each other.
  static let kinds = ["duration_usec", "alarm", "stopwatch", "sequence"]

  /// The groups of fields that exclude each other. The interface file states this only in its
  /// comments.
  var alternatives: [[String]] {
    switch name {
    case "Start":
      [Self.kinds, ["late", "fire_within_usec"], ["replace", "if_absent"]]
    case "Ring": [["sound", "silent"]]
    default: []
    }
  }
}

// MARK: - Merging

extension JSONValue {
  /// This value, with missing parts taken from `base`. Structures are merged member by member, and
  /// maps key by key. Any other value replaces that of `base`. Members are in the order of the
  /// interface.
  func merged(over base: JSONValue?, as shape: Shape) -> JSONValue {
    guard let base else { return self }
    switch shape {
    case .bool, .integer, .number, .text, .object, .any, .word, .array: return self
    case .map:
      let said = objectValue ?? []
      let other = (base.objectValue ?? []).filter { self[$0.key] == nil }
      return .object(other + said)
    case .structure(let structure):
      let replaced = structure.alternatives.filter { $0.contains(where: says) }.joined()
      return .object(
        structure.fields.compactMap { field in
          let other = replaced.contains(field.name) && !says(field.name) ? nil : base[field.name]
          guard let value = self[field.name] else { return other.map { .init(field.name, $0) } }
          return .init(field.name, value.merged(over: other, as: field.shape))
        })
    }
  }

  /// Whether a member is present and not false. A member that is false excludes no other.
  func says(_ member: String) -> Bool {
    guard let value = self[member] else { return false }
    return value != false
  }

  /// The same object with another value of a member, in its position or at the end.
  func setting(_ key: String, _ value: JSONValue) -> JSONValue {
    var members = objectValue ?? []
    if let index = members.lastIndex(where: { $0.key == key }) {
      members[index].value = value
    } else {
      members.append(.init(key, value))
    }
    return .object(members)
  }
}
