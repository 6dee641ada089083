import ArgumentParser
import NightjarClient
import NightjarTime

struct Lap: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lap", abstract: "Take down what stopwatches show.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let names = try selection.resolve(
      states: [.running], kinds: [.stopwatch], command: "lap", session: session)
    let change = Change(
      call: { .perform(.lap, name: $0) },
      echo: { timer in
        let laps = timer.lapUsecs
        let lap = (laps.last ?? 0) - (laps.dropLast().last ?? 0)
        return "lap \(laps.count): \(SpanFormat.stopwatch(usec: lap)), "
          + "in all \(SpanFormat.stopwatch(usec: laps.last ?? 0))"
      })
    try change.run(on: names, isJSON: format.isJSON, session: session)
  }
}
