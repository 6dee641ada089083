import Foundation

/// Asks the installed systemd about time spans.
enum SpanOracle {
  /// The indices of those `expressions` that systemd refuses.
  ///
  /// `systemd-analyze timespan` exits at the first text that it refuses. So this asks another
  /// program with the same parser that continues: a unit file with one `RestartSec=` line for each
  /// text. Unit files strip the space around a value and join lines at a backslash, so no
  /// expression may depend on either.
  static func refused(among expressions: [String]) throws -> Set<Int> {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("nightjar-spans-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let unit = folder.appendingPathComponent("spans.service")
    let header = ["[Service]", "ExecStart=/bin/true"]
    let lines = header + expressions.map { "RestartSec=\($0)" }
    try (lines.joined(separator: "\n") + "\n").write(to: unit, atomically: true, encoding: .utf8)

    let output = try Oracle.run(["verify", unit.path]).errors
    var refused: Set<Int> = []
    for line in output.split(separator: "\n") where line.contains("Failed to parse sec value") {
      let fields = line.dropFirst(unit.path.count).split(separator: ":")
      guard line.hasPrefix(unit.path), let number = fields.first.flatMap({ Int($0) }) else {
        throw Oracle.Failure(message: "systemd-analyze verify said: \(line)")
      }
      refused.insert(number - 1 - header.count)
    }
    return refused
  }

  /// The values of `expressions`, none of which systemd may refuse: microseconds (the maximum for
  /// infinity), and systemd's own spelling.
  static func values(of expressions: [String]) throws -> [(usec: UInt64, canonical: String)] {
    var values: [(usec: UInt64, canonical: String)] = []
    // A command line could take more; small batches make the message of a failure short.
    for start in stride(from: 0, to: expressions.count, by: 1_000) {
      let batch = expressions[start..<min(start + 1_000, expressions.count)]
      let output = try Oracle.run(["timespan", "--"] + batch).output
      var usec: UInt64?
      for line in output.split(separator: "\n") {
        let fields = line.split(separator: ":", maxSplits: 1)
        guard fields.count == 2 else { continue }
        let value = fields[1].drop { $0 == " " }
        switch fields[0].drop(while: { $0 == " " }) {
        case "μs": usec = UInt64(value)
        case "Human":
          guard let known = usec else { throw Oracle.Failure(message: "no value before: \(line)") }
          values.append((known, String(value)))
          usec = nil
        default: continue
        }
      }
    }
    guard values.count == expressions.count else {
      throw Oracle.Failure(message: "\(expressions.count) asked, \(values.count) answered")
    }
    return values
  }
}
