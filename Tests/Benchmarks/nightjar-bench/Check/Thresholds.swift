/// How many instructions an operation may take, by the name of its path. A file in the tree has a
/// line `NAME COUNT` for each. Text after a `#` is a comment.
struct Thresholds: Equatable {
  /// A line that is wrong.
  struct Problem: Error, Equatable {
    /// The line's number, from 1.
    let line: Int
    let text: String
  }

  /// A count may be above its threshold by this share. Counts of the same program differ by at most
  /// 1/10,000. The margin is for the effects of an unrelated change, or of another release of the C
  /// library.
  static let margin = 0.05
  /// Instructions per operation.
  var counts: [String: Int] = [:]

  init(counts: [String: Int]) { self.counts = counts }

  /// Reads a file's text. Throws `Problem` for the first line that is wrong or repeats a name.
  init(_ text: String) throws(Problem) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let content = line.prefix { $0 != "#" }
      let words = content.split(separator: " ")
      guard !words.isEmpty else { continue }
      guard words.count == 2, let count = Int(words[1]), count > 0,
        counts.updateValue(count, forKey: String(words[0])) == nil
      else { throw Problem(line: index + 1, text: String(line)) }
    }
  }

  /// The text of a file with these thresholds.
  ///
  /// - Parameter names: the order of the lines; names that have no count are left out.
  func text(inOrderOf names: [String]) -> String {
    let head = """
      # Instructions for one operation of each hot path and for the whole of one nightjar start, as valgrind
      # counts them in the release build. make bench-check fails on what takes over \(Int(Self.margin * 100)) % more, and
      # writes this anew by make bench-check BENCH_CHECK=--write: after a change that is
      # worth its price, or a new compiler.

      """
    let width = names.map(\.count).max() ?? 0
    return names.reduce(into: head) { text, name in
      guard let count = counts[name] else { return }
      text += name + String(repeating: " ", count: width - name.count + 1) + "\(count)\n"
    }
  }
}
