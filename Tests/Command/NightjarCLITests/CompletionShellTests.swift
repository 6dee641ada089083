import Foundation
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

@testable import nightjar

/// Shells on a terminal, in which a test presses Tab and Enter: the command gets the timer's name,
/// for any name, and nothing else runs.
@Suite(.blocking) struct CompletionShellTests {
  /// The only timer at the moment.
  private final class OneTimer: Sendable {
    let name = Mutex("")
    /// These timers instead.
    let others = Mutex<[JSONValue]>([])
  }

  private let rig: Rig
  private let timer: OneTimer
  private let daemon: FakeDaemon
  private let environment: [String: String]

  init() throws {
    (rig, timer) = (try Rig(), OneTimer())
    let known = timer
    daemon = try FakeDaemon(path: "\(rig.path)/socket") { request in
      switch request.method {
      case "List":
        [
          .reply([
            "timers": .array(
              [["name": .string(known.name.withLock { $0 })]] + known.others.withLock { $0 })
          ])
        ]
      case "Get": [.error("TimerNotFound", ["name": request.parameters["name"] ?? .null])]
      default: [.reply([:])]
      }
    }
    // The scripts look up the command in PATH.
    try FileManager.default.createDirectory(
      atPath: "\(rig.path)/bin", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: "\(rig.path)/bin/nightjar", withDestinationPath: try Binaries.nightjar())
    let home = "\(rig.path)/home"
    environment = [
      "HOME": home, "ZDOTDIR": home, "XDG_CONFIG_HOME": home, "NIGHTJAR_SOCKET": daemon.path,
      "PATH": "\(rig.path)/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
      // The default limit of 40 ms is for users; a machine that builds and tests at the same time
      // may need longer.
      "NIGHTJAR_TIMEOUT": "10s",
    ]
  }

  /// How a shell is started. Its prompt has a counter: the test types the next line when the prompt
  /// has appeared.
  private enum Setting: String, CaseIterable, CustomTestStringConvertible {
    case bash
    case zsh
    /// With every option that makes zsh give special meaning to more characters.
    case zshWithOptions
    case fish

    var testDescription: String { rawValue }

    var command: [String] {
      switch self {
      case .bash: ["bash", "--rcfile", ".bashrc", "-i"]
      case .zsh, .zshWithOptions: ["zsh", "-i"]
      case .fish: ["fish", "-i"]
      }
    }

    var files: [String: String] {
      switch self {
      case .bash:
        [
          ".bashrc": """
          shopt -s extglob histverify
          source <(nightjar completions bash)
          PROMPT_COMMAND='n=$((n + 1)); PS1="[$n]> "'
          """
        ]
      case .zsh, .zshWithOptions:
        [
          ".zshrc": """
          nightjar completions zsh >$HOME/_nightjar
          fpath=($HOME $fpath)
          autoload -Uz compinit && compinit -u -D
          \(self == .zsh ? "" : "setopt extendedglob magicequalsubst interactivecomments rcquotes kshglob globdots")
          precmd() { n=$((n + 1)); PS1="[$n]> " }
          """
        ]
      case .fish:
        [
          // Without this, fish first reads all manual pages of the machine.
          ".local/share/fish/generated_completions/none.fish": "",
          "fish/config.fish": """
          set fish_greeting
          set -g fish_autosuggestion_enabled 0
          set -g n 0
          nightjar completions fish | source
          function count_prompt --on-event fish_prompt; set -g n (math $n + 1); end
          function fish_prompt; echo "[$n]> "; end
          """,
        ]
      }
    }

    /// Whether the shell offers a completion for it before any of it is typed. fish hides names
    /// that begin with a dot.
    func offers(_ name: String) -> Bool {
      guard self == .fish, let first = name.utf8.first else { return true }
      return first != UInt8(ascii: "~") && first != UInt8(ascii: ".")
        && !VisibleText.hasUnsafe(name)
    }
  }

  /// Types lines, one after the other, each of which ends with a completion and Enter.
  ///
  /// - Parameter closing: the keys between the two.
  /// - Returns: for each line, the name in the request to the daemon; nil: none.
  private func names(
    _ setting: Setting, closing: String = "", _ lines: [(typed: String, name: String)]
  ) throws -> [String?] {
    for (file, text) in setting.files {
      let path = "\(rig.path)/home/\(file)"
      try makeFolder((path as NSString).deletingLastPathComponent)
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let terminal = try TerminalProcess(
      ["env", "-C", "\(rig.path)/home"] + setting.command, of: rig, environment: environment,
      width: 400, height: 24)
    var found: [String?] = []
    for (index, line) in lines.enumerated() {
      try terminal.awaitScreen("prompt \(index + 1)") { $0.text.contains("[\(index + 1)]>") }
      timer.name.withLock { $0 = line.name }
      let before = daemon.requests.count
      terminal.type(line.typed + "\t" + closing + "\r")
      try terminal.awaitScreen("the prompt behind '\(line.typed)' with '\(line.name)'") {
        $0.text.contains("[\(index + 2)]>")
      }
      let gets = daemon.requests[before...].filter {
        ["Get", "Pause", "Resume", "Dismiss", "Remove"].contains($0.method)
      }
      found.append(gets.count == 1 ? gets[0].parameters["name"]?.stringValue : nil)
    }
    return found
  }

  private func expectNames(
    _ setting: Setting, closing: String = "", _ lines: [(typed: String, name: String)]
  ) throws {
    let before = try Self.files(below: rig.path)
    let found = try names(setting, closing: closing, lines)
    for (line, name) in zip(lines, found) {
      #expect(
        name.map { Array($0.unicodeScalars) } == Array(line.name.unicodeScalars),
        "\(line.typed.debugDescription) with \(line.name.debugDescription)")
    }
    // No new file exists, so no part of a name was run or redirected.
    let after = try Self.files(below: rig.path).subtracting(before)
    #expect(after.filter { $0.hasSuffix("pwned") || $0.hasSuffix("id") } == [])
  }

  private static func files(below path: String) throws -> Set<String> {
    Set(try FileManager.default.subpathsOfDirectory(atPath: path))
  }

  /// zsh is asked with its options, which give special meaning to more characters.
  @Test(arguments: Setting.allCases.filter { $0 != .zsh })
  private func `Completion gives the command each of 200 unsafe names unchanged, and runs nothing`(
    setting: Setting
  ) throws {
    #expect(HostileNames.all.count >= 200)
    let lines = HostileNames.all.filter(setting.offers).map { name in
      let dashes = name.utf8.first == UInt8(ascii: "-") ? "-- " : ""
      return (typed: "nightjar show \(dashes)", name: name)
    }
    try expectNames(setting, lines)
  }

  // fish has its own tests.
  @Test(arguments: [Setting.bash, .zshWithOptions])
  private func `The beginning of a name is completed in any quotes`(setting: Setting) throws {
    var lines: [(typed: String, name: String)] = []
    // Each takes a moment, in three quotations.
    for (number, name) in HostileNames.all.enumerated() where setting.offers(name) {
      guard number % 6 == 0 else { continue }
      // The part that can be typed unquoted and quoted.
      let begun = String(name.unicodeScalars.prefix { $0.isASCII && $0.properties.isAlphabetic })
      guard !begun.isEmpty, !["then", "if"].contains(name) else { continue }
      lines.append(("nightjar show \(begun)", name))
      if setting == .bash { lines.append(("nightjar show $'\(begun)", name)) }
      // zsh and fish quote according to the open quote, and cannot write every character there.
      guard !VisibleText.hasUnsafe(name) || setting == .bash else { continue }
      lines.append(("nightjar show '\(begun)", name))
      lines.append(("nightjar show \"\(begun)", name))
    }
    try expectNames(setting, lines)
  }

  @Test(arguments: Setting.allCases)
  private func `Each shell offers the timers to which a command applies`(setting: Setting) throws {
    let states = ["running": "runs", "paused": "rests", "over": "rang"]
    let timers = FakeTimers(nowUsec: Noon().nowUsec)
    // The timer without other properties begins with another letter.
    timer.others.withLock { all in
      all = states.map { state, name in
        timers.json(
          FakeTimers.Entry(
            name: "x/\(name)", state: state))
      }
    }
    let lines = [("pause", "runs"), ("resume", "rests"), ("dismiss", "rang")]
    let found = try names(setting, lines.map { ("nightjar \($0.0) x", "other") })
    #expect(found == lines.map { "x/\($0.1)" })
  }

  @Test(arguments: Setting.allCases)
  private func `Names without a common beginning insert nothing, not even a quote`(
    setting: Setting
  ) throws {
    let others: [[JSONValue]] = [[["name": "my tea"]], [["name": "my tea"], ["name": "a b"]]]
    for more in others {
      timer.others.withLock { $0 = more }
      // The name is typed after the key that offers the names.
      #expect(try names(setting, closing: "yours", [("nightjar show ", "yours")]) == ["yours"])
    }
  }

  @Test(arguments: Setting.allCases)
  private func `An alternative name of a command completes, and no name is offered twice`(
    setting: Setting
  ) throws {
    let lines = ["rm", "del", "delete"].map { (typed: "nightjar \($0) ", name: "my tea") }
    #expect(try names(setting, lines) == lines.map(\.name))
    timer.others.withLock { $0 = [["name": "x y"]] }
    // The other name is the only one left.
    let again = [(typed: "nightjar show 'x y' ", name: "my tea")]
    _ = try names(setting, again)
    let gets = daemon.requests.filter { $0.method == "Get" }
    #expect(gets.suffix(2).map { $0.parameters["name"]?.stringValue } == ["x y", "my tea"])
  }

  @Test private func `bash completes after characters that it treats as the end of a word`() throws
  {
    try expectNames(
      .bash,
      [
        ("nightjar show a:", "a:b"), ("nightjar show a:b:", "a:b:c"),
        ("nightjar show a=", "a=~root"),
        ("nightjar show x@", "x@y"), ("nightjar show my\\ ", "my tea"),
        ("nightjar show 'my 't", "my tea"),
        ("nightjar show \\$H", "$HOME"), ("nightjar show '$(t", "$(touch pwned)"),
        ("nightjar show \"a:", "a:b"),
        ("nightjar show it\\'", "it's a!b"),
        ("nightjar show f'`i", "f`id`"), ("nightjar show 'it'\\''s", "it's"),
      ])
  }

  @Test private func `fish runs nothing for an unquoted tilde`() throws {
    let before = try Self.files(below: rig.path)
    let tildes = ["~root", "~", "~$(touch pwned)", "~root/`id`", "~; touch pwned"]
    let found = try names(
      .fish,
      tildes.flatMap { name in
        [("nightjar show ", name), ("nightjar show ~", name), ("nightjar show ~r", name)]
      })
    // It is the home of some user, if anything, and not another timer's name.
    let home = "\(rig.path)/home"
    #expect(found.allSatisfy { $0 == nil || [home, "/root", "~", "~r"].contains($0) }, "\(found)")
    let after = try Self.files(below: rig.path).subtracting(before)
    #expect(after.filter { $0.hasSuffix("pwned") || $0.hasSuffix("id") } == [])
  }

  @Test(arguments: ["~root", "~", "a\u{202E}b", "\u{2028}"])
  func `fish does not offer a name that it would change`(name: String) throws {
    timer.name.withLock { $0 = name }
    let said = try rig.tool(
      ["fish", "-c", "nightjar completions fish | source; complete -C 'nightjar show '"],
      environment: environment, package: "fish")
    #expect(said == "")
  }

  @Test(arguments: Shell.allCases)
  func `A name that looks like an option is offered only after --`(shell: Shell) throws {
    timer.name.withLock { $0 = "--all" }
    func offered(_ more: [String]) throws -> String {
      try rig.tool(
        ["\(rig.path)/bin/nightjar", "__complete", "names", "--for", shell.rawValue] + more,
        environment: environment)
    }
    #expect(try offered([]) == "")
    #expect(try offered(["--literal"]).contains("--all"))
  }
}
