/// Why a text was refused: where, and what would have been right.
public struct TimeError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is, for programs.
  public enum Kind: Equatable, Sendable {
    /// Nothing was written, or only spaces.
    case empty
    /// A number was expected.
    case missingNumber
    /// A decimal point without digits behind it.
    case missingFraction
    /// A word that is no unit.
    case unknownUnit
    /// A number below zero.
    case negative
    /// A comma where a decimal point belongs.
    case decimalComma
    /// A clock's notation that is none, such as `1:5`, or that has no place there.
    case clockNotation
    /// ISO 8601, such as `PT5M`.
    case iso8601
    /// A number with an exponent, such as `1e3`.
    case exponent
    /// Longer than a span can be.
    case outOfRange
    /// A word that is no day of the week.
    case unknownWeekday
    /// A day of the week that the date beside it is not.
    case otherWeekday
    /// A zone that the database does not have.
    case unknownZone
    /// A character that has no place there.
    case unexpected
  }

  /// The kind of mistake.
  public let kind: Kind
  /// Where it is: the number of the character, the first being 1.
  public let position: Int
  /// One sentence without a full stop, for people: what was wrong, and what would be right.
  public let description: String

  init(_ kind: Kind, at position: Int, _ description: String) {
    self.kind = kind
    self.position = position
    self.description = description
  }
}
