internal import NightjarCore
internal import NightjarWire

/// Which timers somebody wants.
struct TimerFilter {
  var prefix: [UInt8]?
  var states: Set<TimerState>?

  func matches(_ slot: Int, of engine: Engine) -> Bool {
    guard engine.isOccupied(slot) else { return false }
    if let states, let state = engine.record(at: slot).state, !states.contains(state) {
      return false
    }
    return matches(name: engine.nameBytes(at: slot))
  }

  func matches(name: UnsafeRawBufferPointer) -> Bool {
    guard let prefix else { return true }
    return prefix.withUnsafeBytes { TimerName.matches(name, prefix: $0) }
  }

  func matches(name: String) -> Bool {
    var name = name
    return name.withUTF8 { matches(name: UnsafeRawBufferPointer($0)) }
  }
}

/// `List` with `more`: a reply for each timer, a stretch of the table in each pass of the loop.
final class ListStream: ReplyStream {
  /// So many slots are looked at for one page or in one pass, so that nobody waits for a long
  /// table.
  static let slotsAtOnce = 16_384

  private let engine: Engine
  private let filter: TimerFilter
  private var slot: Int

  init(engine: Engine, filter: TimerFilter, after: Int) {
    self.engine = engine
    self.filter = filter
    slot = after
  }

  func pump(_ session: Session, at now: Moment) -> StreamState {
    let end = min(slot + Self.slotsAtOnce, engine.slotEnd)
    return JSONWriter.append(to: &session.output) { writer in
      while slot < end, writer.count < Limits.outputBytes {
        if filter.matches(slot, of: engine) {
          writer.beginReply()
          writer.key("timers")
          writer.beginArray()
          writer.timer(slot, of: engine, at: now)
          writer.endArray()
          writer.endReply(continues: true)
        }
        slot += 1
      }
      guard slot >= engine.slotEnd else { return .hasMore }
      writer.beginReply()
      writer.key("timers")
      writer.beginArray()
      writer.endArray()
      writer.endReply()
      return .ended
    }
  }

  func tell(
    _ events: [Event], durable: Bool, to session: Session, at now: Moment
  ) -> StreamState { .hasMore }
}
