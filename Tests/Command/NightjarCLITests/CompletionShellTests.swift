import Foundation
import NightjarTestSupport
import Synchronization
import Testing
import Varlink

@testable import nightjar

/// Shells on a terminal, in which a test presses Tab and Enter: the command gets the timer's name,
/// for any name, and nothing else runs.
@Suite(.blocking) struct CompletionShellTests {
  private final class Timers: Sendable {
    let name = Mutex("")
    let others = Mutex<[JSONValue]>([])
  }

  private let rig: Rig
  private let timer: Timers
  private let daemon: FakeDaemon
  private let environment: [String: String]

  init() throws {
    (rig, timer) = (try Rig(), Timers())
    let known = timer
    daemon = try FakeDaemon(path: "\(rig.path)/socket") { request in
      let one: JSONValue = ["name": .string(known.name.withLock { $0 })]
      return switch request.method {
      case "List": [.reply(["timers": .array([one] + known.others.withLock { $0 })])]
      case "Get": [.error("TimerNotFound", ["name": request.parameters["name"] ?? .null])]
      default: [.reply([:])]
      }
    }
    // The scripts look up the command in PATH.
    try makeFolder("\(rig.path)/bin")
    symlink(try Binaries.nightjar(), "\(rig.path)/bin/nightjar")
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
  private enum Setting: CaseIterable {
    case bash
    case zsh
    /// With every option that makes zsh give special meaning to more characters.
    case zshWithOptions
    case fish

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
      let methods = ["Get", "Pause", "Resume", "Dismiss", "Remove"]
      let gets = daemon.requests[before...].filter { methods.contains($0.method) }
      found.append(gets.count == 1 ? gets[0].parameters["name"]?.stringValue : nil)
    }
    return found
  }

  private func expectNames(
    _ setting: Setting, closing: String = "", _ lines: [(typed: String, name: String)]
  ) throws {
    let found = try names(setting, closing: closing, lines)
    for (line, name) in zip(lines, found) {
      #expect(
        name.map { Array($0.unicodeScalars) } == Array(line.name.unicodeScalars),
        "\(line.typed.debugDescription) with \(line.name.debugDescription)")
    }
    try expectNothingRan()
  }

  /// No new file exists, so no part of a name was run or redirected.
  private func expectNothingRan() throws {
    let files = try FileManager.default.subpathsOfDirectory(atPath: rig.path)
    #expect(files.filter { $0.hasSuffix("pwned") || $0.hasSuffix("id") } == [])
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
    let timers = FakeTimers(nowUsec: Noon().nowUsec)
    // The timer without other properties begins with another letter.
    timer.others.withLock { all in
      all = ["running", "paused", "over"].map { timers.json(.init(name: "x/\($0)", state: $0)) }
    }
    let verbs = ["pause", "resume", "dismiss"]
    let lines = verbs.map { (typed: "nightjar \($0) x", name: "other") }
    #expect(try names(setting, lines) == ["x/running", "x/paused", "x/over"])
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
  private func `A command's other names complete, none is offered twice`(setting: Setting) throws {
    let lines = ["rm", "del", "delete"].map { (typed: "nightjar \($0) ", name: "my tea") }
    #expect(try names(setting, lines) == lines.map(\.name))
    timer.others.withLock { $0 = [["name": "x y"]] }
    // The other name is the only one left.
    _ = try names(setting, [("nightjar show 'x y' ", "my tea")])
    let gets = daemon.requests.filter { $0.method == "Get" }
    #expect(gets.suffix(2).map { $0.parameters["name"]?.stringValue } == ["x y", "my tea"])
  }

  @Test private func `bash completes after characters that end a word for it`() throws {
    let words = [
      ("a:", "a:b"), ("a:b:", "a:b:c"), ("a=", "a=~root"), ("x@", "x@y"), ("my\\ ", "my tea"),
      ("'my 't", "my tea"), ("\\$H", "$HOME"), ("'$(t", "$(touch pwned)"), ("\"a:", "a:b"),
      ("it\\'", "it's a!b"), ("f'`i", "f`id`"), ("'it'\\''s", "it's"),
    ]
    try expectNames(.bash, words.map { (typed: "nightjar show \($0.0)", name: $0.1) })
  }

  @Test private func `fish runs nothing for an unquoted tilde`() throws {
    let tildes = ["~root", "~", "~$(touch pwned)", "~root/`id`", "~; touch pwned"]
    let found = try names(
      .fish,
      tildes.flatMap { name in
        [("nightjar show ", name), ("nightjar show ~", name), ("nightjar show ~r", name)]
      })
    // It is the home of some user, if anything, and not another timer's name.
    let home = "\(rig.path)/home"
    #expect(found.allSatisfy { $0 == nil || [home, "/root", "~", "~r"].contains($0) }, "\(found)")
    try expectNothingRan()
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
