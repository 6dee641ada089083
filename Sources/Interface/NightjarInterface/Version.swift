/// The version of the daemon, the command line and the client library, which are built together.
public enum NightjarVersion {
  /// The version that `nightjar --version` prints. The manual pages contain it as well, with a
  /// date. If you change it here, change `.Os` and `.Dd` in Sources/Manual; a test compares them.
  public static let current = "0.1.0"
}
