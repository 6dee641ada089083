import Foundation
import NightjarTestSupport
import Testing

/// `nightjar mqtt acl`: its output, and the sentences of a check.
@Suite(.blocking) struct MqttAclTests {
  private let runner: CommandRunner
  private let folder: String

  init() throws {
    runner = try CommandRunner()
    folder = runner.folder.path
  }

  private static let table = """
    persons = ["alex", "kim"]
    [groups]
    runners = ["alex", "kim"]
    """

  private static let rights = """
    user alex
    topic readwrite nightjar/alex/#
    topic read nightjar/@runners/#
    topic write nightjar/@runners/+/alex/#
    topic read nightjar/kim/+/presence

    user kim
    topic readwrite nightjar/kim/#
    topic read nightjar/@runners/#
    topic write nightjar/@runners/+/kim/#
    topic read nightjar/alex/+/presence

    """

  @discardableResult private func write(_ text: String, _ name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
    return "\(folder)/\(name)"
  }

  private func head(_ name: String) -> String {
    """
    # Rights of persons and groups, from \(name) by nightjar mqtt acl.
    # To change them, change the table and print this file anew.
    # In mosquitto.conf: allow_anonymous false, password_file PATH, acl_file PATH.
    # mosquitto reads this file again on SIGHUP (systemctl reload mosquitto).


    """
  }

  @Test func `A table is printed as a file for mosquitto, from a path or from standard input`()
    throws
  {
    let path = try write(Self.table, "p.toml")
    let printed = try runner.run("mqtt", "acl", path)
    #expect(printed == .init(0, head(path) + Self.rights))
    var shell = runner
    shell.executable = "/bin/sh"
    let piped = try shell.run("-c", "'\(runner.executable)' mqtt acl - < '\(path)'")
    #expect(piped == .init(0, head("standard input") + Self.rights))
    // The name of a file cannot inject a line.
    let evil = try runner.run("mqtt", "acl", try write(Self.table, "p\ntopic read #"))
    #expect(evil.status == 0 && !evil.output.contains("\ntopic read #"))
    #expect(evil.output.hasSuffix(Self.rights))
  }

  @Test func `A check is silent if the rights are the same, and names each difference`() throws {
    let path = try write(Self.table, "p.toml")
    let same = try write(try runner.run("mqtt", "acl", path).output, "acl")
    #expect(try runner.run("mqtt", "acl", path, "--check", same) == .init(0))
    let other = try write(
      Self.rights.replacing("topic readwrite nightjar/kim/#", with: "topic read nightjar/#"), "acl")
    #expect(
      try runner.run("mqtt", "acl", path, "--check", other)
        == .init(
          1,
          """
          \(other): kim may not write nightjar/kim/#, although \(path) allows it
          \(other), line 8: kim may read nightjar/#, although \(path) does not allow it

          """,
          errors:
            "nightjar: \(other) does not give the same rights as \(path); nightjar mqtt acl \(path) "
            + "prints those of the table\n"))
    var shell = runner
    shell.executable = "/bin/sh"
    let piped = try shell.run(
      "-c", "'\(runner.executable)' mqtt acl '\(path)' --check - < '\(other)'")
    #expect(piped.status == 1 && piped.output.hasPrefix("standard input: kim may not write "))
  }

  @Test func `A check says what mosquitto does with an invalid line`() throws {
    let path = try write(Self.table, "p.toml")
    let file = try write(Self.rights + "topc read \u{1B}[2J\n", "acl")
    #expect(
      try runner.run("mqtt", "acl", path, "--check", file)
        == .init(
          1, "\(file), line 12: mosquitto does not understand this line: 'topc read \\u{1B}[2J'\n",
          errors:
            "nightjar: mosquitto does not start with \(file), and after SIGHUP it lets every user "
            + "read and write everything; correct the file first\n"))
  }

  @Test func `A file that cannot be read or parsed gets one sentence, and nothing is printed`()
    throws
  {
    let wrong = try write("persons = [\n\"a/b\"]", "p.toml")
    #expect(
      try runner.run("mqtt", "acl", wrong)
        == .sentence(
          64,
          "\(wrong), line 2: a person's name must be 1 to 32 letters a-z and A-Z, "
            + "digits, _ and -, not \"a/b\""))
    let gone = "\(folder)/gone"
    let unread =
      "nightjar: \(gone) cannot be read: No such file or directory; give the path of a file that you "
      + "can read\n"
    #expect(try runner.run("mqtt", "acl", gone) == .init(64, errors: unread))
    let table = try write(Self.table, "p.toml")
    #expect(try runner.run("mqtt", "acl", table, "--check", gone) == .init(64, errors: unread))
    let long = try write(String(repeating: "#", count: 1_048_577), "long")
    #expect(
      try runner.run("mqtt", "acl", table, "--check", long)
        == .sentence(64, "\(long) is longer than 1 MiB; give a shorter file"))
    #expect(
      try runner.run("mqtt", "acl", "-", "--check", "-")
        == .sentence(64, "only one of the two can be standard input; give a path for one"))
    #expect(try runner.run("mqtt", "acl").status == 64)
  }
}
