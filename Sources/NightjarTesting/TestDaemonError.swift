internal import Glibc

/// Why a test daemon could not be made, or not do what it was asked.
public enum TestDaemonError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The system refused what a socket or its thread needs: what was tried, and the errno.
  case system(String, code: Int32)
  /// There is no time zone of this name, or zones are not installed.
  case noSuchZone(String)
  /// No clock can show the time that would be: before 1970, or behind the year 9999; or a length of time
  /// is below zero.
  case impossibleTime
  /// What the daemon had kept cannot be read; a fault of this library's.
  case broken(String)

  /// One sentence without a full stop, for people.
  public var description: String {
    switch self {
    case .system(let operation, let code): "\(operation): \(String(cString: strerror(code)))"
    case .noSuchZone(let name):
      "there is no time zone '\(name)'; they are spelled like Europe/Berlin, and come with the "
        + "package tzdata"
    case .impossibleTime:
      "no clock can show that time; lengths are not below zero, and the years are 1970 to 9999"
    case .broken(let reason): "the test daemon cannot go on: \(reason); report this as a bug"
    }
  }
}
