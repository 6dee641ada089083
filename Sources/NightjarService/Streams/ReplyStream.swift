package import NightjarModel
package import NightjarVarlink

/// A call with any number of replies.
///
/// A stream writes into an outlet only when it is pumped and there is room. So a client that does
/// not read delays no other client, and needs no memory beyond its buffer.
package protocol ReplyStream: AnyObject {
  /// Writes replies that are ready, while there is room.
  func pump(_ outlet: Outlet, at now: Moment) -> StreamState
  /// Handles events that clients may see now. Writes as much as there is room for; `pump` writes
  /// the rest.
  func tell(_ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment) -> StreamState
  /// Whether `pump` writes the present state, which need not be on disk yet.
  var tellsPresent: Bool { get }
  /// When the stream needs the next tick, on CLOCK_MONOTONIC; nil: it needs none.
  var nextTickUsec: Int64? { get }
  /// Writes a tick. Called when its time has come.
  func tick(_ outlet: Outlet, at now: Moment)
  /// The number of the last event that the output covers. A new stream can continue from it; nil: a
  /// number alone is not enough for that.
  var position: Int64? { get }
  /// Writes the call with which a new stream continues after `position`.
  func writeContinuation(behind position: Int64, to writer: inout JSONWriter)
  /// The position for a client that has got none of the folded changes: a number before the first
  /// of them. Without folded changes, the same as `position`.
  var positionBeforeFolded: Int64? { get }
  /// Whether the daemon may end the stream if the client does not read and memory is short. The
  /// client must then ask again.
  var canBeCut: Bool { get }
  /// Roughly how many bytes of memory the stream uses for changes that could not be written.
  var heldBytes: Int { get }
}

extension ReplyStream {
  package var tellsPresent: Bool { false }
  package var nextTickUsec: Int64? { nil }
  package func tick(_ outlet: Outlet, at now: Moment) {}
  package var position: Int64? { nil }
  package func writeContinuation(behind position: Int64, to writer: inout JSONWriter) {}
  package var positionBeforeFolded: Int64? { position }
  package var canBeCut: Bool { false }
  package var heldBytes: Int { 0 }

  /// The position for a client that never gets `unsent`, the last replies that were written, nor
  /// any folded change. O(bytes up to the first event).
  package func position(without unsent: ArraySlice<UInt8>) -> Int64? {
    guard let position = positionBeforeFolded else { return nil }
    var rest = unsent
    while let end = rest.firstIndex(of: 0) {
      let frame = rest[..<end]
      rest = rest[(end + 1)...]
      guard
        let reply = try? frame.withUnsafeBytes({ try VarlinkReply.parse($0) }).parameters,
        // No number stands for folded changes, nor for the state that was sent at the beginning.
        reply["missed_after"] == nil, reply["synced"] == nil
      else { return nil }
      if let seq = reply["event"]?["seq"]?.integerValue { return min(position, seq - 1) }
    }
    return position
  }
}

extension JSONWriter {
  /// A call with `more`, as a client would send it.
  mutating func call(_ method: StaticString, _ parameters: (inout JSONWriter) -> Void) {
    beginObject()
    member("method", "org.nightjar.Timers.\(method)")
    member("more", true)
    key("parameters")
    beginObject()
    parameters(&self)
    endObject()
    endObject()
  }
}

/// The state of a stream after it has run.
package enum StreamState {
  /// It waits for an event.
  case waiting
  /// It has more to write and must be pumped when there is room.
  case hasMore
  /// It has written its last reply.
  case ended
}
