import NightjarModel
import Testing

/// What scripts cannot say: a full disk, a wrong clock, and what other faces ask.
@Suite struct RingModelTests {
  private static let second: Int64 = 1_000_000
  private static let minute = 60 * second
  private static let hour = 60 * minute

  private static func play(_ text: String) -> RingModelStage {
    let script = RingScript(text)
    let stage = RingModelStage(startUsec: script.startUsec)
    _ = script.play(on: stage)
    return stage
  }

  private static func timer(_ stage: RingModelStage, _ name: String) throws -> ModelTimer {
    try #require(stage.model.world.timers.all.first { $0.name == name })
  }

  /// Rule 14.
  @Test(arguments: [
    ("10:00, start tea 4min, wait 5min, snooze tea 5min, wait 1min", 4 * minute),
    ("10:00, start tea 4min, wait 6min", 0),
    ("10:00, start tea 10min --repeat, wait 11min, snooze tea 5min", 9 * minute),
  ])
  func `What remains of a timer that is over is its snooze's`(script: String, usec: Int64) throws {
    let stage = Self.play(script)
    #expect(
      stage.model.world.timers.shownRemaining(try Self.timer(stage, "tea")) == usec)
  }

  /// Numbers go back neither with undo nor with a restart.
  @Test func `The numbers of expiries only grow`() throws {
    let stage = Self.play(
      "10:00, start r 10min --repeat, wait 11min, skip r, undo, restart r, wait 10min")
    #expect(try Self.timer(stage, "r").lastNumber == 3)
    #expect(try Self.timer(stage, "r").ring?.number == 3)
  }

  /// Issue 46, item 7.
  @Test func `A failed commit does not empty the history of undo`() throws {
    let stage = Self.play("10:00, start tea 10min, user 7, pause tea")
    stage.model.runIteration(settles: false) {
      stage.model.person = 8
      #expect(stage.model.perform(.dismiss, "tea") != nil)
      #expect(stage.model.perform(.remove, "tea") == nil)
      stage.model.person = nil
    }
    #expect(stage.model.fail())
    #expect(try Self.timer(stage, "tea").state == .paused)
    stage.model.runIteration(settles: false) { #expect(stage.model.undo() == nil) }
    #expect(try Self.timer(stage, "tea").state == .running)
  }

  /// A ring that nobody requested survives a failed commit.
  @Test func `A failed commit loses an answer and keeps the ring`() throws {
    let stage = Self.play("10:00, start r 10min --repeat, wait 601s")
    stage.model.runIteration(settles: false) {
      #expect(stage.model.perform(.dismiss, "r") == nil)
    }
    #expect(try Self.timer(stage, "r").ring == nil)
    #expect(stage.model.fail())
    #expect(try Self.timer(stage, "r").ring?.number == 1)
  }

  /// The script of section 8.
  @Test func `A snooze over two reboots with a wrong clock is right after the correction`() throws {
    let stage = Self.play("10:00, start tea 1min, wait 2min, snooze tea 8h")
    let model = stage.model
    for error in [2 * Self.hour, -2 * Self.hour] {
      model.runIteration(settles: true) { model.enter(.down) }
      model.crash(underwayIsDurable: true)
      model.clocks.pass(
        .rebooted(offUsec: 30 * Self.second, uptimeUsec: 30 * Self.second, errorUsec: error))
      model.boot(downSince: nil, synchronized: false, settles: true)
    }
    model.runIteration(settles: true) { model.note(synchronized: true) }
    let timer = try Self.timer(stage, "tea")
    #expect(timer.ringWord == "snoozed")
    #expect(model.world.timers.snoozeLeft(timer) == 8 * Self.hour - 2 * Self.minute)
  }

  /// A reboot of 20 s, after which the clock is two hours ahead.
  private static func rebootAhead(_ model: RingModel) {
    model.runIteration(settles: true) { model.enter(.down) }
    model.crash(underwayIsDurable: true)
    model.clocks.pass(
      .rebooted(offUsec: 10 * second, uptimeUsec: 10 * second, errorUsec: 2 * hour))
    model.boot(downSince: nil, synchronized: false, settles: true)
  }

  /// Section 8: what is due only by a clock in doubt waits for at most a minute.
  @Test func `A snooze that is over by a clock in doubt waits for a right one`() throws {
    let stage = Self.play("10:00, start tea 1min, wait 2min, snooze tea 1h")
    let model = stage.model
    Self.rebootAhead(model)
    model.advance(usec: 30 * Self.second, settles: true)
    #expect(try Self.timer(stage, "tea").ringWord == "snoozed")
    model.clocks.pass(.stepped(-2 * Self.hour))
    model.runIteration(settles: true)
    model.runIteration(settles: true) { model.note(synchronized: true) }
    let timer = try Self.timer(stage, "tea")
    #expect(model.world.timers.snoozeLeft(timer) == Self.hour - 50 * Self.second)
  }

  /// Section 8: it was due when it was, whatever the clock shows now.
  @Test func `What rang by a wrong wall clock keeps its due time when the clock is set`() throws {
    let stage = Self.play("10:00, start w 1h --clock wall")
    let model = stage.model
    Self.rebootAhead(model)
    model.advance(usec: 2 * Self.minute, settles: true)
    let due = RingScript.mondayUsec + 11 * Self.hour
    let rang = try #require(try Self.timer(stage, "w").ring)
    #expect(rang.newest.dueUsec == due && rang.newest.isEstimated)
    model.clocks.pass(.stepped(-2 * Self.hour))
    model.runIteration(settles: true)
    let ring = try #require(try Self.timer(stage, "w").ring)
    #expect(ring.newest.dueUsec == due && ring.sound.atUsec - ring.sound.lateUsec == due)
    #expect(ring.newest.lateUsec == rang.newest.lateUsec - 2 * Self.hour)
  }

  /// `Limits.joined`: the count of the ring is not affected.
  @Test func `A ring remembers the last 64 expiries that can leave it`() throws {
    let stage = Self.play("10:00, start r 1s --repeat, wait 2s, snooze r 5min, wait 100s")
    let ring = try #require(try Self.timer(stage, "r").ring)
    #expect(ring.expiries == 102)
    #expect(ring.joined.map(\.number) == Array(39...102))
  }

  /// The first of a thousand stands for those before it.
  @Test func `At most a thousand expiries of a span ring each`() {
    let stage = Self.play("10:00, start r 1s --repeat --missed each")
    #expect(stage.perform(.hide(.sleep, usec: 1100 * Self.second)))
    let notes = stage.takeNotes()
    #expect(notes.count == 1000)
    #expect(notes.allSatisfy { $0.kind == .rings })
    #expect(notes.map(\.missed).reduce(0, +) == 100)
    #expect(notes.first?.missed == 100)
    #expect(notes.last?.expiries == 1000)
  }
}
