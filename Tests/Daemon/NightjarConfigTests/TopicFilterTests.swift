import NightjarConfig
import Testing

/// Topic filters, and the topics that two of them share.
@Suite struct TopicFilterTests {
  @Test(arguments: ["a", "a/b", "+", "#", "a/+/#", "/", "a//b", "+/+", "$SYS/#", "ä b/c"])
  func `A filter is written in the form in which it was read`(text: String) throws {
    #expect(try #require(TopicFilter(text)).description == text)
  }

  @Test(arguments: ["", "a+", "a/#/b", "#/a", "a#", "a/+b", "##"])
  func `A wildcard as a part of a level, or # before the end, is no filter`(text: String) {
    #expect(TopicFilter(text) == nil)
  }

  /// All topics and filters of up to three levels with these words.
  private static func texts(_ words: [String], _ most: Int) -> [String] {
    var texts = words
    var last = words
    for _ in 1..<most {
      last = last.flatMap { head in words.map { "\(head)/\($0)" } }
      texts += last
    }
    return texts
  }

  private static let topics = texts(["a", "b", "$c", "z"], 3)
  private static let filters: [TopicFilter] = {
    let closed = texts(["a", "b", "$c", "+"], 2)
    return (closed + closed.map { "\($0)/#" } + ["#"]).compactMap { TopicFilter($0) }
  }()

  /// As the standard says: level by level, and no leading wildcard matches `$`.
  private static func matches(_ filter: String, _ topic: String) -> Bool {
    let (filters, levels) = (filter.split(separator: "/"), topic.split(separator: "/"))
    if topic.hasPrefix("$"), "+#".contains(filter.prefix(1)) { return false }
    for (index, level) in filters.enumerated() {
      if level == "#" { return true }
      guard index < levels.count else { return false }
      guard level == "+" || level == levels[index] else { return false }
    }
    return filters.count == levels.count || filters.last == "#" && filters.count == levels.count + 1
  }

  private static func matched(by filter: TopicFilter) -> Set<String> {
    Set(topics.filter { matches(filter.description, $0) })
  }

  /// Against all topics of a few words; `z` is a word that no filter contains.
  @Test func `Coverage and intersection of filters agree with matching each topic`() {
    let sets = Self.filters.map { Self.matched(by: $0) }
    #expect(Self.filters.count > 40 && sets.allSatisfy { !$0.isEmpty })
    for (left, leftTopics) in zip(Self.filters, sets) {
      for (right, rightTopics) in zip(Self.filters, sets) {
        #expect(
          left.covers(right) == leftTopics.isSuperset(of: rightTopics), "\(left) covers \(right)")
        #expect(
          (left.intersection(right).map { Self.matched(by: $0) } ?? [])
            == leftTopics.intersection(rightTopics), "\(left) and \(right)")
      }
    }
  }

  @Test(arguments: [
    ("a/#", ["a", "a/+/#"], true), ("a/#", ["a", "a/+", "a/+/+/#"], true),
    ("a/#", ["a", "a/+/+/#"], false), ("a/#", ["a/+/#"], false), ("a/#", ["a", "a/+"], false),
    ("#", ["+", "+/+/#"], true), ("#", ["a/#"], false), ("a/+", ["a/b", "a/c"], false),
    ("a/#", [], false), ("a", ["#"], true), ("$a", ["#"], false),
  ])
  func `Several filters together cover a filter that none of them covers alone`(
    filter: String, others: [String], isCovered: Bool
  ) throws {
    let others = others.compactMap { TopicFilter($0) }
    #expect(try #require(TopicFilter(filter)).isCovered(by: others) == isCovered)
  }

  @Test func `Two encodings of a letter are two topics`() throws {
    let (one, two) = ("caf\u{E9}/#", "cafe\u{301}/#")
    #expect(one == two, "Swift takes them for the same")
    let filters = [try #require(TopicFilter(one)), try #require(TopicFilter(two))]
    #expect(filters[0] != filters[1] && !filters[0].covers(filters[1]))
    #expect(filters[0].intersection(filters[1]) == nil)
  }
}
