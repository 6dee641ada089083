/// A session: timers that the members of a group share. They are those of a path, such as `run/4711`, on each
/// member's machines.
public struct SessionAddress: Hashable, Sendable, CustomStringConvertible {
  /// The longest `word`, in bytes: with the folder of the sockets it has to be the path of a UNIX socket.
  public static let wordBytes = 64
  /// How many timers a member shares in one session at most: those behind them are left out.
  public static let timersOfMember = 100
  /// What the topics of a group begin with, which no person's name can have.
  public static let groupMark = "@"

  /// The group.
  public let group: String
  /// The name of a timer, or what the names of several begin with.
  public let path: String

  /// - Returns: nil if the group is no word as persons' names are, or if `path` cannot be a session's.
  public init?(group: String, path: String) {
    guard DeviceAddress.isWord(group), Self.isPath(path) else { return nil }
    self.group = group
    self.path = path
  }

  /// Whether a text can be the path of a session. O(bytes).
  public static func isPath(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBytes { TimerName.problem($0) == nil }
      && word(of: text).utf8.count <= wordBytes
  }

  /// The path as one level of a topic, and as the name of a socket.
  public var word: String { Self.word(of: path) }

  /// A path as one word: all but letters, digits, `_` and `-` percent-encoded (RFC 3986 section 2.1). O(bytes).
  public static func word(of path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      if DeviceAddress.isWordByte(byte) {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += byte < 0x10 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }

  /// Whether a timer is of the session. O(bytes).
  public func includes(_ name: String) -> Bool { rest(of: name) != nil }

  /// What members call a timer of the session: whose it is, and what its name has behind the path.
  ///
  /// - Returns: `kim/phone` for the timer that has the session's path as its name, `kim/phone/time` for one below it;
  ///   nil if it is not of the session, or if that is longer than a name may be. O(bytes).
  public func shownName(of name: String, on owner: DeviceAddress) -> String? {
    guard let rest = rest(of: name) else { return nil }
    let shown = "\(owner)\(rest)"
    return shown.utf8.count <= Limits.nameBytes ? shown : nil
  }

  private func rest(of name: String) -> Substring? {
    guard name.utf8.starts(with: path.utf8) else { return nil }
    let rest = name.utf8.dropFirst(path.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/") ? Substring(rest) : nil
  }

  /// `run/4711 of runners`.
  public var description: String { "\(path) of \(group)" }
}
