import Foundation
import NightjarTestSupport
import Testing

/// The packages and the archives by themselves, with Debian's tools for looking at them.
@Suite(.blocking, .serialized, .enabled(if: Packages.isWanted)) struct PackageFileTests {
  /// The programs, by their paths below /usr.
  private static let programs = [
    "bin/nightjar", "bin/nightjar-rehearse", "bin/nightjard", "bin/nightjar-mqtt",
    "libexec/nightjar/nightjar-launcher", "libexec/nightjar/nightjar-tray",
  ]
  private let rig: Rig

  init() throws { rig = try Rig() }

  /// The folder of what is in a package.
  private func unpack(_ package: String, into name: String) throws -> String {
    let folder = "\(rig.path)/\(name)"
    try rig.tool(["dpkg-deb", "--extract", package, folder])
    return folder
  }

  @Test func `lintian finds nothing that has no override with its reason`() throws {
    let changes = try #require(try Packages.files(in: "deb", ending: ".changes").first)
    let command = ["lintian", "--no-cfg", "--allow-root", "--pedantic", "--display-info"]
    let (end, output) = try rig.run(
      command + ["--tag-display-limit", "0", "--fail-on", "error,warning,info,pedantic", changes],
      package: "lintian", within: 300)
    #expect(end == .exited(0) && output == "", "\(output)")
    // It would have found something.
    let (_, all) = try rig.run(
      command + ["--no-override", changes], package: "lintian", within: 300)
    #expect(all.contains("maintainer-script-calls-systemctl"), "\(all)")
  }

  /// Fortify and the stack protector are for C, and Swift has checks of its own.
  @Test func `The programs are position-independent, with relocations that are read-only`() throws {
    let folder = try unpack(Packages.deb(in: "deb"), into: "package")
    for program in Self.programs {
      let output = try rig.tool(
        [
          "hardening-check", "--nofortify", "--nostackprotector", "--nocfprotection",
          "\(folder)/usr/\(program)",
        ], package: "devscripts")
      let checks = [
        "Position Independent Executable", "Read-only relocations", "Immediate binding",
      ]
      for check in checks {
        #expect(output.contains("\(check): yes"), "\(program): \(output)")
      }
    }
  }

  @Test func `The daemon takes less than 10 MB, and the command less than 20`() throws {
    let folder = try unpack(Packages.deb(in: "deb"), into: "package")
    var bytes: [String: Int] = [:]
    for program in Self.programs {
      let path = "\(folder)/usr/\(program)"
      bytes[program] = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    }
    print("  \(bytes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
    #expect(try #require(bytes["bin/nightjard"]) < 10_000_000)
    #expect(try #require(bytes["bin/nightjar"]) < 20_000_000)
  }

  @Test func `What debuggers read is a package of its own, for the programs of this one`() throws {
    let package = try #require(
      try Packages.files(in: "deb", ending: ".deb").first { $0.contains("dbgsym") })
    let symbols = try unpack(package, into: "symbols")
    let folder = try unpack(Packages.deb(in: "deb"), into: "package")
    for program in Self.programs {
      let path = "\(folder)/usr/\(program)"
      let notes = try rig.tool(["readelf", "-n", path], package: "binutils")
      let id = try #require(notes.firstMatch(of: /Build ID: ([0-9a-f]+)/)).1
      let file = "\(symbols)/usr/lib/debug/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
      #expect(FileManager.default.fileExists(atPath: file), "\(program): \(file)")
    }
  }

  @Test(arguments: [("deb", ".deb"), ("dist", ".tar.xz")])
  func `Built in two folders at two times, they are the same, bit for bit`(
    folder: String, ending: String
  ) throws {
    let ours = try Packages.files(in: folder, ending: ending)
    let others = try Packages.files(in: "again/\(folder)", ending: ending)
    func name(_ path: String) -> String { URL(filePath: path).lastPathComponent }
    #expect(ours.count == 2 && ours.map(name) == others.map(name))
    for (one, other) in zip(ours, others) {
      #expect(FileManager.default.contentsEqual(atPath: one, andPath: other), "\(name(one))")
    }
  }

  @Test func `The archive of the source has the versions with which programs are built`() throws {
    let archive = try #require(
      try Packages.files(in: "dist", ending: ".tar.xz").first { !$0.contains("-linux") })
    let versions = try rig.tool(
      ["tar", "-xOf", archive, "--wildcards", "nightjar-*/Package.resolved"], package: "xz-utils")
    #expect(try versions + "\n" == Documentation.text(of: "Package.resolved"))
    #expect(versions.contains("swift-argument-parser"))
  }

  @Test func `The package and both archives say that the licence is missing`() throws {
    let sentence = try Documentation.text(of: "Sources/Packaging/LICENSE-NOT-CHOSEN")
    let folder = try unpack(Packages.deb(in: "deb"), into: "package")
    let copyright = "\(folder)/usr/share/doc/nightjar/copyright"
    #expect(try String(contentsOfFile: copyright, encoding: .utf8).contains("\n \(sentence)"))
    for archive in try Packages.files(in: "dist", ending: ".tar.xz") {
      let said = try rig.tool(["tar", "-xOf", archive, "--wildcards", "*/LICENSE-NOT-CHOSEN"])
      #expect(said + "\n" == sentence, "\(archive)")
    }
  }

  @Test func `No program names the folder that it was built in`() throws {
    let root = Documentation.root
    let source = try Data(contentsOf: URL(filePath: "\(root)/.build/release.yaml"))
    #expect(source.range(of: Data(root.utf8)) != nil, "the search finds what is there")
    for program in Self.programs {
      let name = URL(filePath: program).lastPathComponent
      let url = URL(filePath: try Binaries.program(name))
      let binary = try Data(contentsOf: url, options: .alwaysMapped)
      #expect(binary.range(of: Data("\(root)/".utf8)) == nil, "\(program)")
    }
  }
}
