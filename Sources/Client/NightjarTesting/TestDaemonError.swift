internal import Glibc

/// The error of a test daemon that could not be created, or that could not do what a test
/// requested.
public enum TestDaemonError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The system refused to create a socket or a thread. The values are the operation and the errno.
  case system(String, code: Int32)
  /// There is no time zone of this name, or the system has no time zone files.
  case noSuchZone(String)
  /// A length is negative, or the clocks cannot show the resulting time, because it is before 1970
  /// or after the year 9999.
  case impossibleTime
  /// The stored state of the daemon cannot be read, which is a bug of the library.
  case broken(String)

  /// The error as one sentence without a full stop.
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
