import NightjarConfig
import NightjarEngine
import NightjarInterface
import NightjarLedger
import NightjarModel
import NightjarSimulation
import NightjarSystem
import NightjarTestSupport
import Testing

@testable import NightjarDesktop

/// The texts of popups, and how their sounds are played.
@Suite struct PopupTextTests {
  private let machine = SimulatedMachine()

  init() throws { try machine.boot() }

  private func start(
    _ name: String = "tea", usec: Int64, spec: SharedSpec? = nil
  ) throws -> Int {
    let engine = try #require(machine.core).engine
    let now = machine.clocks.now
    let slot = try engine.start(name, durationUsec: usec, clock: .elapsed, spec: spec, at: now).slot
    try machine.runIteration()
    return slot
  }

  private func notice(
    _ slot: Int, message: String = "", band: Band? = nil, isUnanswered: Bool = false
  ) throws -> Notice {
    let view = try #require(machine.core).engine.view(slot, at: machine.clocks.now)
    return PopupText(
      name: "tea", message: message, band: band, view: view, isUnanswered: isUnanswered,
      snoozeUsec: 420 * second, wallTime: { _ in "21:40" }
    ).notice(sound: .none)
  }

  private static let buttons = ["Dismiss", "Snooze 7 min", "Restart", "Dismiss"]

  @Test(
    arguments: [
      (1_000, "After 1 ms."), (1_000_001, "After 1 s."), (300_001, "After 0.3 s."),
      (240_000_000, "After 4 min."),
    ] as [(Int64, String)])
  func `A countdown says how long it was, rounded`(usec: Int64, body: String) throws {
    let slot = try start(usec: usec)
    try machine.advance(usec: usec)
    let plain = try notice(slot)
    #expect(plain.summary == "tea" && plain.body == body && plain.icon == "appointment-soon")
    #expect(plain.actions.map(\.label) == Self.buttons && plain.urgency == .critical)
    // The message is the title, and the name is below it.
    let told = try notice(slot, message: "Pour it", isUnanswered: true)
    #expect(told.summary == "Pour it" && told.body == "tea\nMissed: not answered.\n\(body)")
    try machine.advance(usec: 2 * hour)
    #expect(try notice(slot).body == "\(body)\nRang 2 h ago.")
  }

  @Test func `A ring after a sleep says how late it is and why`() throws {
    let slot = try start(usec: 60 * second)
    _ = try machine.sleep(usec: hour)
    let late = try notice(slot)
    #expect(late.body.hasPrefix("After 1 min.\n59 min late") && late.body.contains("slept"))
    #expect(late.icon == "appointment-missed")
  }

  @Test func `A repeating timer says when it rings again, and how often it has expired`() throws {
    let slot = try start(
      usec: 60 * second, spec: try SharedSpec(kind: .countdown, repeats: true, rounds: 0))
    try machine.advance(usec: 60 * second)
    let first = try notice(slot)
    // The timer continues by itself: only the ring can be dismissed.
    #expect(first.body == "Again in 1 min.")
    #expect(first.actions.map(\.label) == ["Dismiss", "Snooze 7 min", "Dismiss"])
    try machine.advance(usec: 60 * second)
    #expect(try notice(slot).body == "Again in 1 min.\n2 expiries since 21:40.")
  }

  @Test func `A sequence says what is over, and what its button begins`() throws {
    let steps = [
      Step(name: "work", durationUsec: 60 * second, waits: true),
      Step(name: "rest", durationUsec: 300 * second),
    ]
    let slot = try start(usec: 0, spec: try SharedSpec(kind: .sequence, rounds: 1, steps: steps))
    try machine.advance(usec: 60 * second)
    let waits = try notice(slot)
    #expect(waits.body == "work is over; rest waits, 5 min.")
    #expect(waits.actions.map(\.key) == ["default", "advance", "snooze"])
    #expect(waits.actions.map(\.label) == ["Start rest", "Start rest", "Snooze 7 min"])
    let engine = try #require(machine.core).engine
    try engine.advance(slot, at: machine.clocks.now)
    try machine.runIteration()
    #expect(try notice(slot).body.hasPrefix("work is over; rest has begun, 5 min."))
    try machine.advance(usec: 300 * second)
    #expect(try notice(slot).body.hasPrefix("rest is over, and was the last."))
  }

  @Test func `A band says what is left, and is no ring`() throws {
    let slot = try start(usec: 60 * second)
    let band = try notice(slot, band: Band(name: "b", remainingUsec: second, text: "Hurry"))
    #expect(band.summary == "Hurry" && band.body == "tea: 1 min left." && band.isTransient)
    #expect(band.actions.isEmpty && band.category == "x-nightjar.band")
  }

  // MARK: Sounds

  @Test func `Each player gets the file, and the loudness that it can apply`() {
    #expect(Player.pipeWire.arguments("/b", gain: 0.25) == ["--volume=0.25", "/b"])
    #expect(Player.pulseAudio.arguments("/b", gain: 0.5) == ["--volume=52015", "/b"])
    #expect(Player.alsa.arguments("/b", gain: 0.25) == ["-q", "/b"])
    for player in Player.allCases {
      #expect(player.arguments("/b").last == "/b")
      // aplay would play a file of another kind as noise.
      #expect(player.plays(isWave: true) && player.plays(isWave: false) == (player != .alsa))
    }
  }

  @Test func `A timer's own ring takes precedence over the configuration, part by part`() throws {
    let text =
      "[daemon]\nring_for = { alarm = \"2min\", countdown = 0 }\nvolume = 50\nrising = \"7s\"\n"
    let file = try ConfigFile(path: "c", bytes: Array(text.utf8))
    var (table, settings) = (file.table(.daemon), DesktopSettings())
    try settings.read(&table)
    func course(
      _ kind: TimerKind, _ change: (inout Wire.RingState) -> Void = { _ in }
    ) -> RingCourse {
      var ring = Wire.RingState()
      change(&ring)
      return RingCourse(ring, of: kind, settings.rings)
    }
    let alarm = course(.alarm)
    #expect(alarm.forUsec == 120 * second && alarm.repeats && alarm.disturbs)
    #expect(alarm.loudness == Loudness(volume: 50, risingUsec: 7 * second))
    // A sound that is played once does not rise.
    let tea = course(.countdown)
    #expect(!tea.repeats && !tea.disturbs && tea.loudness.risingUsec == 0)
    let own = course(.countdown) {
      ($0.ringForUsec, $0.volume, $0.risingUsec, $0.disturb) = (5, 100, 3, true)
    }
    #expect(
      own.forUsec == 5 && own.disturbs && own.loudness == Loudness(volume: 100, risingUsec: 3))
    #expect(course(.alarm) { $0.disturb = false }.disturbs == false)
  }
}
