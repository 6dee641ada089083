/// Why a text is no interface: where the fault is, and one sentence that says how to mend it.
public struct SyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public var line: Int
  /// The column, in characters of Unicode (scalars), from 1.
  public var column: Int
  /// One sentence.
  public var message: String

  /// `12:3: sentence`
  public var description: String { "\(line):\(column): \(message)" }
}
