/// A word of the interface. Those this library knows have a name of their own; one that only a newer
/// daemon has is kept as it came, and can be written as a literal.
public protocol InterfaceWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
where RawValue == String, StringLiteralType == String {
  /// From the word on the wire; any will do.
  init(rawValue: String)
}

extension InterfaceWord {
  /// From a literal.
  public init(stringLiteral value: String) { self.init(rawValue: value) }

  /// The word on the wire.
  public var description: String { rawValue }
}

extension EventType {
  /// Whether a timer of this name is not there any more, unless it was started anew since. It may have another name.
  public var isTheEnd: Bool { [.dismissed, .removed, .expired, .renamedTo].contains(self) }
}
