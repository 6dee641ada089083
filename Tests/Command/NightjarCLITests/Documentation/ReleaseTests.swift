import Foundation
import NightjarInterface
import NightjarTestSupport
import Testing

/// What happens when somebody makes a release, and which files have to change for it.
@Suite(.blocking) struct ReleaseTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  /// The files of the tree that have the text, without the tests.
  private static func files(that contain: (String) -> Bool) throws -> [String] {
    let manager = FileManager.default
    let folders = [".ci", ".github", ".make", "Sources", "systemd"]
    let below = try folders.flatMap { folder in
      try manager.subpathsOfDirectory(atPath: "\(Documentation.root)/\(folder)")
        .map { "\(folder)/\($0)" }
    }
    return (["CHANGELOG.md", "Makefile", "Package.swift", "README.md"] + below).filter { path in
      (try? Documentation.text(of: path)).map(contain) ?? false
    }.sorted()
  }

  @Test func `Only files that a test compares with the version have it`() throws {
    let escaped = NightjarVersion.current.replacing(".", with: "\\.")
    let version = try Regex("(?m)(?:^|[^0-9.])\(escaped)(?:$|[^0-9])")
    let found = try Self.files { $0.contains(version) }
    let pages = found.filter { $0.hasPrefix("Sources/Manual/") }
    #expect(pages.count > 40)
    #expect(
      found.filter { !pages.contains($0) } == [
        "CHANGELOG.md", "README.md",
        "Sources/Interface/NightjarInterface/Version.swift",
        "Sources/Packaging/PKGBUILD", "Sources/Packaging/nightjar.spec",
      ])
  }

  @Test func `CONTRIBUTING names each file that changes when a licence is chosen`() throws {
    let found = try Self.files { $0.contains(/LICENSE-NOT-CHOSEN|not-chosen|@LICENSE@|no licence/) }
    let text = try Documentation.text(of: ".github/CONTRIBUTING.md")
    let section = try #require(text.split(separator: "a licence is chosen\n").last)
    #expect(Markdown.firstColumn(of: String(section)).filter { $0 != "LICENSE" }.sorted() == found)
  }

  @Test func `The workflow has the machine of README, and runs what is in the tree`() throws {
    let program = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
    let file = "\(Documentation.root)/.github/workflows/release.yml"
    let json = try rig.tool(["python3", "-c", program, file], package: "python3-yaml")
    let workflow = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let job = try #require((workflow?["jobs"] as? [String: [String: Any]])?["release"])
    #expect((job["container"] as? [String: String])?["image"] == "debian:12")
    let steps = try #require(job["steps"] as? [[String: Any]])
    let actions = steps.compactMap { $0["uses"] as? String }
    #expect(actions == ["actions/checkout@v6", "actions/upload-artifact@v6"])
    let commands = steps.compactMap { $0["run"] as? String }.joined()
    let readme = try Documentation.text(of: "README.md")
    let setUp = try #require(
      readme.firstMatch(of: /sudo apt install (.+)\n    (curl .+)\n    export PATH=(.+):\$PATH/))
    #expect(commands.contains("apt-get install -y \(setUp.1)\n\(setUp.2)\necho \(setUp.3) >>"))
    #expect(commands.matches(of: /\.make\/\w+|make \w+/).map(\.output) == [".make/tag"])
  }

  private static let version = NightjarVersion.current

  private static let made = ".build/tag"
  private static let steps = [
    "mkdir out", "make build", "make test", "rm -rf \(made)", "make deb dist PACKAGED=\(made)",
    "make packages-again AGAIN= PACKAGED=\(made)", "same \(made)",
  ]

  @Test func `A dry run of the release says what would run, and runs nothing`() throws {
    let folder = "\(rig.path)/out"
    let tag = "\(Documentation.root)/.make/tag"
    let output = try rig.tool([tag, "--dry-run", "v\(Self.version)", folder])
      .replacing(folder, with: "out").split(separator: "\n").map(String.init)
    let first = try #require(output.firstIndex(of: "tag: \(Self.steps[0])"))
    #expect(output[first...].prefix(Self.steps.count) == Self.steps.map { "tag: \($0)" }[...])
    #expect(output.last == "tag: sums out")
    #expect(!FileManager.default.fileExists(atPath: folder))
    #expect(try Markdown.missing(in: Self.steps.joined(separator: "\n")) == [])
  }

  /// A tree that has only what a release reads, and a `make` that makes empty packages.
  ///
  /// - Parameter second: what a command of a shell changes in the second build of them.
  private func release(
    _ tag: String, changes: String, tagged: String, second: String = ":"
  ) throws -> (end: ChildProcess.Change, output: String) {
    let version = "Sources/Interface/NightjarInterface"
    return try rig.run(
      [
        "bash", "-euc",
        """
        cd "$1" && mkdir -p tree/bin tree/.make tree/.github tree/\(version) && cd tree
        cp "$2"/.make/{tag,release} .make
        cp "$2/\(version)/Version.swift" \(version)
        printf '%s\\n' "$4" >CHANGELOG.md
        touch README.md .github/SECURITY.md
        cat >bin/make <<'MAKE'
        #!/bin/bash
        [ "$1" != deb ] || { mkdir -p .build/tag/{deb,dist}
          touch .build/tag/deb/nightjar{,-dbgsym}_"$VERSION"_"$(dpkg --print-architecture)".deb
          touch .build/tag/dist/nightjar-"$VERSION"{,-"$(uname -m)"-linux}.tar.xz; }
        [ "$1" != packages-again ] || { mkdir .build/tag/again
          cp -a .build/tag/{deb,dist} .build/tag/again && cd .build/tag/again && eval "$SECOND"; }
        MAKE
        chmod +x bin/make
        git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm a
        git tag "$5"
        PATH=$PWD/bin:$PATH VERSION=${3#v} SECOND=$6 .make/tag "$3" out
        cd out && sha256sum --quiet --check SHA256SUMS && wc -l <SHA256SUMS
        """, "bash", rig.path, Documentation.root, tag, changes, tagged, second,
      ], package: "git")
  }

  @Test func `A release lies in one folder, with the sums of its files`() throws {
    let (end, output) = try release(
      "v\(Self.version)", changes: "\n## \(Self.version), 1 May", tagged: "v\(Self.version)")
    #expect(end == .exited(0))
    let lines = output.split(separator: "\n").map(String.init)
    #expect(lines.starts(with: Self.steps.map { "tag: \($0)" }) && lines.last == "4", "\(output)")
  }

  @Test func `A release is refused if its second build has other bytes`() throws {
    let (end, output) = try release(
      "v\(Self.version)", changes: "\n## \(Self.version), 1 May", tagged: "v\(Self.version)",
      second: "echo other >>dist/*-linux.tar.xz")
    #expect(end == .exited(1) && output.hasSuffix("tag: two builds differ"), "\(output)")
  }

  @Test(
    arguments: Row.table(
      """
      v9.8.7 => ## VERSION, 1 May => v9.8.7 => so the tag must be vVERSION, and not v9.8.7
      vVERSION => ## 9.8.7, 1 May => vVERSION => CHANGELOG.md has no section ## VERSION,
      vVERSION => ## VERSION, not yet released => vVERSION => to change before the tag:
      vVERSION => ## VERSION, 1 May => v9.8.7 => this commit does not have the tag
      """.replacing("VERSION", with: version)))
  func `A release is refused in one sentence before anything is built`(
    row: Row
  ) throws {
    let (end, output) = try release(row[0], changes: row[1], tagged: row[2])
    #expect(end == .exited(1) && output.contains(row[3]), "\(output)")
    #expect(!output.contains("make build"))
  }
}
