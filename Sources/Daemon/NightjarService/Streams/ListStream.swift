internal import NightjarEngine
internal import NightjarInterface
internal import NightjarModel
internal import Varlink

/// `List` with `more`: a reply for each timer. Each loop iteration sends a part of the table.
final class ListStream: ReplyStream {
  /// About how many bytes are written in one loop iteration. The limit keeps the wait of other
  /// clients short.
  private static let bytesAtOnce = 16 * 1024

  private let engine: Engine
  private let filter: TimerFilter
  private var slot: Int

  init(engine: Engine, filter: TimerFilter, after: Int) {
    self.engine = engine
    self.filter = filter
    slot = after
  }

  func pump(_ outlet: Outlet, at now: Moment) -> StreamState {
    let end = min(slot + Methods.slotsAtOnce, engine.slotEnd)
    let fullAt = min(outlet.output.count + Self.bytesAtOnce, outlet.sent + outlet.limitBytes)
    return JSONWriter.append(to: &outlet.output) { writer in
      while slot < end, writer.count < fullAt {
        if filter.matches(slot, of: engine) {
          let timer = Wire.Timer(slot, of: engine, at: now)
          writer.reply(Wire.List.Reply(timers: [timer]), continues: true)
        }
        slot += 1
      }
      guard slot >= engine.slotEnd else { return .hasMore }
      writer.reply(Wire.List.Reply(timers: []))
      return .ended
    }
  }

  func deliver(
    _ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment
  ) -> StreamState { .hasMore }
}
