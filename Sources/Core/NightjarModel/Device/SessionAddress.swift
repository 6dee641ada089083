/// A session: timers that the members of a group share. On each member's machines, these are the
/// timers with the session's path, such as `run/4711`, or below it.
public struct SessionAddress: Hashable, Sendable, CustomStringConvertible {
  /// The longest `word`, in bytes. With the folder of the sockets it must fit into the path of a
  /// UNIX socket.
  public static let wordBytes = 64
  /// The most timers that a member shares in one session. Further timers are left out.
  public static let timersOfMember = 100
  /// The prefix of the first level of a group's topics. A person's name cannot contain it.
  public static let groupMark = "@"

  public let group: String
  /// The name of a timer, or a prefix of the names of several.
  public let path: String

  /// - Returns: nil if `group` is not a valid name (the rules for persons apply), or `path` is not
  ///   a valid path of a session.
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

  /// The path as one level of a topic, and as the file name of a socket.
  public var word: String { Self.word(of: path) }

  /// A path as one word, in which all bytes except letters, digits, `_` and `-` are percent-encoded
  /// (RFC 3986 section 2.1). O(bytes).
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

  /// Whether a timer belongs to the session. O(bytes).
  public func includes(_ name: String) -> Bool { rest(of: name) != nil }

  /// The name under which members see a timer of the session: its owner, then the part of its name
  /// after the path.
  ///
  /// - Returns: `kim/phone` for the timer whose name is the session's path; `kim/phone/time` for
  ///   one below it. Nil if the timer does not belong to the session, or if the result is longer
  ///   than a name may be. O(bytes).
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
