/// The answer to a call that changes something and to which the client gave an id. The daemon
/// commits the answer together with the change. So a client can send the call again, and the change
/// happens only once.
public struct AnsweredRequest: Equatable, Sendable {
  /// The id, of 1 to `Limits.requestBytes` bytes.
  public var id: String
  /// The full name of the method, with its interface.
  public var method: String
  /// The reply as it was sent, with its final NUL. It can be an error.
  public var reply: [UInt8]
  /// The reading of `elapsed` when the call was answered.
  public var atElapsed: Int64

  public init(id: String, method: String, reply: [UInt8], atElapsed: Int64) {
    self.id = id
    self.method = method
    self.reply = reply
    self.atElapsed = atElapsed
  }
}
