import Foundation
import NightjarTestSupport
import Testing
import Varlink

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

  @Test func `A command is offered the timers to which it applies`() throws {
    var entries = Fixture.four
    entries.append(.init(name: "watch", kind: "stopwatch"))
    var tick = FakeTimers.Entry(name: "tick")
    tick.more = ["repeat": ["rung": 0, "period_usec": 1_000_000, "snoozed": false]]
    entries.append(tick)
    let fixture = try Self.fixture(entries)
    func asked(_ verb: String) throws -> String {
      try fixture.run("__complete", "names", "--verb=\(verb)").output.split(separator: "\n")
        .joined(separator: " ")
    }
    #expect(try asked("pause") == "tea tick watch" && asked("resume") == "run/1/me")
    #expect(try asked("dismiss") == "egg" && asked("snooze") == "egg")
    #expect(try asked("extend") == "run/1/me tea tick watch" && asked("lap") == "watch")
    #expect(try asked("cancel") == "run/1/me tea tick watch" && asked("advance") == "")
    #expect(try asked("skip") == "tick")
    // These commands accept any timer; an unknown command filters nothing.
    for verb in ["show", "restart", "remove", "why", "rm-rf"] {
      #expect(try asked(verb) == "egg old run/1/me tea tick watch", "\(verb)")
    }
  }

  @Test
  func
    `A wait is offered timers that will ring or have rung, and named ones are not offered again`()
    throws
  {
    var entries = Fixture.four
    entries.append(.init(name: "watch", kind: "stopwatch"))
    let fixture = try Self.fixture(entries)
    func asked(_ arguments: String...) throws -> String {
      try fixture.runner.run(["__complete", "names"] + arguments).output.split(separator: "\n")
        .joined(separator: " ")
    }
    #expect(try asked("--verb=wait") == "egg run/1/me tea")
    #expect(try asked("--verb=rm") == "egg old run/1/me tea watch")
    #expect(try asked("--verb=cancel", "--for", "zsh", "--given=tea") == "run/1/me watch")
    let line = "nightjar show 'tea' run/1/me "
    #expect(try asked("--for", "bash", "--", "", line) == "egg old watch")
    // The word being typed is not one of the words before it.
    #expect(try asked("--for", "bash", "--", "tea", "nightjar show tea") == "tea")
  }

  @Test func `Without a daemon, or with one that does not answer, there are no names and no words`()
    throws
  {
    let runner = try CommandRunner(socket: "/nonexistent/socket")
    #expect(try runner.run("__complete", "names") == .init(0))
    let gate = FakeDaemon.Gate()
    let silent = try Fixture { _, _ in [.wait(gate)] }
    let begun = Date()
    #expect(try silent.run("__complete", "names") == .init(0))
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
