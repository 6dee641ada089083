import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar

/// The line behind an error that names the page where there is more.
@Suite(.blocking) struct ReferenceTests {
  private static let toStart = "See nightjar-start(1): nightjar help start"
  private static let toTime = "See nightjar.time(7): nightjar help time"
  private static let toHooks = "See nightjar-hooks(5): nightjar help hooks"
  private static let toToml = "See nightjar.toml(5): nightjar help toml"

  @Test(
    arguments: [
      // Usage: the page of the command, by whatever name and wherever it stands.
      (["list", "--colour"], 64, "See nightjar-list(1): nightjar help list"),
      (["start", "tea"], 64, toStart), (["add"], 64, toStart),
      (["4min", "--frobnicate"], 64, toStart),
      (["rm", "--frobnicate"], 64, "See nightjar-remove(1): nightjar help remove"),
      (
        ["--socket", "/x", "pause", "--frobnicate"], 64,
        "See nightjar-pause(1): nightjar help pause"
      ),
      (["mqtt", "xyzzy"], 64, "See nightjar-mqtt(1): nightjar help mqtt"),
      (["@laptop", "extend"], 64, "See nightjar-extend(1): nightjar help extend"),
      (["rehearse"], 64, "See nightjar-rehearse(1): nightjar help rehearse"),
      (["help", "xyzzy"], 64, "See nightjar-help(1): nightjar help help"),
      // No command.
      (["xyzzy"], 64, "See all commands and pages: nightjar help"),
      (["--frobnicate"], 64, "See all commands and pages: nightjar help"),
      // Times.
      (["4xyzzy"], 64, toTime), (["start", "tea", "25 past"], 64, toTime),
      (["alarm", "x", "at some time"], 64, toTime), (["alarm", "x", "31 feb"], 64, toTime),
      (["alarm", "x", "weekdays 7:00", "--except", "never"], 64, toTime),
      (["history", "--since", "frumpday"], 64, toTime),
      (["start", "tea", "4min", "--ring-for", "long"], 64, toTime),
      (["analyze", "timespan", "4xyzzy", "5minits"], 1, toTime),
      (["analyze", "timestamp", "25:00"], 1, toTime),
      // Commands and hooks.
      (["start", "tea", "4min", "--exec", "a | b"], 64, toHooks),
      (["start", "tea", "4min", "--exec-on", "nothing"], 64, toHooks),
      (["start", "tea", "4min", "--exec", "true", "--env", "1=x"], 64, toHooks),
      // Who asks has said enough.
      (["strat", "tea"], 64, nil), (["list", "--everwhere"], 64, nil),
      // What the daemon refuses is about the timer.
      (["start", "tea", "4min"], 1, nil), (["pause", "beans"], 3, nil), (["list"], 0, nil),
    ] as [([String], Int32, String?)])
  func `An error names the page where there is more, on a line of its own`(
    arguments: [String], status: Int32, reference: String?
  ) throws {
    let fixture = try Fixture(Fixture.four)
    let result = try fixture.runner.run(arguments)
    #expect(result.status == status, "\(result)")
    #expect(result.reference == reference, "\(result)")
    #expect(result.errors.hasPrefix("nightjar: ") != result.errors.isEmpty)
    #expect(!result.errors.contains("See ") && !result.errors.contains("--help"))
  }

  @Test(arguments: ["[presets", "[presets.tea]\nduration = true", "[presets.tea]\nxyzzy = 1"])
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

  @Test func `The line stands behind the sentence, on standard error`() throws {
    var shell = try CommandRunner()
    shell.environment["NIGHTJAR"] = shell.executable
    shell.executable = "/bin/sh"
    let result = try shell.run("-c", "\"$NIGHTJAR\" list --colour 3>&1 >/dev/null 2>&3")
    #expect(
      result
        == .init(
          64,
          """
          nightjar: unknown option '--colour'
          See nightjar-list(1): nightjar help list

          """))
  }

  @Test func `Mistakes in a script refer to the page once, behind the last`() throws {
    let runner = try CommandRunner()
    let path = "\(runner.folder.path)/script"
    try "fly\nswim\n".write(toFile: path, atomically: true, encoding: .utf8)
    let result = try runner.run("rehearse", path)
    #expect(result.reference == "See nightjar-rehearse(1): nightjar help rehearse")
    #expect(
      result.errors == """
        nightjar: \(path):1: a script has no command 'fly'
        nightjar: \(path):2: a script has no command 'swim'

        """)
  }
}
