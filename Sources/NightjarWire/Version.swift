/// The version of the daemon, the command line and the client library, which are built together.
public enum NightjarVersion {
  /// As `nightjar --version` prints it.
  public static let current = "0.1.0"

  /// The day it is of, as the manual pages have it: whoever changes the version changes this, too,
  /// so that what is built of the same sources is the same on any day.
  public static let date = "2026-11-22"
}
