internal import Varlink

/// The parameters that all changes have in common. One that is nil has no effect.
public struct ChangeOptions: Equatable, Sendable {
  /// An ID of 1 to 64 bytes, which says that a person makes the change. `Undo` undoes all changes
  /// with the same ID together.
  public var undoID: String?
  /// The daemon makes the change only if this is the timer's `seq`, the number of its last event.
  /// Otherwise the call throws `ClientError.refused(.timerChanged)` with the present number. A
  /// start compares this number with the `seq` of the existing timer of the name; 0 means that no
  /// timer has the name.
  public var ifSeq: Int64?
  /// A unique ID of the change, 1 to 64 bytes. The daemon makes the change once, however often the
  /// change is sent with this ID, even if the daemon or the machine crashes. The reply to each
  /// repetition is the reply to the first call. The daemon stores an ID for a day, at most the last
  /// 10000 IDs. If the daemon ends before it has answered, the client sends a change with an ID
  /// again by itself.
  public var request: String?

  /// Makes options.
  public init(undoID: String? = nil, ifSeq: Int64? = nil, request: String? = nil) {
    (self.undoID, self.ifSeq, self.request) = (undoID, ifSeq, request)
  }
}
