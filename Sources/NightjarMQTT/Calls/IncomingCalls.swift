internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import NightjarVarlink

/// Calls of the person's other machines to this machine's daemon.
final class IncomingCalls {
  /// Has a call answered that may be carried out.
  typealias Ask = (_ call: RemoteCall, _ reply: @escaping (OwnerAnswer) -> Void) -> Void
  /// Publishes an answer; returns the number of its message, for `acknowledged`, or nil if there is no connection.
  typealias Send = (_ topic: Topic, _ payload: [UInt8], _ correlation: [UInt8]) -> Int32?

  private let loop: EventLoop
  private let allowed: RemotePermission
  private let ask: Ask
  private let send: Send
  private let limited: LimitedLog
  /// Calls that the daemon was asked and has not answered.
  private var underWay = 0
  /// The messages with answers that the broker has not acknowledged: they stay in this process's memory until then.
  private var answers: Set<Int32> = []
  /// The same with refusals.
  private var refusals: Set<Int32> = []
  private var budget = CallBudget()
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
    let asker = Asker(
      topic: correlation.isEmpty ? nil : caller, correlation: correlation,
      method: call?.method ?? "")
    // At QoS 0 nothing comes twice, and a change needs no id.
    let id = Self.id(of: message, correlation)
    guard let call = correlation.isEmpty ? call : call?.identified(by: id), call.isReadable else {
      log("it is no call")
      return refuse(asker, .noCall)
    }
    do throws(CallRefusal) {
      try call.check(allowed: allowed, nowUsec: loop.now.realtimeUsec)
      guard underWay + answers.count < MirrorLimits.callsToDaemon else { throw .tooMany }
      guard !call.isChange || spend() else { throw .tooFast }
    } catch {
      return refuse(asker, error)
    }
    underWay += 1
    let number = generation
    ask(call) { [weak self] reply in
      guard let self else { return }
      if number == generation { underWay -= 1 }
      let mid =
        switch reply {
        case .reply(let parameters): publish(asker, nil, parameters)
        case .error(let name, let parameters): publish(asker, name, parameters)
        }
      if let mid { answers.insert(mid) }
    }
  }

  /// Takes one change off the budget that all changes from elsewhere share.
  ///
  /// - Returns: false if it is spent.
  func spend() -> Bool { budget.take(nowUsec: loop.now.monotonicUsec) }

  /// Who called, and what.
  private struct Asker {
    /// Where the answer goes; nil: nowhere.
    let topic: Topic?
    let correlation: [UInt8]
    let method: String
  }

  private func refuse(_ asker: Asker, _ refusal: CallRefusal) {
    guard refusals.count < MirrorLimits.refusalsUnderWay else {
      return log("it came with too many others; the broker has not taken the answers to those")
    }
    if let mid = publish(asker, refusal.name, refusal.parameters) { refusals.insert(mid) }
  }

  private func publish(
    _ asker: Asker, _ error: String?, _ parameters: JSONValue
  ) -> Int32? {
    guard let topic = asker.topic else { return nil }
    let sentUsec = loop.now.realtimeUsec
    var payload = RemoteReply.payload(
      of: asker.method, error: error, parameters, sentUsec: sentUsec)
    if payload.count > MirrorLimits.messageBytes - 4096 {
      payload = RemoteReply.payload(
        of: asker.method, error: CallRefusal.tooLong.name, CallRefusal.tooLong.parameters,
        sentUsec: sentUsec)
    }
    return send(topic, payload, asker.correlation)
  }

  /// The broker has answered to a message.
  func acknowledged(_ mid: Int32) {
    if answers.remove(mid) == nil { refusals.remove(mid) }
  }

  /// The connection to the broker is lost, and with it what was not acknowledged.
  func disconnected() { (answers, refusals) = ([], []) }

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
