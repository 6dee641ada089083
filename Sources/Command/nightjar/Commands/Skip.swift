import ArgumentParser
import NightjarClient

struct Skip: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "skip",
    abstract: "Skip the next ring of timers that repeat, or days: skip wake tomorrow.",
    discussion: """
      An alarm that repeats, or a countdown with --repeat, does not ring at its next time, and \
      continues with the time after that. The answer names the skipped ring and the next one. Each \
      further call skips one more ring. The daemon remembers a skip when it is restarted, when the \
      machine sleeps, and when the clock is set back. In another time zone, the skip applies to \
      the ring of the same date and time of day. A skipped ring does not count as missed, but \
      counts as one of the --rounds.

      With days, such as tomorrow, 24 Dec..1 Jan or next week, an alarm that repeats does not ring \
      on these days; nightjar edit NAME --without except makes it ring on all its days again.
      """)

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag

  @Flag(help: "Undo the last skip, if the skipped ring is still to come.")
  var undo = false

  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) throws(CommandError) -> ChangeRequest {
    let words = selection.names.map(Sign.typed)
    if !undo, let first = words.indices.first(where: { Self.isDays(words[$0...].phrase, at: wall) })
    {
      return try skipping(words[first...].phrase, of: Array(words[..<first]), at: wall)
    }
    let isUndone = undo
    return ChangeRequest(
      "skip", selection, states: [.running, .paused], isFor: { $0.repeat != nil },
      Change(
        call: { .perform(isUndone ? .unskip : .skip, name: $0) },
        echo: { timer in
          let text = TimerText(timer)
          return isUndone ? text.unskipped : text.skipped
        })
    ).askingFirst(unless: yes)
  }

  private static func isDays(_ text: String, at wall: WallClock) -> Bool {
    (try? ExceptDays.ranges(text, at: wall)) != nil
  }

  /// The request for days on which alarms do not ring.
  private func skipping(
    _ days: String, of names: [String], at wall: WallClock
  ) throws(CommandError) -> ChangeRequest {
    var values = SettingValues()
    values.set(try Setting.except.notation.value([days], of: "skip", at: wall), for: .except)
    let change = TimerChange(values: values)
    return ChangeRequest(
      "skip", names, isAll: selection.isAll, isFor: { $0.calendar != nil },
      Change(
        call: { Call(Wire.Get(name: $0)) },
        echo: { AlarmText(TimerText($0)).answer(typed: nil) ?? TimerText($0).state },
        next: [{ change.call(for: $0) }])
    ).askingFirst(unless: yes)
  }
}
