import NightjarClient
import NightjarInterface
import NightjarTestSupport
import NightjarTime
import Testing
import Varlink

@testable import nightjar

/// A refusal of the daemon as a sentence with its remedy.
@Suite struct ExplanationTests {
  /// The columns are the state of tea, with `!` if it has a ring, the operation, the operations
  /// that are possible, and the end of the sentence.
  @Test(
    arguments: Row.table(
      """
      paused => pause => resume,cancel => it is paused; use nightjar resume tea
      running => resume => pause => it is running
      running => skip => cancel => its next ring is its last; use nightjar cancel tea
      running => unskip => cancel => skips no ring that is still to come
      over! => pause => snooze,restart => it has rung; use nightjar snooze tea or nightjar restart tea
      over => extend => restart => it is over; use nightjar restart tea
      over! => shorten => dismiss,snooze => it has rung; use nightjar dismiss tea
      over => cancel => remove => it is over; use nightjar remove tea
      running => snooze => extend => it is not ringing now; nightjar extend tea SPAN makes it longer
      running => snooze => skip => it is not ringing now; nightjar skip tea leaves out its next ring
      running => snooze => => it is not ringing now
      paused => dismiss => resume => not ringing now; to end it and all its future rings, use nightjar \
      cancel tea
      waiting => extend => snooze,advance => its step is over; use nightjar snooze tea or nightjar \
      advance tea
      waiting => pause => advance => it waits; use nightjar advance tea
      cancelled => cancel => restart => it was cancelled; use nightjar restart tea
      cancelled => snooze => => it was cancelled
      cancelled => dismiss => remove => it was cancelled; use nightjar remove tea
      """))
  func `An operation that the state does not allow is refused, with those that it does`(row: Row) {
    let error = CommandError(
      explaining: .refused(
        .invalidTransition(
          name: "tea", kind: "countdown", state: row[0].replacing("!", with: ""),
          ringing: row[0].hasSuffix("!") ? "ringing" : nil, operation: row[1],
          possible: row[2].split(separator: ",").map(String.init))))
    let head = row[1] == "unskip" ? "'tea' " : "cannot \(row[1]) 'tea': "
    #expect(error.status == .refused && error.message.description.hasPrefix(head))
    #expect(error.message.description.hasSuffix(row[3]), "\(error.message.description)")
  }

  @Test(
    arguments: Row.table(
      """
      alarm => extend => it rings by the calendar; give it another time with nightjar edit tea TIME
      stopwatch => extend => a stopwatch has no end
      countdown => advance => only a sequence has steps, and it is a countdown
      alarm => lap => only a stopwatch has laps, and it is an alarm
      sequence => skip => it is a sequence; nightjar advance tea begins its next step
      countdown => skip => it rings only once; use nightjar cancel tea
      stopwatch => snooze => a stopwatch never rings
      """))
  func `An operation that a kind lacks is refused, with the kind`(row: Row) {
    let refusal = TimersError.notForKind(name: "tea", kind: row[0], operation: row[1])
    let sentence = CommandError(explaining: .refused(refusal)).message.description
    #expect(sentence == "cannot \(row[1]) 'tea': \(row[2])")
  }

  @Test func `Refusals that belong to no command are one sentence with a remedy`() {
    let restart =
      "it may be of another version than nightjar, so restart it, here and on laptop: systemctl "
      + "--user try-restart nightjar.service nightjar-mqtt.service"
    let away = TimersError.ownerAway(
      device: "laptop", state: "no_daemon", sinceUsec: nil, inDoubt: false)
    let refusals: KeyValuePairs<TimersError, String> = [
      .storageFailed(reason: "no space left", inDoubt: false):
        "the daemon could not write to its disk: no space left; nothing was changed: when the disk works again, try again",
      .storageFailed(reason: "disk I/O error", inDoubt: true):
        "the daemon could not write to its disk: disk I/O error; whether the change was made is in doubt: when the disk works again, check with nightjar list whether the change was made",
      .limitExceeded(limit: "timers", value: 5):
        "that is over a limit of the daemon's: timers is at most 5",
      .varlink(.invalidParameter(parameter: "name")):
        "the daemon does not accept this 'name': a name has 1 to 255 bytes, no control characters and no empty part between its slashes",
      .invalidValue(parameter: "ring", reason: "give exec as well"):
        "--exec-on, --exec-timeout and --env are settings of a command; add --exec or --shell",
      .timerExists(name: "green tea"):
        "there is a timer called 'green tea'; nightjar remove 'green tea' makes room for the new name",
      .nothingToUndo(reason: "'tea' was changed again since"):
        "nothing to undo: 'tea' was changed again since",
      .other(name: "com.example.Odd", parameters: ["x": 1]):
        "the daemon answered with com.example.Odd {\"x\":1}",
      away: "the daemon of laptop does not answer its bridge; nothing was changed: try again",
      .varlink(.methodNotFound(method: "M")): "the interface has no method 'M'; \(restart)",
      .varlink(.invalidParameter(parameter: "undo_id")):
        "the daemon does not accept this 'undo_id'; \(restart)",
      .varlink(.permissionDenied):
        "laptop does not let others do this; 'others' in [mqtt] of its configuration says what they may, see nightjar-mqtt(1)",
    ]
    for (refusal, sentence) in refusals {
      let error = CommandError(explaining: .refused(refusal), of: "laptop", isChange: true)
      #expect(error.message.description == sentence)
    }
    let question = CommandError(explaining: .refused(away), of: "laptop").message.description
    #expect(question == "the daemon of laptop does not answer its bridge; try again")
  }

  @Test func `Undo reports what was undone`() throws {
    let timers = FakeTimers(nowUsec: Noon().nowUsec)
    let wall = WallClock(nowUsec: timers.nowUsec, zone: .utc)
    for (type, line) in [
      ("extended", ": the new length was taken back;"), ("paused", ": the pause was taken back;"),
      ("renamed_to", ": the new name was taken back;"), ("removed", " is back:"),
      ("updated", ": the update was taken back;"), ("skipped", ": the skip was taken back;"),
      ("dismissed", ": the dismissal was taken back;"), ("started", " is back:"),
      ("of_tomorrow", ": the change was taken back;"),
    ] {
      let reply: JSONValue = [
        "type": .string(type), "ago_usec": 3_000_000, "timers": [timers.json(Fixture.four[0])],
        "count": 1, "kept": 0, "kept_names": [],
      ]
      let lines = try Undo.lines(reply, at: wall)
      let isRight = lines.count == 1 && lines[0].hasPrefix("tea\(line) running, 03:12 left")
      #expect(isRight, "\(type): \(lines)")
    }
  }
}
