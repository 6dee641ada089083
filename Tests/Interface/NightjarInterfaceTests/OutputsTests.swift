import Foundation
import Testing

@testable import nightjar_generate
@testable import varlink_swift

/// The files in folders called `Generated`, and the manual pages with parts that are generated.
@Suite struct OutputsTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func outputs() throws -> [(path: String, source: String)] {
    let lists = [
      "Sources/Interface/NightjarInterface/outputs", "Tests/Varlink/VarlinkTests/outputs",
    ]
    let generated = try lists.flatMap { list in
      try Each.generations(in: root.appending(path: list).path, relativeTo: root)
    }.map { generation in
      (try #require(generation.files.output), try generation.source())
    }
    return try generated + Outputs(root: root).texts().map { ($0.file.path, $0.text) }
  }

  @Test func `Each generated file is up to date with its source`() throws {
    let outputs = try Self.outputs()
    #expect(!outputs.isEmpty)
    for (path, source) in outputs {
      let committed = try? String(contentsOfFile: path, encoding: .utf8)
      #expect(committed == source, "run `make generate`, and commit \(path)")
    }
  }

  @Test func `Each file in a folder called Generated is generated`() throws {
    let paths = try Self.outputs().map { URL(filePath: $0.path).standardized.path }
    let generated = Set(paths.filter { $0.hasSuffix(".swift") })
    var found: Set<String> = []
    for folder in ["Sources", "Tests"] {
      let files = try #require(
        FileManager.default.enumerator(
          at: Self.root.appending(path: folder), includingPropertiesForKeys: nil))
      for case let file as URL in files where file.pathComponents.contains("Generated") {
        if file.pathExtension == "swift" { found.insert(file.standardized.path) }
      }
    }
    #expect(found == generated)
  }
}
