import Foundation
import NightjarTestSupport
import Testing

/// `make install` and `make uninstall`.
@Suite(.blocking) struct ManualInstallTests {
  @Test
  func `make install copies pages, sounds and hooks, and make uninstall removes all of them`()
    throws
  {
    let rig = try Rig()
    let programs = URL(fileURLWithPath: try Binaries.nightjar()).deletingLastPathComponent().path
    func make(_ target: String) throws {
      try rig.tool([
        "make", "-C", Documentation.root, "--no-print-directory", "-s", "-o", "build", target,
        "BINARIES=\(programs)", "DESTDIR=\(rig.path)", "PREFIX=/usr/local",
        "UNITDIR=/usr/local/lib/systemd/user",
      ])
    }
    func files(below folder: String) throws -> [String] {
      try rig.tool(["find", folder, "-type", "f", "-printf", "%P %m\n"]).split(separator: "\n")
        .map(String.init).sorted()
    }
    try make("install")
    let share = "\(rig.path)/usr/local/share"
    let (manual, shared) = ("\(share)/man", "\(share)/nightjar")
    let pages = ManualPage.all.map { "man\($0.number)/\($0.fileName)" }
    #expect(try files(below: manual) == pages.map { "\($0) 644" }.sorted())
    for (page, path) in zip(ManualPage.all, pages) {
      #expect(FileManager.default.contentsEqual(atPath: "\(manual)/\(path)", andPath: page.path))
    }
    let sounds = ["chime.wav 644", "marimba.wav 644", "pulse.wav 644"]
    #expect(try files(below: "\(shared)/sounds") == sounds)
    for face in ["hooks", "quickshell"] {
      let expected = try files(below: "\(Documentation.root)/Sources/Faces/\(face)").map { line in
        let name = line.prefix { $0 != " " }
        return "\(name) \(face == "hooks" && name != "lib/work" ? 755 : 644)"
      }
      #expect(try files(below: "\(shared)/\(face)") == expected)
    }
    // Similar files of other packages stay.
    let others = ["man1/nightjars.1", "man5/nightjarrc.5", "man7/org.nightjars.7"]
    for name in others { try writeFile("", to: "\(manual)/\(name)") }
    try make("uninstall")
    #expect(try files(below: manual) == others.map { "\($0) 644" } && files(below: shared) == [])
  }
}
