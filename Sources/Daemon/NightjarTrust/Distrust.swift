import Glibc

/// Why a file or folder is not used: another user could change its contents.
public struct Distrust: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Fault: Equatable, Sendable {
    /// The path is a symbolic link, which is not allowed here.
    case link
    /// The file is not of this kind.
    case otherKind(TrustRule.Kind)
    /// The file belongs to another user, with this ID.
    case foreign(owner: UInt32)
    /// The mode of the file lets its group or all users write to it.
    case writable(mode: UInt32)
  }

  public let path: String
  public let fault: Fault

  /// The reason in words, to follow "it" in a sentence about the path.
  public var reason: String {
    switch fault {
    case .link: "is a symbolic link, which is not followed here"
    case .otherKind(.folder): "is no folder"
    case .otherKind(.file): "is no ordinary file"
    case .foreign(let owner): "belongs to user \(owner), not to you (user \(geteuid()))"
    case .writable(let mode): "can be written by other users (its mode is \(Self.octal(mode)))"
    }
  }

  public var remedy: String {
    switch fault {
    case .link, .otherKind: "move it away"
    case .foreign: "move it away, or if it is yours: chown \(geteuid()) \(path)"
    case .writable: "look what is in it, then: chmod go-w \(path)"
    }
  }

  /// One sentence with the remedy, without a full stop.
  public var description: String { "\(path) is not trusted: it \(reason); \(remedy)" }

  private static func octal(_ mode: UInt32) -> String {
    let digits = String(mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}
