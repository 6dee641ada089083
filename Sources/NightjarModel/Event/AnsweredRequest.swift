/// A change to which a client gave an id, with its answer. The daemon commits it together with the change, so
/// that the same call, sent again, changes nothing more.
public struct AnsweredRequest: Equatable, Sendable {
  /// The id, of 1 to `Limits.requestBytes` bytes.
  public var id: String
  /// The method that was called, with its interface.
  public var method: String
  /// The reply, as it was sent, with its NUL. It can be an error.
  public var reply: [UInt8]
  /// The counter of `elapsed` when the call was answered.
  public var atElapsed: Int64

  /// Makes one.
  public init(id: String, method: String, reply: [UInt8], atElapsed: Int64) {
    self.id = id
    self.method = method
    self.reply = reply
    self.atElapsed = atElapsed
  }
}
