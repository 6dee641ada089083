import NightjarClient
import NightjarTime
import Testing

@testable import nightjar

private let hour = LedgerScript.hour

@Suite struct MachineClockTests {
  private static let base = 1_800_000_000 * LedgerScript.second

  private static func clock(range: Range<Int64> = LocalDays.always) -> MachineClock {
    MachineClock(wallUsec: base, days: LocalDays(zone: .utc, range: range))
  }

  private static func span(
    _ causes: [String], from: Int64, to: Int64?, elapsedUsec: Int64 = 0
  ) throws -> BackgroundSpan {
    try BackgroundSpan(
      LedgerScript.span(
        causes, from: base + from, to: to.map { base + $0 }, elapsedUsec: elapsedUsec)
    )
  }

  @Test("Both counters go on with the wall clock, and not with its steps")
  func steps() {
    var clock = Self.clock()
    clock.advance(to: Self.base + 5 * hour)
    clock.step(byUsec: 100 * hour, to: Self.base + 106 * hour)
    clock.step(byUsec: -200 * hour, to: Self.base - 93 * hour)
    #expect(clock.elapsedUsec == Self.base + 7 * hour)
    #expect(clock.awakeUsec == Self.base + 7 * hour)
    // A time that lies before the last says nothing, and what comes then is right again.
    clock.advance(to: Self.base - 95 * hour)
    #expect(clock.elapsedUsec == Self.base + 7 * hour)
    clock.advance(to: Self.base - 92 * hour)
    #expect(clock.elapsedUsec == Self.base + 8 * hour)
  }

  @Test(
    "A span is as long as it says, whatever the wall clock shows then; awake counts what was down",
    arguments: [
      (["sleep"], false), (["stop"], false), (["freeze"], false), (["reboot"], false),
      (["down"], true), (["down", "sleep"], false),
    ])
  func spans(_ causes: [String], _ isCounted: Bool) throws {
    var clock = Self.clock()
    clock.enter(try Self.span(causes, from: hour, to: nil), at: Self.base + hour)
    // The clock is set by a day while it lasts.
    clock.step(byUsec: 24 * hour, to: Self.base + 28 * hour)
    clock.leave(try Self.span(causes, from: hour, to: 29 * hour, elapsedUsec: 4 * hour), seq: 1)
    #expect(clock.elapsedUsec == Self.base + 5 * hour)
    #expect(clock.awakeUsec == Self.base + (isCounted ? 5 : 1) * hour)
    #expect(clock.last?.enteredUsec == Self.base + hour)
    clock.advance(to: Self.base + 30 * hour)
    #expect(clock.elapsedUsec == Self.base + 6 * hour)
    #expect(clock.awakeUsec == Self.base + (isCounted ? 6 : 2) * hour)
  }

  @Test("A span that was down and turns out to be a reboot did not count on awake")
  func rebooted() throws {
    var clock = Self.clock()
    clock.enter(try Self.span(["down"], from: hour, to: nil), at: Self.base + hour)
    clock.leave(try Self.span(["reboot"], from: hour, to: 3 * hour, elapsedUsec: 2 * hour), seq: 1)
    #expect(clock.elapsedUsec == Self.base + 3 * hour)
    #expect(clock.awakeUsec == Self.base + hour)
  }

  @Test("A machine that boots in 1970 and is set right: the days are the right clock's")
  func epoch() throws {
    var clock = Self.clock()
    // Off from 1:00 to 11:00; up for 20 s before the daemon starts, for a minute before it is right.
    clock.enter(try Self.span(["reboot"], from: hour, to: nil), at: 20)
    let wrong = try BackgroundSpan(
      LedgerScript.span(["reboot"], from: Self.base + hour, to: 20, elapsedUsec: 20))
    clock.leave(wrong, seq: 1)
    let started = clock.elapsedUsec
    #expect(started == Self.base + hour + 20)
    clock.advance(to: LedgerScript.minute)
    clock.step(
      byUsec: Self.base + 11 * hour, to: Self.base + 11 * hour + LedgerScript.minute)
    #expect(clock.correct(since: 1, byUsec: 10 * hour) != nil)
    clock.endCorrections()
    #expect(clock.elapsedUsec == Self.base + 11 * hour + LedgerScript.minute)
    #expect(clock.awakeUsec == Self.base + hour + LedgerScript.minute - 20)
    var days: [Int: Int64] = [:]
    clock.tape(.elapsed).forEachShare(of: Self.base..<clock.elapsedUsec) {
      days[$0, default: 0] += $1
    }
    // 2027-01-15, 8:00 UTC.
    #expect(days == [20_833: 11 * hour + LedgerScript.minute])
  }

  @Test("A clock that is set back in a span in which a reboot was corrected takes nothing")
  func correctedInSpan() throws {
    var clock = Self.clock()
    let wrong = try Self.span(["reboot"], from: hour, to: 5 * hour, elapsedUsec: 4 * hour)
    clock.enter(wrong, at: Self.base + 5 * hour)
    clock.leave(wrong, seq: 1)
    clock.enter(try Self.span(["sleep"], from: 6 * hour, to: nil), at: Self.base + 6 * hour)
    clock.step(byUsec: -2 * hour, to: Self.base + 4 * hour)
    #expect(clock.correct(since: 1, byUsec: -2 * hour) != nil)
    clock.endCorrections()
    #expect(clock.elapsedUsec == Self.base + 4 * hour)
    clock.step(byUsec: -hour, to: Self.base + 3 * hour)
    #expect(clock.elapsedUsec == Self.base + 4 * hour)
    #expect(clock.awakeUsec == Self.base + 2 * hour)
  }

  @Test("A tape forgets what it was told of readings behind one that is told anew")
  func tape() {
    var tape = DayTape(day: 1, from: 100)
    tape.begin(2, from: 200)
    tape.begin(3, from: 300)
    func shares(_ range: Range<Int64>) -> [[Int64]] {
      var shares: [[Int64]] = []
      tape.forEachShare(of: range) { shares.append([Int64($0), $1]) }
      return shares
    }
    #expect(shares(0..<350) == [[1, 200], [2, 100], [3, 50]])
    #expect(shares(250..<260) == [[2, 10]])
    #expect(shares(250..<250) == [])
    tape.begin(nil, from: 250)
    #expect(shares(0..<350) == [[1, 200], [2, 50]])
    tape.begin(1, from: 150)
    #expect(shares(0..<350) == [[1, 350]])
    tape.begin(7, from: 50)
    #expect(shares(0..<350) == [[7, 350]])
  }

  @Test("Times that no clock shows stop nothing")
  func absurd() throws {
    var clock = Self.clock()
    clock.advance(to: LocalDays.always.lowerBound)
    clock.step(byUsec: 1 << 59, to: 1 << 59)
    #expect(clock.elapsedUsec >= Self.base)
  }
}
