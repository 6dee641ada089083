import NightjarConfig
import NightjarInterface
import NightjarModel
import Varlink

/// Converts a preset's table to the parameters of `Start`. The table's keys are fields of the
/// interface, or short forms. The reader stores the position of each member, so that an error that
/// is found later has a line number.
struct PresetReader {
  /// The parameters of `Start`, as a JSON object.
  private(set) var parameters: JSONValue = .object([])
  /// The position of each member and element, with its path, in the order of the file.
  private(set) var places: [(path: [String], node: ConfigNode)] = []

  /// The time and zone for relative days, such as today.
  private let wall: WallClock

  /// - Throws: `ConfigError` about the first unknown key, or the first value of a wrong type.
  init(_ table: ConfigTable, at wall: WallClock) throws(ConfigError) {
    self.wall = wall
    parameters = try object(table, as: .start, at: [])
    if let (node, sentence) = strayKey(in: table) { throw table.error(at: node, sentence) }
    if let (path, sentence) = mistake(in: parameters, of: .start, at: [], called: "preset"),
      let node = place(of: path)
    {
      throw table.error(at: node, sentence)
    }
  }

  /// The position of a member in the file. If the member has no position of its own, and `alone` is
  /// false, the position of the first member inside it.
  func place(of path: [String], alone: Bool = false) -> ConfigNode? {
    places.first { alone ? $0.path == path : $0.path.starts(with: path) }?.node
  }

  /// The position of a parameter that the daemon's code refuses, or of one element of it. If the
  /// table sets the parameter with another key, the position of that key.
  func place(of parameter: String, element: Int? = nil) -> ConfigNode? {
    let others = [
      "late": ["fire_within_usec"], "long_every": ["steps"], "rounds": ["repeat"],
      "kind": ["repeat"], "calendar": ["alarm"], "ring": ["on", "timeout_usec", "environment"],
    ]
    let names = [parameter] + (others[parameter] ?? [])
    // A label may have the same name as a field. The parameter is the one with the shortest path.
    let found = names.lazy.compactMap { name in
      places.filter { $0.path.last == name }.min { $0.path.count < $1.path.count }
    }.first
    guard let found, let element else { return found?.node ?? place(of: [parameter]) }
    // The elements of `labels` are members of an object; those of `bands` and `steps` are elements
    // of an array.
    let elements = places.filter { $0.path.dropLast() == found.path[...] }
    return element < elements.count ? elements[element].node : found.node
  }

  // MARK: Structures

  private mutating func object(
    _ table: ConfigTable, as structure: Shape.Structure, at path: [String]
  ) throws(ConfigError) -> JSONValue {
    let forms = ShortForm.all(of: structure)
    try table.check(keys: structure.fields.map(\.name) + forms.map(\.key))
    var object = JSONValue.object([])
    for node in table.entries {
      let form = forms.first { $0.key == node.key }
      let own =
        if let form { (path: form.path, value: try form.value(of: node, in: table, at: wall)) } else
        {
          try field(node, of: structure, in: table)
        }
      places.append((path + own.path, node))
      let shape = Shape.structure(structure).at(own.path)
      let value =
        if let value = own.value { value } else {
          try self.value(of: node, as: shape, in: table, at: path + own.path)
        }
      guard value != .null else { continue }
      object = try set(own.path, value, in: object, of: node, table, at: path)
    }
    return object
  }

  /// - Returns: the path of the field that a key sets. `value` is nil if the value has the notation
  ///   of the field's type.
  private mutating func field(
    _ node: ConfigNode, of structure: Shape.Structure, in table: ConfigTable
  ) throws(ConfigError) -> (path: [String], value: JSONValue?) {
    switch (structure.name, node.key) {
    case ("Start", "late"):
      let words = Wire.Late.allCases.map(\.rawValue)
      let (word, usec) = try table.wordOrUsec(of: node, among: words, from: 0)
      return word == nil ? (["fire_within_usec"], .integer(usec)) : (["late"], nil)
    case ("Start", "repeat") where table.has("alarm"):
      // For an alarm, `repeat` gives the number of rounds. The default is a repetition without an
      // end.
      let rounds = try value(of: node, as: .repeat, in: table, at: ["repeat"])["rounds"] ?? 0
      return (["alarm", "rounds"], rounds == 0 ? .null : rounds)
    default: return ([node.key], nil)
    }
  }

  /// Sets a value in an object. If the object already has a value, another key of the table has set
  /// it. Two objects are merged; for other values, this throws an error.
  private func set(
    _ steps: [String], _ value: JSONValue, in object: JSONValue, of node: ConfigNode,
    _ table: ConfigTable, at path: [String]
  ) throws(ConfigError) -> JSONValue {
    guard let key = steps.first else {
      // The days of `except` and of `except_file` become one list.
      if path.last == "except",
        let (there, more) = object.arrayValue.flatMap({ there in
          value.arrayValue.map { (there, $0) }
        })
      {
        return .array(there + more)
      }
      guard let members = value.objectValue, var both = object.objectValue.map(JSONValue.object)
      else {
        let other = places.first { $0.path == path && $0.node != node }?.node.key ?? node.key
        throw table.error(at: node, "give '\(other)' or '\(node.key)', not both")
      }
      for member in members {
        both = try set([member.key], member.value, in: both, of: node, table, at: path)
      }
      return both
    }
    guard let there = object[key] else {
      return object.setting(
        key, steps.dropFirst().reversed().reduce(value) { .object([.init($1, $0)]) })
    }
    let rest = Array(steps.dropFirst())
    return object.setting(
      key, try set(rest, value, in: there, of: node, table, at: path + [key]))
  }

  /// The first short form for an alarm or a sequence that the table does not have, and the error
  /// about it.
  private func strayKey(in table: ConfigTable) -> (node: ConfigNode, sentence: String)? {
    let owners = [("alarm", "alarm", ["at_usec", "calendar"]), ("sequence", "steps", ["steps"])]
    for (structure, key, needed) in owners where !table.has(structure) {
      guard let value = parameters[structure], !needed.contains(where: { value[$0] != nil }),
        let node = place(of: [structure])
      else { continue }
      let sentence = "'\(node.key)' belongs to '\(key)', which this table lacks"
      guard node.key == "rounds", !parameters.says("stopwatch") else { return (node, sentence) }
      let kind = parameters["alarm"] == nil ? "a countdown" : "an alarm"
      return (node, "\(sentence); for \(kind) write 'repeat'")
    }
    return nil
  }

  /// The error about the first structure that has two fields which exclude each other, or that
  /// lacks a required field, and the path of that structure.
  private func mistake(
    in object: JSONValue, of structure: Shape.Structure, at path: [String], called name: String
  ) -> (path: [String], sentence: String)? {
    for group in structure.alternatives {
      let said = group.filter(object.says)
      guard said.count > 1 else { continue }
      let keys = said.map { field in place(of: path + [field])?.key ?? field }
      return (path + [said[1]], "give '\(keys[0])' or '\(keys[1])', not both")
    }
    let required = structure.fields.filter(\.isRequired).map(\.name)
    guard required.allSatisfy({ object[$0] != nil }) else {
      let keys = required.map { field in
        "'\(ShortForm.all(of: structure).first { $0.path == [field] }?.key ?? field)'"
      }
      return (path, "a \(name) needs \(keys.joined(separator: " and "))")
    }
    for field in structure.fields {
      guard let value = object[field.name] else { continue }
      let path = path + [field.name]
      if case .structure(let inner) = field.shape,
        let mistake = mistake(in: value, of: inner, at: path, called: field.name)
      {
        return mistake
      }
      guard case .array(.structure(let inner)) = field.shape else { continue }
      for (index, element) in (value.arrayValue ?? []).enumerated() {
        let (path, name) = (path + ["\(index)"], inner.name.lowercased())
        if let mistake = mistake(in: element, of: inner, at: path, called: name) { return mistake }
      }
    }
    return nil
  }
}

// MARK: - Values

extension PresetReader {
  private mutating func value(
    of node: ConfigNode, as shape: Shape, in table: ConfigTable, at path: [String]
  ) throws(ConfigError) -> JSONValue {
    if case .structure(let structure) = shape {
      return try value(of: node, as: structure, in: table, at: path)
    }
    if case .word(let words) = shape { return .string(try table.word(of: node, among: words)) }
    let json: JSONValue
    switch node.value {
    case .string(let text): json = .string(text)
    case .integer(let number): json = .integer(number)
    case .boolean(let value): json = .bool(value)
    case .float(let number) where number.isFinite: json = .double(number)
    case .array(let nodes):
      json = .array(
        try members(nodes, of: shape, in: table, at: path, called: { "\($0)" }).map(\.value))
    case .table(let nodes):
      json = .object(try members(nodes, of: shape, in: table, at: path, called: { nodes[$0].key }))
    case .float:
      throw table.error(
        at: node, "infinity and NaN are no numbers in JSON; write another number for '\(node.key)'")
    case .date where shape.inner == nil: throw table.error(at: node, expected: shape.description)
    case .date:
      throw table.error(at: node, "JSON has no dates; write '\(node.key)' as a text in quotes")
    }
    guard shape.admits(json) else { throw table.error(at: node, expected: shape.description) }
    return json
  }

  private mutating func members(
    _ nodes: [ConfigNode], of shape: Shape, in table: ConfigTable, at path: [String],
    called name: (Int) -> String
  ) throws(ConfigError) -> [JSONValue.Member] {
    // A shape without members: the caller refuses the whole array or table.
    guard let inner = shape.inner else { return [] }
    var members: [JSONValue.Member] = []
    for (index, node) in nodes.enumerated() {
      let path = path + [name(index)]
      places.append((path, node))
      members.append(.init(name(index), try value(of: node, as: inner, in: table, at: path)))
    }
    return members
  }

  private mutating func value(
    of node: ConfigNode, as structure: Shape.Structure, in table: ConfigTable, at path: [String]
  ) throws(ConfigError) -> JSONValue {
    if let short = try short(node, for: structure, in: table) {
      for member in short.objectValue ?? [] { places.append((path + [member.key], node)) }
      return short
    }
    let noun = node.key == path.last ? "'\(node.key)'" : "a \(structure.name.lowercased())"
    let own = try table.table(of: node, title: "\(noun) of \(table.title)")
    let value = try object(own, as: structure, at: path)
    if structure.name == "Band", let color = value["color"]?.stringValue,
      let problem = BandArgument.colorProblem(color)
    {
      throw table.error(at: place(of: path + ["color"]) ?? node, problem)
    }
    return withBreak(value, of: structure)
  }

  /// The value of a structure that is written in short notation.
  ///
  /// - Returns: nil if the structure is not in short notation. `.null` if the value turns the
  ///   structure off, as `repeat = false` does.
  private func short(
    _ node: ConfigNode, for structure: Shape.Structure, in table: ConfigTable
  ) throws(ConfigError) -> JSONValue? {
    switch (structure.name, node.value) {
    case ("Repeat", .boolean(let isOn)): return isOn ? ["rounds": 0] : .null
    case ("Repeat", .integer(let rounds)):
      guard rounds != 0, TimerSpec.Shared.problem(rounds: rounds) == nil else {
        throw table.error(
          at: node,
          "'\(node.key)' must be true, or how often it rings: from 1 to \(Limits.rounds), "
            + "not \(rounds)")
      }
      return ["rounds": .integer(rounds)]
    case ("Repeat", _) where !node.value.isTable:
      throw table.error(at: node, expected: "true, or how often it rings")
    case ("Alarm", .string(let time)): return ["calendar": .string(time)]
    case ("Alarm", _) where !node.value.isTable: throw table.error(at: node, expected: "a text")
    case ("ProgressRange", .array(let ends)):
      let numbers = ends.compactMap { end -> JSONValue? in
        if case .integer(let number) = end.value { return .integer(number) }
        if case .float(let number) = end.value { return .double(number) }
        return nil
      }
      guard ends.count == 2, numbers.count == 2,
        numbers.allSatisfy({ $0.doubleValue.flatMap(ProgressRange.millionths) != nil })
      else {
        throw table.error(
          at: node, "'\(node.key)' is two numbers from 0 to 1, such as [0.9, 1.0]")
      }
      return ["from": numbers[0], "to": numbers[1]]
    case ("Band", .string(let text)):
      guard let (span, name) = Self.pair(text), !name.isEmpty, !name.contains(":") else {
        throw table.error(
          at: node,
          "a band is written span=name, such as \"10s=urgent\", or as a table with 'remaining', "
            + "'name', 'color', 'text' and 'progress', not \"\(text)\"")
      }
      return [
        "name": .string(name), "remaining_usec": .integer(try table.usec(of: span, at: node)),
      ]
    case ("Step", .string(let text)):
      guard let (name, span) = Self.pair(text), !name.isEmpty else {
        throw table.error(
          at: node, "a step is written name=span, such as \"work=25min\", not \"\(text)\"")
      }
      let step: JSONValue = [
        "name": .string(name), "duration_usec": .integer(try table.usec(of: span, at: node)),
      ]
      return withBreak(step, of: structure)
    default: return nil
    }
  }

  /// The step, marked as a break if its name says so and the table does not give `break`.
  private func withBreak(_ step: JSONValue, of structure: Shape.Structure) -> JSONValue {
    guard structure.name == "Step", step["break"] == nil, let name = step["name"]?.stringValue,
      SequenceArguments.isBreak(name)
    else { return step }
    return step.setting("break", true)
  }

  /// The texts before and after the first equals sign; nil if there is none.
  private static func pair(_ text: String) -> (String, String)? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    return (String(text[..<equals]), String(text[text.index(after: equals)...]))
  }
}

extension ConfigNode.Value {
  fileprivate var isTable: Bool { if case .table = self { true } else { false } }
}

extension Shape {
  /// The shape of a field, or of a nested field.
  fileprivate func at(_ path: [String]) -> Shape {
    path.reduce(self) { shape, name in
      guard case .structure(let structure) = shape,
        let field = structure.fields.first(where: { $0.name == name })
      else { preconditionFailure("\(path) is in no structure of the interface") }
      return field.shape
    }
  }

  /// The shape that all elements or members have; nil if there are none, or if each has a shape of
  /// its own.
  fileprivate var inner: Shape? {
    switch self {
    case .array(let inner), .map(let inner): inner
    case .object, .any: .any
    case .bool, .integer, .number, .text, .word, .structure: nil
    }
  }

  /// Whether a value has this shape. Its members and elements are not checked.
  fileprivate func admits(_ json: JSONValue) -> Bool {
    switch (self, json) {
    case (.any, _), (.bool, .bool), (.integer, .integer), (.number, .integer), (.number, .double),
      (.text, .string), (.word, .string), (.array, .array), (.map, .object), (.object, .object),
      (.structure, .object):
      true
    default: false
    }
  }

  /// The name of the shape in errors.
  fileprivate var description: String {
    switch self {
    case .bool: "true or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .text, .word: "a text"
    case .object, .map, .structure, .any: "a table"
    case .array(.structure(let structure)) where structure.name == "Band":
      "an array such as [\"60s=warn\", \"10s=urgent\"]"
    case .array(.structure(let structure)) where structure.name == "Step":
      "an array such as [\"work=25min\", \"rest=5min\"]"
    case .array: "an array of texts"
    }
  }
}
