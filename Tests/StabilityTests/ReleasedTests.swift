import Foundation
import NightjarInterface
import NightjarTestSupport
import Testing
import VarlinkGenerator

/// What each release promised holds in this source; see STABILITY in org.nightjar.Timers(7).
@Suite(.blocking) struct ReleasedTests {
  @Test(arguments: Released.versions) func `No interface lacks what a release had`(
    _ version: String
  ) throws {
    let today = try Release.interfaces.map { try Interface(parsing: $0) }
    let released = try Release.interfaces(of: version)
    #expect(!released.isEmpty)
    for old in released {
      let interface = try #require(today.first { $0.name == old.name }, "\(old.name) is gone")
      for sentence in interface.breaks(since: old) {
        Issue.record("\(old.name) since \(version): \(sentence)")
      }
    }
  }

  @Test(arguments: Released.versions) func `No topic, key, field or exit status is gone`(
    _ version: String
  ) throws {
    for list in Release.lists {
      let known = Set(try list.facts())
      #expect(known.count > 20)
      for fact in try Release.facts(list.name, of: version) where !known.contains(fact) {
        Issue.record("\(list.name) since \(version): this is gone: \(fact)")
      }
    }
  }

  @Test func `All keys of the configuration are on its page, and no others`() throws {
    let page = try Documentation.text(of: "Sources/Manual/nightjar.toml.5")
    let terms = page.matches(of: /(?m)^\.It (Cm .+)$/).flatMap { $0.output.1.split(separator: " ") }
    // A fact is such as `[clock] wait: a text`.
    let facts = try ConfigurationFacts.all.get().map { $0.split { " :".contains($0) }[1] }
    #expect(Set(terms).subtracting(["Cm", ","]) == Set(facts))
  }

  /// `make release-contracts` writes these files. Until the release they may still change.
  @Test func `What the next release will promise is written down`() throws {
    let version = NightjarVersion.current
    let folder = "\(Released.folder)/\(version)"
    guard try !Released.isWritten(version) else {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      for (name, text) in try Release.files() {
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
      }
      return
    }
    try #require(Released.versions.contains(version), "run `make release-contracts`")
    guard try Released.isNext(version) else { return }
    for (name, text) in try Release.files() {
      #expect(try Released.text(name, of: version) == text, "run `make release-contracts`: \(name)")
    }
  }
}
