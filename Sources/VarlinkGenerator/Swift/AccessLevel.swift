/// Which other modules and packages see what is written.
public enum AccessLevel: String, CaseIterable, Sendable {
  /// Every module.
  case `public`
  /// The modules of the same package.
  case package
  /// The module itself.
  case `internal`

  /// What stands in front of a declaration.
  var prefix: String { self == .internal ? "" : "\(rawValue) " }
}
