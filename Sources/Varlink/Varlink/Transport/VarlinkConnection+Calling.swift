/// Why a call has no reply that can be used.
public enum CallFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The service replied with an error.
  case refused(VarlinkReply)
  /// The connection has ended. The call may have been carried out.
  case ended
  /// Nothing has arrived for as long as the caller wanted to wait.
  case timedOut
  /// The service broke the protocol.
  case violation(VarlinkProtocolError)
  /// The service replied more than once, without having been asked to.
  case tooManyReplies
  /// The reply lacks a field, or has another type in it.
  case unreadable(WireError)

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .refused(let reply):
      reply.varlinkError?.description
        ?? "\(reply.error ?? "") \(String(decoding: reply.json.bytes, as: UTF8.self))"
    case .ended: "the connection has ended"
    case .timedOut: "the service does not answer"
    case .violation(let error): error.description
    case .tooManyReplies: "the service replied more than once"
    case .unreadable(let error): "the reply has no valid '\(error.field)'"
    }
  }
}

/// Blocking calls, for programs without an event loop. The connection must have no other use. After
/// any error but a refusal it is broken.
extension VarlinkConnection {
  /// Calls a method and waits for its reply.
  ///
  /// - Parameter msec: how long to wait, in milliseconds; -1: without a limit.
  public func call<Method: WireMethod>(
    _ call: Method, msec: Int32 = -1
  ) throws(CallFailure) -> Method.Reply {
    VarlinkCall.write(call, into: &outlet.output)
    let (reply, continues) = try receive(Method.Reply.self, msec: msec)
    if continues { throw fail(.tooManyReplies) }
    return reply
  }

  /// Calls a method that answers with any number of replies. No other call may be made before the
  /// last one has been read.
  public func replies<Method: WireMethod>(to call: Method) -> VarlinkReplies<Method> {
    VarlinkCall.write(call, more: true, into: &outlet.output)
    return VarlinkReplies(connection: self)
  }

  /// Calls a method without asking for a reply.
  public func callOneway(_ call: some WireMethod) throws(CallFailure) {
    VarlinkCall.write(call, oneway: true, into: &outlet.output)
    flushAll()
    if hasOutputEnded { throw fail(.ended) }
  }

  fileprivate func receive<Reply: WireStructure>(
    _: Reply.Type, msec: Int32
  ) throws(CallFailure) -> (reply: Reply, continues: Bool) {
    let reply = try nextReply(msec: msec)
    guard reply.error == nil else { throw .refused(reply) }
    do throws(WireError) {
      return (try Reply(reply.json.bytes, isStrict: false), reply.continues)
    } catch {
      throw fail(.unreadable(error))
    }
  }

  private func nextReply(msec: Int32) throws(CallFailure) -> VarlinkReply {
    guard !isBroken else { throw .ended }
    let end = Poll.nowMsec + Int64(msec)
    flush()
    while true {
      do throws(VarlinkProtocolError) {
        if let reply = try nextReply() { return reply }
      } catch {
        throw fail(.violation(error))
      }
      guard !isBroken, !hasInputEnded else { throw fail(.ended) }
      // A wait also ends after a signal.
      let left = Int32(max(0, end - Poll.nowMsec))
      if !wait(msec: msec < 0 ? -1 : left), msec >= 0, end <= Poll.nowMsec {
        throw fail(.timedOut)
      }
    }
  }

  private func fail(_ failure: CallFailure) -> CallFailure {
    isBroken = true
    return failure
  }
}

/// The replies to a call with `more`, in order.
public final class VarlinkReplies<Method: WireMethod> {
  private let connection: VarlinkConnection
  private var isOver = false

  fileprivate init(connection: VarlinkConnection) { self.connection = connection }

  /// Waits for the next reply.
  ///
  /// - Parameter msec: how long to wait, in milliseconds; -1: without a limit.
  /// - Returns: the reply; nil after the last one.
  public func next(msec: Int32 = -1) throws(CallFailure) -> Method.Reply? {
    guard !isOver else { return nil }
    do throws(CallFailure) {
      let (reply, continues) = try connection.receive(Method.Reply.self, msec: msec)
      isOver = !continues
      return reply
    } catch {
      if case .refused = error { isOver = true }
      throw error
    }
  }
}
