import Foundation
import NightjarTestSupport
import Testing

/// nightjar-promises(7): the article Promises has its promises, and its tests are there.
@Suite struct PromisesTests {
  private let page: ManualPage.Part

  init() throws { page = try #require(ManualPage("nightjar-promises.7").section("PROMISES")) }

  @Test func `The article Promises has each promise of the page, in its words`() throws {
    let bold = try Documentation.article("Promises").groups(of: #/(?m)^- \*\*(.+?)\.?\*\*/#)
    let titles = page.lines.filter { $0.hasPrefix(".Ss ") }.map {
      ManualPage.unescaped($0.dropFirst(4))
    }
    #expect(bold.count > 4 && bold == titles)
    // Each has the tests that check it.
    #expect(page.lines.count { $0.hasPrefix(".Bl ") } == titles.count)
  }

  @Test func `Each test that the page names is in the tree, in its suite`() throws {
    let folder = "\(Documentation.root)/Tests"
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
    func isThere(_ test: String, in suite: String) throws -> Bool {
      try paths.filter { $0.hasSuffix("/\(suite).swift") }.contains { path in
        try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8).contains(" `\(test)`(")
      }
    }
    let proofs = page.lines.split { $0.hasPrefix(".It ") || $0 == ".El" }
      .filter { !$0[$0.startIndex].hasPrefix(".") }
    let suites = page.terms("Sy")
    #expect(suites.count > 10 && suites.count == proofs.count)
    for (suite, proof) in zip(suites, proofs) {
      // The full stop belongs to the page.
      let test = String(proof.joined(separator: " ").dropLast())
      #expect(try isThere(test, in: suite), "there is no test '\(test)'")
    }
    // The check can fail.
    #expect(try !isThere("A timer never fires early", in: "CrashTests"))
    #expect(try !isThere("a timer never fires", in: "EngineFiringTests"))
  }
}
