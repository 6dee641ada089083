import ArgumentParser
import NightjarClient

struct Skip: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Skip the next ring of timers that repeat.",
    discussion: """
      An alarm that repeats, or a countdown with --repeat, does not ring at its next time, and \
      continues with the time after that. The answer names the skipped ring and the next one. Each \
      further call skips one more ring. The daemon remembers a skip when it is restarted, when the \
      machine sleeps, and when the clock is set back. In another time zone, the skip applies to \
      the ring of the same date and time of day. A skipped ring does not count as missed, but \
      counts as one of the --rounds. To leave out whole days, use --except of nightjar alarm.
      """)

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag

  @Flag(help: "Undo the last skip, if the skipped ring is still to come.")
  var undo = false

  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
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
}
