/// What is asked for cannot be written of this interface; one sentence says what would be right.
public struct GeneratorError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One sentence.
  public var description: String

  init(_ description: String) { self.description = description }
}
