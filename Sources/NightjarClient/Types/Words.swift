/// A word of the interface. Words that this library knows have a name; a word of a newer daemon is
/// preserved as it came, and can be written as a literal.
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
  /// Whether the event ends the timer of this name, which may have been started anew since, or may
  /// have another name.
  public var isTheEnd: Bool { [.dismissed, .removed, .expired, .renamedTo].contains(self) }
}
