import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar

/// `nightjar` without a command.
@Suite(.blocking) struct FrontPageTests {
  private static let commands = ["nightjar start tea 4min", "nightjar watch", "nightjar why tea"]

  private static func fixture(_ entries: [FakeTimers.Entry]) throws -> Fixture {
    var fixture = try Fixture(entries)
    fixture.runner.environment["NO_COLOR"] = "1"
    return fixture
  }

  /// The lines in front of the commands.
  private static func head(_ result: CommandRunner.Result) throws -> Substring {
    for command in commands { #expect(result.output.contains("\n  \(command)   "), "\(result)") }
    #expect(
      result.output.hasSuffix(
        "\n\nnightjar --help shows the common commands. nightjar help lists all of them.\n"))
    let first = try #require(result.output.firstRange(of: "\n\n  nightjar start"))
    return result.output[..<first.lowerBound]
  }

  @Test func `On a terminal it shows what list shows, and three commands`() throws {
    let fixture = try Self.fixture(Fixture.four)
    let list = try fixture.runner.runOnTerminal(["list"])
    let result = try fixture.runner.runOnTerminal([])
    #expect(result.status == 0 && result.errors == "")
    #expect(try "\(Self.head(result))\n" == list.output)
    #expect(list.output.split(separator: "\n").count == 6)
    // Not a wall of help.
    #expect(result.output.split(separator: "\n", omittingEmptySubsequences: false).count < 14)
  }

  @Test func `The commands that it shows are understood`() throws {
    for command in Self.commands {
      let words = command.split(separator: " ").dropFirst().map(String.init)
      #expect(throws: Never.self) { _ = try Program.parsed(words) }
    }
  }

  @Test func `Without timers it says so in a sentence`() throws {
    let fixture = try Self.fixture([])
    let result = try fixture.runner.runOnTerminal([])
    #expect(result.status == 0)
    #expect(try Self.head(result) == "No timer runs.")
  }

  @Test func `It starts no daemon`() throws {
    var runner = try CommandRunner()
    let socket = "\(runner.folder.path)/socket"
    runner.environment["NIGHTJAR_SOCKET"] = socket
    let result = try runner.runOnTerminal([])
    #expect(result.status == 0 && result.errors == "")
    #expect(
      result.output.hasPrefix(
        "The daemon is not running; the next command that needs it starts it.\n\n  "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: runner.folder.path) == [])
  }

  @Test func `Where the daemon cannot be asked, the commands are shown all the same`() throws {
    var runner = try CommandRunner(socket: "/" + String(repeating: "x", count: 200))
    runner.environment["NO_COLOR"] = "1"
    let result = try runner.runOnTerminal([])
    #expect(result.status == 4 && result.errors.contains("longer than a socket's path may be"))
    for command in Self.commands { #expect(result.output.contains("\n  \(command)   ")) }
  }

  @Test func `Where its output is no terminal it prints the help, and asks no daemon`() throws {
    let fixture = try Self.fixture(Fixture.four)
    let result = try fixture.run()
    #expect(try result == fixture.run("--help"))
    #expect(result.status == 0 && result.output.hasPrefix("Timers that outlive "))
    #expect(fixture.methods.isEmpty)
  }
}
