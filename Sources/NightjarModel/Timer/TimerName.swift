/// What is wrong with a name.
public enum NameProblem: Error, Equatable, Sendable, CustomStringConvertible {
  case empty
  /// It has so many bytes; `Limits.nameBytes` are the most.
  case tooLong(Int)
  /// At this byte.
  case controlCharacter(Int)
  /// A `/` at the beginning, at the end, or behind another.
  case emptySegment

  /// One sentence that says what would be right.
  public var description: String {
    switch self {
    case .empty: "a name has at least one character"
    case .tooLong(let count): "the name has \(count) bytes; at most \(Limits.nameBytes) are allowed"
    case .controlCharacter(let byte): "the name has a control character at byte \(byte)"
    case .emptySegment: "the name has an empty segment; write it like 'run/4711/mate'"
    }
  }
}

/// The rules for names: a path of `/`-separated segments.
public enum TimerName {
  /// What is wrong with the name in `bytes`, valid UTF-8; nil if nothing is. O(bytes).
  public static func problem(_ bytes: UnsafeRawBufferPointer) -> NameProblem? {
    if bytes.isEmpty { return .empty }
    if bytes.count > Limits.nameBytes { return .tooLong(bytes.count) }
    let slash = UInt8(ascii: "/")
    var previous = slash
    var index = 0
    for byte in bytes {
      if byte < 0x20 || byte == 0x7F { return .controlCharacter(index) }
      // U+0080 to U+009F, the second set of control characters.
      if previous == 0xC2, byte < 0xA0 { return .controlCharacter(index - 1) }
      if byte == slash, previous == slash { return .emptySegment }
      previous = byte
      index += 1
    }
    return previous == slash ? .emptySegment : nil
  }

  /// Whether `name` is `prefix` or below it: prefixes match whole segments. A prefix may end in
  /// `/`; the empty one matches everything. O(prefix).
  public static func matches(
    _ name: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer
  ) -> Bool {
    let slash = UInt8(ascii: "/")
    guard !prefix.isEmpty else { return true }
    guard name.count >= prefix.count, name[..<prefix.count].elementsEqual(prefix) else {
      return false
    }
    return prefix.last == slash || name.count == prefix.count || name[prefix.count] == slash
  }

  /// Short names for timers that were given none: birds, most of them of the night.
  public static let birds: [String] = [
    "owl", "wren", "lark", "swift", "robin", "finch", "heron", "crane", "kite", "tern", "plover",
    "curlew", "snipe", "rail", "crake", "bittern", "dove", "rook", "jay", "tit", "siskin", "linnet",
    "pipit", "thrush", "ouzel", "shrike", "oriole", "hoopoe", "martin", "dipper", "knot", "ruff",
    "smew", "teal", "eider", "gannet", "petrel", "puffin", "grebe", "merlin", "hobby", "osprey",
  ]
}
