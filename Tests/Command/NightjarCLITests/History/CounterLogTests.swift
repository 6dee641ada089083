import NightjarClient
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

private let hour = LedgerScript.hour
private let minute = LedgerScript.minute
private let base = 1_800_000_000 * LedgerScript.second

/// The counters' readings: from events, and computed where events lack them.
@Suite(.blocking) struct CounterLogTests {
  private static func log(_ ledger: LedgerScript) throws -> CounterLog {
    var log = CounterLog()
    for json in ledger.events { log.take(try Wire.Event(json)) }
    return log
  }

  @Test func `Both counters advance with the wall clock, and ignore its steps`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: base)
    ledger.start("tea", at: base + 5 * hour)
    ledger.add("clock_stepped", at: base + 106 * hour, ["offset_usec": .integer(100 * hour)])
    ledger.add("clock_stepped", at: base - 93 * hour, ["offset_usec": .integer(-200 * hour)])
    var log = try Self.log(ledger)
    #expect(log.last.elapsedUsec == base + 7 * hour)
    #expect(log.last.awakeUsec == base + 7 * hour)
    // A time before the last event is ignored, and later ones are right again.
    log.pass(to: base - 95 * hour)
    #expect(log.last.elapsedUsec == base + 7 * hour)
  }

  @Test(arguments: [
    (["sleep"], false), (["stop"], false), (["freeze"], false), (["reboot"], false),
    (["down"], true), (["down", "sleep"], false),
  ])
  func
    `A span is as long as it says, whatever the wall clock shows then; awake counts what was down`(
      _ causes: [String], _ isCounted: Bool
    ) throws
  {
    var ledger = LedgerScript()
    ledger.start("tea", at: base)
    ledger.add(
      "did_enter_background", at: base + hour,
      ["span": LedgerScript.span(causes, from: base + hour)])
    // The clock is set by a day during the span.
    ledger.add("clock_stepped", at: base + 28 * hour, ["offset_usec": .integer(24 * hour)])
    ledger.add(
      "will_enter_foreground", at: base + 29 * hour,
      [
        "span": LedgerScript.span(
          causes, from: base + hour, to: base + 29 * hour, elapsedUsec: 4 * hour)
      ])
    var log = try Self.log(ledger)
    #expect(log.last.elapsedUsec == base + 5 * hour)
    #expect(log.last.awakeUsec == base + (isCounted ? 5 : 1) * hour)
    #expect(log.entered?.elapsedUsec == base + hour)
    log.pass(to: base + 30 * hour)
    #expect(log.last.elapsedUsec == base + 6 * hour)
    #expect(log.last.awakeUsec == base + (isCounted ? 6 : 2) * hour)
  }

  @Test
  func `After a boot in 1970 and a correction, the days are those of the right clock`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: base)
    // Off from 1:00 to 11:00; up for 20 s before the daemon starts, and for a minute before the
    // clock is right.
    let wrong = LedgerScript.span(["reboot"], from: base + hour, to: 20, elapsedUsec: 20)
    ledger.add("did_enter_background", at: 20, ["span": wrong])
    ledger.add("will_enter_foreground", at: 20, ["span": wrong])
    ledger.add(
      "clock_stepped", at: base + 11 * hour + minute, ["offset_usec": .integer(base + 11 * hour)])
    ledger.correct(wrong, byUsec: 10 * hour, at: base + 11 * hour + minute)
    var log = try Self.log(ledger)
    log.pass(to: base + 11 * hour + minute)
    #expect(log.last.elapsedUsec == base + 11 * hour + minute)
    #expect(log.last.awakeUsec == base + hour + minute - 20)
    var days: [Int: Int64] = [:]
    log.timeline(.elapsed, days: LocalDays(zone: .utc)).forEachShare(
      of: base..<log.last.elapsedUsec
    ) {
      days[$0, default: 0] += $1
    }
    // 2027-01-15, 8:00 UTC.
    #expect(days == [20_833: 11 * hour + minute])
  }

  @Test func `Readings while a reboot's length was uncertain move with its correction`() throws {
    var ledger = LedgerScript()
    ledger.start("before", at: base)
    ledger.hide(["reboot"], from: base + hour, to: base + 5 * hour)
    ledger.start("between", at: base + 5 * hour)
    ledger.correct(
      LedgerScript.span(["reboot"], from: base + hour, to: base + 3 * hour), byUsec: -2 * hour,
      at: base + 6 * hour)
    let log = try Self.log(ledger)
    func corrected(at seq: Int64, on counter: Counter = .elapsed) -> Int64 {
      let reading = Reading(
        seq: seq, elapsedUsec: 100, awakeUsec: 100, presentUsec: 100, wallUsec: 0)
      return log.corrected(reading, on: counter)
    }
    #expect(corrected(at: 1) == 100)
    // From the end of the reboot up to the correction.
    for seq: Int64 in [3, 4] { #expect(corrected(at: seq) == 100 - 2 * hour) }
    #expect(corrected(at: 5) == 100 && corrected(at: 4, on: .awake) == 100)
  }

  @Test func `Readings in events count, whatever the wall clock shows`() throws {
    func counters(_ elapsedUsec: Int64, _ awakeUsec: Int64) -> JSONValue {
      ["counters": ["elapsed_usec": .integer(elapsedUsec), "awake_usec": .integer(awakeUsec)]]
    }
    var ledger = LedgerScript()
    ledger.start("tea", at: base, for: hour, counters(1_000, 500))
    // A step and an unannounced sleep, noticed in one loop iteration.
    ledger.add("paused", "tea", at: base - 50 * hour, counters(1_000 + minute, 500 + 7))
    let log = try Self.log(ledger)
    #expect(
      log.first
        == Reading(seq: 1, elapsedUsec: 1_000, awakeUsec: 500, presentUsec: 500, wallUsec: base))
    #expect(log.last.elapsedUsec == 1_000 + minute && log.last.awakeUsec == 507)
    #expect(log.estimatedReadings == 0)
    #expect(try ledger.runs().first?.countedUsec == minute)
    #expect(try ledger.runs().first?.isTimeEstimated == false)
  }

  @Test func `A ledger of two versions continues the counters of the older one`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: base, for: 10 * hour)
    ledger.hide(["sleep"], from: base + hour, to: base + 2 * hour)
    ledger.add(
      "paused", "tea", at: base + 3 * hour,
      ["counters": ["elapsed_usec": .integer(77), "awake_usec": .integer(5)]])
    ledger.add(
      "resumed", "tea", at: base + 9 * hour,
      ["counters": ["elapsed_usec": .integer(77 + 4 * hour), "awake_usec": .integer(6)]])
    let run = try #require(try ledger.runs(now: base + 10 * hour).first)
    #expect(run.countedUsec == 4 * hour && run.pausedUsec == 4 * hour && run.isTimeEstimated)
  }

  @Test func `If a counter goes back, its time belongs to the later day`() {
    let day = 24 * hour
    var timeline = DayTimeline(days: LocalDays(zone: .utc))
    timeline.extend(from: 0, atWallUsec: 10 * day + 12 * hour)
    timeline.extend(from: day, atWallUsec: 20 * day)
    timeline.extend(from: day, atWallUsec: 30 * day)
    timeline.extend(from: 2 * day + hour, atWallUsec: 31 * day + hour)
    func shares(_ range: Range<Int64>) -> [[Int64]] {
      var shares: [[Int64]] = []
      timeline.forEachShare(of: range) { shares.append([Int64($0), $1]) }
      return shares
    }
    #expect(shares(-hour..<day + hour) == [[10, 13 * hour], [11, 12 * hour], [30, hour]])
    #expect(shares(2 * day - hour..<2 * day + hour) == [[30, hour], [31, hour]])
    #expect(shares(hour..<hour) == [])
  }

  @Test func `Times that no clock can show are accepted`() throws {
    var ledger = LedgerScript()
    ledger.start("tea", at: LocalDays.always.lowerBound)
    ledger.add("clock_stepped", at: 1 << 59, ["offset_usec": .integer(1 << 59)])
    // The days at both ends; twenty million days lie between them.
    let (first, last) = (LocalDays.always.lowerBound, LocalDays.always.upperBound)
    for range in [first..<first + 240 * hour, (1 << 59) - 240 * hour..<last] {
      #expect(try ledger.runs(range: range, now: (1 << 59) + 5).count == 1)
    }
  }
}
