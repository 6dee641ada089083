package struct Row: Sendable, CustomStringConvertible {
  private let columns: [String]

  package var description: String { columns.joined(separator: " => ") }

  package subscript(_ column: Int) -> String { columns[column] }

  /// The words of a column without quotes.
  package func words(_ column: Int = 0) -> [String] {
    columns[column].split(separator: " ").map(String.init)
  }

  /// The rows of a table: one on a line, with `=>` between its columns. A line that begins with
  /// `//` is a comment.
  package static func table(_ text: String) -> [Row] {
    text.split(separator: "\n").filter { !$0.hasPrefix("//") }.map { line in
      Row(
        columns: line.split(separator: "=>", omittingEmptySubsequences: false).map { column in
          String(column.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        })
    }
  }
}
