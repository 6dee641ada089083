/// A mistake in an interface's text: its position, and one sentence that says how to correct it.
public struct SyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public var line: Int
  /// The column in Unicode scalars, from 1.
  public var column: Int
  /// One sentence.
  public var message: String

  /// `12:3: sentence`
  public var description: String { "\(line):\(column): \(message)" }
}
