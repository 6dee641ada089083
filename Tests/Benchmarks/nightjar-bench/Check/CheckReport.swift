/// A report for people that compares the counts with their thresholds.
struct CheckReport {
  /// The command that writes new thresholds.
  private static let remedy = "make bench-check BENCH_CHECK=--write"

  /// A hot path, and how many instructions each operation took.
  struct Count {
    let name: String
    let work: String
    /// The name of another path, which this one must not exceed in cost.
    var flatBeside: String?
    let instructions: Double
  }

  let counts: [Count]
  let thresholds: Thresholds

  var table: [String] {
    Table.aligned(
      [["path", "work", "instructions", "threshold", "ratio"]]
        + counts.map { count in
          let threshold = thresholds.counts[count.name]
          return [
            count.name, count.work, "\(Int(count.instructions.rounded()))",
            threshold.map { "\($0)" } ?? "none",
            threshold.map { Table.hundredths(count.instructions / Double($0)) } ?? "",
          ]
        })
  }

  /// A sentence for each failure. Empty if the check succeeds.
  var failures: [String] {
    let over = counts.compactMap { count -> String? in
      guard let threshold = thresholds.counts[count.name] else {
        return "\(count.name) has no threshold; \(Self.remedy) writes one"
      }
      let excess = count.instructions / Double(threshold) - 1
      guard excess > Thresholds.margin else { return nil }
      return """
        \(count.name) (\(count.work)) takes \(text(count)) instructions, \
        \(Int((excess * 100).rounded())) % more than its threshold of \(threshold): make it cheaper, or \
        if it is worth that, have the thresholds written anew by \(Self.remedy)
        """
    }
    let known = Set(counts.map(\.name))
    let gone = thresholds.counts.keys.filter { !known.contains($0) }.sorted().map {
      "there is a threshold for \($0), which is not there; \(Self.remedy) drops it"
    }
    return over + gone + steep
  }

  /// Failures of paths that cost more with more timers, although their cost must not grow.
  private var steep: [String] {
    counts.compactMap { count in
      guard let other = counts.first(where: { $0.name == count.flatBeside }),
        count.instructions > other.instructions * (1 + Thresholds.margin)
      else { return nil }
      return """
        \(count.name) takes \(text(count)) instructions and \(other.name) \(text(other)): it must not \
        cost more the more timers there are, and no threshold makes up for that
        """
    }
  }

  private func text(_ count: Count) -> String { "\(Int(count.instructions.rounded()))" }
}
