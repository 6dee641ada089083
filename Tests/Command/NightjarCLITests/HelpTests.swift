import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar

/// `nightjar help`, which opens pages of the manual.
@Suite(.blocking) struct HelpTests {
  private var runner: CommandRunner
  /// A folder with a man(1) that prints its arguments, and nothing else.
  private let bin: String

  init() throws {
    runner = try CommandRunner()
    bin = runner.folder.path + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: false)
    try writeFile("#!/bin/sh\nprintf '%s\\n' \"$@\"\n", to: "\(bin)/man", mode: 0o755)
    runner.environment["PATH"] = "\(bin):/usr/bin:/bin"
  }

  /// The file that man(1) is given.
  private func file(_ words: String...) throws -> String? {
    let result = try runner.run(["help"] + words)
    let lines = result.output.split(separator: "\n")
    guard result.status == 0, result.errors == "", lines.count == 2, lines[0] == "-l" else {
      Issue.record("\(words): \(result)")
      return nil
    }
    return URL(fileURLWithPath: String(lines[1])).standardizedFileURL.path
  }

  @Test func `Each page has a topic and each topic a page, which is described in its words`() throws
  {
    let pages = HelpTopic.all.map { "\($0.page).\($0.section)" }
    #expect(pages.sorted() == ManualPage.fileNames)
    #expect(Set(HelpTopic.all.map(\.word)).count == pages.count)
    for topic in HelpTopic.others {
      #expect(topic.summary == ManualPage.named("\(topic.page).\(topic.section)")?.summary)
    }
    #expect(HelpTopic.commands.map(\.word) == HelpText(try runner.run("help").output).commands)
  }

  @Test func `A topic and the name of its page open the page in the sources`() throws {
    for topic in HelpTopic.others + HelpTopic.commands.suffix(3) {
      let path = "\(ManualPage.folder)/\(topic.page).\(topic.section)"
      #expect(try file(topic.word) == path)
      #expect(try file(topic.page) == path)
    }
    #expect(try file("rm") == ManualPage.named("nightjar-remove.1")?.path)
    #expect(try file("analyze", "calendar") == ManualPage.named("nightjar-analyze.1")?.path)
  }

  @Test func `An installed program opens the installed page, also one that is compressed`() throws {
    var copy = self
    let prefix = runner.folder.path + "/usr"
    for folder in ["bin", "share/man/man1"] {
      try makeFolder("\(prefix)/\(folder)")
    }
    copy.runner.executable = "\(prefix)/bin/nightjar"
    try copyProgram(runner.executable, to: copy.runner.executable)
    for name in ["nightjar-start.1", "nightjar-why.1.gz"] {
      try writeFile("", to: "\(prefix)/share/man/man1/\(name)")
    }
    #expect(try copy.file("start") == "\(prefix)/share/man/man1/nightjar-start.1")
    #expect(try copy.file("why") == "\(prefix)/share/man/man1/nightjar-why.1.gz")
    // man(1) knows further places.
    #expect(try copy.runner.run("help", "time") == .init(0, "7\nnightjar.time\n"))
  }

  @Test func `The status of man(1) is that of the command`() throws {
    try writeFile("#!/bin/sh\nexit 16\n", to: "\(bin)/man", mode: 0o755)
    #expect(try runner.run("help", "start") == .init(16))
  }

  @Test func `Without man(1) it says what to install, and prints the help of a command`() throws {
    var runner = runner
    runner.environment["PATH"] = "/nowhere"
    func remedy(_ page: String) -> String {
      "nightjar: man is not installed; to read \(page) install Debian's package man-db"
    }
    for words in [["start"], ["analyze", "calendar"]] {
      let help = try runner.run(words + ["--help"]).output
      #expect(help.hasPrefix("OVERVIEW: "))
      let called = words.joined(separator: " ")
      #expect(
        try runner.run(["help"] + words)
          == .init(
            0, help,
            errors: remedy("nightjar-\(words[0])(1)") + "; this is nightjar \(called) --help:\n"))
    }
    #expect(try runner.run("help", "time") == .init(1, errors: remedy("nightjar.time(7)") + "\n"))
  }

  @Test(arguments: [
    ("tiem", "did you mean 'time'? "), ("strat", "did you mean 'start'? "),
    ("nightjar.tom", "did you mean 'nightjar.toml'? "), ("xyzzy", ""), ("__complete", ""),
    ("", ""),
  ])
  func `A topic that there is not is refused with the nearest one and the list`(
    word: String, near: String
  ) throws {
    let all =
      "nightjar, daemon, time, toml, hooks, analyze, sessions, faces, phone, mqtt-scale, protocol, promises"
    #expect(
      try runner.run("help", word)
        == .sentence(64, "no topic is called '\(word)'; \(near)topics are all commands, and \(all)")
    )
  }

  @Test func `Two topics are refused`() throws {
    #expect(
      try runner.run("help", "time", "toml") == .sentence(64, "give one topic: nightjar help time"))
  }

  @Test func `Without a topic all are listed, in lines that fit on a terminal`() throws {
    let result = try runner.run("help")
    #expect(result.status == 0 && result.errors == "")
    let words = result.output.split { $0.isWhitespace }.map(String.init)
    for topic in HelpTopic.all { #expect(words.contains(topic.word), "\(topic.word)") }
    let lines = result.output.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(result)")
    for topic in HelpTopic.others {
      #expect(lines.contains { $0.hasPrefix("  \(topic.word) ") && $0.hasSuffix(topic.summary) })
    }
  }

  @Test func `All shells complete topics, and know one help`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(bin)/nightjar", withDestinationPath: runner.executable)
    func ran(_ shell: String, _ script: String) throws -> String {
      var shells = runner
      shells.executable = "/usr/bin/env"
      let result = try shells.run([shell, "-c", script])
      #expect(result.status == 0, "\(result)")
      return result.output
    }
    let bash = """
      source <(nightjar completions bash)
      COMP_WORDS=(nightjar help pro) COMP_CWORD=2 COMP_LINE='nightjar help pro' COMP_POINT=17
      _nightjar nightjar pro help
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    #expect(try ran("bash", bash) == "protocol\npromises\n")
    let fish = "nightjar completions fish | source; complete -C 'nightjar help pro' | sort"
    #expect(try ran("fish", fish) == "promises\nprotocol\n")
    for shell in Shell.allCases {
      let script = CompletionScript(for: shell).text
      #expect(script.ranges(of: "_nightjar_help() {").count == (shell == .fish ? 0 : 1))
      let described = script.ranges(of: "Open the manual page about a topic.").count
      #expect(described == (shell == .bash ? 0 : 1))
      #expect(!script.contains("Show subcommand help information."))
    }
    // The function that is left is the one with topics.
    let zsh = "source <(nightjar completions zsh) 2>/dev/null; functions _nightjar_help"
    #expect(try ran("zsh", zsh).contains("protocol"))
  }
}
