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

  private struct Refused: Sendable {
    var part: SpecProblem.Part
    var reason: String
    var make: @Sendable () throws(SpecProblem) -> SharedSpec

    init(
      _ part: SpecProblem.Part, _ reason: String,
      _ make: @escaping @Sendable () throws(SpecProblem) -> SharedSpec
    ) {
      (self.part, self.reason, self.make) = (part, reason, make)
    }
  }

  private static let policies: [Refused] = [
    Refused(.rounds, "'rounds' must be from 1 to 1000000, or 0 for no end, not 1000001") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .sequence, rounds: 1_000_001, steps: work())
    },
    Refused(.rounds, "'rounds' must be from 1 to 1000000, or 0 for no end, not -1") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, repeats: true, rounds: -1)
    },
    Refused(.late, "the late limit must be from 0 to 100 years") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, late: .fireWithin(usec: -1))
    },
    Refused(.late, "the late limit must be from 0 to 100 years") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .alarm, late: .fireWithin(usec: Limits.durationUsec + 1))
    },
    Refused(.kind, "a countdown does not repeat in that way") { () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, rounds: 2)
    },
    Refused(.kind, "a countdown does not repeat in that way") { () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, schedule: Schedule(expression: "daily", zone: ""))
    },
    Refused(.kind, "an alarm does not repeat in that way") { () throws(SpecProblem) in
      try SharedSpec(kind: .alarm, repeats: true)
    },
    Refused(.kind, "an alarm does not repeat in that way") { () throws(SpecProblem) in
      try SharedSpec(kind: .alarm, rounds: 2)
    },
    Refused(.kind, "a stopwatch does not repeat in that way") { () throws(SpecProblem) in
      try SharedSpec(kind: .stopwatch, repeats: true)
    },
    Refused(.kind, "a sequence does not repeat in that way") { () throws(SpecProblem) in
      try SharedSpec(kind: .sequence, repeats: true, steps: work())
    },
  ]

  private static let bandLists: [Refused] = [
    Refused(.bands, "a timer can have at most 64 bands") { () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, bands: bands(65))
    },
    Refused(.bands, "a stopwatch has no end, so it cannot have bands") { () throws(SpecProblem) in
      try SharedSpec(kind: .stopwatch, bands: [band()])
    },
    Refused(.bands, "a band must have a name of 1 to 63 bytes without control characters") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, bands: [band("")])
    },
    Refused(.bands, "a band must have a name of 1 to 63 bytes without control characters") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, bands: [band(String(repeating: "b", count: 64))])
    },
    Refused(.bands, "a band must have a name of 1 to 63 bytes without control characters") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, bands: [band("a\u{85}b")])
    },
    Refused(
      .bands, "the band 'warn' must begin at a remaining time of more than 0 and at most 100 years"
    ) { () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, bands: [band("warn", 0)])
    },
    Refused(
      .bands, "the band 'warn' must begin at a remaining time of more than 0 and at most 100 years"
    ) { () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, bands: [band("warn", Limits.durationUsec + 1)])
    },
    Refused(
      .bands,
      "the band 'b' must have less remaining time than the band before it; write the band with the "
        + "most remaining time first"
    ) { () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, bands: [band("a"), band("b")])
    },
    Refused(.bands, "the band 'warn' has a colour of over 63 bytes or a text of over 255") {
      () throws(SpecProblem) in
      var long = band()
      long.text = String(repeating: "t", count: 256)
      return try SharedSpec(kind: .countdown, bands: [long])
    },
    Refused(.bands, "the band 'warn' has a colour of over 63 bytes or a text of over 255") {
      () throws(SpecProblem) in
      var long = band()
      long.color = String(repeating: "c", count: 64)
      return try SharedSpec(kind: .countdown, bands: [long])
    },
    Refused(.bands, "the progress of the band 'warn' must be from 0 to 1") {
      () throws(SpecProblem) in
      var wide = band()
      wide.progress = ProgressRange(from: 0, to: 1_000_001)
      return try SharedSpec(kind: .countdown, bands: [wide])
    },
  ]

  private static let stepLists: [Refused] = [
    Refused(.steps, "only a sequence can have steps") { () throws(SpecProblem) in
      try SharedSpec(kind: .countdown, steps: work())
    },
    Refused(.steps, "only a sequence can have steps") { () throws(SpecProblem) in
      try SharedSpec(kind: .alarm, afterSleep: .pause)
    },
    Refused(.steps, "a sequence must have at least one step and at most 64") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .sequence)
    },
    Refused(.steps, "a sequence must have at least one step and at most 64") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .sequence, steps: Array(repeating: work()[0], count: 65))
    },
    Refused(.steps, "a step must have a name of 1 to 63 bytes without control characters") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .sequence, steps: [Step(name: "a\nb", durationUsec: second)])
    },
    Refused(.steps, "the step 'work' must take from 100 ms to 100 years") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .sequence, steps: work(99_999))
    },
    Refused(.steps, "the step 'work' must take from 100 ms to 100 years") {
      () throws(SpecProblem) in
      try SharedSpec(kind: .sequence, steps: work(long: Limits.durationUsec + 1), longEvery: 2)
    },
    Refused(
      .longEvery,
      "a long step needs its length and how often it comes: every 1 to 100 rounds"
    ) {
      () throws(SpecProblem) in
      try SharedSpec(kind: .sequence, steps: work(long: second))
    },
    Refused(
      .longEvery,
      "a long step needs its length and how often it comes: every 1 to 100 rounds"
    ) {
      () throws(SpecProblem) in
      try SharedSpec(kind: .sequence, steps: work(), longEvery: 4)
    },
  ]

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

  @Test func `An invalid specification is refused with its part and a sentence`() {
    for refused in Self.policies + Self.bandLists + Self.stepLists {
      do throws(SpecProblem) {
        let spec = try refused.make()
        Issue.record("\(spec.kind) was taken, though \(refused.reason)")
      } catch {
        #expect(error.part == refused.part && error.reason == refused.reason)
      }
    }
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
