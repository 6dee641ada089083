import Foundation
import NightjarTestSupport
import Testing

@testable import nightjar

/// `nightjar` without a command.
@Suite(.blocking) struct FrontPageTests {
  private static let commands = ["nightjar start tea 4min", "nightjar watch", "nightjar why tea"]

  @Test func `On a terminal it shows what list shows, three commands, and starts nothing`() throws {
    func head(_ runner: CommandRunner) throws -> Substring {
      var runner = runner
      runner.environment["NO_COLOR"] = "1"
      let result = try runner.runOnTerminal([])
      for command in Self.commands { #expect(result.output.contains("\n  \(command)   ")) }
      #expect(result.output.split(separator: "\n").count < 12, "not a wall of help")
      let first = try #require(result.output.firstRange(of: "\n\n  nightjar start"))
      return result.output[..<first.lowerBound]
    }
    var fixture = try Fixture(Fixture.four)
    fixture.runner.environment["NO_COLOR"] = "1"
    #expect(try "\(head(fixture.runner))\n" == fixture.runner.runOnTerminal(["list"]).output)
    let empty = try Fixture()
    #expect(try head(empty.runner) == "No timer runs." && empty.methods == ["List"])
    var alone = try CommandRunner()
    alone.environment["NIGHTJAR_SOCKET"] = "\(alone.folder.path)/socket"
    let said = "The daemon is not running; the next command that needs it starts it."
    #expect(try head(alone) == said)
    #expect(try FileManager.default.contentsOfDirectory(atPath: alone.folder.path) == [])
    for command in Self.commands {
      let words = command.split(separator: " ").dropFirst().map(String.init)
      #expect(throws: Never.self) { _ = try Program.parsed(words) }
    }
  }

  @Test func `Where its output is no terminal it prints the help, and asks no daemon`() throws {
    let fixture = try Fixture(Fixture.four)
    let result = try fixture.run()
    #expect(try result == fixture.run("--help") && result.status == 0)
    #expect(result.output.hasPrefix("Timers that outlive ") && fixture.methods.isEmpty)
  }
}
