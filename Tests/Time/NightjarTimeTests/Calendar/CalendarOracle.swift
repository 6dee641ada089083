import NightjarTime

/// Asks the installed systemd about calendar expressions.
enum CalendarOracle {
  struct Answer {
    var normalized: String
    /// Seconds since the epoch.
    var elapses: [Int64] = []
    /// systemd accepts it but cannot compute when it matches.
    var hasFailed = false
  }

  /// The answers; nil for an expression that systemd refuses.
  static func answers(
    to expressions: [String], zone: String, baseSecond: Int64, iterations: Int
  ) throws -> [Answer?] {
    let (output, errors) = try Oracle.run(
      ["calendar", "--iterations=\(iterations)", "--base-time=@\(baseSecond)", "--"] + expressions,
      zone: zone)
    var blocks: [(original: String, answer: Answer)] = []
    var original: String?
    // With a zone other than UTC, systemd prints each time twice, and the second is in UTC.
    var pending: Int64?
    func settle() {
      if let pending { blocks[blocks.count - 1].answer.elapses.append(pending) }
      pending = nil
    }
    for line in output.split(separator: "\n") {
      let fields = line.split(separator: ": ", maxSplits: 1)
      guard fields.count == 2 else { continue }
      let (key, value) = (fields[0].drop { $0 == " " }, String(fields[1]))
      switch key {
      case "Original form":
        settle()
        original = value
      case "Normalized form":
        settle()
        blocks.append((original ?? value, Answer(normalized: value)))
        original = nil
      case _ where key == "Next elapse" || key.hasPrefix("Iter. #"):
        settle()
        if value.hasSuffix(" UTC") { pending = try second(value) }
      case "(in UTC)": pending = try second(value)
      default: break
      }
    }
    settle()
    // An expression that systemd accepts but cannot compute has no block of its own.
    let failed = Set(
      expressions.filter {
        errors.contains("Failed to determine next elapse for '\($0)'")
      })
    let others = try Oracle.assigned(blocks, to: expressions.filter { !failed.contains($0) })
    var rest = others[...]
    return expressions.map {
      failed.contains($0) ? Answer(normalized: "", hasFailed: true) : rest.removeFirst()
    }
  }

  /// `Sat 2026-03-28 01:00:00 UTC`.
  private static func second(_ text: String) throws -> Int64 {
    let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
    guard numbers.count == 6, text.hasSuffix(" UTC") else {
      throw Oracle.Failure(message: "no time: \(text)")
    }
    let days = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]).daysSinceEpoch
    return Int64(days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5])
  }
}
