import ArgumentParser
import NightjarClient
import Varlink

struct Undo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo the last change, if it is less than a minute old.",
    discussion: """
      Reverts the last change that a user made, if it was made within the last minute: for example \
      the removal, the cancellation, the dismissal, the restart or the pause of a timer. The time \
      since the change counts. If one command changed several timers, the undo reverts all of \
      them. A change of a timer is not reverted if the timer rang since, or was changed since by a \
      program or another user. A start is not reverted: an undo never removes a timer, because no \
      undo could bring it back. Another undo reverts the change before that one.
      """)

  @OptionGroup var format: FormatOption
  @OptionGroup var socket: SocketOption

  func run() throws {
    let reply = try Session.open(socket).call(Call(Wire.Undo()))
    guard !format.isJSON else { return Output.ready(reply.text) }
    for line in try Undo.lines(reply) { Output.line(line) }
  }

  /// The lines to print after an undo: one for each timer.
  static func lines(_ reply: JSONValue, at wall: WallClock = .here) throws(CommandError) -> [String]
  {
    let undoing: Wire.Undo.Reply
    do { undoing = try Wire.Undo.Reply(reply) } catch { throw CommandError(explaining: error) }
    var lines = undoing.timers.map { timer in
      // One stop ends the rings of some timers, and cancels others.
      let type = undoing.type == .stopped && timer.ringing == nil ? .cancelled : undoing.type
      let isBack = [.started, .removed, .cancelled].contains(type)
      let endsRing = [.dismissed, .stopped].contains(type)
      let change = EventText.change(type) ?? "the change"
      let what =
        isBack || endsRing && timer.state == .over ? " is back:" : ": \(change) was taken back;"
      let text = TimerText(timer, nowUsec: wall.nowUsec, zone: wall.zone)
      guard let dueUsec = timer.nextRingUsec, dueUsec <= wall.nowUsec else {
        return "\(timer.name)\(what) \(text.stateAndRemaining)"
      }
      // The daemon answers before it decides whether the timer still rings.
      return "\(timer.name)\(what) it was due \(text.point(dueUsec)); \(Typed.nightjar) show "
        + "\(Quoting.quoted(timer.name)) says whether it rang"
    }
    let more = undoing.count - Int64(lines.count)
    if more > 0 { lines.append("and \(more) more") }
    lines += undoing.keptNames.map {
      "\($0) stays as it is: something else happened to it since"
    }
    let moreKept = undoing.kept - Int64(undoing.keptNames.count)
    if moreKept > 0 { lines.append("and \(moreKept) more stay as they are") }
    return lines
  }
}
