/// The version of the daemon, the command line and the client library, which are built together.
public enum NightjarVersion {
  /// As `nightjar --version` prints it.
  public static let current = "0.1.0"
}
