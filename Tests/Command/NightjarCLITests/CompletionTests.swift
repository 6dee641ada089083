import Foundation
import NightjarTestSupport
import Testing
import Varlink

@testable import nightjar_rehearse

@Suite(.blocking) struct CompletionTests {
  /// Names that a shell could misinterpret.
  private static let awkward = [
    "$(touch pwned)", "`touch pwned`", "a:b", "back\\slash", "it's", "my tea", "star*", "x\"y",
    "~root", "tea", "x'\u{301}$(touch pwned)", hidden,
  ]
  /// A character that changes the direction of a line.
  private static let hidden = "rtl \u{202E}abc"

  private static func fixture(
    _ entries: [FakeTimers.Entry] = awkward.map { .init(name: $0) }
  ) throws -> Fixture {
    var fixture = try Fixture(entries)
    // The scripts look up the command in PATH.
    let bin = fixture.runner.folder.path + "/bin"
    try makeFolder(bin)
    try FileManager.default.createSymbolicLink(
      atPath: bin + "/nightjar", withDestinationPath: try Binaries.nightjar())
    fixture.runner.environment["PATH"] = bin + ":/usr/bin:/bin"
    // The default limit of 40 ms is for users; a machine that builds and tests at the same time may
    // need longer.
    fixture.runner.environment["NIGHTJAR_TIMEOUT"] = "10s"
    return fixture
  }

  /// Has bash complete a line, and prints what it offers.
  private static let ask = """
    source <(nightjar completions bash)
    ask() {
      COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
      COMP_POINT=${#COMP_LINE}
      _nightjar nightjar "${@: -1}" "${@: -2:1}"
      echo "${COMPREPLY[@]}"
    }
    """

  /// Runs a shell script in the fixture's folder.
  private static func run(_ shell: String, _ script: String, in fixture: Fixture) throws -> String {
    var runner = fixture.runner
    runner.executable = "/usr/bin/env"
    let result = try runner.run([shell, "-c", "cd \"$HOME\"; \(script)"])
    #expect(result.status == 0, "\(result)")
    return result.output
  }

  @Test func `Names are printed one per line, from all pages, in the form that the shell needs`()
    throws
  {
    let fixture = try Self.fixture()
    func asked(_ arguments: String...) throws -> [String] {
      let result = try fixture.runner.run(["__complete", "names"] + arguments)
      #expect(result.status == 0 && result.errors == "", "\(result)")
      return result.output.split(separator: "\n").map(String.init)
    }
    let visible = Self.awkward.filter { $0 != Self.hidden }.sorted()
    #expect(try asked() == visible)
    // readline inserts the text unchanged.
    let bash = try asked("--for", "bash")
    #expect(bash.count == Self.awkward.count)
    #expect(bash.contains("'$(touch pwned)'") && bash.contains("'it'\\''s'"))
    #expect(bash.contains(#"$'rtl \xe2\x80\xaeabc'"#))
    // zsh and fish quote names themselves, except invisible characters.
    #expect(try asked("--for", "zsh") == visible + ["\t" + #"$'rtl \xe2\x80\xaeabc'"#])
    #expect(try asked("--for", "zsh", "--", "t") == visible)
    #expect(try asked("--for", "fish") == visible.filter { $0 != "~root" })
  }

  @Test(
    arguments: Row.table(
      """
      --verb=pause => tea tick watch
      --verb=resume => run/1/me
      --verb=dismiss => egg
      --verb=snooze => egg
      --verb=extend => run/1/me tea tick watch
      --verb=lap => watch
      --verb=cancel => run/1/me tea tick watch
      --verb=advance =>
      --verb=skip => tick
      --verb=wait => egg run/1/me tea tick
      // These commands accept any timer; an unknown command filters nothing.
      --verb=show => egg old run/1/me tea tick watch
      --verb=restart => egg old run/1/me tea tick watch
      --verb=remove => egg old run/1/me tea tick watch
      --verb=why => egg old run/1/me tea tick watch
      --verb=rm => egg old run/1/me tea tick watch
      --verb=rm-rf => egg old run/1/me tea tick watch
      // What is named is not offered again. The word being typed is not one of those before it.
      --verb=cancel --for zsh --given=tea => run/1/me tick watch
      --for bash -- '' "nightjar show 'tea' run/1/me " => egg old tick watch
      --for bash -- tea 'nightjar show tea' => tea
      """))
  func `A command is offered the timers to which it applies, and none again`(row: Row) throws {
    let tick: JSONValue = ["repeat": ["rung": 0, "period_usec": 1_000_000, "snoozed": false]]
    let more: [FakeTimers.Entry] = [
      .init(name: "watch", kind: "stopwatch"), .init(name: "tick", more: tick),
    ]
    let fixture = try Self.fixture(Fixture.four + more)
    let words = ["__complete", "names"] + (try ScriptLine(row[0]).words)
    let names = try fixture.runner.run(words).output.split(separator: "\n")
    #expect(names.joined(separator: " ") == row[1])
  }

  @Test func `Without a daemon, or with one that does not answer, there are no names and no words`()
    throws
  {
    let runner = try CommandRunner(socket: "/nonexistent/socket")
    try runner.check("$ __complete names")
    let gate = FakeDaemon.Gate()
    let silent = try Fixture { _, _ in [.wait(gate)] }
    let begun = Date()
    try silent.check("$ __complete names")
    #expect(Date().timeIntervalSince(begun) < 5)
    gate.open()
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
  func `fish parses a line once, and offers no option a second time`() throws {
    let fixture = try Self.fixture()
    let script = """
      nightjar completions fish | source
      functions -c __nightjar_parse_tokens parse_tokens
      function __nightjar_parse_tokens -S
        set -g parsed (math $parsed + 1)
        parse_tokens
      end
      function ask
        set -g parsed 0
        set -l offered (complete -C "$argv" | string replace -r '\\t.*' '')
        echo "$argv: $offered; $parsed"
      end
      ask nightjar show --
      ask nightjar show --all --
      ask nightjar show tea --json --al
      ask nightjar show --all --
      ask nightjar edit --label a=b --lab
      ask nightjar edit --without x --with
      ask nightjar history --since now --sin
      ask nightjar mqtt sh
      """
    #expect(
      try Self.run("fish", script, in: fixture) == """
        nightjar show --: --all --help --json; 1
        nightjar show --all --: --help --json; 1
        nightjar show tea --json --al: --all; 1
        nightjar show --all --: --help --json; 1
        nightjar edit --label a=b --lab: --label; 1
        nightjar edit --without x --with: --without; 1
        nightjar history --since now --sin: ; 1
        nightjar mqtt sh: share; 1

        """)
  }

  @Test func `Another shell is refused by name`() throws {
    let result = try CommandRunner().run("completions", "tcsh")
    #expect(
      result
        == .sentence(
          64,
          "the value 'tcsh' is invalid for '<shell>'; please provide one of 'bash', "
            + "'zsh' or 'fish'"))
  }
}
