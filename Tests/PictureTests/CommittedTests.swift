import Foundation
import NightjarTestSupport
import Testing

@Suite struct CommittedTests {
  private static let folder = Committed.picture("")

  @Test func `Each committed picture is an SVG without a script, or a PNG under 100 KB`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(names).isSuperset(of: ["dashboard.png", "popup.png", "watch.svg"]))
    for name in names {
      let bytes = try Data(contentsOf: Committed.picture(name))
      switch (name as NSString).pathExtension {
      case "png": #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) && bytes.count < 100_000)
      case "svg": #expect(!String(decoding: bytes, as: UTF8.self).contains("<script"))
      default: Issue.record("\(name) is neither an SVG nor a PNG")
      }
    }
  }
}
