/// The modules and packages that can access the written declarations.
public enum AccessLevel: String, CaseIterable, Sendable {
  /// Every module.
  case `public`
  /// The modules of the same package.
  case package
  /// The module itself.
  case `internal`

  /// The modifier of a declaration.
  var prefix: String { self == .internal ? "" : "\(rawValue) " }
}
