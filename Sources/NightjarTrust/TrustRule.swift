import Glibc

/// Who may have written what Nightjar reads, runs or writes over. There is one rule for each use, and one
/// way to look; whoever may not be trusted is refused with a `Distrust`.
///
/// Only the thing itself is looked at, and by its callers the folder that has its name: who may change
/// neither cannot put another thing there. What root owns is as good as one's own where it is only read.
public struct TrustRule: Equatable, Sendable {
  /// What it has to be.
  public enum Kind: Equatable, Sendable {
    /// A file; where it is only read, a device such as /dev/null is one, too.
    case file
    case folder
  }

  let kind: Kind
  /// Whether a symbolic link may lead to it.
  let followsLinks: Bool
  /// Whether it may be root's.
  let mayBeRoots: Bool
  /// Whether all may write to it if nobody may take away what is another's, as in /tmp.
  let mayBeShared: Bool

  /// A file that Nightjar keeps for itself: the lock, the database and its logs.
  public static let keptFile = TrustRule(
    kind: .file, followsLinks: false, mayBeRoots: false, mayBeShared: false)
  /// The folder that it keeps them in, to which a link of one's own may lead.
  public static let keptFolder = TrustRule(
    kind: .folder, followsLinks: true, mayBeRoots: false, mayBeShared: false)
  /// A file that says what Nightjar does: the configuration, a hook.
  public static let readFile = TrustRule(
    kind: .file, followsLinks: true, mayBeRoots: true, mayBeShared: false)
  /// The folder of a file that is named, or of a socket.
  public static let namedFolder = TrustRule(
    kind: .folder, followsLinks: true, mayBeRoots: true, mayBeShared: true)
  /// A folder of which every file counts.
  public static let hookFolder = TrustRule(
    kind: .folder, followsLinks: true, mayBeRoots: true, mayBeShared: false)
}

// MARK: - Looking

extension TrustRule {
  /// Looks at what is at a path.
  ///
  /// - Returns: whether anything is; what cannot be looked at is not.
  /// - Throws: `Distrust` if it may not be trusted.
  @discardableResult
  public func check(_ path: String) throws(Distrust) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else { return false }
    var isOwnLink = false
    if status.st_mode & S_IFMT == S_IFLNK {
      guard followsLinks else { throw Distrust(path: path, fault: .link) }
      isOwnLink = status.st_uid == geteuid()
      guard stat(path, &status) == 0 else { return false }
    }
    if let fault = fault(of: status, behindOwnLink: isOwnLink) {
      throw Distrust(path: path, fault: fault)
    }
    return true
  }

  /// Opens a file, close-on-exec, and looks at what was opened; nothing is truncated.
  ///
  /// - Parameter flags: of open(2). A file that is made has mode 0600.
  /// - Returns: the descriptor, or less than zero: the errno with a minus.
  /// - Throws: `Distrust` if it may not be trusted.
  public func open(_ path: String, _ flags: Int32) throws(Distrust) -> Int32 {
    // O_NONBLOCK: a named pipe would have us wait for whoever is at its other end.
    let all = flags | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
    let descriptor = Glibc.open(path, all, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      // ELOOP is what a link is met with. Others that cannot be opened may say more themselves.
      try check(path)
      return -code
    }
    var status = stat()
    let fault = fstat(descriptor, &status) == 0 ? fault(of: status) : nil
    guard let fault else { return descriptor }
    close(descriptor)
    throw Distrust(path: path, fault: fault)
  }

  /// What is wrong with something; nil: nothing.
  ///
  /// - Parameters:
  ///   - own: who looks.
  ///   - behindOwnLink: whether a symbolic link of theirs leads to it.
  func fault(
    of status: stat, own: UInt32 = geteuid(), behindOwnLink: Bool = false,
    isInitial: Bool = UserNamespace.isInitial
  ) -> Distrust.Fault? {
    let type = status.st_mode & S_IFMT
    // Only root makes devices, and what is written to one is not what is read from it: /dev/null says that
    // there is nothing.
    if type == S_IFCHR, kind == .file, followsLinks { return nil }
    guard type == (kind == .folder ? S_IFDIR : S_IFREG) else { return .otherKind(kind) }
    guard isTrusted(owner: status.st_uid, own, behindOwnLink, isInitial) else {
      return .foreign(owner: status.st_uid)
    }
    let isShared = mayBeShared && status.st_mode & S_ISVTX != 0
    let isWritable = status.st_mode & (S_IWGRP | S_IWOTH) != 0
    return isWritable && !isShared ? .writable(mode: status.st_mode) : nil
  }

  /// In a user namespace other than the machine's, root's files look like those of every other user without
  /// a number. There a link of one's own to such a file is taken to be meant: systemd makes a namespace of
  /// that kind around the daemon, and hooks and configurations are often links to what is installed.
  private func isTrusted(
    owner: UInt32, _ own: UInt32, _ behindOwnLink: Bool, _ isInitial: Bool
  ) -> Bool {
    if owner == own { return true }
    guard mayBeRoots else { return false }
    return isInitial ? owner == 0 : owner == UserNamespace.overflowUser && behindOwnLink
  }
}
