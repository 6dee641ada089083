import Foundation
import NightjarTestSupport
import Testing

/// `make install` and `make uninstall`.
@Suite(.blocking) struct ManualInstallTests {
  private func make(_ target: String, into folder: String, _ rig: Rig) throws {
    let programs = URL(fileURLWithPath: try Binaries.nightjar()).deletingLastPathComponent().path
    try rig.tool([
      "make", "-C", Documentation.root, "--no-print-directory", "-s", "-o", "build", target,
      "BINARIES=\(programs)", "DESTDIR=\(folder)", "PREFIX=/usr/local",
      "UNITDIR=/usr/local/lib/systemd/user",
    ])
  }

  @Test
  func `make install copies pages, sounds and hooks, and make uninstall removes all of them`()
    throws
  {
    let rig = try Rig()
    func files(below folder: String) throws -> [String] {
      try rig.tool(["find", folder, "-type", "f", "-printf", "%P %m\n"]).split(separator: "\n")
        .map(String.init).sorted()
    }
    let folder = "\(rig.path)/root"
    try make("install", into: folder, rig)
    let (manual, shared) = ("\(folder)/usr/local/share/man", "\(folder)/usr/local/share/nightjar")
    let pages = ManualPage.all.map { "man\($0.number)/\($0.fileName)" }.sorted()
    #expect(try files(below: manual) == pages.map { "\($0) 644" })
    for page in ManualPage.all {
      let path = "\(manual)/man\(page.number)/\(page.fileName)"
      #expect(try String(contentsOfFile: path, encoding: .utf8) == page.source)
    }
    let sounds = ["chime.wav", "marimba.wav", "pulse.wav"].map { "\($0) 644" }
    #expect(try files(below: "\(shared)/sounds") == sounds)
    for face in ["hooks", "quickshell"] {
      let source = try files(below: "\(Documentation.root)/Sources/Faces/\(face)")
      let expected = source.map { line in
        let name = line.prefix { $0 != " " }
        return "\(name) \(face == "hooks" && name != "lib/work" ? 755 : 644)"
      }
      #expect(try files(below: "\(shared)/\(face)") == expected)
    }
    // Similar files of other packages stay.
    let others = ["man1/nightjars.1", "man5/nightjarrc.5", "man7/org.nightjars.7"]
    for name in others { try writeFile("", to: "\(manual)/\(name)") }
    try make("uninstall", into: folder, rig)
    #expect(try files(below: manual) == others.map { "\($0) 644" } && files(below: shared) == [])
  }
}
