import ArgumentParser
import Foundation
import Testing
import VarlinkGenerator

@testable import varlink_swift

@Suite struct MessagesTests {
  private static func mistake<Failure: Error>(in words: [String]) throws -> Failure? {
    var command = try VarlinkSwift.parseAsRoot(words)
    return #expect(throws: Failure.self) { try command.run() }
  }

  @Test(arguments: [
    ["each", "none"], ["types", "none"], ["description", "/dev/null/none"],
  ])
  func `A file that cannot be read is named in one sentence`(words: [String]) throws {
    let error: GeneratorError? = try Self.mistake(in: words)
    #expect(error?.description == "name a file of text that you may read, not '\(words[1])'")
  }

  @Test
  func `A mistake in an interface has no usage behind it; a file that cannot be written is named`()
    throws
  {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).varlink").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "interface a.b\nerror E ()".write(toFile: file, atomically: true, encoding: .utf8)
    let output = "/dev/null/E.swift"
    let error: GeneratorError? = try Self.mistake(in: ["errors", file, "--output", output])
    #expect(error?.description == "name a file that you may write, not '\(output)'")
    try "interface".write(toFile: file, atomically: true, encoding: .utf8)
    let code: ExitCode? = try Self.mistake(in: ["errors", file])
    #expect(code == .validationFailure)
  }
}
