import NightjarTestSupport
import Testing

/// The examples on the manual pages are typed into a shell on a terminal, beside a real daemon.
@Suite(.blocking) struct ManualExampleTests {
  private let shell: ExampleShell

  /// The timers that exist unless a page starts others: one of each kind, and one that rang.
  private static let world = [
    "start tea 4min", "pause tea", "resume tea", "start egg 6min", "shorten egg 6min", "wait egg",
    "start run/4711/mate 50min --label project=site",
  ]
  private static let moreOfIt = [
    "stopwatch run", "sequence pomodoro work=25min rest=5min --loop 4",
    "alarm wake weekdays 7:00",
  ]

  init() throws { shell = try ExampleShell() }

  /// The file in nightjar.toml(5).
  private static var configuration: String {
    for case .example(let lines) in ManualPage.named("nightjar.toml.5")?.blocks ?? [] {
      return lines.joined(separator: "\n")
    }
    return ""
  }

  @Test(arguments: ManualPage.fileNames)
  func `Examples do what their page says they do`(name: String) throws {
    let page = try #require(ManualPage.named(name))
    let commands = page.blocks.flatMap(\.commands)
    for command in commands { try ExampleShell.parse(command.typed, of: name) }
    guard !ExampleShell.run(of: commands).isEmpty else { return }
    try prepare(page)
    try shell.check(commands, of: name)
  }

  @Test func `The example hook on its page reports the timer that rings`() throws {
    let page = try #require(ManualPage.named("nightjar-hooks.5"))
    let examples = page.blocks.filter { !$0.commands.isEmpty }
    let commands = try #require(examples.first).commands.map(\.typed)
    var sh = shell.runner
    sh.executable = "/bin/sh"
    let made = try sh.run(["-c", "set -e; cd \"$HOME\"\n" + commands.joined(separator: "\n")])
    #expect(made.status == 0, "\(made)")
    #expect(try shell.runner.run("start", "tea", "100ms").status == 0)
    _ = try shell.daemon.lines.next("what the hook prints") {
      $0.contains("10-say: tea rang, ") && $0.contains(" µs late")
    }
  }

  @Test func `Scripts of rehearsals and bands on the pages can be parsed`() throws {
    let scripts = try untyped("nightjar-rehearse.1").map { $0.joined(separator: "\n") }
    #expect(!scripts.isEmpty)
    for script in scripts {
      try shell.write(script, to: "script", mode: 0o644)
      let played = try shell.runner.run("rehearse", "\(shell.runner.folder.path)/script")
      #expect(played.status == 0 && played.errors.isEmpty, "\(script)\n\(played)")
    }
    let bands = try untyped("nightjar-start.1").flatMap(\.self)
    #expect(!bands.isEmpty)
    for band in bands {
      let started = try shell.runner.run("start", "1h", "--band", band)
      #expect(started.status == 0, "\(band): \(started)")
    }
  }

  /// The examples on a page that are no shell commands.
  private func untyped(_ name: String) throws -> [[String]] {
    let page = try #require(ManualPage.named(name))
    return page.blocks.compactMap { block in
      guard case .example(let lines) = block, block.commands.isEmpty else { return nil }
      return lines
    }
  }

  /// Makes the files that a page's examples need.
  private func prepare(_ page: ManualPage) throws {
    let typed = page.blocks.flatMap(\.commands).map(\.typed)
    let starts = ["start", "alarm", "stopwatch", "sequence"].map { "nightjar \($0) " }
    if page.fileName == "nightjar.toml.5" {
      try shell.write(Self.configuration, to: ".config/nightjar/config.toml", mode: 0o644)
    }
    guard !typed.contains(where: { command in starts.contains { command.hasPrefix($0) } }) else {
      return
    }
    for line in Self.world + (page.name == "nightjar-list" ? [] : Self.moreOfIt) {
      let result = try shell.runner.run(line.split(separator: " ").map(String.init))
      #expect(result.status == 0, "\(line): \(result)")
    }
  }
}
