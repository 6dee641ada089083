internal import NightjarCore
internal import NightjarLedger
internal import NightjarMethods
internal import NightjarWire

/// A call with any number of replies.
///
/// A stream writes into its session only when it is pumped and there is room: a client that does
/// not read makes nobody else wait, and costs no memory beyond its buffer.
protocol ReplyStream: AnyObject {
  /// Writes what there is, while there is room.
  func pump(_ session: Session, at now: Moment) -> StreamState
  /// These events may be told now. What is written is limited by the session's room; the rest is
  /// for `pump`.
  func tell(_ events: [Event], durable: Bool, to session: Session, at now: Moment) -> StreamState
  /// What it writes when it is pumped is how things are now, on disk or not.
  var tellsPresent: Bool { get }
  /// When, on CLOCK_MONOTONIC, the stream wants a tick; nil for none.
  var nextTickUsec: Int64? { get }
  /// The time for a tick has come.
  func tick(_ session: Session, at now: Moment)
  /// The number of the last event that everything written so far has dealt with; nil where a new
  /// stream could not go on from a number alone.
  var position: Int64? { get }
  /// Writes the call that goes on behind `position`.
  func writeContinuation(behind position: Int64, to writer: inout JSONWriter)
}

extension ReplyStream {
  var tellsPresent: Bool { false }
  var nextTickUsec: Int64? { nil }
  func tick(_ session: Session, at now: Moment) {}
  var position: Int64? { nil }
  func writeContinuation(behind position: Int64, to writer: inout JSONWriter) {}
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
enum StreamState {
  /// It waits for something to happen.
  case waiting
  /// It has more to write as soon as there is room.
  case hasMore
  /// Its last reply is written.
  case ended
}
