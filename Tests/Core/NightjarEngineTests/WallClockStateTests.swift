import NightjarModel
import Testing

@testable import NightjarEngine

/// How the true time of several reboots is divided among them, in examples.
@Suite struct WallClockStateTests {
  private var clocks = TestClocks()
  private var clock = WallClockState()
  /// The reading of `elapsed`, uncorrected.
  private var elapsedUsec: Int64 = 0
  private var seq: Int64 = 100

  init() { _ = clock.synchronize(at: clocks.now, elapsedUsec: 0) }

  private mutating func run(_ usec: Int64) {
    clocks.run(usec)
    elapsedUsec += usec
  }

  private mutating func step(_ usec: Int64) {
    clocks.step(usec)
    clock.note(step: usec, at: clocks.now, elapsedUsec: elapsedUsec)
  }

  /// A boot a minute ago, after the machine was off for `off`. Returns the number of its event.
  @discardableResult private mutating func reboot(off: Int64, error: Int64 = 0) -> Int64 {
    let before = Anchor(moment: clocks.now, elapsedUsec: elapsedUsec)
    clocks.reboot(off: off, uptime: minute, error: error)
    seq += 1
    var span = Span(id: seq, causes: [.reboot], entered: before.moment)
    span.left = clocks.now
    var reboot = UncertainReboot(
      span: span, wallUsec: clocks.now.realtimeUsec - before.moment.realtimeUsec,
      uptimeUsec: minute)
    elapsedUsec += reboot.advancedUsec
    reboot.leftElapsedUsec = elapsedUsec
    clock.note(reboot, since: before)
    clock.note(left: seq, seq: seq)
    return seq
  }

  /// The network corrects the clock, which is wrong by `error`, and it is synchronised.
  private mutating func synchronize(error: Int64) -> [Int64: Int64] {
    step(-error)
    let corrections = clock.synchronize(at: clocks.now, elapsedUsec: elapsedUsec)
    return Dictionary(corrections.map { ($0.sinceSeq, $0.byUsec) }, uniquingKeysWith: +)
  }

  @Test mutating func `The later of two reboots counts what its clock showed, less the steps`() {
    let first = reboot(off: 2 * hour, error: hour)
    let later = reboot(off: 3 * hour)
    // An hour too much was counted. The last step is an hour as well, so no difference of the clock
    // is used.
    #expect(synchronize(error: hour) == [first: 2 * hour, later: -3 * hour])
  }

  @Test mutating func `Steps of a minute in total leave the differences of the clock usable`() {
    step(10 * second)
    step(-10 * second)
    let first = reboot(off: 2 * hour, error: -40 * second)
    let later = reboot(off: 3 * hour)
    // The later reboot took what its clock showed, less the time that may have been a step.
    #expect(synchronize(error: -40 * second) == [first: 100 * second, later: -60 * second])
  }

  @Test mutating func `Steps of more than a minute in total make them unusable`() {
    step(10 * second + 1)
    step(-10 * second - 1)
    let first = reboot(off: 2 * hour, error: -40 * second)
    let later = reboot(off: 3 * hour)
    #expect(synchronize(error: -40 * second) == [first: 3 * hour + 40 * second, later: -3 * hour])
  }

  @Test
  mutating func `An instant is certain when even the shortest possible reboots have reached it`() {
    let base = clocks.now.realtimeUsec
    #expect(clock.certainElapsed(ofWall: base + hour) == nil)
    reboot(off: 2 * hour, error: hour)
    // Of the three hours and a minute that were counted, only the minute is certain.
    #expect(clock.certainElapsed(ofWall: base + hour) == 4 * hour)
  }

  @Test mutating func `Merged reboots move together what was set before the first of them`() {
    let first = reboot(off: hour, error: hour)
    for _ in 0..<20 { reboot(off: hour) }
    #expect(clock.reboots.count == WallClockState.mostReboots)
    #expect(clock.reboots[0].leftSeq == first)
    #expect(clock.reboots[0].lastLeftSeq == first + 5)
    let corrections = synchronize(error: hour)
    #expect(corrections.values.reduce(0, +) == -hour)
    // The deadlines set before all of the reboots are right.
    #expect(corrections.keys.min() == first)
  }
}
