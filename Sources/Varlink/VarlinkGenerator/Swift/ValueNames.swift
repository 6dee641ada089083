/// The Swift names of an interface's structures and fields in a client.
///
/// The file has a line for each Swift type, followed by an indented line for each field that needs
/// one. The label is the name of the type in the texts of errors.
///
///     Swift.Type = Type label
///       field = name          the property has another name
///       field: Word           the Swift type, of a string whose words are listed elsewhere
///       field default 0       the value if the field is absent; older services may not send it
///       field optional        older services may not send it
///       field package         only the package sees the property
///       field left out        the client does not read it
///
/// `Type` is a structure of the interface, or a method. For a method, the Swift type contains the
/// reply.
///
/// The line of a type may have more words:
/// - `package` at the beginning: the type is visible only in the package.
/// - `written` at the end: the type can also be encoded as JSON. If the type is visible only in the
///   package, it also has an initialiser with all properties.
/// - `by hand` in place of the label: the type is written by hand, and has the initialiser that the
///   generator would write.
/// - `parameters` in place of the label: the type contains the parameters of a method. It can only
///   be encoded.
///
/// A `#` begins a comment.
public struct ValueNames: Equatable, Sendable {
  /// The content of the line of one field.
  struct Property: Equatable, Sendable {
    var name: String?
    var type: String?
    var defaultValue: String?
    var isOptional = false
    var isOfPackage = false
    var isLeftOut = false
  }

  /// The content of the lines of one type.
  struct Structure: Equatable, Sendable {
    var swiftType: String
    var source: String
    var label: String
    var access: AccessLevel?
    var isByHand = false
    var isWritten = false
    /// Whether the type contains the parameters of a method. If false and `Type` is a method, it
    /// contains the reply.
    var hasParameters = false
    var properties: [String: Property] = [:]
  }

  var structures: [Structure] = []

  /// Reads a file of names.
  ///
  /// - Throws: `SyntaxError` for the first line that has none of these forms.
  public init(parsing text: String) throws(SyntaxError) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let words = Self.words(line)
      guard !words.isEmpty else { continue }
      if line.first != " " {
        guard let structure = Self.structure(words) else {
          throw SyntaxError(
            line: index + 1, column: 1,
            message: "write 'Swift.Type = Type label', or 'by hand' in place of the label")
        }
        structures.append(structure)
      } else {
        guard let (field, property) = Self.property(words), !structures.isEmpty else {
          throw SyntaxError(
            line: index + 1, column: 3,
            message: "write 'field', then '= name', ': Type', 'default value', 'optional', "
              + "'package' or 'left out'")
        }
        structures[structures.count - 1].properties[field] = property
      }
    }
  }

  /// The words of a line, up to a comment. A `:` after a word counts as a word of its own.
  private static func words(_ line: Substring) -> [String] {
    line.prefix { $0 != "#" }.split(separator: " ").flatMap { word in
      word.count > 1 && word.hasSuffix(":") ? [String(word.dropLast()), ":"] : [String(word)]
    }
  }

  private static func structure(_ words: [String]) -> Structure? {
    var words = words[...]
    let access: AccessLevel? = words.first == "package" ? .package : nil
    if access != nil { words.removeFirst() }
    let isWritten = words.last == "written"
    if isWritten { words.removeLast() }
    let rest = words.dropFirst(3)
    guard words.count > 3, words.dropFirst().first == "=", let type = words.first,
      let source = words.dropFirst(2).first
    else { return nil }
    let isByHand = Array(rest) == ["by", "hand"]
    guard isByHand || rest.count == 1 else { return nil }
    return Structure(
      swiftType: type, source: source, label: isByHand ? "" : rest.joined(), access: access,
      isByHand: isByHand, isWritten: isWritten, hasParameters: Array(rest) == ["parameters"])
  }

  private static func property(_ words: [String]) -> (field: String, property: Property)? {
    var words = words[...]
    guard let field = words.popFirst() else { return nil }
    var property = Property()
    while let keyword = words.popFirst() {
      switch keyword {
      case "=": property.name = words.popFirst()
      case ":": property.type = words.popFirst()
      case "optional": property.isOptional = true
      case "default":
        property.defaultValue = words.joined(separator: " ")
        words = []
      case "package": property.isOfPackage = true
      case "left": property.isLeftOut = words.popFirst() == "out"
      default: return nil
      }
    }
    return (field, property)
  }
}
