import NightjarClient
import NightjarWire

/// One reply to `Watch`: a timer as it is now, what happened to it, or that all there is has been
/// told.
struct WatchReply {
  private let json: JSONValue

  init(_ json: JSONValue) { self.json = json }

  /// Nil if it is no longer there, or if this is about the machine.
  func timer() throws(CommandError) -> NightjarTimer? {
    guard let timer = json["timer"], !timer.isNull else { return nil }
    do throws(ClientError) {
      return try NightjarTimer(timer)
    } catch {
      throw CommandError(explaining: error)
    }
  }

  /// Nil if this only tells what is there now.
  func event() throws(CommandError) -> Event? {
    guard let event = json["event"], !event.isNull else { return nil }
    do throws(ClientError) {
      return try Event(event)
    } catch {
      throw CommandError(explaining: error)
    }
  }

  /// All there was has been told.
  var isSynced: Bool { json["synced"]?.boolValue == true }

  /// The number of the entry behind which changes were folded into this one; nil if none were.
  var missedAfter: Int64? { json["missed_after"]?.integerValue }
}
