/// Which code can use the written declarations.
public enum AccessLevel: String, CaseIterable, Sendable {
  /// Code in every module.
  case `public`
  /// Code in the modules of the same package.
  case package
  /// Code in the same module.
  case `internal`

  /// The access modifier of a declaration, with a space after it; empty for `internal`.
  package var prefix: String { self == .internal ? "" : "\(rawValue) " }
}
