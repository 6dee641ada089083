import Foundation
import NightjarTestSupport
import Testing

/// nightjar-promises(7): the article Promises has its promises, and its tests are there.
@Suite struct PromisesTests {
  @Test func `The article Promises has each promise of the page, in its words`() throws {
    let bold = try Documentation.article("Promises").matches(of: #/(?m)^- \*\*(.+?)\.?\*\*/#)
    let section = try #require(ManualPage("nightjar-promises.7").section("PROMISES"))
    let titles = section.blocks.compactMap {
      if case .heading(let title) = $0 { title } else { nil }
    }
    #expect(bold.count > 4 && bold.map { String($0.1) } == titles)
    #expect(section.blocks.count { if case .list = $0 { true } else { false } } == titles.count)
  }

  @Test func `Each test that the page names is in the tree, in its suite`() throws {
    let folder = "\(Documentation.root)/Tests"
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
    func isThere(_ test: String, in suite: String) throws -> Bool {
      try paths.contains { path in
        guard path.hasSuffix("/\(suite).swift") else { return false }
        return try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
          .contains(" `\(test)`(")
      }
    }
    for proof in try #require(ManualPage("nightjar-promises.7").section("PROMISES")).entries {
      // The full stop belongs to the page.
      let test = String(proof.text.plain.dropLast())
      #expect(try isThere(test, in: proof.term.plain), "there is no test '\(test)'")
    }
    // The check can fail.
    #expect(try !isThere("A timer never fires early", in: "CrashTests"))
    #expect(try !isThere("a timer never fires", in: "EngineFiringTests"))
  }
}
