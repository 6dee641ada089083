import ArgumentParser
import Foundation

/// Runs the sub-commands in a file, one per line, so that a rule of a build and a test of the
/// generated files read the same file.
struct Each: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Carry out the commands in a file, one a line.",
    discussion:
      "A line has the words of a command, without quotes; a line that begins with a space continues "
      + "the line before. Lines that begin with # are passed over.")

  @Argument(help: "The file.")
  var list: String

  func run() throws {
    for generation in try Self.generations(in: list) { try generation.run() }
  }

  /// The commands, in the order of the file.
  ///
  /// - Parameters:
  ///   - list: the path of the file.
  ///   - folder: the base of the paths in the file; nil: the working directory.
  static func generations(
    in list: String, relativeTo folder: URL? = nil
  ) throws -> [any Generation] {
    var lines: [String] = []
    for line in try Files.text(of: list).split(separator: "\n") {
      if line.hasPrefix(" "), let last = lines.popLast() {
        lines.append(last + line)
      } else if !line.hasPrefix("#") {
        lines.append(String(line))
      }
    }
    return try lines.map { line in
      let words = line.split(separator: " ").map(String.init)
      guard var generation = try VarlinkSwift.parseAsRoot(words) as? any Generation else {
        throw ValidationError("\(list): write a command that generates a file, not '\(line)'")
      }
      if let folder { generation.beginPaths(in: folder) }
      return generation
    }
  }
}
