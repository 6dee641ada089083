public import NightjarInterface

/// A mistake in the configuration file: its position, and the correction.
public struct ConfigError: Error, Sendable, CustomStringConvertible {
  public let path: String
  /// The line, from 1; nil if the mistake is about the whole file.
  public let line: Int?
  /// The column, from 1, in characters; nil if the line is enough to find the mistake.
  public let column: Int?
  /// The mistake and the correction, without the position and without a full stop.
  public let reason: Sentence

  public init(path: String, line: Int? = nil, column: Int? = nil, reason: String) {
    self.path = path
    self.line = line
    self.column = column
    self.reason = Sentence(reason)
  }

  /// One sentence without a full stop: `/home/me/.config/nightjar/config.toml, line 3: …`.
  public var description: String {
    let line = line.map { ", line \($0)" } ?? ""
    let column = column.map { ", column \($0)" } ?? ""
    return "\(path)\(line)\(column): \(reason)"
  }
}
