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

  private func fixture(_ entries: [FakeTimers.Entry]? = nil) throws -> Fixture {
    var fixture = try Fixture(entries ?? Self.awkward.map { FakeTimers.Entry(name: $0) })
    // The default limit of 40 ms is for users; a machine that builds and tests at the same time may
    // need longer.
    fixture.runner.environment["NIGHTJAR_TIMEOUT"] = "10s"
    return fixture
  }

  @Test func `Names are printed one per line, from all pages, as the shell needs them`() throws {
    let fixture = try fixture()
    func asked(_ arguments: String...) throws -> [String] {
      let result = try fixture.runner.run(["__complete", "names"] + arguments)
      #expect(result.status == 0 && result.errors == "", "\(result)")
      return result.output.split(separator: "\n").map(String.init)
    }
    let visible = Self.awkward.filter { $0 != Self.hidden }.sorted()
    #expect(try asked() == visible)
    // readline inserts the text unchanged.
    let bash = try asked("--for", "bash")
    let hidden = #"$'rtl \xe2\x80\xaeabc'"#
    #expect(bash.count == Self.awkward.count)
    #expect(Set(bash).isSuperset(of: ["'$(touch pwned)'", #"'it'\''s'"#, hidden]), "\(bash)")
    // zsh and fish quote names themselves, except invisible characters.
    #expect(try asked("--for", "zsh") == visible + ["\t\(hidden)"])
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
    let fixture = try fixture(Fixture.four + more)
    let words = ["__complete", "names"] + (try ScriptLine(row[0]).words)
    let names = try fixture.runner.run(words).output.split(separator: "\n")
    #expect(names.joined(separator: " ") == row[1])
  }

  @Test func `With a daemon that does not answer, there are no names and no words`() throws {
    let gate = FakeDaemon.Gate()
    let silent = try Fixture { _, _ in [.wait(gate)] }
    let begun = Date()
    try silent.check("$ __complete names")
    #expect(Date().timeIntervalSince(begun) < 5)
    gate.open()
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
  func `fish parses a line once, and offers no option a second time`() throws {
    var fixture = try fixture()
    // The script looks up the command in PATH.
    let folder = fixture.runner.folder.path
    symlink(try Binaries.nightjar(), "\(folder)/nightjar")
    fixture.runner.environment["PATH"] = "\(folder):/usr/bin:/bin"
    fixture.runner.executable = "/usr/bin/fish"
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
    let offered = """
      nightjar show --: --all --help --json; 1
      nightjar show --all --: --help --json; 1
      nightjar show tea --json --al: --all; 1
      nightjar show --all --: --help --json; 1
      nightjar edit --label a=b --lab: --label; 1
      nightjar edit --without x --with: --without; 1
      nightjar history --since now --sin: ; 1
      nightjar mqtt sh: share; 1

      """
    let result = try fixture.run("-c", "cd \"$HOME\"; \(script)")
    #expect(result.status == 0 && result.output == offered, "\(result)")
  }

  @Test func `Another shell is refused by name`() throws {
    let shells = "please provide one of 'bash', 'zsh' or 'fish'"
    let refusal = "the value 'tcsh' is invalid for '<shell>'; \(shells)"
    #expect(try CommandRunner().run("completions", "tcsh") == .sentence(64, refusal))
  }
}
