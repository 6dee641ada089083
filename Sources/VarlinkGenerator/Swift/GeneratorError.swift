/// The requested source cannot be written for this interface; one sentence says what to change.
public struct GeneratorError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One sentence.
  public var description: String

  init(_ description: String) { self.description = description }
}
