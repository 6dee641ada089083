/// Why a text was refused: the position, and the remedy.
public struct TimeError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of mistake, for programs.
  public enum Kind: Equatable, Sendable {
    /// The text is empty, or only white space.
    case empty
    /// A number was expected.
    case missingNumber
    /// The number has a decimal point without digits after it.
    case missingFraction
    case unknownUnit
    case negative
    /// There is a comma where a decimal point belongs.
    case decimalComma
    /// The text is written like a clock, such as `1:5`, but is invalid or not allowed here.
    case clockNotation
    /// The text is in ISO 8601, such as `PT5M`.
    case iso8601
    /// The number has an exponent, such as `1e3`.
    case exponent
    case outOfRange
    case unknownWeekday
    /// The date is not on the day of the week beside it.
    case otherWeekday
    case unknownZone
    /// The character is not allowed here.
    case unexpected
  }

  public let kind: Kind
  /// The number of the character at which the mistake is, counted from 1.
  public let position: Int
  /// One sentence for people without a full stop: the mistake and the remedy.
  public let description: String

  init(_ kind: Kind, at position: Int, _ description: String) {
    self.kind = kind
    self.position = position
    self.description = description
  }
}
