public import ArgumentParser
import Foundation
public import VarlinkGenerator

@main
struct VarlinkSwift: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "varlink-swift",
    abstract: "Make Swift source from a Varlink interface file.",
    discussion:
      "Without other names, the interface org.example.Lamp becomes Lamp, LampError, LampService "
      + "and LampInterface.",
    subcommands: [
      Description.self, Methods.self, Types.self, Errors.self, Each.self,
    ])
}

/// A sub-command that writes one file of Swift source.
protocol Generation: ParsableCommand {
  var files: Files { get set }
  /// The text of the file.
  func source() throws -> String
  /// Resolves relative paths against a folder.
  mutating func beginPaths(in folder: URL)
}

extension Generation {
  func run() throws { try files.write(try source()) }
  mutating func beginPaths(in folder: URL) { files.beginPaths(in: folder) }
}

/// The options that all sub-commands have: the file to read, and the file to write.
struct Files: ParsableArguments {
  @Argument(help: "The interface file.")
  var interface: String

  @Option(name: .shortAndLong, help: "The file to write; standard output unless given.")
  var output: String?

  /// The name of the source in generated files.
  var sourceName: String { URL(filePath: interface).lastPathComponent }

  mutating func beginPaths(in folder: URL) {
    interface = URL(filePath: interface, relativeTo: folder).path
    output = output.map { URL(filePath: $0, relativeTo: folder).path }
  }

  func text() throws -> String { try Self.text(of: interface) }

  static func text(of path: String) throws -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw GeneratorError("name a file of text that you may read, not '\(path)'")
    }
    return text
  }

  /// The interface. A mistake in it is printed, and ends the program.
  func read() throws -> Interface {
    let text = try text()
    do throws(SyntaxError) {
      return try Interface(parsing: text)
    } catch {
      // After a ValidationError, its usage would be printed.
      FileHandle.standardError.write(Data("Error: \(interface):\(error)\n".utf8))
      throw ExitCode.validationFailure
    }
  }

  func write(_ source: String) throws {
    guard let output else {
      print(source, terminator: "")
      return
    }
    let folder = URL(filePath: output).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try source.write(toFile: output, atomically: true, encoding: .utf8)
    } catch {
      throw GeneratorError("name a file that you may write, not '\(output)'")
    }
  }
}

extension AccessLevel: ExpressibleByArgument {}
