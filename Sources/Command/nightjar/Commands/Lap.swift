import ArgumentParser
import NightjarClient
import NightjarTime

struct Lap: ChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "lap", abstract: "Record laps of stopwatches.")

  @OptionGroup var selection: Selection
  @OptionGroup var queue: QueueOption
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func request(at wall: WallClock) -> ChangeRequest {
    ChangeRequest(
      "lap", selection, states: [.running], isFor: { $0.kind == .stopwatch },
      Change(
        call: { .perform(.lap, name: $0) },
        echo: { timer in
          let laps = timer.laps ?? []
          let lap = (laps.last ?? 0) - (laps.dropLast().last ?? 0)
          return "lap \(laps.count): \(SpanFormat.stopwatch(usec: lap)), "
            + "in all \(SpanFormat.stopwatch(usec: laps.last ?? 0))"
        }))
  }
}
