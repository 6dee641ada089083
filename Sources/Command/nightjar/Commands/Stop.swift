import ArgumentParser
import NightjarClient

struct Stop: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract:
      "End the rings of timers that rang; cancel timers that do not ring.")

  @OptionGroup var selection: Selection
  @OptionGroup var yes: YesFlag
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "stop", selection, states: [.running, .paused, .waiting, .fired],
      Change(
        call: { Call(Wire.Get(name: $0)) }, command: "stop",
        echo: { timer in
          timer.state == .cancelled ? TimerText(timer).cancelled : TimerText(timer).dismissed
        },
        next: [Self.end])
    ).askingFirst(unless: yes)
  }

  /// The call that ends the ring of a timer, or the timer if it has no ring. A timer that repeats
  /// must not end because it begins to ring at this moment, so the call is for this `seq` only.
  private static func end(_ timer: Wire.Timer) -> Result<Call, TimersError> {
    guard timer.state != .cancelled else { return .success(Call(Wire.Get(name: timer.name))) }
    let hasRing = timer.state == .fired || timer.state != .paused && timer.firedUsec != nil
    // The daemon refuses to dismiss a snooze of a timer that continues. The refusal has a remedy.
    let isRing = hasRing || timer.snoozed && (timer.repeat != nil || timer.step != nil)
    let call = Call.perform(isRing ? .dismiss : .cancel, name: timer.name)
    return .success(call.with(ChangeOptions(ifSeq: timer.seq)))
  }
}
