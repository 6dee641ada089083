import Foundation
import NightjarTestSupport
import Testing

/// A script that the real command plays, with its own environment.
struct RehearsedScript {
  var runner: CommandRunner

  init(zone: String = "UTC", socket: String? = nil) throws {
    runner = try CommandRunner(socket: socket, zone: zone)
  }

  var path: String { runner.folder.path + "/script" }

  /// Runs it; the output refers to the file as `script`.
  func run(
    _ script: String, _ arguments: String..., onTerminal: Bool = false
  ) throws -> CommandRunner.Result {
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    let words = ["rehearse", path] + arguments
    var result = try onTerminal ? runner.runOnTerminal(words) : runner.run(words)
    result.errors = result.errors.replacing(path, with: "script")
    return result
  }

  /// The events, one per line without the times; the run must succeed.
  func sentences(_ script: String) throws -> [String] {
    let result = try run(script)
    guard result.status == 0, result.errors.isEmpty else {
      throw Unmet(description: "\(result)")
    }
    return Self.sentences(of: result)
  }

  static func sentences(of result: CommandRunner.Result) -> [String] {
    result.output.split(separator: "\n").map { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      return fields.count == 3 && fields[1].first == "+" ? "\(fields[1]) \(fields[2])" : "\(line)"
    }
  }
}

/// A script of a table, and what it shows.
struct PlayedScript: CustomStringConvertible, Sendable {
  let description: String
  private(set) var lines: [Substring] = []
  private(set) var events: [Substring] = []
  /// How many rings there are in all.
  private(set) var rings: Int?

  /// The scripts of a table. At the margin is what a script shows. Below are its commands, with `;`
  /// between those on a line, and behind `>` what it prints. `rings 2: …` is how often a timer
  /// rings in all, and a line that is printed then.
  static func table(_ text: String) -> [PlayedScript] {
    text.split(separator: "\n").reduce(into: []) { scripts, line in
      let last = scripts.count - 1
      if line.hasPrefix("  > ") {
        scripts[last].events.append(line.dropFirst(4))
      } else if let rings = line.wholeMatch(of: #/  rings ([0-9]+): (.*)/#)?.output {
        scripts[last].rings = Int(rings.1)
        scripts[last].events.append(rings.2)
      } else if line.hasPrefix("  ") {
        scripts[last].lines += line.dropFirst(2).split(separator: "; ")
      } else {
        scripts.append(PlayedScript(description: String(line)))
      }
    }
  }

  private init(description: String) { self.description = description }

  func text(at time: String) -> String { (["at \(time)"] + lines).map { "\($0)\n" }.joined() }

  /// Plays the script, and a list at its end. Lines begin with what it shows, in this order; `…` at
  /// the beginning stands for any words. If the number of rings is not told, no ring follows.
  func check(at time: String) throws {
    #expect(!events.isEmpty && !events.contains(""), "the script shows nothing")
    let said = try RehearsedScript().sentences(text(at: time) + "list\n")
    let all = said.joined(separator: "\n")
    var rest = said[...]
    for event in events {
      let index = rest.firstIndex {
        event.hasPrefix("…") ? $0.hasSuffix(event.dropFirst()) : $0.hasPrefix(event)
      }
      #expect(index != nil, "\(event)\nis not in\n\(all)")
      rest = rest[(index.map { $0 + 1 } ?? rest.endIndex)...]
    }
    let isRing = { (line: String) in line.contains(": rang") || line.contains("it rang") }
    if let rings {
      #expect(said.count(where: isRing) == rings, "\(all)")
    } else {
      #expect(!rest.contains(where: isRing), "\(all)")
    }
  }
}
