import VarlinkGenerator

/// Text that several manual pages share. One page contains the original, and the others have
/// copies.
///
/// On each page, a line `.\" Shared: NAME` precedes a shared text, and a line `.\" End` follows it.
struct SharedText {
  private var texts: [String: ArraySlice<String>] = [:]

  private static let head = ".\\\" Shared: "
  private static let end = ".\\\" End"

  /// Reads the shared texts of the page that contains the originals.
  init(of page: String) {
    let lines = Self.lines(of: page)
    for (name, range) in Self.ranges(in: lines) { texts[name] = lines[range] }
  }

  /// The text of another page, with updated copies of the shared texts.
  ///
  /// - Throws: `GeneratorError` if the page has no copy, or the copy of a text that does not exist.
  func copied(to page: String) throws(GeneratorError) -> String {
    var lines = Self.lines(of: page)
    let ranges = Self.ranges(in: lines)
    guard !ranges.isEmpty else { throw GeneratorError("the page has no line '\(Self.head)NAME'") }
    for (name, range) in ranges.reversed() {
      guard let text = texts[name] else {
        throw GeneratorError("there is no shared text '\(name)'")
      }
      lines.replaceSubrange(range, with: text)
    }
    return lines.joined(separator: "\n")
  }

  private static func lines(of page: String) -> [String] {
    page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The shared texts of a page: the name and the lines of each.
  private static func ranges(in lines: [String]) -> [(name: String, range: Range<Int>)] {
    var ranges: [(name: String, range: Range<Int>)] = []
    for (index, line) in lines.enumerated() where line.hasPrefix(head) {
      let end = lines[index...].firstIndex(of: end) ?? lines.endIndex
      ranges.append((String(line.dropFirst(head.count)), index + 1..<end))
    }
    return ranges
  }
}
