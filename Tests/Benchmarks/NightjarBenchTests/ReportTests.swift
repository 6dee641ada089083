import Testing

@testable import nightjar_bench

/// Tests of what the benchmark does with measured values.
@Suite struct ReportTests {
  @Test
  func `A ratio says how many times as good ours is: in rates, and the other way round in times`() {
    let rates = ([200.0, 300, 400], [100.0, 200, 100])
    let good = Finding(
      row: Row("r", .perSecond, .timesAsGood(1.6)), ours: rates.0, theirs: rates.1)
    #expect(good.ratios == [2, 1.5, 4])
    #expect(good.isGood)
    let missed = Finding(
      row: Row("r", .perSecond, .timesAsGood(2.1)), ours: rates.0, theirs: rates.1)
    #expect(!missed.isGood)
    let time = Finding(row: Row("t", .nanoseconds, .timesAsGood(3)), ours: [10], theirs: [30])
    #expect(time.ratios == [3] && time.isGood)
    let slower = Finding(row: Row("t", .nanoseconds, .atMostTimes(1.1)), ours: [12], theirs: [10])
    #expect(slower.ratios == [1.2] && !slower.isGood)
    let alone = Finding(row: Row("a", .bytes, .atMost(130)), ours: [131])
    #expect(alone.ratios.isEmpty && !alone.isGood)
  }

  @Test func `A table has a line for each, with medians, spread, and what was missed`() {
    let lines = Table.lines([
      Finding(
        row: Row("Get", .perSecond, beside: "redis", .timesAsGood(1.2)),
        ours: [300_000, 100_000, 200_000], theirs: [100_000, 100_000, 100_000]),
      Finding(row: Row("idle", .bytes, .atMost(8e6)), ours: [9_100_000]),
      Finding(row: Row("wakes", .count), ours: [4]),
    ])
    #expect(
      lines.map { $0.split(separator: " ").joined(separator: " ") } == [
        "work ours theirs ratio floor",
        "Get 200k/s [100k/s–300k/s] redis 100k/s [100k/s–100k/s] 2.00 [1.00–3.00] ≥ 1.20",
        "idle 9.10 MB ≤ 8.00 MB MISSED", "wakes 4",
      ])
  }

  @Test func `What a command that failed said last is why nothing was measured`() throws {
    let failing = ["sh", "-c", "echo 1 2; echo no such unit >&2; echo 'See the log'; exit 3"]
    let error = #expect(throws: Unmeasured.self) {
      try Running.output(["env"] + failing, called: "systemctl")
    }
    #expect(error?.why == "systemctl failed: no such unit")
    let silent = #expect(throws: Unmeasured.self) { try Running.output(["false"]) }
    #expect(silent?.why == "false failed")
    #expect(try Running.output(["echo", "fine"]) == "fine\n")
  }
}
