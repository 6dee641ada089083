import Glibc

/// A file descriptor with one owner, who closes it exactly once.
public struct Descriptor: ~Copyable, Sendable {
  /// The number, for a call that borrows it.
  public let raw: Int32

  /// Takes over a descriptor that is open, close-on-exec, and belongs to nobody else.
  public init(owning raw: Int32) {
    precondition(raw >= 0, "a descriptor is not negative")
    self.raw = raw
  }

  /// Gives the descriptor up without closing it; the caller owns the number now.
  public consuming func take() -> Int32 {
    let raw = raw
    discard self
    return raw
  }

  deinit {
    // Linux has closed it whatever close(2) says, so there is nothing to try again. EBADF alone
    // means that somebody else closed this number, and might next time close a stranger's.
    let result = close(raw)
    precondition(result == 0 || errno != EBADF, "descriptor closed behind its owner's back")
  }
}
