import ArgumentParser
import Foundation
import NightjarInterface
import NightjarTestSupport
import Testing

@testable import nightjar

/// `nightjar help`, which opens pages of the manual.
@Suite(.blocking) struct HelpTests {
  private var runner: CommandRunner

  /// In its PATH is a man(1) that prints its arguments.
  init() throws {
    runner = try CommandRunner()
    let bin = runner.folder.path + "/bin"
    try makeFolder(bin)
    try writeFile("#!/bin/sh\nprintf '%s ' \"$@\"; exit 16\n", to: "\(bin)/man", mode: 0o755)
    runner.environment["PATH"] = "\(bin):/usr/bin:/bin"
  }

  @Test func `Each page has a topic and each topic a page, which is described in its words`() {
    let pages = HelpTopic.all.map { "\($0.page).\($0.section)" }
    #expect(pages.sorted() == ManualPage.fileNames)
    #expect(Set(HelpTopic.all.map(\.word)).count == pages.count)
    for topic in HelpTopic.others {
      #expect(topic.summary == ManualPage.named("\(topic.page).\(topic.section)")?.summary)
    }
    for (word, page) in [("rm", "nightjar-remove"), ("nightjar.time", "nightjar.time")] {
      #expect(HelpTopic(named: word)?.page == page)
    }
  }

  @Test func `A topic opens the page in the sources, or the installed one, with man's exit status`()
    throws
  {
    let opened = try runner.run("help", "analyze", "calendar")
    #expect(opened.status == 16 && opened.output.hasPrefix("-l "), "\(opened)")
    let path = URL(fileURLWithPath: String(opened.output.dropFirst(3).dropLast()))
    #expect(path.standardizedFileURL.path == ManualPage.named("nightjar-analyze.1")?.path)
    let prefix = runner.folder.path + "/usr"
    var installed = runner
    installed.executable = "\(prefix)/bin/nightjar"
    for folder in ["bin", "share/man/man1"] { try makeFolder("\(prefix)/\(folder)") }
    try copyProgram(runner.executable, to: installed.executable)
    try writeFile("", to: "\(prefix)/share/man/man1/nightjar-why.1.gz")
    #expect(try installed.run("help", "why").output.hasSuffix("man1/nightjar-why.1.gz "))
    // man(1) knows further places.
    #expect(try installed.run("help", "time") == .init(16, "7 nightjar.time "))
  }

  @Test func `Without man(1) it says what to install, and prints the help of a command`() throws {
    var runner = runner
    runner.environment["PATH"] = "/nowhere"
    func remedy(_ page: String) -> String {
      "nightjar: man is not installed; to read \(page) install Debian's package man-db"
    }
    let help = try runner.run("analyze", "calendar", "--help").output
    #expect(help.hasPrefix("OVERVIEW: "))
    let instead = remedy("nightjar-analyze(1)") + "; this is nightjar analyze calendar --help:\n"
    #expect(try runner.run("help", "analyze", "calendar") == .init(0, help, errors: instead))
    #expect(try runner.run("help", "time") == .init(1, errors: remedy("nightjar.time(7)") + "\n"))
  }

  @Test(arguments: [
    ("tiem", "did you mean 'time'? "), ("strat", "did you mean 'start'? "), ("__complete", ""),
    ("nightjar.tom", "did you mean 'nightjar.toml'? "), ("", ""),
  ])
  func `A topic that there is not is refused with the nearest one and the list`(
    word: String, near: String
  ) throws {
    let all = HelpTopic.others.map(\.word).joined(separator: ", ")
    let error = #expect(throws: CommandError.self) { try Help.parse([word]).run() }
    #expect(
      error?.message.description
        == "no topic is called '\(word)'; \(near)topics are all commands, and \(all)")
  }

  @Test func `Without a topic all are listed, in lines that fit on a terminal`() throws {
    let result = try runner.run("help")
    let words = result.output.split { $0.isWhitespace }.map(String.init)
    let text = words.joined(separator: " ")
    for topic in HelpTopic.all { #expect(text.contains("\(topic.word) \(topic.summary)")) }
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(result)")
    // The help and the page of nightjar say how to name other machines.
    for text in [text, try ManualPage("nightjar.1").text("DESCRIPTION")] {
      for word in ["nightjar @MACHINE COMMAND", "list --everywhere", "--queue", "nightjar-mqtt(1)"]
      {
        #expect(text.contains(word), "\(word): \(text)")
      }
    }
  }

  @Test(arguments: Shell.allCases) func `All shells complete topics, and know one help`(
    shell: Shell
  ) throws {
    let script = CompletionScript(for: shell).text
    #expect(script.ranges(of: "_nightjar_help() {").count == (shell == .fish ? 0 : 1))
    #expect(script.contains("protocol") && !script.contains("Show subcommand help information."))
  }
}
