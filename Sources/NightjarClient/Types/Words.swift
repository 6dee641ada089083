/// A word of the interface. Words that this library knows have a Swift name. A word of a newer
/// daemon keeps its text, and can be written as a string literal.
public protocol InterfaceWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
where RawValue == String, StringLiteralType == String {
  /// Accepts any word.
  init(rawValue: String)
}

extension InterfaceWord {
  /// The word in a literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The word on the wire.
  public var description: String { rawValue }
}

extension EventType {
  /// Whether this is the last event of the timer under its name. After it, the timer may have
  /// another name, or another timer may have been started under this name.
  public var isTheEnd: Bool { [.dismissed, .removed, .expired, .renamedTo].contains(self) }
}
