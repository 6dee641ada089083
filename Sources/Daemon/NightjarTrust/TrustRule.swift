import Glibc

/// A rule for files or folders that Nightjar reads, runs or overwrites: which users may be able to
/// write to them. There is one rule for each use, and one way to check it. A file that breaks its
/// rule is refused with a `Distrust`.
///
/// The rule checks the file itself. Callers also check the folder of the file. A user who can
/// change neither the file nor its folder cannot put another file in its place. A file that is only
/// read may belong to root as well as to the user.
public struct TrustRule: Equatable, Sendable {
  /// The kind of file that the rule requires.
  public enum Kind: Equatable, Sendable {
    /// A file. If it is only read, it may also be a device such as /dev/null.
    case file
    case folder
  }

  let kind: Kind
  /// Whether the path may be a symbolic link to the file.
  let followsLinks: Bool
  let mayBeRoots: Bool
  /// Whether all users may write to the folder if its sticky bit protects each user's files, as in
  /// /tmp.
  let mayBeShared: Bool

  /// A file of Nightjar's own: the lock, the database and its logs.
  public static let stateFile = TrustRule(
    kind: .file, followsLinks: false, mayBeRoots: false, mayBeShared: false)
  /// The folder of those files, to which a symbolic link of the user may lead.
  public static let stateFolder = TrustRule(
    kind: .folder, followsLinks: true, mayBeRoots: false, mayBeShared: false)
  /// A file that controls Nightjar: the configuration, a hook.
  public static let readFile = TrustRule(
    kind: .file, followsLinks: true, mayBeRoots: true, mayBeShared: false)
  /// The folder of a file that the user names, or of a socket.
  public static let namedFolder = TrustRule(
    kind: .folder, followsLinks: true, mayBeRoots: true, mayBeShared: true)
  /// A folder in which every file is used.
  public static let hookFolder = TrustRule(
    kind: .folder, followsLinks: true, mayBeRoots: true, mayBeShared: false)
}

// MARK: - Checks

extension TrustRule {
  /// Checks the file or folder at a path.
  /// - Returns: whether the file or folder exists; false also if the check cannot find out.
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

  /// Opens a file, close-on-exec, and checks the opened file; nothing is truncated.
  ///
  /// - Parameter flags: flags of open(2). A new file gets mode 0600.
  /// - Returns: the descriptor, or a negative errno.
  /// - Throws: `Distrust` if it may not be trusted.
  public func open(_ path: String, _ flags: Int32) throws(Distrust) -> Int32 {
    // With O_NONBLOCK, because opening a named pipe would otherwise wait for a process at its other
    // end.
    let all = flags | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
    let descriptor = Glibc.open(path, all, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      // A symbolic link gives ELOOP. The check may also give a better reason for other errors.
      try check(path)
      return -code
    }
    var status = stat()
    let fault = fstat(descriptor, &status) == 0 ? fault(of: status) : nil
    guard let fault else { return descriptor }
    close(descriptor)
    throw Distrust(path: path, fault: fault)
  }

  /// The fault of a file; nil if there is none.
  ///
  /// - Parameters:
  ///   - own: the user who checks.
  ///   - behindOwnLink: whether a symbolic link of that user leads to it.
  func fault(
    of status: stat, own: UInt32 = geteuid(), behindOwnLink: Bool = false,
    isInitial: Bool = UserNamespace.isInitial
  ) -> Distrust.Fault? {
    let type = status.st_mode & S_IFMT
    // Accepts character devices: only root can create them, and other users cannot store contents
    // in them. /dev/null serves as an empty file.
    if type == S_IFCHR, kind == .file, followsLinks { return nil }
    guard type == (kind == .folder ? S_IFDIR : S_IFREG) else { return .otherKind(kind) }
    guard isTrusted(owner: status.st_uid, own, behindOwnLink, isInitial) else {
      return .foreign(owner: status.st_uid)
    }
    let isShared = mayBeShared && status.st_mode & S_ISVTX != 0
    let isWritable = status.st_mode & (S_IWGRP | S_IWOTH) != 0
    return isWritable && !isShared ? .writable(mode: status.st_mode) : nil
  }

  /// Whether the owner of a file is trusted. In a user namespace other than the
  /// initial one, root's files look like those of any user without a mapping. There, such a file is
  /// trusted only if a symbolic link of the user leads to it. systemd creates such a namespace for
  /// the daemon, and hooks and configurations are often links to installed files.
  private func isTrusted(
    owner: UInt32, _ own: UInt32, _ behindOwnLink: Bool, _ isInitial: Bool
  ) -> Bool {
    if owner == own { return true }
    guard mayBeRoots else { return false }
    return isInitial ? owner == 0 : owner == UserNamespace.overflowUser && behindOwnLink
  }
}
