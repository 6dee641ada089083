package import Varlink

extension FrameBuffer {
  /// A buffer for messages of the daemon.
  static var ofReplies: FrameBuffer { FrameBuffer(limit: WireLimits.replyBytes) }

  /// The next reply in the buffer; nil if no complete reply has arrived.
  mutating func takeReply() throws(ClientError) -> VarlinkReply? {
    var reply: VarlinkReply?
    let outcome: Outcome
    do throws(VarlinkProtocolError) {
      outcome = try drain { (frame) throws(VarlinkProtocolError) -> Bool in
        reply = try VarlinkReply.parse(frame)
        return false
      }
    } catch {
      throw .protocolViolation(error.description)
    }
    guard outcome != .frameTooLong else {
      throw .protocolViolation("a reply of over \(WireLimits.replyBytes) bytes")
    }
    return reply
  }
}

extension VarlinkReply {
  /// The parameters of the reply, or the refusal.
  package var result: Result<JSONValue, NightjarError> {
    guard let error else { return .success(parameters) }
    return .failure(NightjarError(name: error, parameters: parameters))
  }
}
