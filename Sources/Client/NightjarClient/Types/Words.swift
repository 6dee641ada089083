/// A word of the interface. A word that this library knows has a Swift name. A word that only a
/// newer daemon knows keeps its text, and can be written as a string literal.
public protocol InterfaceWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
where RawValue == String, StringLiteralType == String {
  /// Creates a value for any word, also for an unknown one.
  init(rawValue: String)
}

extension InterfaceWord {
  /// Creates a value for the word in a string literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The word on the wire.
  public var description: String { rawValue }
}

extension EventType {
  /// Whether this is the last event of the timer under its name. After this event, the timer may
  /// have another name, or another timer of this name may be started.
  public var isTheEnd: Bool { [.dismissed, .removed, .expired, .renamedTo].contains(self) }
}
