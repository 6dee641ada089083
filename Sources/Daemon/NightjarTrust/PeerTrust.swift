import Glibc

/// Which users may be at the other end of a socket, according to the kernel (SO_PEERCRED).
public enum PeerTrust {
  /// Whether the daemon serves a client of this user. It serves its own user, and root if user 0 is
  /// really root and not mapped by a namespace. It never serves the overflow user, which the kernel
  /// shows for all users without a mapping.
  public static func mayCall(_ uid: UInt32) -> Bool {
    mayCall(uid, own: geteuid(), isInitial: UserNamespace.isInitial)
  }

  static func mayCall(_ uid: UInt32, own: UInt32, isInitial: Bool) -> Bool {
    guard uid != UserNamespace.overflowUser else { return false }
    return uid == own || (uid == 0 && isInitial)
  }

  /// Whether a client may send a message to a daemon of this user. The daemon must run as the
  /// client's own user, even if the client is root. The message may be secret, and the path of the
  /// socket often comes from an inherited variable.
  public static func mayServe(_ uid: UInt32) -> Bool { mayServe(uid, own: geteuid()) }

  static func mayServe(_ uid: UInt32, own: UInt32) -> Bool {
    uid != UserNamespace.overflowUser && uid == own
  }
}
