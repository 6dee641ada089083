import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar

/// nightjar-promises(7): the article Promises has its promises, and its tests are there.
@Suite(.blocking) struct PromisesTests {
  /// A test by its suite and its name.
  private struct Proof {
    let suite: String
    let test: String
  }

  /// The promises on the page, each with its tests.
  private static func promises() throws -> [(title: String, proofs: [Proof])] {
    let page = try #require(ManualPage.named("nightjar-promises.7"))
    var promises: [(title: String, proofs: [Proof])] = []
    for block in try #require(page.section("PROMISES")).blocks {
      if case .subsection(let title) = block { promises.append((title, [])) }
      guard case .list(let entries) = block else { continue }
      for entry in entries {
        // The full stop belongs to the page.
        let proof = Proof(suite: entry.term.plain, test: String(entry.text.plain.dropLast()))
        promises[promises.count - 1].proofs.append(proof)
      }
    }
    return promises
  }

  @Test func `The article Promises has each promise of the page, in its words`() throws {
    let article = try Documentation.article("Promises")
    let bold = article.matches(of: #/(?m)^- \*\*(.+?)\.?\*\*/#).map { String($0.1) }
    #expect(bold.count > 4)
    let promises = try Self.promises()
    #expect(bold == promises.map(\.title))
    for promise in promises { #expect(!promise.proofs.isEmpty, "\(promise.title)") }
  }

  @Test func `Each test that the page names is in the tree, in its suite`() throws {
    let suites = try Self.suites()
    func isThere(_ proof: Proof) -> Bool {
      suites.contains { $0.name == proof.suite && Self.has(proof.test, in: $0.text) }
    }
    for proof in try Self.promises().flatMap(\.proofs) {
      #expect(isThere(proof), "there is no test '\(proof.test)' in \(proof.suite)")
    }
    // The check can fail.
    #expect(!isThere(Proof(suite: "CrashTests", test: "A timer never fires early")))
    #expect(!isThere(Proof(suite: "EngineFiringTests", test: "a timer never fires")))
  }

  private static func has(_ test: String, in text: String) -> Bool {
    text.contains(" `\(test)`(")
  }

  /// The test files, by the suite that each begins.
  private static func suites() throws -> [(name: String, text: String)] {
    let folder = "\(ManualInstallTests.sources)/Tests"
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix("Tests.swift") }
    return try paths.map { path in
      let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
      let name = path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
      return (String(name), text)
    }
  }
}
