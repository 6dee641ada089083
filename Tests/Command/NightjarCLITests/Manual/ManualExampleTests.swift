import NightjarTestSupport
import Testing

@testable import nightjar
@testable import nightjar_rehearse

/// The examples on the manual pages are typed into a shell on a terminal, beside a real daemon.
@Suite(.blocking) struct ManualExampleTests {
  /// The timers that exist unless a page starts others: one of each kind, and one that rang.
  private static let world = """
    nightjar start tea 4min && nightjar pause tea && nightjar resume tea &&
    nightjar start egg 6min && nightjar shorten egg 6min && nightjar wait egg &&
    nightjar start run/4711/mate 50min --label project=site
    """
  private static let moreOfIt = """
    nightjar stopwatch run && nightjar sequence pomodoro work=25min rest=5min --loop 4 &&
    nightjar alarm wake weekdays 7:00
    """

  @Test(arguments: ManualPage.fileNames)
  func `Examples do what their page says they do`(name: String) throws {
    let commands = try ManualPage(name).whole.examples.flatMap(ExampleCommand.all)
    guard !commands.isEmpty else { return }
    let shell = try ExampleShell()
    if name == "nightjar.toml.5" { try shell.runner.configure(Documentation.configuration()) }
    let startsOthers = commands.contains {
      $0.typed.contains(#/^nightjar (start|alarm|stopwatch|sequence) /#)
    }
    let world = name == "nightjar-list.1" ? Self.world : "\(Self.world) &&\n\(Self.moreOfIt)"
    try shell.check(commands, of: name, in: startsOthers ? ":" : world)
    guard name == "nightjar-hooks.5" else { return }
    // The example hook reports the timer that rings.
    #expect(try shell.runner.run("start", "tea", "100ms", "--replace").status == 0)
    try shell.daemon.process.lines.next("what the hook prints") {
      $0.contains("10-say: tea rang, ") && $0.contains(" µs late")
    }
  }

  @Test func `Scripts of rehearsals and bands on the pages can be parsed`() throws {
    func untyped(_ name: String) throws -> [[String]] {
      let examples = try ManualPage(name).whole.examples
        .filter { ExampleCommand.all(in: $0).isEmpty }
      return try #require(examples.isEmpty ? nil : examples, "\(name) has none")
    }
    for script in try untyped("nightjar-rehearse.1") {
      let text = script.joined(separator: "\n")
      #expect(throws: Never.self) { _ = try Script(text, name: "script", here: .here) }
    }
    for band in try untyped("nightjar-start.1").joined() {
      #expect(throws: Never.self) { _ = try BandArgument.bands([band]) }
    }
  }
}
