import Foundation
import NightjarInterface
import NightjarTestSupport
import Testing

/// What happens when somebody makes a release, and which files have to change for it.
@Suite(.blocking) struct ReleaseTests {
  private static let version = NightjarVersion.current
  private let rig: Rig

  init() throws { rig = try Rig() }

  /// The files of the tree that have a text, without the tests.
  private func files(with pattern: String) throws -> [String] {
    let command = """
      cd "$1"; grep -rlIE "$2" \\
        .ci .github .make Sources systemd CHANGELOG.md Makefile Package.swift README.md
      """
    return try rig.tool(["sh", "-c", command, "sh", Documentation.root, pattern])
      .split(separator: "\n").map(String.init).sorted()
  }

  @Test func `Only files that a test compares with the version have it`() throws {
    let escaped = Self.version.replacing(".", with: "\\.")
    let found = try files(with: "(^|[^0-9.])\(escaped)($|[^0-9])")
    // ManualPageTests compare the manual pages.
    #expect(
      found.filter { !$0.hasPrefix("Sources/Manual/") } == [
        "CHANGELOG.md", "README.md", "Sources/Interface/NightjarInterface/Version.swift",
        "Sources/Packaging/PKGBUILD", "Sources/Packaging/nightjar.spec",
      ])
  }

  @Test func `CONTRIBUTING names each file that changes when a licence is chosen`() throws {
    let text = try Documentation.text(of: ".github/CONTRIBUTING.md")
    let section = try #require(text.split(separator: "a licence is chosen\n").last)
    let named = Markdown.firstColumn(of: String(section)).filter { $0 != "LICENSE" }
    #expect(
      try files(with: "LICENSE-NOT-CHOSEN|not-chosen|@LICENSE@|no licence") == named.sorted())
  }

  @Test func `The workflow has the machine of README, and runs what is in the tree`() throws {
    let program = """
      import sys, yaml
      job = yaml.safe_load(open(sys.argv[1]))["jobs"]["release"]
      print(job["container"]["image"])
      for key in ["uses", "run"]:
          print(*[step[key] for step in job["steps"] if key in step], sep="\\n")
      """
    let file = "\(Documentation.root)/.github/workflows/release.yml"
    let job = try rig.tool(["python3", "-c", program, file], package: "python3-yaml")
    #expect(job.hasPrefix("debian:12\nactions/checkout@v6\nactions/upload-artifact@v6\napt-get"))
    let setUp = try #require(
      Documentation.text(of: "README.md")
        .firstMatch(of: /sudo apt install (.+)\n    (curl .+)\n    export PATH=(.+):\$PATH/))
    #expect(job.contains("apt-get install -y \(setUp.1)\n\(setUp.2)\necho \(setUp.3) >>"))
    #expect(job.matches(of: /\.make\/\w+|make \w+/).map(\.output) == [".make/tag"])
  }

  private static let steps = [
    "mkdir out", "make build", "make test", "rm -rf .build/tag",
    "make deb dist PACKAGED=.build/tag", "make packages-again AGAIN= PACKAGED=.build/tag",
    "same .build/tag",
  ]

  @Test func `A dry run of the release says what would run, and runs nothing`() throws {
    let folder = "\(rig.path)/out"
    let tag = "\(Documentation.root)/.make/tag"
    let output = try rig.tool([tag, "--dry-run", "v\(Self.version)", folder])
      .replacing(folder, with: "out").split(separator: "\n").map(String.init)
    let first = try #require(output.firstIndex(of: "tag: \(Self.steps[0])"))
    #expect(output[first...].starts(with: Self.steps.map { "tag: \($0)" }))
    #expect(output.last == "tag: sums out")
    #expect(!FileManager.default.fileExists(atPath: folder))
    #expect(try Markdown.missing(in: Self.steps.joined(separator: "\n")) == [])
  }

  /// In a tree that has only what a release reads, and a `make` that makes empty packages: the
  /// name, the change log, the tag of the commit, what changes the second build, and what is said.
  @Test(
    arguments: Row.table(
      """
      vVERSION => ## VERSION, 1 May => vVERSION => : => four files are right
      vVERSION => ## VERSION, 1 May => vVERSION => echo >>dist/*-linux.tar.xz => two builds differ
      v9.8.7 => ## VERSION, 1 May => v9.8.7 => : => so the tag must be vVERSION, and not v9.8.7
      vVERSION => ## 9.8.7, 1 May => vVERSION => : => CHANGELOG.md has no section ## VERSION,
      vVERSION => ## VERSION, not yet released => vVERSION => : => to change before the tag:
      vVERSION => ## VERSION, 1 May => v9.8.7 => : => this commit does not have the tag
      """.replacing("VERSION", with: version)))
  func `A release lies in one folder with its sums, or is refused in one sentence`(
    row: Row
  ) throws {
    let version = "Sources/Interface/NightjarInterface"
    let (end, output) = try rig.run(
      [
        "bash", "-euc",
        """
        cd "$1" && mkdir -p tree/bin tree/.make tree/.github tree/\(version) && cd tree
        cp "$2"/.make/{tag,release} .make
        cp "$2/\(version)/Version.swift" \(version)
        printf '\\n%s\\n' "$4" >CHANGELOG.md
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
        cd out && sha256sum --quiet --check SHA256SUMS
        [ "$(wc -l <SHA256SUMS)" = 4 ] && echo four files are right
        """, "bash", rig.path, Documentation.root, row[0], row[1], row[2], row[3],
      ], package: "git")
    let isRight = row[4] == "four files are right"
    #expect(end == .exited(isRight ? 0 : 1) && output.contains(row[4]), "\(output)")
    // What is refused otherwise is refused before anything is built.
    let steps = Self.steps.map { "tag: \($0)\n" }.joined()
    let isBuilt = isRight || row[4] == "two builds differ"
    #expect(output.hasPrefix(steps) == isBuilt && output.contains("make build") == isBuilt)
  }
}
