import NightjarClient
import Testing
import Varlink

@testable import NightjarFaces

/// What a launcher offers, without a bus and a daemon.
@Suite struct LauncherResultTests {
  @Test(arguments: [
    "start 1795608000000000 0 tea 4min", "start 1 1 'green tea'  4min", "start 1 0 ",
    "Pause 1795608000000000 - tea", "Dismiss 7 - a name of  several words ", "Resume 7 - start 1 0",
    "Advance 1 - \u{202E}x", "Pause 1 - \u{301}\u{301}", "start 1 0 \u{301}x 4min",
  ])
  func `An ID says what the result does`(id: String) throws {
    #expect(try #require(LauncherChoice(id: id)).id == id)
  }

  @Test(arguments: [
    "", "tea", "start x 0 tea", "start 1 x tea", "start 1", "Remove 1 - tea", "Pause 1 -",
    "pause 1 - tea",
  ])
  func `A text that is no ID does nothing`(text: String) {
    #expect(LauncherChoice(id: text) == nil)
  }

  @Test(arguments: [
    ("timer 15m", "15m"), ("Timer tea 4min", "tea 4min"), ("nightjar 5min", "5min"),
    ("tea timer 4min", "tea timer 4min"), ("timer", "timer"), ("tea 4min", "tea 4min"),
  ])
  func `The word timer may stand before what starts one`(typed: String, words: String) {
    #expect(LauncherResult.startWords(typed) == words)
  }

  private func found(_ typed: String, among names: [String]) -> Set<String> {
    let timers = Dictionary(uniqueKeysWithValues: names.map { ($0, shown($0)) })
    let results = LauncherResult.timers(named: typed, of: timers, at: noon)
    return Set(
      results.compactMap { result in
        if case .timer(_, _, let name) = result.choice { name } else { nil }
      })
  }

  @Test(arguments: [
    ("tea", ["tea", "green tea", "job/tea-2"]), ("TEA", ["tea", "green tea", "job/tea-2"]),
    ("gr te", ["green tea"]), ("eam", []), ("t", []), ("", []), ("te x", []),
    ("2 te", ["job/tea-2"]),
    ("timers", ["tea", "green tea", "job/tea-2", "steam", "Café"]), ("caf", ["Café"]),
    ("timer tea", []), ("firefox", []),
  ])
  func `A timer is found by the beginnings of the words of its name`(
    typed: String, names: [String]
  ) {
    let all = ["tea", "green tea", "job/tea-2", "steam", "Café"]
    #expect(found(typed, among: all) == Set(names))
  }

  @Test(
    arguments: [
      (Wire.State.running, nil, "tea: rings at 12:04, 04:00 left", "Pause it", "Pause"),
      (.paused, nil, "tea: paused at 04:00", "Resume it", "Resume"),
      (.waiting, nil, "tea: waits for the next step", "Begin the next step", "Advance"),
      (.over, .ringing, "tea: rang at 11:59", "Dismiss the ring", "Dismiss"),
      (.waiting, .unanswered, "tea: rang at 11:59", "Dismiss the ring", "Dismiss"),
      (.running, .unanswered, "tea: rings at 12:04, 04:00 left", "Pause it", "Pause"),
      (.over, .snoozed, "tea: snoozed until 12:05, 05:00 left", "Dismiss the ring", "Dismiss"),
    ] as [(Wire.State, Wire.Ringing?, String, String, String)])
  func `Return does what another Return undoes, or ends what rings`(
    state: Wire.State, ringing: Wire.Ringing?, text: String, detail: String, operation: String
  ) {
    let result = LauncherResult(shown("tea", state, ringing), at: noon)
    #expect(result.text == text)
    #expect(result.detail == detail)
    #expect(result.choice.id == "\(operation) 1795608000000000 - tea")
  }

  @Test func `A timer that is over or cancelled is not found`() {
    let timers = ["tea": shown("tea", .over), "nap": shown("nap", .cancelled)]
    #expect(LauncherResult.timers(named: "timers", of: timers, at: noon) == [])
  }

  private static func reading(_ meaning: String, _ start: String?) -> Wire.Reading {
    var reading = Wire.Reading(meaning: meaning, sentence: "what \(meaning) is", command: [])
    reading.start = start.map { RawJSON(Array($0.utf8)) }
    return reading
  }

  private static let span = reading("a time span", #"{"name":"tea","duration_usec":240000000}"#)
  private static let time = reading("a time of day", #"{"name":"tea","alarm":{"at_usec":1}}"#)
  private static let seconds = reading("seconds", #"{"name":"tea","duration_usec":5000000}"#)
  private static let minutes = reading("minutes", #"{"name":"tea","duration_usec":300000000}"#)
  private static let verb = reading("a mistyped extend", nil)

  @Test(
    arguments: [
      ([span], ["Start this timer"]), ([time, span], ["As a time of day", "As a time span"]),
      ([seconds, minutes], []), ([verb, span], ["Start this timer"]), ([], []),
      ([verb], []),
    ] as [([Wire.Reading], [String])])
  func `Words that are clearly a time have a result for each reading`(
    readings: [Wire.Reading], details: [String]
  ) {
    let results = LauncherResult.starts(readings, words: "tea 4min", nowUsec: 7, timers: [:])
    #expect(results.map(\.detail) == details)
  }

  @Test func `A timer that is there is replaced, and the result says so`() {
    let timers = ["tea": shown("tea")]
    let results = LauncherResult.starts([Self.span], words: "tea 4min", nowUsec: 7, timers: timers)
    #expect(results.map(\.detail) == ["Replaces the one that rings at 12:04"])
    let alone = LauncherResult.starts([Self.span], words: "tea", nowUsec: 7, timers: timers)
    #expect(alone == [])
    let over = ["tea": shown("tea", .over)]
    #expect(
      LauncherResult.starts([Self.span], words: "tea", nowUsec: 7, timers: over).count == 1)
  }
}
