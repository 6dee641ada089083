import Foundation
import NightjarTestSupport

/// A script, rehearsed by the real command, in surroundings of its own.
struct RehearsedScript {
  var runner: CommandRunner

  init(zone: String = "UTC", socket: String? = nil) throws {
    runner = try CommandRunner(socket: socket, zone: zone)
  }

  /// Where it is written to.
  var path: String { runner.folder.path + "/script" }

  /// Runs it; the file is called `script` in what comes back.
  func run(
    _ script: String, _ arguments: String..., onTerminal: Bool = false
  ) throws -> CommandRunner.Result {
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    let words = ["rehearse", path] + arguments
    var result = try onTerminal ? runner.runOnTerminal(words) : runner.run(words)
    result.errors = result.errors.replacing(path, with: "script")
    return result
  }

  /// What happened, a line each, without the times; it must all have gone well.
  func sentences(_ script: String) throws -> [String] {
    let result = try run(script)
    guard result.status == 0, result.errors.isEmpty else {
      throw Unmet(description: "\(result)")
    }
    return result.output.split(separator: "\n").map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      return fields.count == 3 && fields[1].first == "+" ? "\(fields[1]) \(fields[2])" : "\(line)"
    }
  }
}
