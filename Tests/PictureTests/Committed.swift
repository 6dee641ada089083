import Foundation
import NightjarTestSupport
import Testing

/// The files that `make pictures` writes and that are committed.
enum Committed {
  /// Where the files are to be written; nil: they are compared.
  static let folder = ProcessInfo.processInfo.environment["NIGHTJAR_PICTURES"]

  static let root = URL(filePath: Documentation.root)

  /// Pictures that README and the documentation show.
  static func picture(_ name: String) -> URL {
    root.appending(path: "Sources/Documentation/Documentation.docc/Resources/\(name)")
  }

  /// Texts that pictures show whose pixels are not compared.
  static func text(_ name: String) -> URL { root.appending(path: "Tests/PictureTests/\(name)") }

  /// Writes a file where `make pictures` asks for it; else says how the committed one differs.
  static func expect(_ shown: String, in file: URL) throws {
    guard folder == nil else { return try Data(shown.utf8).write(to: file, options: .atomic) }
    let old = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    guard old != shown else { return }
    let lines = [old, shown].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    let place = zip(lines[0], lines[1]).prefix { $0 == $1 }.count
    let (was, now) = (lines[0].dropFirst(place).first, lines[1].dropFirst(place).first)
    Issue.record(
      """
      \(file.lastPathComponent) is not what the program shows; run make pictures, and look at it.
      Line \(place + 1) is
      \(was ?? "(missing)")
      and would be
      \(now ?? "(missing)")
      """)
  }
}
