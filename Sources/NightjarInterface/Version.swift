/// The version of the daemon, the command line and the client library, which are built together.
public enum NightjarVersion {
  /// As `nightjar --version` prints it. The manual pages have it too, with the day it is of: whoever
  /// changes it here changes `.Os` and `.Dd` in Sources/Manual; a test compares.
  public static let current = "0.1.0"
}
