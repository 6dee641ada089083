import ArgumentParser
import NightjarClient
import NightjarTime
import NightjarWire

struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show everything about timers.")

  @OptionGroup var selection: Selection
  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    let names = try selection.resolve(states: [], command: "show", session: session)
    let results = try session.callAll(names.map { .get(name: $0) })
    var isFirst = true
    try session.forEachAnswer(in: results) { (reply) throws(CommandError) in
      guard !format.isJSON else { return Output.line(reply.text) }
      if !isFirst { Output.line("") }
      isFirst = false
      Output.lines(Self.lines(try Session.timer(in: reply)))
    }
  }

  static func lines(_ timer: NightjarTimer) -> [String] {
    let text = TimerText(timer)
    let nowUsec = text.nowUsec
    let percent = Int((timer.progress * 100).rounded(.down))
    var rows = [
      ("Name", timer.name), ("State", timer.state.rawValue), ("Kind", timer.kind.rawValue),
      (
        "Remaining",
        "\(text.remaining) of \(SpanFormat.people(usec: timer.durationUsec)), \(percent) % done"
      ),
    ]
    if let deadlineUsec = timer.deadlineUsec {
      rows.append(("Rings", LocalTime.short(deadlineUsec, nowUsec: nowUsec) + text.condition))
    }
    if let firedUsec = timer.firedUsec {
      rows.append(("Rang", "\(LocalTime.short(firedUsec, nowUsec: nowUsec)), \(text.ago)"))
    }
    rows += [
      ("Clock", clock(timer.clock) + (text.isSnoozed ? "; a snooze is real time" : "")),
      ("Started", LocalTime.short(timer.startedUsec, nowUsec: nowUsec)),
    ]
    if let wake = timer.wake {
      let reason = wake.reason.map { ": \($0)" } ?? ""
      rows.append(("Wakes", wake.isPossible ? "the machine" : "nothing\(reason)"))
    }
    if !timer.labels.isEmpty { rows.append(("Labels", TimerText.labels(timer.labels))) }
    if timer.data != .object([]) { rows.append(("Data", timer.data.text)) }
    rows.append(("ID", "\(timer.id)"))
    return Columns.lines(rows)
  }

  private static func clock(_ clock: NightjarTimer.Clock) -> String {
    switch clock {
    case .elapsed: "elapsed (real time, awake or asleep)"
    case .awake: "awake (time slept does not count)"
    case .wall: "wall (follows the clock on the wall when it is set)"
    case .other(let word): word
    }
  }
}
