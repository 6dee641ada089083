import NightjarVarlink

/// What the interface says of a value. `Shape.Structure.start` is made from the interface file.
indirect enum Shape: Sendable {
  case bool
  case integer
  case number
  case text
  /// Any JSON object: its owner's, and one value.
  case object
  /// What is in one.
  case any
  /// One of these.
  case word([String])
  case array(Shape)
  /// An object whose keys are its owner's.
  case map(Shape)
  case structure(Structure)

  struct Structure: Sendable {
    /// In the interface.
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
  /// The fields of `Start` that say what a timer does, of which one takes the place of the others.
  static let kinds = ["duration_usec", "alarm", "stopwatch", "sequence"]

  /// Fields of which one takes the place of the others. The interface says so in words only.
  var alternatives: [[String]] {
    switch name {
    case "Start":
      [Self.kinds, ["late", "fire_within_usec"], ["replace", "if_absent"]]
    case "Ring": [["sound", "silent"]]
    default: []
    }
  }
}

// MARK: - One over the other

extension JSONValue {
  /// What is said here, and where it is silent, what `base` says: structures member by member, maps by key,
  /// anything else as a whole. Members are in the order of the interface.
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

  /// Whether a member is there. One that is false says nothing against its alternatives.
  func says(_ member: String) -> Bool {
    guard let value = self[member] else { return false }
    return value != false
  }

  /// The same object with another value of a member, in its place or at the end.
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
