/// A mistake in the text of an interface: its position, and one sentence that says how to correct
/// it.
public struct SyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line of the mistake, counted from 1.
  public var line: Int
  /// The column of the mistake in Unicode scalars, counted from 1.
  public var column: Int
  /// One sentence that says how to correct the mistake.
  public var message: String

  /// The position and the sentence: `12:3: sentence`.
  public var description: String { "\(line):\(column): \(message)" }
}
