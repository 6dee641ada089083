import Glibc

/// Who may be at the other end of a socket, by the user that the kernel has written down (SO_PEERCRED).
public enum PeerTrust {
  /// Whether a daemon serves a client: of the same user; of root too, where 0 is really root and not what a
  /// namespace makes of it. Never of the overflow user, whom the kernel shows for everybody that a namespace
  /// cannot name.
  public static func mayCall(_ uid: UInt32) -> Bool {
    mayCall(uid, own: geteuid(), isInitial: UserNamespace.isInitial)
  }

  static func mayCall(_ uid: UInt32, own: UInt32, isInitial: Bool) -> Bool {
    guard uid != UserNamespace.overflowUser else { return false }
    return uid == own || (uid == 0 && isInitial)
  }

  /// Whether a client sends anything to whoever listens: to a daemon of the same user only, root's clients
  /// too. What is sent may be secret, and where a socket is often comes from a variable that was inherited.
  public static func mayServe(_ uid: UInt32) -> Bool { mayServe(uid, own: geteuid()) }

  static func mayServe(_ uid: UInt32, own: UInt32) -> Bool {
    uid != UserNamespace.overflowUser && uid == own
  }
}
