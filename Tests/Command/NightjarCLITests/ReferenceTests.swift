import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar

/// The line behind an error that names the page where there is more.
@Suite(.blocking) struct ReferenceTests {
  private static let toTime = "See nightjar.time(7): nightjar help time"
  private static let toHooks = "See nightjar-hooks(5): nightjar help hooks"
  private static let toToml = "See nightjar.toml(5): nightjar help toml"

  @Test(
    arguments: Row.table(
      """
      // Usage: the page of the command, by whatever name and wherever it stands.
      rm --frobnicate => 64 => See nightjar-remove(1): nightjar help remove
      4min --frobnicate => 64 => See nightjar-start(1): nightjar help start
      --socket /x pause --frobnicate => 64 => See nightjar-pause(1): nightjar help pause
      @laptop extend => 64 => See nightjar-extend(1): nightjar help extend
      help xyzzy => 64 => See nightjar-help(1): nightjar help help
      // No command.
      xyzzy => 64 => See all commands and pages: nightjar help
      // Times, commands and hooks.
      start tea 25 past => 64 => \(toTime)
      alarm x weekdays 7:00 --except never => 64 => \(toTime)
      history --since frumpday => 64 => \(toTime)
      start tea 4min --ring-for long => 64 => \(toTime)
      analyze timespan 4xyzzy 5minits => 1 => \(toTime)
      start tea 4min --exec a|b => 64 => \(toHooks)
      start tea 4min --exec true --env 1=x => 64 => \(toHooks)
      // Who asks has said enough, and what the daemon refuses is about the timer.
      strat tea => 64 =>
      start tea 4min => 1 =>
      pause beans => 3 =>
      list => 0 =>
      """))
  func `An error names the page where there is more, on a line of its own`(row: Row) throws {
    let fixture = try Fixture(Fixture.four)
    let result = try fixture.runner.run(row.words())
    #expect("\(result.status)" == row[1] && result.reference ?? "" == row[2], "\(result)")
    #expect(result.errors.hasPrefix("nightjar: ") != result.errors.isEmpty)
    #expect(!result.errors.contains("See ") && !result.errors.contains("--help"))
  }

  @Test(arguments: ["[presets", "[presets.tea]\nxyzzy = 1"])
  func `What is wrong with the configuration refers to its page`(file: String) throws {
    let fixture = try Fixture()
    try fixture.runner.configure(file)
    let refused = try fixture.run("start", "tea")
    #expect(refused.status == 1 && refused.reference == Self.toToml, "\(refused)")
    // The timer is started, and standard output is as ever.
    let started = try fixture.run("start", "tea", "4min")
    #expect(started.status == 0 && started.reference == Self.toToml, "\(started)")
    #expect(started.output.hasPrefix("tea: 4 min"))
  }

  @Test func `Mistakes in a script refer to the page once, behind the last`() throws {
    let result = try RehearsedScript().run("fly\nswim\n")
    #expect(result.reference == "See nightjar-rehearse(1): nightjar help rehearse")
    #expect(result.errors.split(separator: "\n").count == 2, "\(result)")
  }
}
