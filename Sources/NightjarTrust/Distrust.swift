import Glibc

/// Why something in the file system is not used: another user may decide what is in it.
public struct Distrust: Error, Equatable, Sendable, CustomStringConvertible {
  /// What is wrong with it.
  public enum Fault: Equatable, Sendable {
    /// A symbolic link stands where the thing itself has to be.
    case link
    /// It is something else than it has to be.
    case otherKind(TrustRule.Kind)
    /// It belongs to this user.
    case foreign(owner: UInt32)
    /// Its mode lets its group or all others write to it.
    case writable(mode: UInt32)
  }

  /// Where it is.
  public let path: String
  /// What is wrong with it.
  public let fault: Fault

  /// What is so, behind the path.
  public var reason: String {
    switch fault {
    case .link: "is a symbolic link, which is not followed here"
    case .otherKind(.folder): "is no folder"
    case .otherKind(.file): "is no ordinary file"
    case .foreign(let owner): "belongs to user \(owner), not to you (user \(geteuid()))"
    case .writable(let mode): "can be written by other users (its mode is \(Self.octal(mode)))"
    }
  }

  /// What to do about it.
  public var remedy: String {
    switch fault {
    case .link, .otherKind: "move it away"
    case .foreign: "move it away, or if it is yours: chown \(geteuid()) \(path)"
    case .writable: "look what is in it, then: chmod go-w \(path)"
    }
  }

  /// One sentence with what to do, without a full stop.
  public var description: String { "\(path) is not trusted: it \(reason); \(remedy)" }

  private static func octal(_ mode: UInt32) -> String {
    let digits = String(mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}
