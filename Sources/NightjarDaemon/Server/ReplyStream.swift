internal import NightjarCore
internal import NightjarStore

/// A call with any number of replies.
///
/// A stream writes into its session only when it is pumped and there is room: a client that does not
/// read makes nobody else wait, and costs no memory beyond its buffer.
protocol ReplyStream: AnyObject {
  /// Writes what there is, while there is room.
  func pump(_ session: Session, at now: Moment) -> StreamState
  /// These events may be told now. What is written is limited by the session's room; the rest is for
  /// `pump`.
  func tell(_ events: [Event], durable: Bool, to session: Session, at now: Moment) -> StreamState
  /// When, on CLOCK_MONOTONIC, the stream wants a tick; nil for none.
  var nextTickUsec: Int64? { get }
  /// The time for a tick has come.
  func tick(_ session: Session, at now: Moment)
}

extension ReplyStream {
  var nextTickUsec: Int64? { nil }
  func tick(_ session: Session, at now: Moment) {}
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
