import Foundation
import NightjarInterface
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar

/// The pages in Sources/Manual are complete, and every program that shows manual pages can read
/// them.
@Suite(.blocking) struct ManualPageTests {
  private static let pages = ManualPage.all

  @Test func `The tests can read every line of every page`() {
    #expect(Self.pages.count > 30)
    #expect(Self.pages.compactMap(\.fault) == [])
    // The check can fail.
    for wrong in [".Zz x", "a \\fBb", ".Bl -bullet", ".Sh A\n\nb", ".Bd -literal -offset indent"] {
      #expect(ManualPage("wrong.1", wrong + "\n").fault != nil, "\(wrong)")
    }
  }

  @Test func `Every visible command has a page with all required sections`() throws {
    let commands = HelpText(try CommandRunner().run("help").output).commands
    #expect(commands.count > 25)
    for command in commands {
      let name = "nightjar-\(command).1"
      let page = try #require(ManualPage.named(name), "write Sources/Manual/\(name)")
      for title in ["SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
        #expect(page.section(title) != nil, "\(name) has no \(title)")
      }
      let examples = page.section("EXAMPLES")?.blocks.flatMap(\.commands) ?? []
      #expect(
        examples.contains { $0.typed.contains("nightjar \(command)") },
        "no example of \(name) is of its command")
    }
  }

  @Test func `No page has a section twice, or an empty one`() {
    for page in Self.pages {
      let titles = page.sections.map(\.title)
      #expect(Set(titles).count == titles.count, "\(page.fileName): \(titles)")
      #expect(page.sections.allSatisfy { !$0.blocks.isEmpty }, "\(page.fileName)")
    }
  }

  @Test func `man finds pages by their names, and apropos has a line for each`() {
    for name in [
      "nightjar.1", "nightjard.1", "nightjar-hooks.5", "nightjar.toml.5", "nightjar.time.7",
      "nightjar-promises.7", "nightjar-mqtt-scale.7", "\(TimersInterface.name).7",
    ] {
      #expect(ManualPage.named(name) != nil, "\(name)")
    }
    for page in Self.pages {
      #expect(page.fileName.contains(#/^[A-Za-z][A-Za-z.-]*\.[157]$/#))
      #expect(page.title == "\(page.name.uppercased()) \(page.number)", "\(page.fileName)")
      #expect(
        page.source.contains("\n.Sh NAME\n.Nm \(page.name)\n.Nd \(page.summary)\n"),
        "\(page.fileName)")
      #expect(
        (4...80).contains(page.summary.count) && !page.summary.hasSuffix("."), "\(page.fileName)")
    }
  }

  @Test func `All pages are of this version, and of the same day`() {
    for page in Self.pages {
      #expect(
        page.version == "Nightjar \(NightjarVersion.current)",
        "sed -i 's/^\\.Os .*/.Os Nightjar \(NightjarVersion.current)/' Sources/Manual/*")
      #expect(page.date == Self.pages[0].date, "\(page.fileName)")
      #expect(page.date.contains(#/^[A-Z][a-z]+ [0-9]{1,2}, 20[0-9]{2}$/#), "\(page.fileName)")
    }
  }

  @Test func `Other pages that a page names exist`() throws {
    let ours = Set(Self.pages.map { "\($0.name)(\($0.number))" })
    // In Debian's packages: bash, coreutils, fish-common, libsystemd-dev, manpages, netcat-openbsd,
    // systemd, zsh-common, mosquitto; apropos is man-db's.
    let others: Set<String> = [
      "bash(1)", "fish(1)", "journalctl(1)", "loginctl(1)", "nc(1)", "sd_listen_fds(3)",
      "sd_notify(3)", "sd_watchdog_enabled(3)", "sleep(1)", "systemctl(1)", "systemd(1)",
      "man(1)", "systemd-analyze(1)", "systemd-logind(8)", "systemd.exec(5)", "systemd.service(5)",
      "mosquitto(8)", "mosquitto.conf(5)", "mosquitto_ctrl(1)", "mosquitto_passwd(1)",
      "systemd.socket(5)",
      "systemd.time(7)", "timeout(1)", "unix(7)", "zsh(1)",
    ]
    let reference = /[A-Za-z][A-Za-z0-9._-]*\([1-8]\)/
    for page in Self.pages {
      let texts = page.blocks.flatMap(\.texts)
      let named = Set(texts.flatMap { $0.texts("Xr") })
      #expect(named.subtracting(ours).subtracting(others).isEmpty, "\(page.fileName)")
      let unmarked = texts.flatMap(\.parts).filter {
        $0.macro != "Xr" && $0.text.contains(reference)
      }
      #expect(unmarked.isEmpty, "\(page.fileName) names pages without .Xr")
      let last = try #require(page.sections.last)
      #expect(last.title == "SEE ALSO", "\(page.fileName)")
      if page.name != "nightjar" { #expect(named.contains("nightjar(1)"), "\(page.fileName)") }
      let seen = last.blocks.flatMap(\.texts).flatMap { $0.texts("Xr") }
      #expect(!seen.isEmpty && seen.count == Set(seen).count, "\(page.fileName) names a page twice")
    }
  }

  @Test func `Sections that a page refers to are on it`() {
    for page in Self.pages {
      let named = Set(page.blocks.flatMap(\.texts).flatMap { $0.texts("Sx") })
      #expect(named.isSubset(of: page.sections.map(\.title)), "\(page.fileName)")
    }
  }

  @Test func `Examples fit on a terminal of 80 columns`() {
    for page in Self.pages {
      for case .example(let lines) in page.blocks {
        for line in lines { #expect(line.count <= 69, "\(page.fileName): \(line)") }
      }
    }
  }

  /// mandoc checks whether other named pages are installed, which they are not here; another test
  /// checks that they exist.
  private static let unavoidable = "STYLE: referenced manual not found: "

  @Test func `mandoc and groff report nothing about any page`() throws {
    let rig = try Rig()
    func said(_ command: [String], package: String? = nil) throws -> [Substring] {
      try rig.run(command, package: package).output.split(separator: "\n").filter { line in
        !line.contains(Self.unavoidable)
      }
    }
    // Without the BSDs' rules for their own pages, which only `-T lint` includes. On standard
    // error, mandoc only lists manuals that its index lacks.
    let lint = ["sh", "-c", "exec mandoc -T lint -W style \"$@\" 2>/dev/null", "sh"]
    let check = ["groff", "-Kutf8", "-mdoc", "-T", "utf8", "-ww", "-z"]
    #expect(try said(lint + Self.pages.map(\.path), package: "mandoc") == [])
    for page in Self.pages {
      #expect(try said(check + [page.path], package: "groff-base") == [], "\(page.fileName)")
    }
    // The check can fail.
    let wrong = "\(rig.path)/wrong.1"
    try Data((Self.pages[0].source + ".XX\n").utf8).write(to: URL(fileURLWithPath: wrong))
    #expect(try said(lint + [wrong]).contains { $0.contains("XX") })
    #expect(try said(check + [wrong]).contains { $0.contains("XX") })
  }

  /// Examples keep their lines, however narrow the terminal is.
  @Test(arguments: [80, 60])
  func `Pages fit on a terminal, with a complete heading`(columns: Int) throws {
    let rig = try Rig()
    for page in Self.pages {
      let shown = try rig.tool(["mandoc", "-T", "utf8", "-O", "width=\(columns)", page.path])
      let heading = "\(page.name.uppercased())(\(page.number))"
      #expect(shown.hasPrefix("\(heading) "), "\(page.fileName)")
      let text = try rig.tool(
        [
          "groff", "-Kutf8", "-mdoc", "-T", "utf8", "-P", "-cbu", "-rLL=\(columns)n",
          "-rLT=\(columns)n", page.path,
        ], package: "groff-base")
      var examples: Set<String> = []
      for case .example(let lines) in page.blocks { examples.formUnion(lines.map(\.bare)) }
      for line in text.split(separator: "\n") where !examples.contains(String(line).bare) {
        #expect(line.count <= columns, "\(page.fileName): \(line)")
      }
    }
  }
}

extension String {
  /// Without white space.
  var bare: String { filter { !$0.isWhitespace } }
}
