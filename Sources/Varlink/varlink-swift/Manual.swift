import ArgumentParser
import Foundation
import VarlinkGenerator

struct Manual: Generation {
  static let configuration = CommandConfiguration(
    abstract: "The sections of a manual page that say what the interface declares.",
    discussion: "The file to write is the page; its other sections stay.")

  @OptionGroup var files: Files

  func source() throws -> String {
    guard let page = files.output else { throw ValidationError("name the page with --output") }
    return try ManualWriter(page: try String(contentsOfFile: page, encoding: .utf8))
      .source(of: files.read())
  }
}
