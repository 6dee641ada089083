/// The counters of mosquitto (mosquitto(8), BROKER STATUS), without the messages that report these
/// counters.
final class BrokerCounters {
  /// A counter, by its topic below `$SYS/broker`.
  enum Name: String, CaseIterable {
    case messagesSent = "publish/messages/sent"
    /// mosquitto 2.0.11 does not count retained messages here.
    case unretainedReceived = "publish/messages/received"
    case bytesSent = "publish/bytes/sent"
    case bytesReceived = "publish/bytes/received"
    case wireSent = "bytes/sent"
    case wireReceived = "bytes/received"
    case retained = "retained messages/count"
  }

  private static let prefix = "$SYS/broker/"

  let client: BrokerClient
  private var values: [Name: Int] = [:]
  /// What this client had received before the counter was sent.
  private var before: [Name: Traffic] = [:]
  /// How many times the broker has published its counters.
  private(set) var rounds = 0

  init(port: Int) {
    client = BrokerClient("bench-counters", port: port)
    client.serve(until: "a connection") { client.isConnected }
    client.onMessage = { [unowned self] topic, payload, isRetained in
      guard let name = Name(rawValue: String(topic.dropFirst(Self.prefix.count))) else { return }
      values[name] = Int(String(decoding: payload, as: UTF8.self)) ?? 0
      before[name] = client.received - Traffic(messages: 1, bytes: payload.count)
      if name == .wireSent, !isRetained { rounds += 1 }
    }
    for name in Name.allCases {
      client.subscribe(Self.prefix + name.rawValue, qos: 0, isOwnLeftOut: true)
    }
  }

  /// A counter as the broker last sent it, without what the broker had sent to this client before.
  subscript(_ name: Name) -> Int {
    let value = values[name] ?? 0
    return switch name {
    case .messagesSent: value - (before[name]?.messages ?? 0)
    case .bytesSent: value - (before[name]?.bytes ?? 0)
    default: value
    }
  }
}
