import NightjarTime

/// Asks the installed systemd about points in time.
enum TimestampOracle {
  /// Microseconds since the epoch; nil for a text that systemd refuses. Relative texts are relative
  /// to the moment of the call.
  static func answers(to texts: [String], zone: String) throws -> [Int64?] {
    let output = try Oracle.run(["timestamp", "--"] + texts, zone: zone).output
    var blocks: [(original: String, answer: Int64)] = []
    var original: String?
    for line in output.split(separator: "\n") {
      let fields = line.split(separator: ": ", maxSplits: 1)
      guard fields.count == 2 else { continue }
      switch fields[0].drop(while: { $0 == " " }) {
      case "Original form": original = String(fields[1])
      case "UNIX seconds":
        let parts = fields[1].dropFirst().split(separator: ".")
        guard let original, let seconds = parts.first.flatMap({ Int64($0) }) else {
          throw Oracle.Failure(message: "no time: \(line)")
        }
        let fraction =
          parts.count > 1 ? parts[1] + String(repeating: "0", count: 6 - parts[1].count) : "0"
        blocks.append((original, seconds * 1_000_000 + (Int64(fraction) ?? 0)))
      default: break
      }
    }
    return try Oracle.assigned(blocks, to: texts)
  }
}
