/// Parses the Time Zone Information Format (RFC 8536), versions 1 to 4.
struct ZoneFile {
  private var bytes: ArraySlice<UInt8>

  /// The latest time that is used, in seconds since the epoch. It is after all supported dates.
  private static let latest: Int64 = 1 << 42

  private struct Header {
    var version: UInt8
    var utcCount: Int
    var standardCount: Int
    var leapCount: Int
    var timeCount: Int
    var typeCount: Int
    var characterCount: Int

    /// The number of bytes that follow the header, if times have `width` bytes.
    func bodyBytes(width: Int) -> Int {
      timeCount * (width + 1) + typeCount * 6 + characterCount + leapCount * (width + 4)
        + standardCount + utcCount
    }
  }

  /// Parses the zone in a file; nil if it is invalid. O(bytes).
  static func read(_ bytes: [UInt8], name: String?) -> ZoneRules? {
    var file = ZoneFile(bytes: bytes[...])
    guard var header = file.header() else { return nil }
    var width = 4
    // From version 2 on, the data follows a second time, with times of 64 bits.
    if header.version >= UInt8(ascii: "2") {
      guard file.skip(header.bodyBytes(width: 4)), let second = file.header() else { return nil }
      (header, width) = (second, 8)
    }
    return file.zone(header, width: width, name: name)
  }

  private mutating func skip(_ count: Int) -> Bool {
    guard count <= bytes.count else { return false }
    bytes = bytes.dropFirst(count)
    return true
  }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
    let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let unused = UInt64(64 - bytes.count * 8)
    return Int64(bitPattern: value << unused) >> Int64(unused)
  }

  private mutating func header() -> Header? {
    guard let magic = take(4), magic.elementsEqual("TZif".utf8), let version = take(1)?.first,
      skip(15)
    else { return nil }
    var counts: [Int] = []
    for _ in 0..<6 {
      guard let count = take(4).map(Self.integer), (0...65_536).contains(count) else { return nil }
      counts.append(Int(count))
    }
    guard counts[4] > 0 else { return nil }
    return Header(
      version: version, utcCount: counts[0], standardCount: counts[1], leapCount: counts[2],
      timeCount: counts[3], typeCount: counts[4], characterCount: counts[5])
  }

  private mutating func zone(_ header: Header, width: Int, name: String?) -> ZoneRules? {
    guard let times = take(header.timeCount * width), let kinds = take(header.timeCount),
      let types = take(header.typeCount * 6), let characters = take(header.characterCount),
      skip(header.leapCount * (width + 4) + header.standardCount + header.utcCount)
    else { return nil }
    var settings: [ZoneRules.Setting] = []
    for start in stride(from: types.startIndex, to: types.endIndex, by: 6) {
      let offset = Int(Self.integer(types[start..<start + 4]))
      let abbreviation = Int(types[start + 5])
      guard abs(offset) < 86_400, abbreviation < characters.count else { return nil }
      let text = characters.dropFirst(abbreviation).prefix { $0 != 0 }
      settings.append(
        .init(
          offset: offset, isDST: types[start + 4] != 0,
          abbreviation: String(decoding: text, as: UTF8.self)))
    }
    var transitions: [ZoneRules.Transition] = []
    var setting = settings[0]
    for (index, kind) in kinds.enumerated() {
      let start = times.startIndex + index * width
      let second = Self.integer(times[start..<start + width])
      guard Int(kind) < settings.count, second > transitions.last?.second ?? .min,
        second < Self.latest
      else { return nil }
      // Some files begin at the Big Bang, which cannot be expressed in microseconds.
      transitions.append(
        .init(second: max(second, -Self.latest), before: setting, after: settings[Int(kind)]))
      setting = settings[Int(kind)]
    }
    let rule = width == 8 ? footer() : nil
    // The rule continues after the last change (RFC 8536, 3.3), so the two must agree.
    if let rule, let last = transitions.last {
      guard rule.setting(at: last.second).offset == last.after.offset else { return nil }
    }
    return ZoneRules(name: name, transitions: transitions, first: settings[0], rule: rule)
  }

  /// Parses the rule between two newlines; nil if there is none.
  private mutating func footer() -> PosixRule? {
    guard take(1)?.first == UInt8(ascii: "\n") else { return nil }
    return PosixRule(bytes.prefix { $0 != UInt8(ascii: "\n") })
  }
}
