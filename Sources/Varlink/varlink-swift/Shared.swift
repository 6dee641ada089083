import ArgumentParser
import Foundation
import VarlinkGenerator

struct Shared: Generation {
  static let configuration = CommandConfiguration(
    abstract: "A manual page with what it shares with another page.",
    discussion:
      "The file to read is the page that has the text; the file to write has copies of it.")

  @OptionGroup var files: Files

  func source() throws -> String {
    guard let page = files.output else { throw ValidationError("name the page with --output") }
    return try SharedText(of: try files.text())
      .copied(to: try String(contentsOfFile: page, encoding: .utf8))
  }
}
