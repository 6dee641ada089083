import ArgumentParser
import NightjarClient

struct Skip: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "skip", abstract: "Pass over the next ring of timers that repeat.",
    discussion: """
      An alarm that repeats, or a countdown with --repeat, does not ring at its next time, and continues \
      with the one after. The answer says which it passes over, and which is next. Another skip passes \
      over one more. What is skipped stays skipped, also over a restart, a sleep, or a clock that is set \
      back; in another time zone it is the ring of the same date and time of day. It is not missed, and \
      counts as one of its --rounds. For whole days see alarm --except.
      """)

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag

  @Flag(help: "Take back the last skip of a ring that is still to come.")
  var undo = false

  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: Wall) -> ChangeRequest {
    let isUndone = undo
    return ChangeRequest(
      "skip", selection, states: [.running, .paused], isFor: { $0.repetition != nil },
      Change(
        call: { .perform(isUndone ? .unskip : .skip, name: $0) },
        echo: { timer in
          let text = TimerText(timer)
          return isUndone ? text.reinstated : text.passedOver
        })
    ).askingFirst(unless: yes)
  }
}
