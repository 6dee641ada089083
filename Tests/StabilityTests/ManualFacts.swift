import Foundation
import NightjarTestSupport

@testable import nightjar

/// What the manual pages promise. ManualFactTests compares these pages with what programs do.
enum ManualFacts {
  /// The pages in order, with the lines of one of their sections.
  private static func sections(_ title: String) throws -> [(page: String, lines: [Substring])] {
    let folder = "\(Documentation.root)/Sources/Manual"
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { page in
      let lines = try Documentation.text(of: "Sources/Manual/\(page)").split(separator: "\n")
      return (
        page, Array(lines.drop { $0 != ".Sh \(title)" }.dropFirst().prefix { !$0.hasPrefix(".Sh") })
      )
    }
  }

  /// The fields of the objects that a command composes itself. Other commands print the objects of
  /// the interface.
  @Sendable static func json() throws -> [String] {
    try sections("JSON").flatMap { page, lines in
      lines.filter { $0.hasPrefix(".It Cm ") }.flatMap { line in
        line.dropFirst(7).split(separator: " , ").map { "\(page): \($0)" }
      }
    }
  }

  /// The statuses of each page, and those of the command line with their meanings.
  @Sendable static func exitStatuses() throws -> [String] {
    try ExitStatus.allCases.map { "nightjar exits with \($0.rawValue): \($0)" }
      + sections("EXIT STATUS").flatMap { page, lines in
        lines.filter { $0.wholeMatch(of: /\.It \d+/) != nil }.map { "\(page): \($0.dropFirst(4))" }
      }
  }
}
