internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import NightjarVarlink

/// Calls of the person's other machines to this machine's daemon.
final class IncomingCalls {
  /// Has a call answered that may be carried out.
  typealias Ask = (_ call: RemoteCall, _ reply: @escaping (OwnerAnswer) -> Void) -> Void
  /// Publishes an answer.
  typealias Send = (_ topic: Topic, _ payload: [UInt8], _ correlation: [UInt8]) -> Void

  private let loop: EventLoop
  private let allowed: RemotePermission
  private let ask: Ask
  private let send: Send
  private let limited: LimitedLog
  private var underWay = 0
  /// Counts the connections to the daemon: an answer that comes late is of an earlier one.
  private var generation = 0

  init(
    loop: EventLoop, allowed: RemotePermission, ask: @escaping Ask, send: @escaping Send
  ) throws(SystemError) {
    self.loop = loop
    limited = try LimitedLog(loop: loop)
    self.allowed = allowed
    self.ask = ask
    self.send = send
  }

  /// Takes a call off this machine's topic. What must not be carried out is answered with an error, if it can be
  /// answered.
  ///
  /// - Parameter caller: the topic for the answer, if it is one of the person's machines.
  func received(_ message: BrokerMessage, from caller: Topic?) {
    // A retained call would be carried out by each bridge that connects later.
    guard !message.isRetained else { return log("it is retained") }
    // At QoS 1 the broker may deliver it twice, and without correlation data the two look like two calls.
    let correlation = message.correlation ?? []
    guard !correlation.isEmpty || message.qos == 0 else {
      return log("it has no correlation data, which a call at QoS 1 must have")
    }
    let call = RemoteCall(payload: message.payload)
    let answer = { [send, loop] (error: String?, parameters: JSONValue) in
      guard let caller, !correlation.isEmpty else { return }
      let method = call?.method ?? ""
      let sentUsec = loop.now.realtimeUsec
      var payload = RemoteReply.payload(of: method, error: error, parameters, sentUsec: sentUsec)
      if payload.count > MirrorLimits.messageBytes - 4096 {
        payload = RemoteReply.payload(
          of: method, error: CallRefusal.tooLong.name, CallRefusal.tooLong.parameters,
          sentUsec: sentUsec)
      }
      send(caller, payload, correlation)
    }
    // At QoS 0 nothing comes twice, and a change needs no id.
    let id = Self.id(of: message, correlation)
    guard let call = correlation.isEmpty ? call : call?.identified(by: id), call.isReadable else {
      log("it is no call")
      return answer(CallRefusal.noCall.name, CallRefusal.noCall.parameters)
    }
    do throws(CallRefusal) {
      try call.check(allowed: allowed, nowUsec: loop.now.realtimeUsec)
      guard underWay < MirrorLimits.callsToDaemon else { throw CallRefusal.tooMany }
    } catch {
      return answer(error.name, error.parameters)
    }
    underWay += 1
    let number = generation
    ask(call) { [weak self] reply in
      if let self, number == generation { underWay -= 1 }
      switch reply {
      case .reply(let parameters): answer(nil, parameters)
      case .error(let name, let parameters): answer(name, parameters)
      }
    }
  }

  /// The daemon is gone: what it was asked is not answered any more.
  func daemonLost() {
    underWay = 0
    generation += 1
  }

  /// The id of a change that has none: that of its message, so that one that is delivered twice is carried out once.
  /// Callers choose their correlation data by themselves, so the id is a hash of all that two deliveries have in
  /// common, of 128 bits: two of 64.
  private static func id(of message: BrokerMessage, _ correlation: [UInt8]) -> String {
    let bytes =
      Array((message.responseTopic ?? "").utf8) + [0] + correlation + [0] + message.payload
    return [FNV1a.offsetBasis, 0x9E37_79B9_7F4A_7C15].map {
      String(FNV1a.hash(bytes, from: $0), radix: 16)
    }.joined(separator: "-")
  }

  private func log(_ reason: String) {
    limited.write("call", .warning, "a call of another machine is not carried out: \(reason)")
  }
}
