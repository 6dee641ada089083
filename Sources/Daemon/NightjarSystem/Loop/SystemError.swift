import Glibc

/// An error of the kernel or of libsystemd: the call that failed, and its errno.
public struct SystemError: Error, CustomStringConvertible, Sendable, Equatable {
  /// The call that failed and its argument, such as `bind /run/user/1000/nightjar/socket`.
  public let operation: String
  /// The errno of the call, a positive number.
  public let code: Int32

  public init(operation: String, code: Int32) {
    self.operation = operation
    self.code = code
  }

  /// Whether the kernel was short of descriptors, memory or processes: the same call may succeed
  /// later.
  public var isShortage: Bool {
    switch code {
    case EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN: true
    // epoll_ctl(2) reports ENOSPC when the limit max_user_watches is reached.
    case ENOSPC: true
    default: false
    }
  }

  /// The operation, and strerror(3)'s words for the code.
  public var description: String { "\(operation): \(errorText(code))" }
}

/// The text of strerror(3) for an errno.
func errorText(_ code: Int32) -> String { String(cString: strerror(code)) }

/// Checks the result of a function that returns `-errno` on failure, as in libsystemd and CLinux.
@discardableResult
func checked(
  _ result: Int32, _ operation: @autoclosure () -> String
) throws(SystemError) -> Int32 {
  guard result >= 0 else { throw SystemError(operation: operation(), code: -result) }
  return result
}

/// Checks the result of a C library call that returns -1 and sets errno on failure.
@discardableResult
func checkedErrno(
  _ result: Int32, _ operation: @autoclosure () -> String
) throws(SystemError) -> Int32 {
  guard result >= 0 else { throw SystemError(operation: operation(), code: errno) }
  return result
}
