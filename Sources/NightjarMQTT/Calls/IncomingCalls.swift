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
    // At QoS 1 the broker may deliver it twice, and without correlation data nobody could tell.
    let correlation = message.correlation ?? []
    guard !correlation.isEmpty || message.qos == 0 else {
      return log("it has no correlation data, which a call at QoS 1 must have")
    }
    guard let call = RemoteCall(payload: message.payload) else {
      return log("it is no call")
    }
    let answer = { [send] (error: String?, parameters: JSONValue) in
      guard let caller, !correlation.isEmpty else { return }
      var payload = RemoteReply.payload(error: error, parameters)
      if payload.count > MirrorLimits.messageBytes - 4096 {
        payload = RemoteReply.payload(
          error: CallRefusal.tooLong.name, CallRefusal.tooLong.parameters)
      }
      send(caller, payload, correlation)
    }
    do throws(CallRefusal) {
      try call.check(allowed: allowed, nowUsec: loop.now.realtimeUsec)
      guard underWay < MirrorLimits.callsToDaemon else { throw CallRefusal.tooMany }
    } catch {
      return answer(error.name, error.parameters)
    }
    underWay += 1
    let number = generation
    ask(call.identified(by: Self.id(correlation))) { [weak self] reply in
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

  /// A change without an id has that of its message: a message that is delivered twice is carried out once.
  private static func id(_ correlation: [UInt8]) -> String {
    correlation.prefix(Limits.requestBytes / 2).map { byte in
      let digits = String(byte, radix: 16)
      return digits.utf8.count == 1 ? "0\(digits)" : digits
    }.joined()
  }

  private func log(_ reason: String) {
    limited.write("call", .warning, "a call of another machine is not carried out: \(reason)")
  }
}
