import ArgumentParser
import NightjarClient

struct Stop: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract:
      "End the open rings of timers; cancel timers that have none. --all keeps alarms that repeat.",
    discussion: """
      --all leaves alarms that repeat, and ends only their rings; cancel --all ends them, too.
      """)

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    // Whoever stops everything wants quiet now, and the alarm again tomorrow.
    let isAll = selection.isAll
    return ChangeRequest(
      "stop", selection,
      isFor: { $0.ringing != nil || $0.isActive && !(isAll && $0.calendar != nil) },
      Change(call: { .perform(.stop, name: $0) }, echo: { TimerText($0).ended })
    ).aboutRings().askingFirst(unless: yes)
  }
}
