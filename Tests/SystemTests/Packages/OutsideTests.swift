import Foundation
import NightjarTestSupport
import Testing

/// Packages of somebody else that use products from the archive of the source, on bare machines
/// with Swift's toolchain and no library that Nightjar is built with.
@Suite(.blocking, .serialized, .enabled(if: Packages.isWanted)) struct OutsideTests {
  private let rig: Rig
  private let files: String

  init() throws {
    rig = try Rig()
    files = "\(rig.path)/files"
    let archive = try #require(
      try Packages.files(in: "dist", ending: ".tar.xz").first { !$0.contains("-linux") })
    try rig.tool(["mkdir", "-p", "\(files)/nightjar"])
    try rig.tool(
      ["tar", "-C", "\(files)/nightjar", "--strip-components=1", "-xf", archive],
      package: "xz-utils")
    // The repository of the one dependency, so that the bare machine needs no GitHub.
    let repositories = "\(Documentation.root)/.build/repositories"
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: repositories)
        .first { $0.hasPrefix("swift-argument-parser-") })
    try rig.tool(["cp", "-a", "\(repositories)/\(name)", "\(files)/argument-parser.git"])
  }

  private func write(_ text: String, to path: String) throws {
    let url = URL(filePath: "\(files)/\(path)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }

  /// Writes the package that an article shows: each file stands below its bold name.
  private func write(packageOf article: String) throws -> [String] {
    let files = article.matches(of: /\*\*([^*\n]+)\*\*\n\n```[a-z]*\n((?:.*\n)*?)```\n/)
    for file in files { try write(String(file.2), to: "package/\(file.1)") }
    return files.map { String($0.1) }
  }

  /// Runs a shell command in the folder `package` of a bare machine.
  ///
  /// - Returns: what it prints, without what SwiftPM says of its progress. Lines of the form of
  ///   `time` in a shell are printed.
  private func build(_ command: String, on release: String) throws -> [String] {
    let swift = try rig.tool(["bash", "-c", "dirname $(dirname $(realpath $(command -v swift)))"])
    let toolchain = swift.trimmingCharacters(in: .newlines)
    let setUp = """
      dpkg-query -W | grep -E '^(pkg-config|lib(systemd|sqlite3|mosquitto|ssl|tomlplusplus)-dev)' || true
      cd package
      TIMEFORMAT='time: %R s, of a processor %U + %S s'
      swift package config set-mirror --original https://github.com/apple/swift-argument-parser \
        --mirror file:///files/argument-parser.git
      """
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "bare").path
    let output = try Packages.timed("a package is built on \(release)") {
      try rig.tool(
        ["bash", script, rig.path, Packages.root(release), toolchain, "\(setUp)\n\(command)"],
        within: 900)
    }
    let lines = output.split(separator: "\n").map(String.init)
    for time in lines where time.hasPrefix("time: ") { print("  \(time)") }
    return lines.filter { line in
      !line.contains(/^(\[|Fetch|Comput|Creating|Working|Build|\+|time: )/)
    }
  }

  @Test func `The package of VarlinkFromSwift is built without our libraries, and works`() throws {
    let article = try Documentation.article("VarlinkFromSwift")
    #expect(try write(packageOf: article).count == 5)
    let example = try #require(article.firstMatch(of: /```sh\n((?:.*\n)*?)```\n/)).1
    let serving = "&\nlampd=$!\nuntil [ -S lamp.socket ]; do sleep 0.05; done\n"
    let output = try build(
      """
      \(example.replacing("&\n", with: serving))
      stdbuf -oL .build/debug/lamp lamp.socket watch >watched &
      watch=$!
      until grep -qs on watched; do sleep 0.05; done
      .build/debug/lamp lamp.socket off
      .build/debug/lamp lamp.socket 400 || echo "exit code $?"
      kill $lampd
      wait $watch || cat watched
      """, on: "bookworm")
    #expect(
      output.filter { !$0.contains("should be located under") } == [
        "The lamp is on, at 40 %.", "The lamp is off, at 40 %.", "The lamp gives at most 100 %.",
        "exit code 1", "The lamp is on, at 40 %.", "The lamp is off, at 40 %.",
        "lamp: lamp.socket: the connection has ended",
      ])
  }

  @Test func `The package of FromSwift needs none of our libraries, and follows a timer`() throws {
    #expect(
      try write(packageOf: Documentation.article("FromSwift")) == [
        "Package.swift", "Sources/tea/follow.swift", "Sources/tea/main.swift",
        "Tests/TeaTests/TeaTests.swift",
      ])
    try rig.tool(["dpkg-deb", "--extract", Packages.deb(in: "deb"), "\(files)/nightjar-deb"])
    let output = try build(
      """
      time swift build
      time swift test >tested 2>&1 || cat tested
      grep -oE 'Test run with .* (passed|failed)' tested
      export XDG_RUNTIME_DIR=/run PATH=/files/nightjar-deb/usr/bin:$PATH
      nightjard >/tmp/nightjard 2>&1 &
      nightjard=$!
      until [ -S /run/nightjar/socket ]; do sleep 0.05; done
      stdbuf -oL .build/debug/tea >followed &
      tea=$!
      until grep -qs found followed; do sleep 0.05; done
      nightjar extend tea -200s >/dev/null
      until grep -qs band followed; do sleep 0.05; done
      nightjar extend tea -1min >/dev/null
      wait $tea
      cat followed
      kill $nightjard
      """, on: "bookworm")
    let words = output.map { $0.replacing(#/ \d+ s left| by \d.*/#, with: "") }
    #expect(
      words == [
        "Test run with 2 tests in 0 suites passed", "tea: found,", "tea: extended,",
        "tea: band_crossed,", "tea rang, late",
      ], "\(output)")
  }

  private static let hostname = """
    import Varlink

    let host = try VarlinkConnection(path: "/run/systemd/io.systemd.Hostname")
    print(try host.call(Hostname.Describe()).operatingSystemPrettyName ?? "")
    """

  /// The package depends on a version in a repository, for which SwiftPM has stricter rules.
  @Test func `A client of a service of systemd is generated from its words, and calls it`() throws {
    let article = try Documentation.article("VarlinkFromSwift")
    #expect(
      article.contains(Self.hostname.split(separator: "\n").suffix(2).joined(separator: "\n")))
    let socket = "/run/systemd/io.systemd.Hostname"
    let interface = try Packages.boot("trixie", with: [:]).root(
      "varlinkctl introspect \(socket) io.systemd.Hostname")
    try write(interface, to: "package/io.systemd.Hostname.varlink")
    try write(Self.hostname, to: "package/Sources/host/main.swift")
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "host",
        dependencies: [.package(url: "file:///files/nightjar", from: "1.0.0")],
        targets: [
          .executableTarget(
            name: "host", dependencies: [.product(name: "Varlink", package: "nightjar")])
        ]
      )
      """, to: "package/Package.swift")
    try rig.tool(
      [
        "bash", "-ec",
        """
        cd "$0"
        git init -q
        git add -A
        git -c user.name=Nightjar -c user.email=nightjar commit -q -m release
        git tag 1.0.0
        """, "\(files)/nightjar",
      ])
    // The client runs on a machine without Swift.
    let output = try build(
      """
      swift run varlink-swift types io.systemd.Hostname.varlink --output Sources/host/Hostname.swift
      swift build --static-swift-stdlib
      """, on: "trixie")
    #expect(output == [])
    let host = try Packages.boot("trixie", with: ["host": "\(files)/package/.build/debug/host"])
    #expect(try host.root("/opt/files/host").contains("Debian GNU/Linux 13"))
  }
}
