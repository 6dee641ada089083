package import NightjarModel
package import NightjarVarlink

/// A call with any number of replies.
///
/// A stream writes into an outlet only when it is pumped and there is room: a client that does
/// not read makes nobody else wait, and costs no memory beyond its buffer.
package protocol ReplyStream: AnyObject {
  /// Writes what there is, while there is room.
  func pump(_ outlet: Outlet, at now: Moment) -> StreamState
  /// These events may be told now. What is written is limited by the outlet's room; the rest is
  /// for `pump`.
  func tell(_ events: [Event], durable: Bool, to outlet: Outlet, at now: Moment) -> StreamState
  /// What it writes when it is pumped is how things are now, on disk or not.
  var tellsPresent: Bool { get }
  /// When, on CLOCK_MONOTONIC, the stream wants a tick; nil for none.
  var nextTickUsec: Int64? { get }
  /// The time for a tick has come.
  func tick(_ outlet: Outlet, at now: Moment)
  /// The number of the last event that everything written so far has dealt with; nil where a new
  /// stream could not go on from a number alone.
  var position: Int64? { get }
  /// Writes the call that goes on behind `position`.
  func writeContinuation(behind position: Int64, to writer: inout JSONWriter)
  /// As `position`, if nothing of what was folded is told: where that begins, at the latest.
  var positionBeforeFolded: Int64? { get }
  /// Whether a client may be told to ask again, because it does not read and memory is short.
  var canBeCut: Bool { get }
  /// What it holds in memory of what could not be written, in bytes, roughly.
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

  /// As `positionBeforeFolded`, if the replies in `unsent`, the last that were written, never reach the client.
  /// O(bytes up to the first event).
  package func position(without unsent: ArraySlice<UInt8>) -> Int64? {
    guard let position = positionBeforeFolded else { return nil }
    var rest = unsent
    while let end = rest.firstIndex(of: 0) {
      let frame = rest[..<end]
      rest = rest[(end + 1)...]
      guard
        let reply = try? frame.withUnsafeBytes({ try VarlinkReply.parse($0) }).parameters,
        // What was folded, or told as it was at the beginning, no number stands for.
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

/// What is to be done with a stream.
package enum StreamState {
  /// It waits for something to happen.
  case waiting
  /// It has more to write as soon as there is room.
  case hasMore
  /// Its last reply is written.
  case ended
}
