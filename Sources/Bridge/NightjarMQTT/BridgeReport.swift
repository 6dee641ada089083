internal import NightjarConfig
internal import NightjarInterface
internal import NightjarMirror
internal import NightjarModel
internal import Varlink

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
  var daemonReason: String?
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
  ///
  /// - Parameter tooLong: the problem of timers that are too long for the broker.
  func reply(
    own: OwnTimers, mirror: Mirror, missed: [RemoteRing], sessions: SharedSessions, pid: Int64,
    tooLong: BrokerProblem?
  ) -> JSONValue {
    let problem = problem ?? tooLong
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONValue.Member(name, value)) }
    }
    func traffic(_ messages: Int64, _ bytes: Int64) -> JSONValue {
      ["messages": .integer(messages), "bytes": .integer(bytes)]
    }
    add("version", .string(NightjarVersion.current))
    add("pid", .integer(pid))
    add("broker", .string(settings.broker.description))
    add("person", .string(settings.address.person))
    add("device", .string(settings.address.device))
    add("connected", .bool(isConnected))
    add("complete", .bool(isConnected && mirror.isComplete))
    add("since_usec", sinceUsec.map(JSONValue.integer))
    add("reason", (problem?.reason).map(JSONValue.string))
    add("remedy", (problem?.remedy).map(JSONValue.string))
    add("daemon_reason", daemonReason.map(JSONValue.string))
    add("timers", .integer(Int64(own.count)))
    let unpublished = own.unpublished.sorted().prefix(16).map(JSONValue.string)
    add("unpublished", .array(Array(unpublished)))
    add("dropped", .integer(Int64(mirror.droppedCount + sessions.droppedCount)))
    add("sent", traffic(sentMessages, sentBytes))
    add("received", traffic(receivedMessages, receivedBytes))
    let devices = mirror.devices.sorted { $0.key < $1.key }.map { name, device in
      device.reply(name)
    }
    add("devices", .array(devices))
    let rings = missed.map { ring -> JSONValue in
      [
        "device": .string(ring.device), "name": .string(ring.name),
        "due_usec": .integer(ring.dueUsec),
      ]
    }
    add("missed", .array(rings))
    add("sessions", sessions.reply)
    return .object(members)
  }
}

extension MirroredDevice {
  fileprivate func reply(_ name: String) -> JSONValue {
    var members = [
      JSONValue.Member("device", .string(name)),
      JSONValue.Member("state", .string(status?.state.rawValue ?? "unknown")),
    ]
    if let sinceUsec {
      members.append(JSONValue.Member("since_usec", .integer(sinceUsec)))
    }
    members.append(JSONValue.Member("timers", .integer(Int64(count))))
    if let aheadUsec = clockAheadUsec, aheadUsec != 0 {
      members.append(JSONValue.Member("clock_ahead_usec", .integer(aheadUsec)))
    }
    return .object(members)
  }
}
