import Testing

@testable import nightjar_bench

/// Tests of what the benchmark does with instruction counts, and of the file of thresholds.
@Suite struct ThresholdTests {
  @Test func `A file has a name and a count to a line, with comments and blanks between`() throws {
    let read = try Thresholds("# made by hand\nget  7357\n\n  start 25000 # durable\n")
    #expect(read.counts == ["get": 7_357, "start": 25_000])
    #expect(try Thresholds("").counts.isEmpty)
  }

  @Test(arguments: [
    ("get", 1), ("get 12 13", 1), ("get 1\nstart many", 2), ("get 0", 1), ("get -4", 1),
    ("get 1.5", 1), ("get 1\nput 2\nget 1", 3),
  ])
  func `What is no name and count, or comes twice, is refused with its line`(
    text: String, line: Int
  ) throws {
    let problem = #expect(throws: Thresholds.Problem.self) { try Thresholds(text) }
    #expect(problem?.line == line)
    #expect(problem?.text == text.split(separator: "\n").last.map(String.init))
  }

  @Test func `What is written is read back in the given order, without what has no count`() throws {
    let thresholds = Thresholds(counts: ["b": 2, "alpha": 1])
    let text = thresholds.text(inOrderOf: ["b", "missing", "alpha"])
    #expect(try Thresholds(text) == thresholds)
    #expect(text.hasSuffix("\nb       2\nalpha   1\n"))
  }

  @Test func `Up to a twentieth above is good`() {
    #expect(report(["get": 1_049], against: ["get": 1_000]).failures.isEmpty)
    #expect(report(["get": 1_051], against: ["get": 1_000]).failures.count == 1)
  }

  @Test func `A path above its threshold fails, in a sentence with all that is to be known`() {
    let report = report(["get": 1_100], against: ["get": 1_000])
    #expect(
      report.failures == [
        "get (get it) takes 1100 instructions, 10 % more than its threshold of 1000: make it "
          + "cheaper, or if it is worth that, have the thresholds written anew by "
          + "make bench-check BENCH_CHECK=--write"
      ])
  }

  @Test func `A path without a threshold fails, and a threshold without its path`() {
    let failures = report(["get": 10], against: ["put": 10]).failures
    #expect(failures.count == 2)
    #expect(failures.first?.hasPrefix("get has no threshold") == true)
    #expect(failures.last?.hasPrefix("there is a threshold for put") == true)
  }

  @Test func `What costs more where there is more fails, whatever its threshold`() {
    let thresholds = ["few": 1_000, "many": 1_100]
    #expect(report(["few": 1_000, "many": 1_040], against: thresholds).failures.isEmpty)
    let failures = report(["few": 1_000, "many": 1_100], against: thresholds).failures
    #expect(failures.count == 1)
    #expect(failures.first?.hasPrefix("many takes 1100 instructions and few 1000") == true)
  }

  @Test func `The table has a line for each path, with the ratio`() {
    let lines = report(["few": 980, "many": 2_000.4], against: ["few": 1_000]).table
    #expect(lines.count == 3)
    #expect(lines[1].split(separator: " ").map(String.init).suffix(3) == ["980", "1000", "0.98"])
    #expect(lines[2].split(separator: " ").map(String.init).suffix(2) == ["2000", "none"])
  }

  @Test func `The count is found in what callgrind says`() {
    let output =
      "==7== Events    : Ir\n==7== Collected : 15081417\n==7==\n==7== I   refs:      15,081,417\n"
    #expect(Callgrind.collected(output) == 15_081_417)
    #expect(Callgrind.collected("==7== nothing\n") == nil)
  }

  @Test func `Each path has a name of its own, without blanks, and a real one beside it`() {
    let names = Micro.all.map(\.name)
    #expect(Set(names).count == names.count && !names.isEmpty)
    #expect(names.allSatisfy { !$0.contains(" ") && !$0.contains("#") })
    #expect(Micro.all.compactMap(\.flatBeside).allSatisfy(names.contains))
  }

  private func report(_ counts: [String: Double], against thresholds: [String: Int]) -> CheckReport
  {
    CheckReport(
      counts: counts.sorted { $0.key < $1.key }.map { name, instructions in
        CheckReport.Count(
          name: name, work: "\(name) it", flatBeside: name == "many" ? "few" : nil,
          instructions: instructions)
      },
      thresholds: Thresholds(counts: thresholds))
  }
}
