internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Handles calls of the user's other machines to this machine's daemon.
final class IncomingCalls {
  private let loop: EventLoop
  private let allowed: RemotePermission
  private unowned let bridge: Bridge
  private let limited: LimitedLog
  /// The number of calls that the daemon has not answered yet.
  private var inFlight = 0
  /// The numbers of the answers that the broker has not acknowledged. These answers stay in this
  /// process's memory.
  private var answers: Set<Int32> = []
  /// The numbers of the refusals that the broker has not acknowledged.
  private var refusals: Set<Int32> = []
  private var budget = CallBudget()
  /// The number of connections to the daemon so far. A late answer on an earlier connection is
  /// recognized by this number.
  private var generation = 0

  init(loop: EventLoop, allowed: RemotePermission, bridge: Bridge) throws(SystemError) {
    self.loop = loop
    limited = try LimitedLog(loop: loop)
    self.allowed = allowed
    self.bridge = bridge
  }

  /// Handles a call that arrived on this machine's topic. If the call must not be carried out, it
  /// is answered with an error, provided that it has correlation data and a topic for the answer.
  ///
  /// - Parameter caller: the topic for the answer; nil if the caller is not one of the user's
  ///   machines.
  func received(_ message: BrokerMessage, from caller: Topic?) {
    // The broker would deliver a retained call again on each connection, and the bridge would carry
    // it out each time.
    guard !message.isRetained else { return log("it is retained") }
    // At QoS 1, the broker may deliver a message twice. Without correlation data, the bridge could
    // not recognize this.
    let correlation = message.correlation ?? []
    guard !correlation.isEmpty || message.qos == 0 else {
      return log("it has no correlation data, which a call at QoS 1 must have")
    }
    let call = RemoteCall(payload: message.payload)
    let asker = Asker(
      topic: correlation.isEmpty ? nil : caller, correlation: correlation,
      method: call?.method ?? "")
    // At QoS 0, no message is delivered twice, so a change needs no ID.
    let id = Self.id(of: message, correlation)
    guard let call = correlation.isEmpty ? call : call?.identified(by: id), call.isReadable else {
      log("it is no call")
      return refuse(asker, .noCall)
    }
    do throws(CallRefusal) {
      try call.check(allowed: allowed, nowUsec: loop.now.realtimeUsec)
      guard inFlight + answers.count < MirrorLimits.callsToDaemon else { throw .tooMany }
      guard !call.isChange || spend() else { throw .tooFast }
    } catch {
      return refuse(asker, error)
    }
    inFlight += 1
    let number = generation
    bridge.answer(call) { [weak self] reply in
      guard let self else { return }
      if number == generation { inFlight -= 1 }
      if let mid = publish(asker, reply) { answers.insert(mid) }
    }
  }

  /// Takes one change from the budget for changes of other machines and of Home Assistant.
  ///
  /// - Returns: false if the budget is used up.
  func spend() -> Bool { budget.take(nowUsec: loop.now.monotonicUsec) }

  /// The caller of a call, and the method that it called.
  private struct Asker {
    /// The topic for the answer; nil: no answer is sent.
    let topic: Topic?
    let correlation: [UInt8]
    let method: String
  }

  private func refuse(_ asker: Asker, _ refusal: CallRefusal) {
    guard refusals.count < MirrorLimits.refusalsInFlight else {
      return log("it came with too many others; the broker has not taken the answers to those")
    }
    if let mid = publish(asker, OwnerAnswer(refusal)) { refusals.insert(mid) }
  }

  private func publish(_ asker: Asker, _ answer: OwnerAnswer) -> Int32? {
    guard let topic = asker.topic else { return nil }
    var payload = answer.payload(of: asker.method)
    if payload.count > bridge.mostCallBytes {
      let refusal = CallRefusal.tooLong(
        most: bridge.mostCallBytes, isCarriedOut: answer.parameters != nil)
      payload = OwnerAnswer(refusal).payload(of: asker.method)
    }
    return bridge.publish(
      bridge.text(topic), payload,
      call: CallProperties(responseTopic: nil, correlation: asker.correlation))
  }

  /// Records that the broker has acknowledged a message.
  func acknowledged(_ mid: Int32) {
    if answers.remove(mid) == nil { refusals.remove(mid) }
  }

  /// Records that the connection to the broker is lost. The messages that were not acknowledged are
  /// lost, too.
  func disconnected() { (answers, refusals) = ([], []) }

  /// Records that the connection to the daemon is lost. Pending calls get no answer.
  func daemonLost() {
    inFlight = 0
    generation += 1
  }

  /// An ID for a change that has none, derived from the message. If the broker delivers the message
  /// twice, the ID is the same, and the daemon carries out the change once. The correlation data
  /// alone would not be unique, because callers choose it freely. So the ID is a hash of everything
  /// that is equal in two deliveries: 128 bits, made of two 64-bit hashes.
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
