import NightjarInterface
import NightjarModel
import NightjarTime
import Varlink

/// Writes the parameters of `Start` as the keys of a preset. From these keys, `PresetReader` reads
/// the same parameters.
struct PresetWriter {
  /// The lines of a preset's table, with short forms where they exist.
  ///
  /// - Throws: `CommandError`: TOML cannot express a value.
  static func lines(_ parameters: JSONValue) throws(CommandError) -> [String] {
    try members(of: parameters, as: .start).map { "\($0.key) = \($0.value)" }
  }

  static func head(_ name: String) -> String { "[presets.\(key(name))]" }

  // MARK: Structures

  private static func members(
    of object: JSONValue, as structure: Shape.Structure
  ) throws(CommandError) -> [(key: String, value: String)] {
    let forms = ShortForm.all(of: structure).filter(\.isWritten)
    var members: [(key: String, value: String)] = []
    for field in structure.fields {
      guard let value = object[field.name], value != .null else { continue }
      if structure.name == "Start", let member = short(field.name, value) {
        members.append(member)
      } else if let form = forms.first(where: { $0.path == [field.name] }) {
        members.append((form.key, try text(value, as: field.shape, by: form)))
      } else if case .structure(let inner) = field.shape,
        forms.contains(where: { $0.path.first == field.name })
      {
        for part in inner.fields {
          guard let value = value[part.name], value != .null else { continue }
          let form = forms.first { $0.path == [field.name, part.name] }
          members.append(
            (
              form?.key ?? "\(field.name).\(part.name)",
              try text(value, as: part.shape, by: form)
            ))
        }
      } else {
        members.append((field.name, try text(value, as: field.shape)))
      }
    }
    return members
  }

  /// The key and value for a field that has a notation of its own; nil if the field has none.
  private static func short(_ field: String, _ value: JSONValue) -> (key: String, value: String)? {
    switch field {
    case "fire_within_usec": return span(value).map { ("late", $0) }
    case "repeat":
      let rounds = value["rounds"]?.integerValue ?? 0
      return ("repeat", rounds == 0 ? "true" : "\(rounds)")
    default: return nil
    }
  }

  // MARK: Values

  private static func text(
    _ value: JSONValue, as shape: Shape, by form: ShortForm?
  ) throws(CommandError) -> String {
    if form?.isSpan == true, let span = span(value) { return span }
    return try text(value, as: shape)
  }

  private static func text(_ value: JSONValue, as shape: Shape) throws(CommandError) -> String {
    if case .structure(let structure) = shape {
      return inline(try members(of: value, as: structure))
    }
    switch value {
    case .null: throw CommandError(.refused, "TOML has no null, so it cannot be written")
    case .bool(let isTrue): return isTrue ? "true" : "false"
    case .integer(let number): return "\(number)"
    case .double(let number): return "\(number)"
    case .string(let text): return quoted(text)
    case .array(let elements):
      let inner = if case .array(let inner) = shape { inner } else { Shape.any }
      let texts = try elements.map { (element) throws(CommandError) in
        try text(element, as: inner)
      }
      return "[\(texts.joined(separator: ", "))]"
    case .object(let members):
      return inline(
        try members.map { (member) throws(CommandError) in
          (key(member.key), try text(member.value, as: .any))
        })
    }
  }

  private static func inline(_ members: [(key: String, value: String)]) -> String {
    guard !members.isEmpty else { return "{}" }
    return "{ \(members.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")) }"
  }

  private static func span(_ value: JSONValue) -> String? {
    guard let usec = value.integerValue, usec >= 0 else { return nil }
    return quoted(SpanFormat.canonical(.usec(UInt64(usec))))
  }

  /// A key, in quotes if it needs them.
  static func key(_ name: String) -> String {
    let isBare = name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
        || [UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
    }
    return isBare && !name.isEmpty ? name : quoted(name)
  }

  static func quoted(_ text: String) -> String {
    "\"\(text.unicodeScalars.map(escaped).joined())\""
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
    guard scalar.value < 0x20 || scalar.value == 0x7f else { return String(scalar) }
    let hex = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
  }
}

extension ShortForm {
  /// Whether the writer uses this form. It never writes the form for a shell command or for files
  /// of days, because the parameters have only the words of the command and the days themselves.
  fileprivate var isWritten: Bool {
    switch value {
    case .plain, .span, .command, .events, .spanOrNothing, .days, .day, .sound: true
    case .shell, .filesOfDays: false
    }
  }

  fileprivate var isSpan: Bool {
    switch value {
    case .span, .spanOrNothing: true
    case .plain, .command, .shell, .events, .days, .filesOfDays, .day, .sound: false
    }
  }
}
