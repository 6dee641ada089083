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
    let owner = bridge.mirror[device]
    if let lostAt {
      // The time of a sleep does not count here, because the bridge connects at once when the
      // machine wakes up.
      guard loop.now.monotonicUsec - lostAt.monotonicUsec <= Self.lossUsec else {
        return reply(noBroker(device, isInDoubt: false))
      }
      // There is no connection. Do not check the owner's status now: a broker that shuts down
      // publishes the wills of all clients. Only the next connection shows whether the owner is
      // online.
    } else if owner?.state != .online {
      return reply(Self.away(device, owner, isInDoubt: false))
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
    let id = Self.newID()
    let call = RemoteCall(
      method: received.method, parameters: received.parameters,
      validUntilUsec: now.realtimeUsec + Self.timeoutUsec
    ).identified(by: id)
    guard call.payload.count <= bridge.mostCallBytes else {
      let refusal = CallRefusal.tooLong(most: bridge.mostCallBytes)
      return reply(.error(refusal.name, refusal.parameters))
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
    let owner = bridge.mirror[call.device]
    // After a crash, the broker still has the statuses from before. An owner that the broker
    // reports as online may be about to connect. The call is sent again when the owner has
    // connected.
    if !isRefused, owner?.state == .online {
      waiting[id]?.mid = nil
      waiting[id]?.sendings -= 1
      return
    }
    waiting[id] = nil
    arm()
    if isRefused { return call.reply(.error("\(VarlinkError.permissionDenied.name)", .object([]))) }
    call.reply(
      Self.away(call.device, owner, isInDoubt: call.remote.isChange && call.sendings > 1))
  }

  /// Handles an answer.
  func answered(_ correlation: [UInt8], _ payload: [UInt8]) {
    guard let id = String(validating: correlation, as: UTF8.self),
      let call = waiting.removeValue(forKey: id)
    else { return }
    defer { arm() }
    guard let (error, parameters) = RemoteReply.read(payload) else {
      return call.reply(Self.silent(call.device, isInDoubt: call.remote.isChange))
    }
    call.reply(error.map { .error($0, parameters) } ?? .reply(parameters))
  }

  private func giveUp() {
    let now = loop.now.boottimeUsec
    for (id, call) in waiting where call.untilUsec <= now {
      waiting[id] = nil
      let isInDoubt = call.remote.isChange && call.sendings > 0
      call.reply(reason(call, isInDoubt: isInDoubt))
    }
    arm()
  }

  /// The error for a call that has no answer.
  private func reason(_ call: Waiting, isInDoubt: Bool) -> OwnerAnswer {
    if lostAt != nil { return noBroker(call.device, isInDoubt: isInDoubt) }
    // The call was not sent on this connection, because the owner has not been online since the
    // connection began.
    guard call.mid != nil else {
      return Self.away(call.device, bridge.mirror[call.device], isInDoubt: isInDoubt)
    }
    return Self.silent(call.device, isInDoubt: isInDoubt)
  }

  private func arm() { timer.arm(atUsec: waiting.values.map(\.untilUsec).min()) }

  // MARK: - Errors

  private func noBroker(_ device: String, isInDoubt: Bool) -> OwnerAnswer {
    Self.away(
      device, state: .noBroker, sinceUsec: lostAt?.realtimeUsec, isInDoubt: isInDoubt)
  }

  private static func silent(_ device: String, isInDoubt: Bool) -> OwnerAnswer {
    away(device, state: .silent, sinceUsec: nil, isInDoubt: isInDoubt)
  }

  private static func away(
    _ device: String, _ owner: MirroredDevice?, isInDoubt: Bool
  ) -> OwnerAnswer {
    switch owner?.state {
    // The status says that the owner is online, but the broker could deliver the call to no client.
    case .online: silent(device, isInDoubt: isInDoubt)
    case let state:
      away(
        device, state: state.flatMap { .init(rawValue: $0.rawValue) } ?? .unknown,
        sinceUsec: owner?.sinceUsec, isInDoubt: isInDoubt)
    }
  }

  private static func away(
    _ device: String, state: Wire.AwayState, sinceUsec: Int64?, isInDoubt: Bool
  ) -> OwnerAnswer {
    var members = [
      JSONValue.Member("device", .string(device)),
      JSONValue.Member("state", .string(state.rawValue)),
      JSONValue.Member("in_doubt", .bool(isInDoubt)),
    ]
    if let sinceUsec { members.append(JSONValue.Member("since_usec", .integer(sinceUsec))) }
    return .error("\(TimersInterface.name).OwnerAway", .object(members))
  }

  /// An ID for a change: 128 random bits from the kernel, in hexadecimal.
  private static func newID() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }
}
