internal import Glibc

/// Why a test daemon could not be created, or could not do what the test asked.
public enum TestDaemonError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The system refused a socket or a thread: the operation, and the errno.
  case system(String, code: Int32)
  /// There is no time zone of this name, or zones are not installed.
  case noSuchZone(String)
  /// The resulting time is beyond the range of the clocks, before 1970 or after the year 9999; or a
  /// length is negative.
  case impossibleTime
  /// The daemon's stored state cannot be read; this is a fault of the library.
  case broken(String)

  /// One sentence without a full stop, for the user.
  public var description: String {
    switch self {
    case .system(let operation, let code): "\(operation): \(String(cString: strerror(code)))"
    case .noSuchZone(let name):
      "there is no time zone '\(name)'; they are spelled like Europe/Berlin, and come with the "
        + "package tzdata"
    case .impossibleTime:
      "no clock can show that time; lengths are not below zero, and the years are 1970 to 9999"
    case .broken(let reason): "the test daemon cannot continue: \(reason); report this as a bug"
    }
  }
}
