import Foundation
import NightjarTestSupport
import Testing

/// A worker's autumn up to the evening of Tuesday, 24 November 2026.
private final class Autumn: Stage {
  /// Plays it from Monday, 31 August 2026, 0:00 UTC.
  init() throws {
    try super.init(at: 1_788_134_400)
    for day in 0..<85 { try play(day) }
    try playLastDay()
  }

  /// A day from midnight to midnight, with its share of work.
  private func play(_ day: Int) throws {
    try sleep(minutes: 8 * 60)
    // No work at the weekend, and a week of holidays.
    let rounds = day % 7 > 4 || (35..<42).contains(day) ? 0 : 1 + day * 5 % 7
    if rounds > 0 {
      try nightjar(
        "sequence", "write", "work=50min", "rest=10min", "--loop", "\(rounds)", "--replace")
    }
    try pass(minutes: 8 * 60)
    if day % 3 == 0 {
      try nightjar("start", "bread", "45min", "--replace")
      try pass(minutes: 10)
      try sleep(minutes: day % 2 == 0 ? 20 : 50)
      try pass(minutes: 7 * 60 - (day % 2 == 0 ? 30 : 60))
    } else {
      try nightjar("stopwatch", "guitar", "--replace")
      try pass(minutes: 20 + day % 5 * 20)
      try nightjar("cancel", "guitar")
      try pass(minutes: 7 * 60 - 20 - day % 5 * 20)
    }
    try sleep(minutes: 60)
  }

  private func playLastDay() throws {
    try sleep(minutes: 7 * 60)
    try nightjar("start", "tea", "4min")
    try pass(minutes: 90)
    try nightjar("alarm", "standup", "9:30")
    try nightjar("sequence", "write", "work=50min", "rest=10min", "--loop", "3", "--replace")
    try pass(minutes: 90)
    try nightjar("start", "laundry", "75min")
    // A timer without a name of its own.
    try nightjar("start", "10min")
    try pass(minutes: 110)
    try nightjar("start", "oven", "40min")
    try pass(minutes: 10)
    // The lid is closed from 12:00 to 13:00. The oven rings half an hour late.
    try sleep(minutes: 60)
    try nightjar("stopwatch", "guitar", "--replace")
    try pass(minutes: 40)
    try nightjar("pause", "guitar")
    try nightjar("start", "reading", "90min")
    try pass(minutes: 50)
    try nightjar("pause", "reading")
    try pass(minutes: 40)
    try nightjar("resume", "guitar")
    try nightjar("resume", "reading")
    try pass(minutes: 30)
    try nightjar("cancel", "guitar")
    try nightjar("start", "parking", "3h")
    try sleep(minutes: 75)
    try pass(minutes: 3 * 60)
  }
}

/// The pictures of the history, bit for bit.
@Suite(.blocking) struct HistoryPictureTests {
  @Test func `The pictures of a day, a week and a year are what nightjar history draws`() throws {
    let autumn = try Autumn()
    for period in ["day", "week", "year"] {
      let file = "\(autumn.rig.path)/\(period).svg"
      try autumn.nightjar("history", "--\(period)", "--svg", file)
      try Committed.expect(
        String(contentsOfFile: file, encoding: .utf8),
        in: Committed.picture("history-\(period).svg"))
    }
    let shown = try autumn.session("nightjar history --day", width: 100)
    try Committed.expect(
      TerminalPicture("nightjar history --day: a timer on each line", shown).svg(),
      in: Committed.picture("history-day-terminal.svg"))
  }
}
