import Foundation
import NightjarInterface
import NightjarTestSupport
import Testing

/// README.md and the texts beside it, and the articles of the documentation catalog.
@Suite(.blocking) struct DocumentationTests {
  private static let files = (try? Documentation.markdownFiles()) ?? []

  @Test func `README.md has at most 9,216 bytes, and names the packages of this version`() throws {
    let readme = try Documentation.text(of: "README.md")
    #expect(readme.utf8.count <= 9_216)
    let versions = readme.groups(of: /nightjar[_-]([0-9]+\.[0-9]+\.[0-9]+)/)
    #expect(Set(versions) == [NightjarVersion.current])
  }

  @Test
  func `The change log and the packages name this version, and that of the argument parser`()
    throws
  {
    let version = NightjarVersion.current
    let manifest = try Documentation.text(of: "Package.swift")
    let parser = manifest.groups(of: /swift-argument-parser", from: "([0-9.]+)"/).joined()
    for (path, line) in [
      ("CHANGELOG.md", "\n## \(version), "),
      ("Sources/Packaging/PKGBUILD", "\npkgver=\(version)\n"),
      ("Sources/Packaging/nightjar.spec", "\nVersion:        \(version)\n"),
      ("Sources/Packaging/nightjar.spec", "\n%global parser \(parser)\n"),
      ("Sources/Packaging/flake.nix", "github:apple/swift-argument-parser/\(parser)\""),
    ] {
      #expect(try Documentation.text(of: path).contains(line), "\(path) lacks \(line)")
    }
  }

  @Test(arguments: files + ["systemd/nightjar.service", "systemd/nightjar.socket"])
  func `Files, manual pages and make targets that a text names are there`(path: String) throws {
    #expect(try Markdown.missing(in: Documentation.text(of: path)) == [])
    // What is checked is seen to be able to fail.
    let wrong = "[a](#b) [c](d/e) `Sources/f` nightjar-g(1)\n`make h`"
    let all = ["#b", "d/e", "Sources/f", "nightjar-g(1)", "make h"]
    #expect(try Markdown.missing(in: wrong) == all)
  }

  @Test(arguments: files)
  func `Shell examples print what the text shows`(path: String) throws {
    let text = try Documentation.text(of: path)
    #expect(!text.contains("\n$ "), "\(path): indent the commands by four")
    let commands = Markdown.commands(text)
    if path == "README.md" { #expect(commands.count > 7) }
    if !commands.isEmpty { try ExampleShell(hasFakeClocks: true).check(commands, of: path) }
  }

  @Test func `The folders that Architecture describes are those of Sources`() throws {
    let described = try Markdown.firstColumn(of: Documentation.article("Architecture"))
    let rooms = Set(described.filter { $0.contains("/") }.map { $0.prefix { $0 != "/" } })
    func folders(in path: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "\(Documentation.root)/Sources/\(path)")
    }
    let there = try folders(in: "").flatMap { folder in
      rooms.contains(folder[...]) ? try folders(in: folder).map { "\(folder)/\($0)" } : [folder]
    }
    #expect(rooms.count == 11 && described.sorted() == there.sorted())
  }

  @Test func `docc renders the articles without a warning`() throws {
    let rig = try Rig()
    let output = "\(rig.path)/pages"
    let make = ["make", "-C", Documentation.root, "--no-print-directory", "documentation"]
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    try rig.tool(make + ["PAGES=\(output)"], environment: ["PATH": path, "HOME": rig.path])
    for file in try Documentation.articleFiles() {
      let name = file.split(separator: "/").last?.dropLast(3).lowercased() ?? ""
      let page = "\(output)/data/documentation/nightjar\(name == "nightjar" ? "" : "/\(name)").json"
      #expect(FileManager.default.fileExists(atPath: page), "\(file)")
    }
  }
}
