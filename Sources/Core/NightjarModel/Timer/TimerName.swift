public enum NameProblem: Error, Equatable, Sendable, CustomStringConvertible {
  case empty
  /// The name has this many bytes, more than `Limits.nameBytes`.
  case tooLong(Int)
  /// The name has a control character at this byte, counted from 0.
  case controlCharacter(Int)
  /// The name has a `/` at the beginning, at the end, or after another `/`.
  case emptySegment

  /// One sentence that states the mistake or the rule.
  public var description: String {
    switch self {
    case .empty: "a name has at least one character"
    case .tooLong(let count): "the name has \(count) bytes; at most \(Limits.nameBytes) are allowed"
    case .controlCharacter(let byte): "the name has a control character at byte \(byte)"
    case .emptySegment: "the name has an empty segment; write it like 'run/4711/mate'"
    }
  }
}

/// The rules for names: a name is a path of segments separated by `/`.
public enum TimerName {
  /// The problem of the name in `bytes`, which are valid UTF-8; nil: there is none. O(bytes).
  public static func problem(_ bytes: UnsafeRawBufferPointer) -> NameProblem? {
    if bytes.isEmpty { return .empty }
    if bytes.count > Limits.nameBytes { return .tooLong(bytes.count) }
    let slash = UInt8(ascii: "/")
    var previous = slash
    var index = 0
    for byte in bytes {
      if byte < 0x20 || byte == 0x7F { return .controlCharacter(index) }
      // U+0080 to U+009F are control characters, too.
      if previous == 0xC2, byte < 0xA0 { return .controlCharacter(index - 1) }
      if byte == slash, previous == slash { return .emptySegment }
      previous = byte
      index += 1
    }
    return previous == slash ? .emptySegment : nil
  }

  /// Whether `name` equals `prefix` or is below it. A prefix matches only whole segments. It may
  /// end in `/`. The empty prefix matches every name. Equivalent spellings of Unicode match.
  /// O(prefix).
  public static func matches(
    _ name: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer
  ) -> Bool {
    let slash = UInt8(ascii: "/")
    guard !prefix.isEmpty else { return true }
    guard name.count >= prefix.count, name[..<prefix.count].elementsEqual(prefix) else {
      // Two spellings of a text first differ in a character that is not ASCII.
      guard let (a, b) = zip(name, prefix).first(where: { $0 != $1 }), a | b >= 0x80 else {
        return false
      }
      let name = String(decoding: name, as: UTF8.self)
      let path = String(decoding: prefix, as: UTF8.self)
      return path.hasSuffix("/") ? name.hasPrefix(path) : name == path || name.hasPrefix(path + "/")
    }
    return prefix.last == slash || name.count == prefix.count || name[prefix.count] == slash
  }

  /// Whether a timer of this name was probably started without one: the name is that of a bird, or
  /// has a number behind it, such as `owl` and `owl-2`.
  public static func isGiven(_ name: String) -> Bool {
    let parts = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bird = parts.first, birds.contains(String(bird)) else { return false }
    return parts.count == 1 || Int(parts[1]).map { $0 > 1 } ?? false
  }

  /// Names for timers that were started without one: birds, many of them nocturnal.
  public static let birds: [String] = [
    "owl", "wren", "lark", "swift", "robin", "finch", "heron", "crane", "kite", "tern", "plover",
    "curlew", "snipe", "rail", "crake", "bittern", "dove", "rook", "jay", "tit", "siskin", "linnet",
    "pipit", "thrush", "ouzel", "shrike", "oriole", "hoopoe", "martin", "dipper", "knot", "ruff",
    "smew", "teal", "eider", "gannet", "petrel", "puffin", "grebe", "merlin", "hobby", "osprey",
  ]
}
