import NightjarModel
import NightjarTestSupport
import Testing

/// Invalid specifications are refused, with the part that is wrong and a sentence.
@Suite struct SpecTests {
  private static func work(_ usec: Int64 = 60 * second, long: Int64? = nil) -> [Step] {
    [Step(name: "work", durationUsec: usec, longUsec: long)]
  }

  private static func band(_ name: String = "warn", _ usec: Int64 = second) -> Band {
    Band(name: name, remainingUsec: usec)
  }

  private static func bands(_ count: Int) -> [Band] {
    (0..<count).map { band("b\($0)", Int64(count - $0)) }
  }

  /// What a countdown, or another kind, must not have.
  struct Refused: Sendable, CustomTestStringConvertible {
    let part: SpecProblem.Part
    let reason: String
    let spec: TimerSpec.Shared

    init(
      _ part: SpecProblem.Part, _ reason: String, _ kind: TimerKind = .countdown,
      _ change: (inout TimerSpec.Shared) -> Void
    ) {
      var spec = TimerSpec.Shared.plain
      spec.kind = kind
      if kind == .sequence { spec.steps = work() }
      change(&spec)
      (self.part, self.reason, self.spec) = (part, reason, spec)
    }

    var testDescription: String { "\(spec.kind): \(reason)" }
  }

  private static let late = "the late limit must be from 0 to 100 years"
  private static let rounds = "'rounds' must be from 1 to 1000000, or 0 for no end, not"

  private static let policies = [
    Refused(.rounds, "\(rounds) 1000001", .sequence) { $0.rounds = 1_000_001 },
    Refused(.rounds, "\(rounds) -1") { ($0.repeats, $0.rounds) = (true, -1) },
    Refused(.late, late) { $0.late = .fireWithin(usec: -1) },
    Refused(.late, late, .alarm) { $0.late = .fireWithin(usec: Limits.durationUsec + 1) },
    Refused(.kind, "a countdown does not repeat in that way") { $0.rounds = 2 },
    Refused(.kind, "a countdown does not repeat in that way") {
      $0.schedule = Schedule(expression: "daily", zone: "")
    },
    Refused(.kind, "an alarm does not repeat in that way", .alarm) { $0.repeats = true },
    Refused(.kind, "an alarm does not repeat in that way", .alarm) { $0.rounds = 2 },
    Refused(.kind, "a stopwatch does not repeat in that way", .stopwatch) { $0.repeats = true },
    Refused(.kind, "a sequence does not repeat in that way", .sequence) { $0.repeats = true },
  ]

  private static let bandName =
    "a band must have a name of 1 to 63 bytes without control characters"
  private static let bandTime =
    "the band 'warn' must begin at a remaining time of more than 0 and at most 100 years"
  private static let bandWords =
    "the band 'warn' has a colour of over 63 bytes or a text of over 255"

  private static let bandLists = [
    Refused(.bands, "a timer can have at most 64 bands") { $0.bands = bands(65) },
    Refused(.bands, "a stopwatch has no end, so it cannot have bands", .stopwatch) {
      $0.bands = [band()]
    },
    Refused(.bands, bandName) { $0.bands = [band("")] },
    Refused(.bands, bandName) { $0.bands = [band(String(repeating: "b", count: 64))] },
    Refused(.bands, bandName) { $0.bands = [band("a\u{85}b")] },
    Refused(.bands, bandTime) { $0.bands = [band("warn", 0)] },
    Refused(.bands, bandTime) { $0.bands = [band("warn", Limits.durationUsec + 1)] },
    Refused(
      .bands,
      "the band 'b' must have less remaining time than the band before it; write the band with the "
        + "most remaining time first"
    ) { $0.bands = [band("a"), band("b")] },
    Refused(.bands, bandWords) {
      $0.bands = [band()]
      $0.bands[0].text = String(repeating: "t", count: 256)
    },
    Refused(.bands, bandWords) {
      $0.bands = [band()]
      $0.bands[0].color = String(repeating: "c", count: 64)
    },
    Refused(.bands, "the progress of the band 'warn' must be from 0 to 1") {
      $0.bands = [band()]
      $0.bands[0].progress = ProgressRange(from: 0, to: 1_000_001)
    },
  ]

  private static let stepCount = "a sequence must have at least one step and at most 64"
  private static let stepTime = "the step 'work' must take from 100 ms to 100 years"
  private static let longStep =
    "a long step needs its length and how often it comes: every 1 to 100 rounds"

  private static let stepLists = [
    Refused(.steps, "only a sequence can have steps") { $0.steps = work() },
    Refused(.steps, "only a sequence can have steps", .alarm) { $0.afterSleep = .pause },
    Refused(.steps, stepCount, .sequence) { $0.steps = [] },
    Refused(.steps, stepCount, .sequence) { $0.steps = Array(repeating: work()[0], count: 65) },
    Refused(
      .steps, "a step must have a name of 1 to 63 bytes without control characters", .sequence
    ) { $0.steps = [Step(name: "a\nb", durationUsec: second)] },
    Refused(.steps, stepTime, .sequence) { $0.steps = work(99_999) },
    Refused(.steps, stepTime, .sequence) {
      ($0.steps, $0.longEvery) = (work(long: Limits.durationUsec + 1), 2)
    },
    Refused(.longEvery, longStep, .sequence) { $0.steps = work(long: second) },
    Refused(.longEvery, longStep, .sequence) { $0.longEvery = 4 },
  ]

  @Test(arguments: policies + bandLists + stepLists)
  func `An invalid specification is refused with its part and a sentence`(_ refused: Refused) {
    #expect {
      try refused.spec.check()
    } throws: { error in
      let problem = error as? SpecProblem
      return problem?.part == refused.part && problem?.reason == refused.reason
    }
  }

  @Test func `Data nests up to its limit, and brackets in a string are no levels`() {
    func problem(_ data: String) -> SpecProblem.Limit? {
      var spec = TimerSpec.plain
      spec.attachments.data = Array(data.utf8)
      return spec.problem?.limit
    }
    func nested(_ depth: Int) -> String {
      "{\"a\":" + String(repeating: "[", count: depth - 1)
        + String(repeating: "]", count: depth - 1) + "}"
    }
    #expect(problem(nested(Limits.dataDepth)) == nil)
    #expect(problem(nested(Limits.dataDepth + 1))?.name == "data_depth")
    let brackets = String(repeating: "[{", count: Limits.dataDepth)
    #expect(problem("{\"a\":\"\(brackets)\",\"b\":\"\\\"\(brackets)\"}") == nil)
  }

  @Test func `A timer on a clock that stops during sleep cannot wake the machine`() {
    var spec = TimerSpec.plain
    (spec.durationUsec, spec.clock, spec.wakes) = (second, .awake, true)
    #expect(spec.problem?.part == .wake)
    spec.clock = .elapsed
    #expect(spec.problem == nil)
  }

  @Test func `A value at its limit is accepted`() throws {
    var full = Self.band(String(repeating: "b", count: 63), Limits.durationUsec)
    full.color = String(repeating: "c", count: 63)
    full.text = String(repeating: "t", count: 255)
    full.progress = ProgressRange(from: 1_000_000, to: 0)
    _ = try SharedSpec(kind: .countdown, bands: [full] + Self.bands(63))
    _ = try SharedSpec(
      kind: .sequence, late: .fireWithin(usec: Limits.durationUsec), rounds: 1_000_000,
      steps: Array(repeating: Self.work(100_000, long: Limits.durationUsec)[0], count: 64),
      longEvery: 100)
  }
}
