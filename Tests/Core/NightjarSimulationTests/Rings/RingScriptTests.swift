import Testing

/// A script, and what is to happen and to be shown, in words.
struct RingCase: CustomTestStringConvertible {
  var script: String
  var outcome: [String] = []

  var testDescription: String { script }

  /// Plays the script on the model and on the engine.
  func check() {
    let script = RingScript(script)
    let model = script.play(on: RingModelStage(startUsec: script.startUsec))
    #expect(model == outcome, "the model")
    let engine = script.play(on: RingEngineStage(startUsec: script.startUsec))
    #expect(engine == outcome, "the engine")
  }

  /// The cases in a text. What is said is indented below its script and divided by `|`; `#` begins
  /// a comment.
  static func table(_ text: String) -> [RingCase] {
    var rows: [RingCase] = []
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("  ") {
        let said = line.split(separator: " | ").map { String($0.drop { $0 == " " }) }
        rows[rows.count - 1].outcome += said
      } else {
        rows.append(RingCase(script: String(line)))
      }
    }
    for row in rows { precondition(!row.outcome.isEmpty, "\(row.script): nothing is said") }
    return rows
  }
}

/// The sixteen scripts of section 10 of the semantics.
@Suite struct RingScriptTests {
  private static let up = "wait until 7:01, snooze up 10min"
  private static let r = "wait 11min, snooze r 25min"

  static let all = RingCase.table(
    """
    6:55, alarm up daily 7:00 --late 1h, \(up), sleep until tomorrow 7:20, list up
      Mon 7:00 up rings
      Tue 7:20 up rings, due Tue 7:00, 20 min late by sleep, 2 expiries since Mon 7:00
      up: running; next Wed 7:00; ringing, due Tue 7:00; 2 expiries since Mon 7:00
    6:55, alarm up daily 7:00, \(up), sleep until tomorrow 7:20, list up
      Mon 7:00 up rings
      Tue 7:20 up rings, due Tue 7:00, 20 min late by sleep, 2 expiries since Mon 7:00
      up: running; next Wed 7:00; ringing, due Tue 7:00; 2 expiries since Mon 7:00
    6:55, alarm up daily 7:00 --missed skip, \(up), sleep until tomorrow 7:20, list up
      Mon 7:00 up rings
      Tue 7:20 up rings, due Tue 7:00, 20 min late by sleep, 2 expiries since Mon 7:00
      up: running; next Wed 7:00; ringing, due Tue 7:00; 2 expiries since Mon 7:00
    6:55, alarm up daily 7:00 --missed each, \(up), sleep until Wed 7:20, list up
      Mon 7:00 up rings
      Wed 7:20 up rings, due Tue 7:00, 1 d 20 min late by sleep, 2 expiries since Mon 7:00
      Wed 7:20 up rings, due Wed 7:00, 20 min late by sleep, 3 expiries since Mon 7:00
      up: running; next Thu 7:00; ringing, due Wed 7:00; 3 expiries since Mon 7:00
    6:55, alarm up daily 7:00 --missed skip, \(up), sleep until Wed 7:20, list up
      Mon 7:00 up rings | Wed 7:20 up does not ring, due Wed 7:00, 20 min late by sleep, 1 more
      up: running; next Thu 7:00; unanswered, due Mon 7:00; 2 misses, due Wed 7:00, 20 min late
    6:55, alarm up daily 7:00 --late 1h, \(up), sleep until 9:00, list up
      Mon 7:00 up rings | Mon 9:00 up stays quiet, due Mon 7:11, 1 h 49 min late by sleep
      up: running; next Tue 7:00; unanswered, due Mon 7:00
    7:55, alarm c daily 8:00 --late 1min, wait 10min, sleep until tomorrow 8:05, list c
      Mon 8:00 c rings | Tue 8:05 c goes quiet
      Tue 8:05 c does not ring, due Tue 8:00, 5 min late by sleep
      c: running; next Wed 8:00; unanswered, due Mon 8:00; missed, due Tue 8:00, 5 min late
    10:00, start r 1h --repeat, wait 61min, stop r, list r, stop r, list r
      Mon 11:00 r rings | r: running; next Mon 12:00 | r: cancelled
    10:00, start r 10min --repeat, \(r), wait 30min
      Mon 10:10 r rings | Mon 10:20 r joins | Mon 10:30 r joins
      Mon 10:36 r rings again, 3 expiries since Mon 10:10
      Mon 10:40 r rings, 4 expiries since Mon 10:10
    10:00, start r 10min --repeat --missed each, \(r), sleep until 10:38, list r
      Mon 10:10 r rings | Mon 10:38 r joins, due Mon 10:30, 8 min late by sleep
      Mon 10:38 r rings again, due Mon 10:36, 2 min late by sleep, 3 expiries since Mon 10:10
      r: running; next Mon 10:40; unanswered, due Mon 10:30; 3 expiries since Mon 10:10
    10:00, start r 10min --repeat, \(r), skip r, wait 30min
      Mon 10:10 r rings | Mon 10:30 r joins | Mon 10:36 r rings again, 2 expiries since Mon 10:10
      Mon 10:40 r rings, 3 expiries since Mon 10:10
    10:00, start tea 4min, wait 5min, snooze tea 5min, snooze tea 10min, wait 11min, list tea
      Mon 10:04 tea rings | Mon 10:05 tea goes quiet | Mon 10:15 tea rings again
      Mon 10:16 tea goes quiet | tea: over; unanswered, due Mon 10:04
    6:55, alarm a daily 7:00 --insist 5min, wait 6min, pause a, wait 30min, resume a, list a
      Mon 7:00 a rings | Mon 7:10 a goes quiet | Mon 7:15 a insists | Mon 7:25 a goes quiet
      Mon 7:30 a insists | a: running; next Tue 7:00; ringing, due Mon 7:00
    10:00, sequence s work=25min rest=5min --wait, wait 26min, snooze s 5min, wait 1min, \
    advance s, wait 6min, list s
      Mon 10:25 s rings | Mon 10:26 s goes quiet | Mon 10:32 s rings | Mon 10:33 s goes quiet
      s: over; unanswered, due Mon 10:32
    6:55, alarm a daily 7:00, wait 10min, snooze a 5min, step +1d, step -1d, wait 6min, list a, \
    wait until tomorrow 7:05, list a
      Mon 7:00 a rings | Tue 7:05 a joins, due Tue 7:00, 5 min late by step | Mon 7:05 a leaves
      Mon 7:10 a rings again | a: running; next Tue 7:00; ringing, due Mon 7:00
      Mon 7:20 a goes quiet | Tue 7:00 a rings, 2 expiries since Mon 7:00
      a: running; next Wed 7:00; ringing, due Tue 7:00; 2 expiries since Mon 7:00
    10:00, start tea 4min, wait 5min, snooze tea 5min, start tea 4min, stop tea, list tea, undo, \
    list tea, wait 5min
      Mon 10:04 tea rings | Mon 10:05 tea goes quiet | Mon 10:05 refused: start tea 4min
      tea: is not there | tea: over; snoozed until Mon 10:10, due Mon 10:04
      Mon 10:10 tea rings again
    6:55, alarm a 7:00, wait 10min, restart a, list a, snooze a 5min, wait 6min
      Mon 7:00 a rings | Mon 7:05 refused: restart a | a: over; ringing, due Mon 7:00
      Mon 7:10 a rings again
    """)

  @Test(arguments: all)
  func `The model and the engine do what the semantics say`(_ row: RingCase) { row.check() }
}
