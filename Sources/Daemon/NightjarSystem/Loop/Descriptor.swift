import CLinux
import Glibc

/// A file descriptor that has one owner and is closed exactly once.
public struct Descriptor: ~Copyable, Sendable {
  /// The number of the descriptor, for a call that uses it without owning it.
  public let raw: Int32

  /// Takes over a descriptor that is open and close-on-exec and has no other owner.
  public init(owning raw: Int32) {
    precondition(raw >= 0, "a descriptor is not negative")
    self.raw = raw
  }

  /// Returns the number without closing the descriptor; the caller owns it now.
  public consuming func take() -> Int32 {
    let raw = raw
    discard self
    return raw
  }

  /// Whether the other end of a connection has closed it, or the connection has failed. Data that
  /// the other end sent before may still be unread.
  public static func isClosedByPeer(_ raw: Int32) -> Bool { nj_peer_has_closed(raw) != 0 }

  deinit {
    // Linux closes the descriptor even if close(2) reports an error, so a second attempt would be
    // wrong. EBADF means that other code has closed this descriptor. That code might later close an
    // unrelated descriptor with the same number.
    let result = close(raw)
    precondition(result == 0 || errno != EBADF, "descriptor closed behind its owner's back")
  }
}
