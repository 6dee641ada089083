/// A value in the configuration file, with its position.
public struct ConfigNode: Equatable, Sendable {
  public enum Value: Equatable, Sendable {
    case string(String)
    case integer(Int64)
    /// A number that is not whole, including infinity and NaN.
    case float(Double)
    case boolean(Bool)
    /// A date, a time, or both.
    case date
    case array([ConfigNode])
    /// Values with keys, in the order of their lines.
    case table([ConfigNode])
  }

  /// The key; for an element of an array, the array's key.
  public let key: String
  /// The line of the key, or of the element of an array; from 1.
  public let line: Int
  let column: Int
  public let value: Value

  init(key: String, line: Int, column: Int, value: Value) {
    self.key = key
    self.line = line
    self.column = column
    self.value = value
  }

  /// The name of the type in errors: `a text`, `a whole number`…
  public var kind: String {
    switch value {
    case .string: "a text"
    case .integer: "a whole number"
    case .float: "a number with a fraction"
    case .boolean: "true or false"
    case .date: "a date or a time"
    case .array: "an array"
    case .table: "a table"
    }
  }
}
