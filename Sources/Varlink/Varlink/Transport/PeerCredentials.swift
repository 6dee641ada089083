internal import Glibc

/// The process at the other end of a UNIX socket, as it was when the connection was made
/// (SO_PEERCRED, unix(7)). With socket activation, the peer of a client is the service manager.
public struct PeerCredentials: Equatable, Sendable {
  /// The process ID of the peer. The process may have ended since, and the ID may belong to another
  /// process.
  public let pid: Int32
  /// The effective user of the peer; the overflow uid (65534) if this user namespace has no number
  /// for the user.
  public let uid: UInt32
  /// The effective group of the peer.
  public let gid: UInt32

  /// Creates credentials.
  public init(pid: Int32, uid: UInt32, gid: UInt32) {
    self.pid = pid
    self.uid = uid
    self.gid = gid
  }

  /// Reads the credentials of the peer of a connected socket; nil if the descriptor is no socket.
  public init?(socket: Int32) {
    // struct ucred, which Swift's Glibc module lacks: pid, uid, gid.
    var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
      return nil
    }
    (pid, uid, gid) = credentials
  }
}
