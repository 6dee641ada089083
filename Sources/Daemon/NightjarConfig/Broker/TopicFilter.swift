/// A topic filter (MQTT 5, section 4.7). `+` matches one level, and `#` at the end matches any
/// number of levels.
public struct TopicFilter: Hashable, Sendable, CustomStringConvertible {
  /// The levels without a final `#`, as bytes, because brokers compare bytes.
  let levels: [[UInt8]]
  /// Whether the filter ends in `#`, so that it also matches longer topics.
  let isOpen: Bool

  /// Parses a filter.
  ///
  /// - Returns: nil if the text is empty, `+` or `#` is only a part of a level, or `#` is not at
  ///   the end.
  public init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    var levels = Self.levels(of: text)
    let isOpen = levels.last == [UInt8(ascii: "#")]
    if isOpen { levels.removeLast() }
    let wildcards = [UInt8(ascii: "+"), UInt8(ascii: "#")]
    guard levels.allSatisfy({ $0 == Self.wildcard || !$0.contains(where: wildcards.contains) })
    else {
      return nil
    }
    self.init(levels, isOpen: isOpen)
  }

  init(_ levels: [[UInt8]], isOpen: Bool) {
    (self.levels, self.isOpen) = (levels, isOpen)
  }

  /// Matches any one level.
  static let wildcard = [UInt8(ascii: "+")]

  static func levels(of text: String) -> [[UInt8]] {
    text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { Array($0) }
  }

  public var description: String {
    (levels.map { String(decoding: $0, as: UTF8.self) } + (isOpen ? ["#"] : []))
      .joined(separator: "/")
  }

  /// Whether this filter matches every topic that another filter matches. O(levels).
  public func covers(_ other: TopicFilter) -> Bool {
    // Every topic has at least one level, so `#` means the same as `+/#`.
    let its = other.levels.isEmpty ? [Self.wildcard] : other.levels
    guard isOpen || !other.isOpen,
      isOpen ? levels.count <= its.count : levels.count == its.count
    else { return false }
    // Topics that begin with $ are reserved for the broker, and no wildcard matches them.
    if its.first?.first == UInt8(ascii: "$") {
      guard let own = levels.first, own != Self.wildcard else { return false }
    }
    return zip(levels, its).allSatisfy { $0 == Self.wildcard || $0 == $1 }
  }

  /// Whether the filters in a list together match every topic that this filter matches. O(levels ×
  /// filters × levels).
  ///
  /// A level can have more values than the filters name. So if this filter has no `#`, a single
  /// filter of the list must cover it. If it has a `#`, it may be split by the number of levels:
  /// `a/#` is `a` and `a/+/#`.
  public func isCovered(by filters: [TopicFilter]) -> Bool {
    guard isOpen else { return filters.contains { $0.covers(self) } }
    let most = filters.map(\.levels.count).max() ?? 0
    var levels = levels
    while true {
      if filters.contains(where: { $0.covers(TopicFilter(levels, isOpen: true)) }) { return true }
      guard levels.count < most else { return false }
      // Every topic has at least one level.
      let isShared =
        levels.isEmpty
        || filters.contains { $0.covers(TopicFilter(levels, isOpen: false)) }
      guard isShared else { return false }
      levels.append(Self.wildcard)
    }
  }

  /// The filter for the topics that both this filter and another match; nil: there is no such
  /// topic.
  /// O(levels).
  public func intersection(_ other: TopicFilter) -> TopicFilter? {
    var common: [[UInt8]] = []
    for index in 0..<max(levels.count, other.levels.count) {
      guard let own = level(index), let its = other.level(index) else { return nil }
      guard own != its, own != Self.wildcard else {
        common.append(its)
        continue
      }
      guard its == Self.wildcard else { return nil }
      common.append(own)
    }
    // Topics that begin with $ are reserved for the broker, and no wildcard matches them.
    if common.first?.first == UInt8(ascii: "$"), level(0) != other.level(0) { return nil }
    return TopicFilter(common, isOpen: isOpen && other.isOpen)
  }

  /// The pattern for a level; nil: a topic with so many levels does not match.
  private func level(_ index: Int) -> [UInt8]? {
    index < levels.count ? levels[index] : isOpen ? Self.wildcard : nil
  }
}
