internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// Sends calls to other machines, and waits for their answers.
///
/// A change has an ID, so that the owner carries it out once even if it is sent several times. If
/// the connection to the broker is lost before the answer arrives, the call is sent again.
final class OutgoingCalls {
  /// How long a call waits for its answer, in microseconds. The command line waits as long for a
  /// daemon.
  static let timeoutUsec: Int64 = 10_000_000
  /// How long after a loss of the connection to the broker a new call still waits for the next
  /// connection, in microseconds. After that time, a new call fails at once. The bridge connects
  /// again after 1 s, so callers do not notice a restart of the broker. If that attempt fails, the
  /// pauses grow to 30 s, and no call can wait so long.
  static let lossUsec: Int64 = 2_000_000

  private struct Waiting {
    let device: String
    let remote: RemoteCall
    let untilUsec: Int64
    /// The number of the message with the call; nil: the call was not sent on this connection.
    var mid: Int32?
    /// How many messages with this call were sent. The owner may have received an earlier message
    /// even if it did not receive the last one.
    var sendings = 0
    let reply: (OwnerAnswer) -> Void
  }

  private let loop: EventLoop
  private unowned let bridge: Bridge
  private var waiting: [String: Waiting] = [:]
  private var timer: TimerSource!
  /// When the connection to the broker was lost; nil: there is a connection.
  private var lostAt: Moment?

  init(loop: EventLoop, bridge: Bridge) throws(SystemError) {
    self.loop = loop
    self.bridge = bridge
    lostAt = loop.now
    timer = try loop.timer(on: .boottime) { [weak self] in self?.giveUp() }
  }

  /// Sends a call, unless the owner cannot be reached.
  ///
  /// - Parameter reply: called once with the answer.
  func call(
    _ received: ReceivedCall, to device: String, _ reply: @escaping (OwnerAnswer) -> Void
  ) {
    if let lostAt {
      // The time of a sleep does not count here, because the bridge connects at once when the
      // machine wakes up.
      guard loop.now.monotonicUsec - lostAt.monotonicUsec <= Self.lossUsec else {
        return reply(away(device))
      }
      // There is no connection. Do not check the owner's status now: a broker that shuts down
      // publishes the wills of all clients. Only the next connection shows whether the owner is
      // online.
    } else if bridge.mirror[device]?.state != .online {
      return reply(away(device))
    }
    guard waiting.count < MirrorLimits.callsInFlight else {
      return reply(
        .error(
          "\(TimersInterface.name).LimitExceeded",
          [
            "limit": "calls to other machines",
            "value": .integer(Int64(MirrorLimits.callsInFlight)),
          ]))
    }
    let now = loop.now
    // 128 random bits from the kernel.
    let id = (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }
      .joined(separator: "-")
    let call = RemoteCall(
      method: received.method, parameters: received.parameters,
      validUntilUsec: now.realtimeUsec + Self.timeoutUsec
    ).identified(by: id)
    guard call.payload.count <= bridge.mostCallBytes else {
      return reply(OwnerAnswer(.tooLong(most: bridge.mostCallBytes)))
    }
    waiting[id] = Waiting(
      device: device, remote: call, untilUsec: now.boottimeUsec + Self.timeoutUsec,
      reply: reply)
    send(id)
    arm()
  }

  private func send(_ id: String) {
    guard let call = waiting[id] else { return }
    let mid = bridge.publish(call.remote, to: call.device, correlation: Array(id.utf8))
    waiting[id]?.mid = mid
    if mid != nil { waiting[id]?.sendings += 1 }
  }

  /// Sends the waiting calls to an owner again, because the owner is online and the connection to
  /// the broker exists again.
  func sendAgain(to device: String) {
    for (id, call) in waiting where call.device == device && call.mid == nil { send(id) }
  }

  /// Records that the connection to the broker exists again.
  func connected() { lostAt = nil }

  /// Records that the connection to the broker is lost, or could not be made.
  func disconnected() {
    if lostAt == nil { lostAt = loop.now }
    for id in Array(waiting.keys) { waiting[id]?.mid = nil }
  }

  /// Handles a message that the broker delivered to no client. Either the owner is not connected,
  /// or this machine may not call it.
  func failed(_ mid: Int32, _ acknowledgement: BrokerSession.Acknowledgement) {
    guard let (id, call) = waiting.first(where: { $0.value.mid == mid }) else { return }
    let isRefused = if case .refused = acknowledgement { true } else { false }
    // After a crash, the broker still has the statuses from before. An owner that the broker
    // reports as online may be about to connect. The call is sent again when the owner has
    // connected.
    if !isRefused, bridge.mirror[call.device]?.state == .online {
      waiting[id]?.mid = nil
      waiting[id]?.sendings -= 1
      return
    }
    waiting[id] = nil
    arm()
    if isRefused { return call.reply(.error("\(VarlinkError.permissionDenied.name)", .object([]))) }
    call.reply(away(call.device, isInDoubt: call.remote.isChange && call.sendings > 1))
  }

  /// Handles an answer.
  func answered(_ correlation: [UInt8], _ payload: [UInt8]) {
    guard let id = String(validating: correlation, as: UTF8.self),
      let call = waiting.removeValue(forKey: id)
    else { return }
    defer { arm() }
    call.reply(
      OwnerAnswer(payload: payload)
        ?? away(call.device, isInDoubt: call.remote.isChange, wasSent: true))
  }

  private func giveUp() {
    let now = loop.now.boottimeUsec
    for (id, call) in waiting where call.untilUsec <= now {
      waiting[id] = nil
      let isInDoubt = call.remote.isChange && call.sendings > 0
      // If the call was not sent on this connection, the owner has not been online since the
      // connection began.
      call.reply(away(call.device, isInDoubt: isInDoubt, wasSent: call.mid != nil))
    }
    arm()
  }

  private func arm() { timer.arm(atUsec: waiting.values.map(\.untilUsec).min()) }

  /// The error for a call that has no answer.
  ///
  /// - Parameters:
  ///   - isInDoubt: whether the owner may have carried out the call.
  ///   - wasSent: whether the call was sent to an owner that was online.
  private func away(
    _ device: String, isInDoubt: Bool = false, wasSent: Bool = false
  ) -> OwnerAnswer {
    let owner = bridge.mirror[device]
    let (state, sinceUsec): (Wire.AwayState, Int64?) =
      if let lostAt {
        (.noBroker, lostAt.realtimeUsec)
      } else if wasSent || owner?.state == .online {
        // If the owner is online, the broker could nevertheless deliver the call to no client.
        (.silent, nil)
      } else {
        (owner?.state.map { .init(rawValue: $0.rawValue) } ?? .unknown, owner?.sinceUsec)
      }
    return .error(
      "\(TimersInterface.name).OwnerAway",
      .object(of: [
        ("device", .string(device)), ("state", .string(state.rawValue)),
        ("in_doubt", .bool(isInDoubt)), ("since_usec", sinceUsec.map(JSONValue.integer)),
      ]))
  }
}
