import NightjarTestSupport
import Testing

@testable import NightjarCore

/// Recipes that make no sense are refused, with the part that is wrong and a sentence.
@Suite struct RecipeTests {
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
    var part: RecipeProblem.Part
    var reason: String
    var make: @Sendable () throws(RecipeProblem) -> Recipe

    init(
      _ part: RecipeProblem.Part, _ reason: String,
      _ make: @escaping @Sendable () throws(RecipeProblem) -> Recipe
    ) {
      (self.part, self.reason, self.make) = (part, reason, make)
    }
  }

  private static let policies: [Refused] = [
    Refused(.rounds, "rounds go from 1 to 1000000, or 0 for no end") { () throws(RecipeProblem) in
      try Recipe(kind: .sequence, rounds: 1_000_001, steps: work())
    },
    Refused(.rounds, "rounds go from 1 to 1000000, or 0 for no end") { () throws(RecipeProblem) in
      try Recipe(kind: .countdown, repeats: true, rounds: -1)
    },
    Refused(.late, "what a ring may be late by is from nothing to 100 years") {
      () throws(RecipeProblem) in
      try Recipe(kind: .countdown, late: .fireWithin(usec: -1))
    },
    Refused(.late, "what a ring may be late by is from nothing to 100 years") {
      () throws(RecipeProblem) in
      try Recipe(kind: .alarm, late: .fireWithin(usec: Engine.maximumDurationUsec + 1))
    },
    Refused(.kind, "a countdown does not repeat in that way") { () throws(RecipeProblem) in
      try Recipe(kind: .countdown, rounds: 2)
    },
    Refused(.kind, "a countdown does not repeat in that way") { () throws(RecipeProblem) in
      try Recipe(kind: .countdown, schedule: Schedule(expression: "daily", zone: ""))
    },
    Refused(.kind, "an alarm does not repeat in that way") { () throws(RecipeProblem) in
      try Recipe(kind: .alarm, repeats: true)
    },
    Refused(.kind, "an alarm does not repeat in that way") { () throws(RecipeProblem) in
      try Recipe(kind: .alarm, rounds: 2)
    },
    Refused(.kind, "a stopwatch does not repeat in that way") { () throws(RecipeProblem) in
      try Recipe(kind: .stopwatch, repeats: true)
    },
    Refused(.kind, "a sequence does not repeat in that way") { () throws(RecipeProblem) in
      try Recipe(kind: .sequence, repeats: true, steps: work())
    },
  ]

  private static let bandLists: [Refused] = [
    Refused(.bands, "a timer has at most 64 bands") { () throws(RecipeProblem) in
      try Recipe(kind: .countdown, bands: bands(65))
    },
    Refused(.bands, "a stopwatch has no end, so it has no bands") { () throws(RecipeProblem) in
      try Recipe(kind: .stopwatch, bands: [band()])
    },
    Refused(.bands, "a band has a name of 1 to 63 bytes without control characters") {
      () throws(RecipeProblem) in
      try Recipe(kind: .countdown, bands: [band("")])
    },
    Refused(.bands, "a band has a name of 1 to 63 bytes without control characters") {
      () throws(RecipeProblem) in
      try Recipe(kind: .countdown, bands: [band(String(repeating: "b", count: 64))])
    },
    Refused(.bands, "a band has a name of 1 to 63 bytes without control characters") {
      () throws(RecipeProblem) in
      try Recipe(kind: .countdown, bands: [band("a\u{85}b")])
    },
    Refused(.bands, "the band 'warn' begins with some time remaining, at most 100 years") {
      () throws(RecipeProblem) in
      try Recipe(kind: .countdown, bands: [band("warn", 0)])
    },
    Refused(.bands, "the band 'warn' begins with some time remaining, at most 100 years") {
      () throws(RecipeProblem) in
      try Recipe(kind: .countdown, bands: [band("warn", Engine.maximumDurationUsec + 1)])
    },
    Refused(
      .bands,
      "bands come in the order in which they begin: 'b' is not behind the one before it; write the "
        + "one with the most time remaining first"
    ) { () throws(RecipeProblem) in
      try Recipe(kind: .countdown, bands: [band("a"), band("b")])
    },
    Refused(.bands, "the band 'warn' has a colour of over 63 bytes or a text of over 255") {
      () throws(RecipeProblem) in
      var long = band()
      long.text = String(repeating: "t", count: 256)
      return try Recipe(kind: .countdown, bands: [long])
    },
    Refused(.bands, "the band 'warn' has a colour of over 63 bytes or a text of over 255") {
      () throws(RecipeProblem) in
      var long = band()
      long.color = String(repeating: "c", count: 64)
      return try Recipe(kind: .countdown, bands: [long])
    },
    Refused(.bands, "the progress of the band 'warn' goes from 0 to 1") {
      () throws(RecipeProblem) in
      var wide = band()
      wide.progress = ProgressRange(from: 0, to: 1_000_001)
      return try Recipe(kind: .countdown, bands: [wide])
    },
  ]

  private static let stepLists: [Refused] = [
    Refused(.steps, "only a sequence has steps") { () throws(RecipeProblem) in
      try Recipe(kind: .countdown, steps: work())
    },
    Refused(.steps, "only a sequence has steps") { () throws(RecipeProblem) in
      try Recipe(kind: .alarm, afterSleep: .pause)
    },
    Refused(.steps, "a sequence has at least one step and at most 64") {
      () throws(RecipeProblem) in
      try Recipe(kind: .sequence)
    },
    Refused(.steps, "a sequence has at least one step and at most 64") {
      () throws(RecipeProblem) in
      try Recipe(kind: .sequence, steps: Array(repeating: work()[0], count: 65))
    },
    Refused(.steps, "a step has a name of 1 to 63 bytes without control characters") {
      () throws(RecipeProblem) in
      try Recipe(kind: .sequence, steps: [Step(name: "a\nb", durationUsec: second)])
    },
    Refused(.steps, "the step 'work' takes from 100 ms to 100 years") { () throws(RecipeProblem) in
      try Recipe(kind: .sequence, steps: work(99_999))
    },
    Refused(.steps, "the step 'work' takes from 100 ms to 100 years") { () throws(RecipeProblem) in
      try Recipe(
        kind: .sequence, steps: work(long: Engine.maximumDurationUsec + 1), longEvery: 2)
    },
    Refused(
      .longEvery,
      "a long step takes both its length and in every how many rounds it comes, at most 100"
    ) {
      () throws(RecipeProblem) in
      try Recipe(kind: .sequence, steps: work(long: second))
    },
    Refused(
      .longEvery,
      "a long step takes both its length and in every how many rounds it comes, at most 100"
    ) {
      () throws(RecipeProblem) in
      try Recipe(kind: .sequence, steps: work(), longEvery: 4)
    },
  ]

  @Test("what makes no sense is refused with its part and a sentence")
  func refused() {
    for refused in Self.policies + Self.bandLists + Self.stepLists {
      do throws(RecipeProblem) {
        let recipe = try refused.make()
        Issue.record("\(recipe.kind) was taken, though \(refused.reason)")
      } catch {
        #expect(error == RecipeProblem(refused.part, refused.reason))
      }
    }
  }

  @Test("what is at a limit is taken")
  func atTheLimit() throws {
    var full = Self.band(String(repeating: "b", count: 63), Engine.maximumDurationUsec)
    full.color = String(repeating: "c", count: 63)
    full.text = String(repeating: "t", count: 255)
    full.progress = ProgressRange(from: 1_000_000, to: 0)
    _ = try Recipe(kind: .countdown, bands: [full] + Self.bands(63))
    _ = try Recipe(
      kind: .sequence, late: .fireWithin(usec: Engine.maximumDurationUsec), rounds: 1_000_000,
      steps: Array(repeating: Self.work(100_000, long: Engine.maximumDurationUsec)[0], count: 64),
      longEvery: 100)
  }

  @Test("what repeats takes at least a tenth of a second from one time to the next")
  func shortest() throws {
    let stage = Stage()
    let recipe = try Recipe(kind: .countdown, repeats: true)
    let reason = "what repeats takes at least 100 ms from one time to the next"
    #expect(throws: EngineError.problem(RecipeProblem(.rounds, reason))) {
      try stage.start("tick", recipe, usec: 99_999)
    }
    _ = try stage.start("tick", recipe, usec: 100_000)
  }

  @Test("other bands that make no sense are refused, and change nothing")
  func updated() throws {
    let stage = Stage()
    let slot = try stage.start("run", Recipe(kind: .stopwatch))
    let before = stage.engine.stored(slot)
    let reason = "a stopwatch has no end, so it has no bands"
    #expect(throws: EngineError.problem(RecipeProblem(.bands, reason))) {
      try stage.engine.update(slot, bands: [Self.band()], at: stage.now)
    }
    #expect(stage.engine.stored(slot) == before)
  }

  @Test("equal recipes are one, however many timers have them, and gone with the last")
  func shared() throws {
    let stage = Stage()
    for index in 0..<10 {
      let recipe = try Recipe(kind: .countdown, bands: [Self.band("warn", 1 + Int64(index % 2))])
      _ = try stage.start("t\(index)", recipe, usec: hour)
    }
    #expect(stage.engine.table.recipeCount == 2)
    for index in 0..<10 {
      try stage.engine.remove(stage.engine.require("t\(index)"), at: stage.now)
    }
    #expect(stage.engine.table.recipeCount == 0)
  }
}
