internal import Glibc
internal import NightjarConfig
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel

/// The data that `nightjar mqtt status` shows.
struct BridgeReport {
  let settings: BridgeSettings
  private(set) var isConnected = false
  /// Since when the bridge has been connected or disconnected, on CLOCK_REALTIME. Nil until the
  /// first attempt to connect has ended.
  private(set) var sinceUsec: Int64?
  /// Why the bridge is not connected, or which requests the broker refuses.
  var problem: BrokerProblem?
  /// Why the daemon does not answer; nil: the daemon answers, or was not asked yet.
  var daemonReason: Sentence?
  private(set) var (sentMessages, sentBytes): (Int64, Int64) = (0, 0)
  private(set) var (receivedMessages, receivedBytes): (Int64, Int64) = (0, 0)

  init(settings: BridgeSettings) { self.settings = settings }

  mutating func connected(at nowUsec: Int64) {
    (isConnected, sinceUsec, problem) = (true, nowUsec, nil)
  }

  mutating func lost(_ problem: BrokerProblem, at nowUsec: Int64) {
    if isConnected || sinceUsec == nil { sinceUsec = nowUsec }
    (isConnected, self.problem) = (false, problem)
  }

  mutating func published(_ bytes: Int) {
    sentMessages += 1
    sentBytes += Int64(bytes)
  }

  mutating func received(_ bytes: Int) {
    receivedMessages += 1
    receivedBytes += Int64(bytes)
  }

  /// The reply to a call of `org.nightjar.Bridge.Status`.
  func reply(of bridge: Bridge) -> BridgeWire.Status.Reply {
    let (own, mirror) = (bridge.own.main, bridge.mirror)
    var reply = BridgeWire.Status.Reply(
      version: NightjarVersion.current, pid: Int64(getpid()), broker: settings.broker.description,
      person: settings.address.person, device: settings.address.device, connected: isConnected,
      complete: isConnected && mirror.isComplete, timers: Int64(own.count),
      unpublished: Array(own.unpublished.sorted().prefix(16)),
      dropped: Int64(mirror.droppedCount),
      sent: BridgeWire.Traffic(messages: sentMessages, bytes: sentBytes),
      received: BridgeWire.Traffic(messages: receivedMessages, bytes: receivedBytes),
      devices: mirror.machines.map { $0.device.shown(as: $0.name) },
      missed: bridge.remote.missed.map {
        BridgeWire.MissedRing(device: $0.device, name: $0.name, dueUsec: $0.dueUsec)
      }, sessions: bridge.sessions.shown(problem))
    let problem = problem ?? bridge.tooLong()
    reply.sinceUsec = sinceUsec
    reply.reason = problem?.reason.description
    reply.remedy = problem?.remedy?.description
    reply.daemonReason = daemonReason?.description
    return reply
  }
}

extension MirroredDevice {
  fileprivate func shown(as name: String) -> BridgeWire.Device {
    var device = BridgeWire.Device(
      device: name, state: state.map { .init(rawValue: $0.rawValue) } ?? .unknown,
      timers: Int64(count), clockSynchronized: status?.isSynchronized == true)
    device.sinceUsec = sinceUsec
    return device
  }
}
