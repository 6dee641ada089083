package import NightjarModel
package import Varlink

/// Writes the replies to a call that may have any number of them.
///
/// A stream writes into an outlet only when it is pumped and there is room. So a client that does
/// not read delays no other client, and needs no memory beyond its buffer.
package protocol ReplyStream: AnyObject {
  /// Writes the replies that are ready, as long as the outlet has room.
  func pump(_ outlet: Outlet, at now: Moment) -> StreamState
  /// Handles events that clients may see now. Writes replies as long as there is room; `pump`
  /// writes the rest later.
  func deliver(_ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment) -> StreamState
  /// Whether `pump` writes the present state. The present state may not be on disk yet.
  var writesPresent: Bool { get }
  /// When the stream needs the next tick, on CLOCK_MONOTONIC; nil: it needs none.
  var nextTickUsec: Int64? { get }
  /// Writes a tick. The server calls this at `nextTickUsec`.
  func tick(_ outlet: Outlet, at now: Moment)
  /// The event number after which a new stream can continue if the client has received none of the
  /// folded changes: a number before the first of them. If no changes are folded, the number of the
  /// last event that the replies so far include. Nil: a new stream would need more than a number.
  var position: Int64? { get }
  /// Whether the daemon may end the stream when the client does not read and memory is short. The
  /// client must then call again.
  var canBeCut: Bool { get }
  /// About how many bytes of memory the stream uses for changes that could not be written yet.
  var deferredBytes: Int { get }
}

extension ReplyStream {
  package var writesPresent: Bool { false }
  package var nextTickUsec: Int64? { nil }
  package func tick(_ outlet: Outlet, at now: Moment) {}
  package var position: Int64? { nil }
  package var canBeCut: Bool { false }
  package var deferredBytes: Int { 0 }

  /// The event number after which a new stream can continue if the client never receives `unsent`,
  /// the last replies that were written, and none of the folded changes. O(bytes up to the first
  /// event).
  package func position(without unsent: ArraySlice<UInt8>) -> Int64? {
    guard let position else { return nil }
    var rest = unsent
    while let end = rest.firstIndex(of: 0) {
      let frame = rest[..<end]
      rest = rest[(end + 1)...]
      guard
        let reply = try? frame.withUnsafeBytes({ try VarlinkReply.parse($0).json.value }),
        // A reply about folded changes, or about the state at the beginning, has no event number
        // after which a stream can continue.
        reply["missed_after"] == nil, reply["synced"] == nil
      else { return nil }
      if let seq = reply["event"]?["seq"]?.integerValue { return min(position, seq - 1) }
    }
    return position
  }
}

/// What a stream needs next, after it has run.
package enum StreamState {
  /// The stream waits for the next event.
  case waiting
  /// The stream has more to write, and must be pumped when the output has room.
  case hasMore
  /// The stream has written its last reply.
  case ended
}
