import Foundation
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// `make install` and `make uninstall`, and other files that name the pages.
@Suite(.blocking) struct ManualInstallTests {
  static let sources = Documentation.root

  /// Asks a daemon for its service information.
  private static let getInfo = """
    import socket, sys
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(sys.argv[1])
    peer.sendall(b'{"method":"org.varlink.service.GetInfo"}' + bytes(1))
    print(peer.recv(65536).rstrip(bytes(1)).decode())
    """

  private func make(_ target: String, into folder: String, _ rig: Rig) throws {
    let programs = URL(fileURLWithPath: try Binaries.nightjar()).deletingLastPathComponent().path
    try rig.tool([
      "make", "-C", Self.sources, "--no-print-directory", "-s", "-o", "build", target,
      "BINARIES=\(programs)", "DESTDIR=\(folder)", "PREFIX=/usr/local",
      "UNITDIR=/usr/local/lib/systemd/user",
    ])
  }

  private func files(below folder: String) throws -> [String] {
    let all = FileManager.default.enumerator(atPath: folder)
    return (all?.allObjects as? [String] ?? []).filter { path in
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(
        atPath: "\(folder)/\(path)", isDirectory: &isFolder)
      return isThere && !isFolder.boolValue
    }
  }

  @Test
  func `make install copies pages, sounds and hooks, and make uninstall removes all of them`()
    throws
  {
    let rig = try Rig()
    let folder = "\(rig.path)/root"
    try make("install", into: folder, rig)
    let manual = "\(folder)/usr/local/share/man"
    let pages = ManualPage.all
    #expect(
      try files(below: manual).sorted() == pages.map { "man\($0.number)/\($0.fileName)" }.sorted())
    for page in pages {
      let path = "\(manual)/man\(page.number)/\(page.fileName)"
      #expect(try String(contentsOfFile: path, encoding: .utf8) == page.source)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o644)
    }
    let sounds = "\(folder)/usr/local/share/nightjar/sounds"
    #expect(try files(below: sounds).sorted() == ["chime.wav", "marimba.wav", "pulse.wav"])
    let shared = "\(folder)/usr/local/share/nightjar"
    for face in ["hooks", "quickshell"] {
      let installed = try files(below: "\(shared)/\(face)")
      #expect(
        try installed.sorted() == files(below: "\(Self.sources)/Sources/Faces/\(face)").sorted())
      for file in installed {
        let isProgram = FileManager.default.isExecutableFile(atPath: "\(shared)/\(face)/\(file)")
        #expect(isProgram == (face == "hooks" && file != "lib/work"), "\(file)")
      }
    }
    // Similar files of other packages stay.
    let others = ["man1/nightjars.1", "man5/nightjarrc.5", "man7/org.nightjars.7"]
    for name in others { try Data().write(to: URL(fileURLWithPath: "\(manual)/\(name)")) }
    try make("uninstall", into: folder, rig)
    #expect(try files(below: manual).sorted() == others.sorted())
    #expect(try files(below: shared) == [])
  }

  @Test func `The page that the daemon and its units name is there`() throws {
    let rig = try Rig()
    let socket = "\(rig.path)/socket"
    let daemon = try rig.start(
      [Binaries.nightjard(), "--socket", socket, "--state-dir", "\(rig.path)/state"],
      environment: ["HOME": rig.path])
    try daemon.lines.next("the daemon") { $0.contains("ready") }
    let answer = try JSONValue.parse(try rig.tool(["python3", "-c", Self.getInfo, socket]))
    let url = try #require(answer["parameters"]?["url"]?.stringValue)
    let pages = ManualPage.all.map { "man:\($0.name)(\($0.number))" }
    #expect(pages.contains(url))
    for unit in ["nightjar.service", "nightjar.socket"] {
      let text = try String(contentsOfFile: "\(Self.sources)/systemd/\(unit)", encoding: .utf8)
      let named = text.split(separator: "\n").filter { $0.hasPrefix("Documentation=") }
        .flatMap { $0.dropFirst(14).split(separator: " ").map(String.init) }
      #expect(!named.isEmpty, "\(unit) has no Documentation=")
      #expect(Set(named).isSubset(of: pages), "\(unit)")
    }
  }
}
