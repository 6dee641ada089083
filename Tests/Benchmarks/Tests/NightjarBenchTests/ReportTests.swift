import Testing
import Varlink

@testable import nightjar_bench

/// Tests of what the benchmark does with measured values.
@Suite struct ReportTests {
  @Test func `A quantile is right to within a thirty-second, and none is beyond the longest`() {
    var histogram = Histogram()
    for nsec in 1...100_000 { histogram.add(Int64(nsec)) }
    for share in [0.01, 0.5, 0.9, 0.99, 0.999] {
      let exact = 100_000 * share
      #expect((exact...exact * 33 / 32).contains(Double(histogram.quantile(share))))
    }
    #expect(histogram.quantile(1) == 100_000)
    #expect(histogram.longestNsec == 100_000 && histogram.total == 100_000)
  }

  @Test func `A histogram of one holds that one, however long, and of none nothing`() {
    #expect(Histogram().quantile(0.99) == 0)
    for nsec: Int64 in [0, 1, 31, 32, 33, 1_000_000_007, 1 << 50] {
      var histogram = Histogram()
      histogram.add(nsec)
      #expect(histogram.quantile(0.5) == nsec)
    }
  }

  @Test
  func `A ratio says how many times as good ours is: in rates, and the other way round in times`() {
    var rate = Finding(id: "r", work: "r", unit: .perSecond, ours: [200, 300, 400])
    rate.peer = ("redis", [100, 200, 100])
    rate.asked = .timesAsGood(1.6)
    #expect(rate.ratios == [2, 1.5, 4])
    #expect(rate.isGood == true)
    rate.asked = .timesAsGood(2.1)
    #expect(rate.isGood == false)
    var time = Finding(id: "t", work: "t", unit: .nanoseconds, ours: [10], peer: ("libev", [30]))
    time.asked = .timesAsGood(3)
    #expect(time.ratios == [3] && time.isGood == true)
    time.asked = .atMostTimes(0.3)
    #expect(time.ratios == [10.0 / 30] && time.isGood == false)
    let alone = Finding(id: "a", work: "a", unit: .bytes, ours: [131], asked: .atMost(130))
    #expect(alone.ratios == nil && alone.isGood == false)
  }

  @Test func `A table has a line for each, with medians, spread, and what was missed`() {
    let lines = Table.lines([
      Finding(
        id: "get", work: "Get", unit: .perSecond, ours: [300_000, 100_000, 200_000],
        peer: ("redis", [100_000, 100_000, 100_000]),
        processorNsec: ([1_500], [2_500]), asked: .timesAsGood(1.2), longestPassUsec: 900),
      Finding(id: "idle", work: "idle", unit: .bytes, ours: [9_100_000], asked: .atMost(8e6)),
      Finding(id: "each", work: "each", unit: .count, ours: [4.4], peer: ("none", [0])),
    ])
    #expect(lines.count == 4)
    #expect(
      lines[1].split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        == "Get 200k/s [100k/s–300k/s] redis 100k/s [100k/s–100k/s] 2.00 [1.00–3.00] ≥ 1.20 "
        + "1500 ns : 2500 ns 900 µs")
    #expect(lines[2].contains("9.10 MB") && lines[2].hasSuffix("≤ 8 MB  MISSED"))
    // A figure that is compared with zero has no ratio.
    #expect(lines[3].split(separator: " ").joined(separator: " ") == "each 4.40 none 0 –")
  }

  @Test
  func `What could not be measured keeps its line, says why, and is neither there nor missed`() {
    let finding = Finding(
      id: "a", work: "a", unit: .nanoseconds, ours: [1], peer: ("systemd-run", [2]),
      asked: .timesAsGood(5))
    #expect(finding.isGood == false)
    let none = Finding.unmeasured(finding, why: "takes root")
    #expect(none.isGood == nil)
    #expect(
      Table.lines([none])[1].split(separator: " ").joined(separator: " ")
        == "a not measured: takes root ≥ 5.00")
    #expect(FindingJSON.json(none)["not_measured"] == "takes root")
    #expect(FindingJSON.json(none)["good"] == nil)
  }

  @Test func `What a command that failed said last is why nothing was measured`() throws {
    let failing = ["sh", "-c", "echo 1 2; echo no such unit >&2; echo 'See the log'; exit 3"]
    let error = #expect(throws: Unmeasured.self) {
      try Command.output(["env"] + failing, called: "systemctl")
    }
    #expect(error?.why == "systemctl failed: no such unit")
    let silent = #expect(throws: Unmeasured.self) { try Command.output(["false"]) }
    #expect(silent?.why == "false failed")
    #expect(try Command.output(["echo", "fine"]) == "fine\n")
  }

  @Test func `Random numbers are below what was asked for, all of them come, and come again`() {
    var (one, other) = (Xorshift(seed: 7), Xorshift(seed: 7))
    var counts = [Int](repeating: 0, count: 16)
    for _ in 0..<16_000 {
      let number = one.draw(below: 16)
      #expect(number == other.draw(below: 16))
      counts[number] += 1
    }
    #expect(counts.allSatisfy { (800...1_200).contains($0) })
  }
}
