/// Why the requested source cannot be written for this interface.
public struct GeneratorError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One sentence that says what to change.
  public var description: String

  package init(_ description: String) { self.description = description }
}
